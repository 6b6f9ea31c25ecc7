"""One search, told step by step: frames while it runs, an outcome at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from erm.drawing.words import broken
from erm.errors import InputError
from erm.rulebook.answers import format_answer
from erm.rulebook.energy import rules_energy
from erm.rulebook.optimum import TOLERANCE
from erm.rulebook.rules import Violation
from erm.search.attempt import Ended
from erm.search.deadline import Deadline, OutOfTime
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.result import Result
from erm.search.select import Choice
from erm.search.solver import Solver
from erm.search.temper import TemperOptions, TemperResult
from erm.web import schema
from erm.web.board import solution_link
from erm.web.frames import Selectors, candidate, candidates, distinct, is_valid, number
from erm.web.requests import SearchRequest, Tempering
from erm.web.settings import Settings
from erm.web.verdict import certificate, cost_of, term_values, violations_json


@runtime_checkable
class Emit(Protocol):
    """Takes a frame; raises where nobody wants further ones."""

    def __call__(self, frame: schema.Frame) -> None: ...

    def gone(self) -> bool:
        """Asked inside long steps: whether nobody waits any more."""
        ...

    def help(self, one: Callable[[], bool]) -> Future[None] | None:
        """Another worker for the calls of one step, where one is free."""
        ...


@dataclass(frozen=True)
class Standing:
    """Where a search has got to."""

    pool: CandidatePool
    wave: int
    depth: int
    evaluations: int
    seconds: float
    bound: float | None = None
    """No answer costs less, where answers have prices."""


def check_bounds(settings: Settings, problem: Problem, request: SearchRequest) -> None:
    """A request for more than this server gives is an InputError."""
    width = candidate_count(request)
    check_size(settings, width, request.depth)
    most = settings.numbers // problem.rules.domain.size
    if width > most:
        size = f"{problem.puzzle.height}x{problem.puzzle.width}"
        raise InputError(f"K is {width}, but a board of {size} allows at most {most} here")
    if request.tempering is not None and request.mode != "temper":
        raise InputError('tempering needs mode "temper"')


def check_size(settings: Settings, width: int, depth: int) -> None:
    """K and D within what this server gives."""
    if width > settings.width:
        raise InputError(f"K is {width}, but this server allows at most {settings.width}")
    if depth > settings.depth:
        raise InputError(f"D is {depth}, but this server allows at most {settings.depth}")


def candidate_count(request: SearchRequest) -> int:
    if request.mode != "temper":
        return request.width
    tempering = request.tempering or Tempering()
    return tempering.ladders * tempering.rungs


class WatchedSearch:
    """Runs one request in a worker's thread."""

    def __init__(
        self,
        request: SearchRequest,
        problem: Problem,
        solver: Solver,
        checkpoint: str,
        selectors: Selectors,
        seconds: float,
    ) -> None:
        self.request, self.problem, self.solver = request, problem, solver
        self.checkpoint, self.selectors, self.seconds = checkpoint, selectors, seconds
        self.steps = 0
        self.standing: Standing | None = None
        self.visited: np.ndarray | None = None
        """The first valid answer that was seen, wherever the candidates went since."""
        self._judged: tuple[bytes, list[schema.Violation]] | None = None
        self.began = time.monotonic()

    def run(self, emit: Emit) -> schema.Outcome:
        self.began = time.monotonic()
        return self._temper(emit) if self.request.mode == "temper" else self._search(emit)

    def _search(self, emit: Emit) -> schema.Outcome:
        request = self.request
        # The trace of a full search is what the frames are; the solver need not keep it.
        results = self.solver.search(
            self.problem.puzzle,
            width=request.width,
            depth=request.depth,
            seed=request.seed,
            mode="full" if request.mode == "full" else "adaptive",
            guide=None if request.guided else "none",
            unique=request.unique,
            seconds=self.seconds,
            cancelled=emit.gone,
            help=emit.help,
        )
        result = None
        for result in results:
            if len(result.candidates):
                emit(self._frame(_standing(result)))
        assert result is not None and result.ended is not None, "the last result is done"
        return self._outcome(result.ended, result)

    def _nothing(self, ended: Ended, result: Result | None) -> schema.Outcome:
        """Where the rules leave no answer, or time was up before there was any candidate."""
        request, problem = self.request, self.problem
        why = None if result is None else result.contradiction
        return schema.Outcome(
            task=problem.task.name,
            puzzle=problem.task.format(problem.puzzle),
            status="undecided" if result is None else result.status,
            by="network" if result is None else result.by,
            answer=None,
            contradiction=None if why is None else why.sentence,
            certified=False,
            ended=ended,
            selector=request.selector,
            k=None,
            energy=None,
            terms={},
            violations=(
                [] if result is None else violations_json(result.violations, result.in_words)
            ),
            certificate=[],
            candidates=0,
            wave=0 if result is None else result.wave,
            depth=0 if result is None else result.depth,
            evaluations=0 if result is None else result.evaluations,
            seconds=time.monotonic() - self.began if result is None else result.seconds,
            checkpoint=self.checkpoint,
            seed=request.seed,
            mode=request.mode,
            link=None,
        )

    def _temper(self, emit: Emit) -> schema.Outcome:
        request = self.request
        tempering = request.tempering or Tempering()
        options = TemperOptions(
            depth=request.depth,
            ladders=tempering.ladders,
            rungs=tempering.rungs,
            noise=tempering.noise,
            metropolis=tempering.metropolis,
            swaps=tempering.swaps,
            seed=request.seed,
        )

        def watch(pool: CandidatePool) -> None:
            depth = self.steps + 1
            seconds = time.monotonic() - self.began
            emit(self._frame(Standing(pool, 0, depth, depth * options.width, seconds)))

        try:
            result = self.solver.temper(
                self.problem.puzzle,
                options,
                watch=watch,
                deadline=Deadline(self.seconds, emit.gone),
            )
        except OutOfTime as late:
            return self._outcome(late.why)
        return self._outcome("budget", tempered=result)

    def _frame(self, standing: Standing) -> schema.Frame:
        self.steps += 1
        self.standing = standing
        pool = standing.pool
        if self.visited is None and pool.valid.any():
            self.visited = pool.answers[int(np.argmax(pool.valid))]
        choices = self.selectors.choices(self.problem, pool)
        chosen = next((one for one in choices if one.selector == self.request.selector), None)
        if chosen is None:
            raise InputError(f"this checkpoint has no score for selector {self.request.selector!r}")
        choice = self.selectors.choose(self.request.selector, pool)
        states = self.problem.task.to_states(self.problem.puzzle, choice.answer)
        return schema.Frame(
            step=self.steps,
            wave=standing.wave,
            depth=standing.depth,
            size=len(pool),
            distinct=distinct(pool),
            valid=int(pool.valid.sum()),
            evaluations=standing.evaluations,
            seconds=standing.seconds,
            energy=number(pool.energy.total.min()),
            median=number(np.median(pool.energy.total)),
            candidates=candidates(pool, choices),
            choices=choices,
            violations=[] if chosen.valid else self._violations(states),
            cost=cost_of(self.problem.rules, states),
            bound=None if standing.bound is None else number(standing.bound),
        )

    def _violations(self, states: np.ndarray) -> list[schema.Violation]:
        """Of an answer that is often that of the step before, on large boards thousands."""
        key = states.tobytes()
        if self._judged is None or self._judged[0] != key:
            self._judged = key, self._in_words(self.problem.rules.violations(states))
        return self._judged[1]

    def _in_words(self, violations: Sequence[Violation]) -> list[schema.Violation]:
        return violations_json(violations, partial(broken, self.problem.task, self.problem.puzzle))

    def _choice(self, pool: CandidatePool) -> tuple[Choice, bool]:
        """The asked-for selector's answer and whether it is valid.

        "certified" does not forget a certificate that later steps have spoilt.
        """
        choice = self.selectors.choose(self.request.selector, pool)
        valid = is_valid(self.problem, pool, choice)
        if not valid and self.visited is not None and self.request.selector == "certified":
            return Choice(self.visited, None, float("nan"), False), True
        return choice, valid

    def _outcome(
        self, ended: Ended, result: Result | None = None, tempered: TemperResult | None = None
    ) -> schema.Outcome:
        if self.standing is None:
            return self._nothing(ended, result)
        standing, request, problem = self.standing, self.request, self.problem
        choice, valid = self._choice(standing.pool)
        states = problem.task.to_states(problem.puzzle, choice.answer)
        wrong = [] if valid else self._violations(states)
        if choice.index is None:
            terms = rules_energy(problem.rules, states[None], problem.task.settings)[0]
            energy, named = number(terms.total), term_values(terms)
        else:
            shown = candidate(standing.pool, choice.index)
            energy, named = shown.energy, shown.terms
        status = "certified" if valid else "undecided"
        other = None
        if result is not None and result.status == "no solution":
            status = result.status
        elif result is not None and valid:
            status = "unique" if result.status == "unique" else "certified"
            other = result.other
        cost = cost_of(problem.rules, states)
        bound = None if standing.bound is None else number(standing.bound)
        least = valid and cost is not None and bound is not None and cost <= bound + TOLERANCE
        return schema.Outcome(
            task=problem.task.name,
            puzzle=problem.task.format(problem.puzzle),
            status=status,
            by="network" if result is None else result.by,
            answer=format_answer(choice.answer),
            other=None if other is None else format_answer(other),
            certified=valid,
            cost=cost,
            bound=bound,
            optimal=least,
            ended=ended,
            selector=request.selector,
            k=choice.index,
            energy=energy,
            terms=dict(named),
            violations=wrong,
            certificate=certificate(problem.rules, wrong),
            candidates=len(standing.pool),
            wave=standing.wave,
            depth=standing.depth,
            evaluations=standing.evaluations,
            seconds=standing.seconds,
            checkpoint=self.checkpoint,
            seed=request.seed,
            mode=request.mode,
            link=solution_link(problem, choice.answer),
            tempering=None if tempered is None else _tempering(tempered),
        )


def _standing(result: Result) -> Standing:
    return Standing(
        result.candidates,
        result.wave,
        result.depth,
        result.evaluations,
        result.seconds,
        result.bound,
    )


def _tempering(result: TemperResult) -> schema.TemperingOutcome:
    return schema.TemperingOutcome(
        temperatures=result.temperatures.tolist(),
        swap_rates=[number(rate) for rate in result.swap_rates],
        acceptance=result.acceptance,
        visited=len(result.visited),
    )
