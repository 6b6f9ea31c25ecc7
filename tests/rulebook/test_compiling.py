"""Who waits for compilation is told so, and no limit counts it; Ctrl-C in compiled code."""

from types import SimpleNamespace

import pytest
from numba import njit
from numba.core.event import Event, EventStatus

from erm.rulebook import compiling
from erm.rulebook.compiling import Compilation, Notice
from erm.rulebook.propagation.engine import prune_rows
from erm.search.deadline import Deadline, OutOfTime
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


@pytest.fixture
def hands(monkeypatch):
    """A clock whose hands are moved, and a compilation that has not begun: `hands.now` seconds."""
    found = SimpleNamespace(now=100.0, compilation=Compilation())
    monkeypatch.setattr(compiling, "monotonic", lambda: found.now)
    monkeypatch.setattr(compiling, "compilation", found.compilation)
    return found


def test_the_clock_of_limits_stands_still_while_kernels_are_compiled(hands):
    begin, end = compile_event(EventStatus.START), compile_event(EventStatus.END)
    deadline = Deadline(5.0)
    hands.now += 4
    hands.compilation.notify(begin)
    hands.now += 30
    deadline.check()
    hands.compilation.notify(begin)  # One kernel needs another.
    hands.now += 30
    hands.compilation.notify(end)
    hands.now += 30
    hands.compilation.notify(end)
    deadline.check()
    assert hands.compilation.seconds == 90 and compiling.clock() == 104
    hands.now += 2
    with pytest.raises(OutOfTime):
        deadline.check()


def test_what_is_compiled_now_is_not_counted():
    """Numba tells of a kernel that this process has not seen, also of one nobody asked for yet."""
    before = compiling.compilation.seconds
    njit(lambda number: number + 1)(1)
    assert compiling.compilation.seconds > before


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), SystemExit(143)])
def test_a_signal_that_meets_compiled_code_is_what_it_is(cause):
    with pytest.raises(type(cause)), interrupts_unwrapped():
        raise SystemError("a kernel returned a result with an exception set") from cause
    with pytest.raises(SystemError), interrupts_unwrapped():
        raise SystemError("something else")
