"""Clingo is left as soon as a signal's handler raises, however long its search would take."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from erm.puzzles import prover as asked
from erm.puzzles.prover import Prover

PIGEONS = """
1 { at(P,H) : H=1..13 } 1 :- P=1..14.
:- at(P,H), at(Q,H), P < Q.
on(0) :- at(1,1).
"""
"""No proof by resolution is short; clingo would search for days."""


class Heard(Exception):
    """The signal has come."""


@contextmanager
def signal_soon() -> Iterator[None]:
    def leave(*_: object) -> None:
        raise Heard

    before = signal.signal(signal.SIGALRM, leave)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.timeout(60, method="thread")
@pytest.mark.parametrize("ask", [Prover.another, Prover.is_unique, lambda one: list(one.answers())])
def test_a_long_search_hears_signals(ask: Callable[[Prover], object], monkeypatch):
    monkeypatch.setattr(asked, "PATIENCE", "umax,umax")
    prover = Prover(PIGEONS, "", (13, 13))
    with signal_soon(), pytest.raises(Heard):
        ask(prover)
