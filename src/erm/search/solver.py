"""The front door: a checkpoint that solves puzzles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Int, UInt64

from erm import zoo
from erm.errors import InputError
from erm.formats.read import read_text
from erm.model.checkpoint import load_checkpoint, read_seen
from erm.model.device import pick_device
from erm.model.reasoner import Reasoner
from erm.rulebook.energy import EnergyTerms
from erm.rulebook.registry import load_task
from erm.rulebook.rules import Violation
from erm.rulebook.task import Task
from erm.search.batch import Proposal
from erm.search.decode import Probabilities
from erm.search.guide import Guide, GuideName
from erm.search.hunt import Hunt, Mode, SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.search import Search
from erm.search.temper import TemperOptions, TemperResult, temper
from erm.types import Puzzle


@dataclass(frozen=True, eq=False)
class Result:
    """What a search says about one puzzle, while it runs or at its end."""

    problem: Problem
    index: int
    """Which of the candidates is the answer."""
    candidates: CandidatePool
    """Every candidate so far, with its scores and energy terms."""
    evaluations: int
    """Model evaluations: one candidate through one step."""
    wave: int
    """How often the search has widened."""
    depth: int
    """Steps that the present wave, or the one with the answer, has taken."""
    seconds: float
    done: bool = True

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    @property
    def answer(self) -> Int[np.ndarray, " n"]:
        """One state a cell, row-major: the certificate if there is one, else the lowest energy."""
        return self.candidates.answers[self.index]

    @property
    def certified(self) -> bool:
        """Whether the answer breaks no rule."""
        return bool(self.candidates.valid[self.index])

    @property
    def energy(self) -> EnergyTerms:
        """The answer's energy, term by term."""
        return self.candidates.energy[self.index]

    @cached_property
    def violations(self) -> list[Violation]:
        """What the answer breaks, with cells; empty exactly when it is certified."""
        return [] if self.certified else self.violations_of(self.index)

    def violations_of(self, index: int) -> list[Violation]:
        """What one of the candidates breaks."""
        task = self.problem.task
        return self.problem.rules.violations(
            task.to_states(self.puzzle, self.candidates.answers[index])
        )

    @classmethod
    def of(cls, hunt: Hunt) -> Result:
        choice = hunt.choice()
        assert choice.index is not None
        return cls(
            hunt.problem,
            choice.index,
            hunt.pool(),
            hunt.evaluations,
            hunt.wave,
            hunt.depth,
            hunt.seconds,
            hunt.done,
        )


class Solver:
    """A reasoner with the tasks it was trained for."""

    def __init__(
        self,
        reasoner: Reasoner,
        card: Mapping[str, Any],
        device: str | torch.device = "cpu",
        probabilities: Probabilities | None = None,
        seen: UInt64[np.ndarray, " m"] | None = None,
    ) -> None:
        self.reasoner = reasoner.to(device).eval()
        self.card = dict(card)
        self.seen = seen
        """Fingerprints of the training puzzles, where the checkpoint tells."""
        self.tasks: dict[str, Task] = {
            name: load_task(name) for name in card.get("tasks") or [card["task"]]
        }
        self.probabilities: Probabilities = probabilities or _trained_with(card, reasoner)

    @property
    def task(self) -> Task:
        """The checkpoint's task, or the first of several."""
        return next(iter(self.tasks.values()))

    @property
    def can_guess(self) -> bool:
        """Whether the checkpoint's value was trained, so that guesses can be refuted."""
        options = self.card.get("options", {})
        return bool(options.get("guess") or options.get("commit_wrong"))

    def guide_for(self, options: SearchOptions, guide: GuideName | None = None) -> Guide | None:
        """Guided commitments, by default in adaptive searches of a checkpoint that can; the
        paper's full rollouts stay plain."""
        if guide is None:
            guide = "rules" if options.mode == "adaptive" and self.can_guess else "none"
        if guide == "none":
            return None
        if options.mode != "adaptive":
            raise InputError(f"--guide {guide} needs --mode adaptive")
        if not self.can_guess:
            raise InputError(f"--guide {guide} needs a checkpoint that was trained with --guess")
        return Guide(prune=guide != "network")

    def read(self, text: str) -> Puzzle:
        """A puzzle from any text; one that fits several tasks is of the checkpoint's."""
        return read_text(text, prefer=self.tasks)

    def problem(self, puzzle: Puzzle | str) -> Problem:
        """The puzzle made ready, or an InputError where this checkpoint cannot read it."""
        if isinstance(puzzle, str):
            puzzle = self.read(puzzle)
        if puzzle.task not in self.tasks:
            raise InputError(
                f"this checkpoint solves {', '.join(self.tasks)}, but the puzzle is {puzzle.task}"
            )
        problem = Problem(self.tasks[puzzle.task], puzzle)
        self._check(problem)
        return problem

    def solve(
        self,
        puzzle: Puzzle | str,
        width: int = 128,
        depth: int = 64,
        seed: int = 0,
        mode: Mode = "adaptive",
        *,
        proposal: Proposal | None = None,
        guide: GuideName | None = None,
        **options: Any,
    ) -> Result:
        """Search one puzzle, a `Puzzle` or any text of it; options as in `SearchOptions`.

        Without a `proposal`, an adaptive search of a checkpoint that can is guided, unless
        `guide` says otherwise.
        """
        wanted = SearchOptions(depth, width, mode, seed, **options)
        return next(self.solve_many([puzzle], wanted, proposal, guide))

    def solve_many(
        self,
        puzzles: Iterable[Puzzle | str],
        options: SearchOptions | None = None,
        proposal: Proposal | None = None,
        guide: GuideName | None = None,
    ) -> Iterator[Result]:
        """Search many puzzles in one batch, as `solve` does each; results come as they finish,
        see `.puzzle`."""
        options = options or SearchOptions()
        found = proposal or self.guide_for(options, guide)
        problems = ((None, self.problem(puzzle)) for puzzle in puzzles)
        for hunt in self._search(options, found).run(problems):
            yield Result.of(hunt)

    def hunts(
        self,
        problems: Iterable[tuple[object, Problem]],
        options: SearchOptions,
        proposal: Proposal | None = None,
    ) -> Iterator[Hunt]:
        """Finished hunts for (tag, problem) pairs; what evaluation runs read."""
        return self._search(options, proposal).run(problems)

    def watch(
        self, problem: Problem, options: SearchOptions, proposal: Proposal | None = None
    ) -> Iterator[Hunt]:
        """One hunt after each of its steps, for progress bars; the last time it is done."""
        return self._search(options, proposal).watch(problem)

    def search(
        self,
        puzzle: Puzzle | str,
        width: int = 128,
        depth: int = 64,
        seed: int = 0,
        mode: Mode = "adaptive",
        *,
        proposal: Proposal | None = None,
        guide: GuideName | None = None,
        **options: Any,
    ) -> Iterator[Result]:
        """The same search, a result after every step; the last one is `done`."""
        wanted = SearchOptions(depth, width, mode, seed, **options)
        found = proposal or self.guide_for(wanted, guide)
        for hunt in self.watch(self.problem(puzzle), wanted, found):
            yield Result.of(hunt)

    def temper(
        self,
        puzzle: Puzzle | str,
        options: TemperOptions | None = None,
        proposal: Proposal | None = None,
        watch: Callable[[CandidatePool], None] | None = None,
    ) -> TemperResult:
        """Parallel tempering of one puzzle on a budget of D x K; `watch` sees every step."""
        problem = self.problem(puzzle)
        return temper(self.reasoner, problem, options, self.probabilities, proposal, watch)

    def _search(self, options: SearchOptions, proposal: Proposal | None) -> Search:
        return Search(self.reasoner, options, self.probabilities, proposal)

    def _check(self, problem: Problem) -> None:
        """A board that the network's shapes do not fit is an error, not a crash."""
        config, encoding = self.reasoner.config, problem.encoding
        cells, states = encoding.domain.shape
        size = f"{encoding.shape[0]}x{encoding.shape[1]} {problem.task.name}"
        if config.structured:
            wanted = {
                "features": (config.features, encoding.features.shape[1]),
                "partitions": (config.partitions, len(encoding.partitions)),
            }
            if not config.interchangeable:
                wanted["states"] = config.states, states
            for name, (own, given) in wanted.items():
                if own != given:
                    raise InputError(
                        f"this checkpoint reads {own} {name}, but a {size} has {given}"
                    )
        else:
            if config.length != cells:
                raise InputError(
                    f"this checkpoint reads boards of {config.length} cells, "
                    f"but a {size} has {cells}"
                )
            largest = int(max(encoding.tokens.max(), encoding.answer_tokens.max()))
            if largest >= config.vocabulary:
                raise InputError(
                    f"this checkpoint has {config.vocabulary} tokens, "
                    f"but a {size} needs token {largest}"
                )


def _trained_with(card: Mapping[str, Any], reasoner: Reasoner) -> Probabilities:
    """How the checkpoint's losses made probabilities; official checkpoints used stablemax."""
    loss = card.get("options", {}).get("loss")
    if loss in ("softmax", "stablemax"):
        return loss
    return "softmax" if reasoner.config.structured else "stablemax"


def load(name_or_folder: str | Path, device: str | torch.device = "cpu") -> Solver:
    """A solver from a shipped checkpoint's name ("sudoku") or any checkpoint folder."""
    folder = zoo.resolve(name_or_folder)
    place = pick_device(str(device))
    reasoner, card = load_checkpoint(folder)
    return Solver(reasoner, card, place, seen=read_seen(folder))


class Zoo:
    """The shipped checkpoint of each task, loaded when a puzzle first asks for it."""

    def __init__(self, device: str | torch.device = "cpu") -> None:
        self.device = device
        self._solvers: dict[str, Solver] = {}

    def __getitem__(self, task: str) -> Solver:
        if task not in self._solvers:
            self._solvers[task] = load(task, self.device)
        return self._solvers[task]
