"""Who waits for the first compilation is told so, and nobody else; Ctrl-C in compiled code."""

from types import SimpleNamespace

import pytest
from numba.core.event import Event, EventStatus

from erm.rulebook.compiling import Notice
from erm.rulebook.propagation.engine import prune_rows
from erm.signals import interrupts_unwrapped


def compile_event(status, function=prune_rows.py_func):
    return Event("numba:compile", status, {"dispatcher": SimpleNamespace(py_func=function)})


def test_it_is_said_once_and_on_standard_error(capsys):
    notice = Notice()
    notice.always = True
    for _ in range(3):
        notice.notify(compile_event(EventStatus.START))
        notice.notify(compile_event(EventStatus.END))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "erm: compiling the rules' kernels, once on this machine\n"
    assert notice.kernels == 3


def test_a_long_compilation_says_how_far_it_is(capsys, monkeypatch):
    monkeypatch.setattr("erm.rulebook.compiling.EVERY", -1.0)
    notice = Notice()
    notice.always = True
    notice.notify(compile_event(EventStatus.START))
    notice.notify(compile_event(EventStatus.END))
    assert capsys.readouterr().err.splitlines()[1] == "erm: 1 kernel compiled in 0 s"


def test_logs_and_functions_of_others_are_left_alone(capsys):
    notice = Notice()
    notice.notify(compile_event(EventStatus.START))  # Standard error is no terminal here.
    theirs = Notice()
    theirs.always = True
    theirs.notify(compile_event(EventStatus.START, SimpleNamespace(__module__="numba.np")))
    assert capsys.readouterr().err == "" and theirs.kernels == 0


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), SystemExit(143)])
def test_a_signal_that_meets_compiled_code_is_what_it_is(cause):
    with pytest.raises(type(cause)), interrupts_unwrapped():
        raise SystemError("a kernel returned a result with an exception set") from cause
    with pytest.raises(SystemError), interrupts_unwrapped():
        raise SystemError("something else")
