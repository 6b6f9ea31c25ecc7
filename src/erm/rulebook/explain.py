"""Why is this cell forced? The rules applied one by one, simplest first, each step with its reason.

The fast propagation says what is left; this one says why. Both use the same kernels, so where no
trial is needed they end at the same domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.compiling import clock
from erm.rulebook.complete import Poll, enumerate_answers
from erm.rulebook.potential import Pruner
from erm.rulebook.propagate import prune
from erm.rulebook.propagation.parts import Connected, Part, Permuted, Scopes, SeededAreas
from erm.rulebook.propagation.single import first_change, soonest_refuted
from erm.rulebook.rules import Rules

Domain = Bool[np.ndarray, "n S"]

TRIED_AT_ONCE = 32
"""Cells whose states are tried between two looks at the clock."""


class Level(IntEnum):
    """How hard a step is to see; a puzzle's grade is that of its hardest step."""

    ONE_RULE = 1
    """One rule in one place says so."""
    SEVERAL_RULES = 2
    """Several rules about the same cells say so together."""
    TRIAL = 3
    """Suppose the opposite, and some rule breaks."""
    GUESS = 4
    """No single trial decides; the state is taken from an answer."""

    @property
    def words(self) -> str:
        """What a puzzle of this grade asks for."""
        return (
            "one rule at a time",
            "several rules at once",
            "trials of one state",
            "guesses",
        )[self - 1]


@dataclass(frozen=True)
class Step:
    """States that one cell loses, and why."""

    cell: int
    ruled_out: tuple[int, ...]
    """States that count from 0, as `Rules` has them."""
    level: Level
    rule: str
    """The rule that says so; in a trial, the one that breaks."""
    scope: tuple[int, ...]
    """The cells that this rule is about here; empty where it is about the whole board."""
    because: tuple[int, ...]
    """The cells whose present states force it; with the others as printed it is forced, too."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """Steps from a domain to an answer, or to where the clues contradict each other."""

    steps: Sequence[Step]
    domain: Domain
    """What the steps leave; some cell has no state left where there is no answer."""
    late: bool = False
    """Whether time was up before the end."""

    @property
    def grade(self) -> Level:
        """The hardest step's level."""
        return max((step.level for step in self.steps), default=Level.ONE_RULE)

    @property
    def contradiction(self) -> bool:
        return not self.domain.any(1).all()

    @property
    def solved(self) -> bool:
        return bool((self.domain.sum(1) == 1).all())


class Walk:
    """The chain of steps, simplest first at every point, each as soon as it is found."""

    def __init__(
        self,
        rules: Rules,
        domain: Domain | None = None,
        seconds: float | None = None,
        look: Poll | None = None,
    ) -> None:
        self.domain = rules.domain if domain is None else domain & rules.domain
        """What the steps so far leave."""
        self.steps: list[Step] = []
        self.late = False
        until = None if seconds is None else clock() + seconds
        self._coming = _Explainer(rules, until, look).steps(self.domain)

    def __iter__(self) -> Iterator[Step]:
        return self

    def __next__(self) -> Step:
        try:
            step = next(self._coming)
        except _Late:
            self.late = True
            raise StopIteration from None
        self.steps.append(step)
        self.domain = take(self.domain, step)
        return step

    @property
    def explanation(self) -> Explanation:
        """The steps so far."""
        return Explanation(tuple(self.steps), self.domain, self.late)


def explain(
    rules: Rules, domain: Domain | None = None, seconds: float | None = None
) -> Explanation:
    """The whole chain of steps, or as much of it as time allows."""
    walk = Walk(rules, domain, seconds)
    for _ in walk:
        pass
    return walk.explanation


def hint(rules: Rules, domain: Domain | None = None, seconds: float | None = None) -> Step | None:
    """The next step alone; None where nothing is left to say, or time is up."""
    return next(Walk(rules, domain, seconds), None)


def take(domain: Domain, step: Step) -> Domain:
    """The domain after a step."""
    after = domain.copy()
    after[step.cell, list(step.ruled_out)] = False
    return after


class _Reason(NamedTuple):
    """One rule in one place."""

    name: str
    level: Level
    place: int
    """Its number among the scopes and board rules of the program; -1 for a rule in Python."""
    scope: tuple[int, ...]
    pruner: Pruner | None = None


class _Refuted(NamedTuple):
    """A state that fails when it is supposed; ordered by how soon."""

    changes: int
    cell: int
    state: int


NEVER_REFUTED = _Refuted(1 << 60, -1, -1)


class _Late(Exception):
    """Time is up."""


class _Explainer:
    def __init__(self, rules: Rules, until: float | None, look: Poll | None) -> None:
        self.rules = rules
        self.until = until
        self.look = look
        self.program, _ = rules.pruning
        self.reasons = sorted(_reasons(rules), key=lambda one: (one.level, _effort(one)))
        self.order = np.array([one.place for one in self.reasons if one.place >= 0], np.int64)
        self.compiled = [one for one in self.reasons if one.place >= 0]
        self.plain = [one for one in self.reasons if one.place < 0]

    def steps(self, domain: Domain) -> Iterator[Step]:
        answer: Int[np.ndarray, " n"] | None = None
        while domain.any(1).all():
            self._check_time()
            found = self._by_rule(domain) or self._by_trial(domain)
            if not found:
                if (domain.sum(1) == 1).all():
                    return
                answer = self._answer(domain, answer)
                if answer is None:
                    return
                found = [self._guess(domain, answer)]
            for step in found:
                yield step
                domain = take(domain, step)

    def _check_time(self) -> None:
        if self.look is not None:
            self.look()
        if self.until is not None and clock() > self.until:
            raise _Late

    def _by_rule(self, domain: Domain) -> list[Step]:
        """What the simplest rule with anything to say rules out."""
        place, _, masks = first_change(self.program, _masks(domain), self.order)
        if place >= 0:
            return self._told(domain, self.compiled[place], _domain(masks, domain.shape[1]))
        for reason in self.plain:
            assert reason.pruner is not None
            after = reason.pruner.prune(domain[None])[0]
            if (after != domain).any():
                return self._told(domain, reason, after)
        return []

    def _told(self, domain: Domain, reason: _Reason, after: Domain) -> list[Step]:
        if not self._fits(reason, domain):
            cell, lost = self._spoilt(domain, reason, after)
            return [self._step(domain, reason, cell, lost)]
        return [
            self._step(domain, reason, int(cell), tuple(np.flatnonzero(lost).tolist()))
            for cell, lost in enumerate(domain & ~after)
            if lost.any()
        ]

    def _spoilt(self, domain: Domain, reason: _Reason, after: Domain) -> tuple[int, tuple]:
        """A cell to point at where a rule cannot be kept, and all states that it has left."""
        emptied = np.flatnonzero(~after.any(1))
        cell = int(emptied[0]) if len(emptied) else (reason.scope or (0,))[0]
        return cell, tuple(np.flatnonzero(domain[cell]).tolist())

    def _step(self, domain: Domain, reason: _Reason, cell: int, lost: tuple[int, ...]) -> Step:
        self._check_time()

        def forced(relaxed: Domain) -> bool:
            after = self._alone(reason, relaxed)
            return after is None or not after[cell, list(lost)].any()

        own = reason.scope or range(len(domain))
        because = self._needed(domain, own, forced)
        return Step(cell, lost, reason.level, reason.name, reason.scope, because)

    def _by_trial(self, domain: Domain) -> list[Step]:
        """The state that fails soonest when it is supposed."""
        if self.plain:
            return self._by_plain_trial(domain)
        masks, best = _masks(domain), NEVER_REFUTED
        for first in range(0, len(domain), TRIED_AT_ONCE):
            self._check_time()
            last = min(first + TRIED_AT_ONCE, len(domain))
            best = min(best, _Refuted(*soonest_refuted(self.program, masks, first, last)))
        return [] if best.cell < 0 else [self._trial(domain, best.cell, best.state)]

    def _by_plain_trial(self, domain: Domain) -> list[Step]:
        for cell in np.flatnonzero(domain.sum(1) > 1).tolist():
            for state in np.flatnonzero(domain[cell]).tolist():
                self._check_time()
                if self._refuted(domain, cell, state):
                    return [self._trial(domain, cell, state)]
        return []

    def _refuted(self, domain: Domain, cell: int, state: int) -> bool:
        supposed = domain.copy()
        supposed[cell] = np.arange(domain.shape[1]) == state
        return not prune(self.rules, supposed[None])[0].any()

    def _trial(self, domain: Domain, cell: int, state: int) -> Step:
        broken = self._breaks(domain, cell, state)
        because = self._needed(
            domain, range(len(domain)), lambda relaxed: self._refuted(relaxed, cell, state)
        )
        return Step(cell, (state,), Level.TRIAL, broken.name, broken.scope, because)

    def _breaks(self, domain: Domain, cell: int, state: int) -> _Reason:
        """The rule that cannot be kept once the state is supposed."""
        domain = domain.copy()
        domain[cell] = np.arange(domain.shape[1]) == state
        while True:
            place, fine, masks = first_change(self.program, _masks(domain), self.order)
            if place >= 0:
                domain = _domain(masks, domain.shape[1])
                if not fine or not domain.any(1).all():
                    return self.compiled[place]
                continue
            for reason in self.plain:
                assert reason.pruner is not None
                after = reason.pruner.prune(domain[None])[0]
                if not after.any(1).all():
                    return reason
                if (after != domain).any():
                    domain = after
                    break

    def _answer(
        self, domain: Domain, known: Int[np.ndarray, " n"] | None
    ) -> Int[np.ndarray, " n"] | None:
        """An answer within the domain, the known one if it still is; None if there is none."""
        if known is not None and domain[np.arange(len(domain)), known].all():
            return known
        left = None if self.until is None else max(0.0, self.until - clock())
        found = enumerate_answers(self.rules, limit=1, seconds=left, domain=domain, look=self.look)
        if not len(found.answers) and not found.exhausted:
            raise _Late
        return found.answers[0] if len(found.answers) else None

    def _guess(self, domain: Domain, answer: Int[np.ndarray, " n"]) -> Step:
        counts = domain.sum(1)
        cell = int(np.where(counts > 1, counts, domain.shape[1] + 1).argmin())
        lost = np.flatnonzero(domain[cell] & (np.arange(domain.shape[1]) != answer[cell]))
        return Step(cell, tuple(lost.tolist()), Level.GUESS, "a guess", (), ())

    def _needed(self, domain: Domain, cells: Sequence[int], forced) -> tuple[int, ...]:
        """Cells that cannot go back to what is printed while the step stays forced."""
        relaxed, needed = domain.copy(), []
        for cell in cells:
            if (domain[cell] == self.rules.domain[cell]).all():
                continue
            self._check_time()
            relaxed[cell] = self.rules.domain[cell]
            if not forced(relaxed):
                relaxed[cell] = domain[cell]
                needed.append(int(cell))
        return tuple(needed)

    def _fits(self, reason: _Reason, domain: Domain) -> bool:
        return self._alone(reason, domain) is not None

    def _alone(self, reason: _Reason, domain: Domain) -> Domain | None:
        """What one rule leaves; None where it cannot be kept."""
        if reason.pruner is not None:
            after = reason.pruner.prune(domain[None])[0]
        else:
            order = np.array([reason.place], np.int64)
            _, fine, masks = first_change(self.program, _masks(domain), order)
            if not fine:
                return None
            after = _domain(masks, domain.shape[1])
        return after if after.any(1).all() else None


def _masks(domain: Domain) -> Int[np.ndarray, " n"]:
    return np.left_shift(domain.astype(np.int64), np.arange(domain.shape[1])).sum(1)


def _domain(masks: Int[np.ndarray, " n"], states: int) -> Domain:
    return masks[:, None] >> np.arange(states) & 1 == 1


def _effort(reason: _Reason) -> tuple[bool, int]:
    """Rules about few cells are seen first, those about the whole board last."""
    return not reason.scope, len(reason.scope)


def _reasons(rules: Rules) -> Iterator[_Reason]:
    """Every rule in every place, numbered as `program.build` lays them out."""
    scopes: list[tuple[str, Level, Part]] = []
    boards: dict[type, list[tuple[str, Level]]] = {Connected: [], SeededAreas: [], Scopes: []}
    for asked in rules.asked:
        level = Level.SEVERAL_RULES if asked.implied else Level.ONE_RULE
        name = getattr(asked.rule, "name", type(asked.rule).__name__)
        if asked.parts is None:
            assert isinstance(asked.rule, Pruner)
            yield _Reason(name, level, -1, (), asked.rule)
        for part in asked.parts or ():
            if isinstance(part, Scopes | Permuted):
                scopes.append((name, level, part))
            if isinstance(part, Connected | SeededAreas) or (
                isinstance(part, Scopes) and part.covers
            ):
                boards[type(part)].append((name, level))
    number = 0
    for name, level, part in scopes:
        for own in _scopes_of(part):
            yield _Reason(name, level, number, own)
            number += 1
    for name, level in (*boards[Connected], *boards[SeededAreas], *boards[Scopes]):
        yield _Reason(name, level, number, ())
        number += 1


def _scopes_of(part: Part) -> list[tuple[int, ...]]:
    if isinstance(part, Permuted):
        return 2 * [tuple(scope) for scope in part.scopes.tolist()]
    assert isinstance(part, Scopes)
    cells = np.split(part.cells, np.cumsum(part.lengths)[:-1])
    return [tuple(scope.tolist()) for scope in cells[: len(part.lengths)]]
