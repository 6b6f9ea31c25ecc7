"""One search step by step: frames while it runs, an outcome at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from erm.drawing.words import broken
from erm.errors import InputError
from erm.rulebook.answers import format_answer
from erm.rulebook.energy import EnergyTerms, rules_energy
from erm.rulebook.optimum import TOLERANCE
from erm.rulebook.rules import Violation
from erm.search.deadline import Deadline, OutOfTime
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.puzzle_search import Ended
from erm.search.result import Result
from erm.search.select import Choice
from erm.search.solver import Solver
from erm.search.temper import TemperOptions, TemperResult
from erm.web import schema
from erm.web.board import solution_link
from erm.web.frames import Selectors, candidates, distinct, is_valid, number
from erm.web.requests import SearchRequest, Tempering
from erm.web.settings import Settings
from erm.web.verdict import certificate, cost_of, term_values, violations_json


@runtime_checkable
class Emit(Protocol):
    """Takes a frame; raises where the client is gone."""

    def __call__(self, frame: schema.Frame) -> None: ...

    def gone(self) -> bool:
        """Whether the client is gone; called inside long steps."""
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


class Answer(NamedTuple):
    """What an outcome shows."""

    answer: np.ndarray
    index: int | None
    valid: bool
    terms: EnergyTerms


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
            unique=request.unique,
            guidance=request.guidance,
            seconds=self.seconds,
            cancelled=emit.gone,
            help=emit.help,
        )
        result = None
        for result in results:
            if len(result.candidates):
                emit(self._frame(_standing(result)))
            elif emit.gone():
                break
        assert result is not None and result.ended is not None, "the last result is done"
        return self._outcome(result.ended, result)

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
            guidance=request.guidance,
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
            energies=[number(energy) for energy in np.round(pool.energy.total, 4)],
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

    def _answer(self, result: Result | None) -> Answer | None:
        """Certified search has an answer of its own; among candidates the selector chooses."""
        problem = self.problem
        if result is not None and self.request.mode == "adaptive":
            if result.answer is None or result.energy is None:
                return None
            return Answer(result.answer, result.index, result.certified, result.energy)
        if self.standing is None:
            return None
        pool = self.standing.pool
        choice, valid = self._choice(pool)
        if choice.index is not None:
            return Answer(choice.answer, choice.index, valid, pool.energy[choice.index])
        states = problem.task.to_states(problem.puzzle, choice.answer)
        terms = rules_energy(problem.rules, states[None], problem.task.settings)[0]
        return Answer(choice.answer, None, valid, terms)

    def _outcome(
        self, ended: Ended, result: Result | None = None, tempered: TemperResult | None = None
    ) -> schema.Outcome:
        request, problem, answer = self.request, self.problem, self._answer(result)
        seconds = time.monotonic() - self.began
        standing = self.standing if result is None else _standing(result)
        known: dict[str, Any] = {"answer": None, "certified": False, "k": None, "energy": None}
        known |= {"terms": {}, "violations": [], "certificate": [], "link": None}
        if answer is not None:
            states = problem.task.to_states(problem.puzzle, answer.answer)
            wrong = [] if answer.valid else self._violations(states)
            cost = cost_of(problem.rules, states)
            bound = None if standing is None or standing.bound is None else number(standing.bound)
            least = cost is not None and bound is not None and cost <= bound + TOLERANCE
            known |= {
                "answer": format_answer(answer.answer),
                "certified": answer.valid,
                "k": answer.index,
                "energy": number(answer.terms.total),
                "terms": {name: number(one) for name, one in term_values(answer.terms).items()},
                "violations": wrong,
                "certificate": certificate(problem.rules, wrong),
                "cost": cost,
                "bound": bound,
                "optimal": answer.valid and least,
                "link": solution_link(problem, answer.answer),
            }
        elif result is not None:
            known["violations"] = violations_json(result.violations, result.in_words)
        status = "certified" if known["certified"] else "undecided"
        if result is not None and request.mode == "adaptive":
            status = result.status
        other = None if result is None else result.other
        why = None if result is None else result.contradiction
        return schema.Outcome(
            task=problem.task.name,
            puzzle=problem.task.format(problem.puzzle),
            status=status,
            by="network" if result is None else result.by,
            other=None if other is None else format_answer(other),
            contradiction=None if why is None else why.sentence,
            ended=ended,
            selector=request.selector,
            candidates=0 if standing is None else len(standing.pool),
            wave=0 if standing is None else standing.wave,
            depth=0 if standing is None else standing.depth,
            evaluations=0 if standing is None else standing.evaluations,
            seconds=seconds if standing is None else standing.seconds,
            checkpoint=self.checkpoint,
            seed=request.seed,
            mode=request.mode,
            tempering=None if tempered is None else _tempering(tempered),
            **known,
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
