"""The front door: a checkpoint that solves puzzles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import UInt64

from erm import zoo
from erm.errors import InputError
from erm.formats.read import read_text
from erm.model.card import Capabilities, Probabilities, tasks_of, with_capabilities
from erm.model.checkpoint import load_checkpoint, read_seen
from erm.model.device import pick_device
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.search import notebook
from erm.search.attempt import Attempt
from erm.search.batch import Help, Proposal
from erm.search.deadline import NEVER, Deadline
from erm.search.followers import Followers
from erm.search.guide import Guide, GuideName
from erm.search.options import Mode, SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.result import By, Result
from erm.search.search import Search
from erm.search.temper import TemperOptions, TemperResult, temper
from erm.types import Puzzle


class Solver:
    """A reasoner with the tasks it was trained for, or the rulebook of a task alone."""

    def __init__(
        self,
        reasoner: Reasoner | None,
        card: Mapping[str, Any],
        device: str | torch.device = "cpu",
        seen: UInt64[np.ndarray, " m"] | None = None,
        tasks: Sequence[Task] | None = None,
    ) -> None:
        self._reasoner = None if reasoner is None else reasoner.to(device).eval()
        structured = reasoner is None or reasoner.config.structured
        self.card = with_capabilities(card, structured)
        self.capabilities = Capabilities.of(self.card)
        self.seen = seen
        """Fingerprints of the training puzzles, where the checkpoint tells."""
        known = [load_task(name) for name in tasks_of(card)] if tasks is None else tasks
        self.tasks: dict[str, Task] = {task.name: task for task in known}
        self.probabilities: Probabilities = self.capabilities.probabilities

    def __repr__(self) -> str:
        return f"<Solver {notebook.solver_line(self)}>"

    def _repr_html_(self) -> str:
        return notebook.solver_html(self)

    @property
    def task(self) -> Task:
        """The checkpoint's task, or the first of several."""
        return next(iter(self.tasks.values()))

    @property
    def reasoner(self) -> Reasoner:
        if self._reasoner is None:
            raise InputError("this needs a network, but the solver goes by the rules alone")
        return self._reasoner

    @property
    def has_network(self) -> bool:
        return self._reasoner is not None

    def guide_for(
        self, options: SearchOptions, guide: GuideName | None = None
    ) -> Guide | Followers | None:
        """Guided search, by default in adaptive searches of a checkpoint that can; the paper's
        full rollouts stay plain."""
        if guide is None:
            able = self.capabilities.guesses and options.mode == "adaptive"
            guide = "rules" if able else "none"
        if guide == "none":
            return None
        if guide == "rules" and options.mode != "adaptive":
            raise InputError("--guide rules needs --mode adaptive")
        if not self.capabilities.guesses:
            raise InputError(f"--guide {guide} needs a checkpoint that was trained with --guess")
        if guide == "network" and self.reasoner.config.hints:
            return Followers()
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

        The rules go first, and an adaptive search of a checkpoint that can is guided, unless
        `guide` or a `proposal` of your own say otherwise.
        """
        wanted = SearchOptions(depth, width, mode, seed, **options)
        return next(self.solve_many([puzzle], wanted, proposal, guide))

    def solve_many(
        self,
        puzzles: Iterable[Puzzle | str],
        options: SearchOptions | None = None,
        proposal: Proposal | None = None,
        guide: GuideName | None = None,
        watch: Callable[[Attempt], None] | None = None,
    ) -> Iterator[Result]:
        """Search many puzzles in one batch, as `solve` does each; results come as they finish,
        see `.number` and `.puzzle`. `watch` sees every open puzzle after every step."""
        search, by = self._search(options or SearchOptions(), proposal, guide)
        for info in search.steps(map(self.problem, puzzles)):
            for attempt in info.attempts:
                if watch is not None:
                    watch(attempt)
                if attempt.done:
                    yield Result.of(attempt, by)

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
        cancelled: Callable[[], bool] | None = None,
        help: Help | None = None,
        **options: Any,
    ) -> Iterator[Result]:
        """The same search, a result after every step; the last one is `done`.

        `cancelled` is asked inside long steps, too, and ends the search where it says so; `help`
        may lend a core to the network.
        """
        wanted = SearchOptions(depth, width, mode, seed, **options)
        search, by = self._search(wanted, proposal, guide, True, cancelled, help)
        for info in search.steps([self.problem(puzzle)]):
            yield Result.of(info.attempts[0], by)

    def temper(
        self,
        puzzle: Puzzle | str,
        options: TemperOptions | None = None,
        proposal: Proposal | None = None,
        watch: Callable[[CandidatePool], None] | None = None,
        deadline: Deadline = NEVER,
    ) -> TemperResult:
        """Parallel tempering of one puzzle on a budget of D x K; `watch` sees every step, and
        OutOfTime is raised where the deadline comes."""
        problem = self.problem(puzzle)
        return temper(
            self.reasoner, problem, options, self.probabilities, proposal, watch, deadline
        )

    def _search(
        self,
        options: SearchOptions,
        proposal: Proposal | None,
        guide: GuideName | None,
        watched: bool = False,
        cancelled: Callable[[], bool] | None = None,
        help: Help | None = None,
    ) -> tuple[Search, By]:
        """How to search, and who is to be named for what is found."""
        if not self.has_network:
            self._check_rules_can(options, proposal, guide)
        found = proposal or self.guide_for(options, guide)
        # The paper's protocol, and a network whose own word is asked for, go without the rules.
        rules_first = options.mode == "adaptive" and guide in (None, "rules")
        search = Search(
            self._reasoner,
            options,
            self.probabilities,
            found,
            rules_first,
            watched,
            cancelled,
            help,
        )
        return search, "network and rules" if rules_first else "network"

    @staticmethod
    def _check_rules_can(
        options: SearchOptions, proposal: Proposal | None, guide: GuideName | None
    ) -> None:
        if options.mode != "adaptive" or proposal is not None or guide not in (None, "rules"):
            raise InputError(
                "without a network there are no candidates to roll out or to guide; "
                "give a checkpoint, or leave mode, guide and proposal as they are"
            )

    def _check(self, problem: Problem) -> None:
        """A board that the network's shapes do not fit is an error, not a crash."""
        if self._reasoner is None:
            return
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
            if cells > config.length:
                raise InputError(
                    f"this checkpoint reads boards of up to {config.length} cells, "
                    f"but a {size} has {cells}"
                )
            if config.board is not None and max(encoding.shape) > max(config.board):
                raise InputError(
                    f"this checkpoint reads boards within {config.board[0]}x{config.board[1]}, "
                    f"got a {size}"
                )
            largest = int(max(encoding.tokens.max(), encoding.answer_tokens.max()))
            if largest >= config.vocabulary:
                raise InputError(
                    f"this checkpoint has {config.vocabulary} tokens, "
                    f"but a {size} needs token {largest}"
                )


def load(name_or_folder: str | Path, device: str | torch.device = "cpu") -> Solver:
    """A solver from a shipped checkpoint's name ("sudoku"), any checkpoint folder, or one on the
    Hugging Face Hub ("hf://owner/name")."""
    found = zoo.find(name_or_folder)
    place = pick_device(str(device))
    reasoner, card = load_checkpoint(found.folder)
    return Solver(reasoner, card, place, seen=read_seen(found.folder))


def without_network(task: str | Task) -> Solver:
    """A solver for one task that has its rulebook and nothing else."""
    known = load_task(task) if isinstance(task, str) else task
    return Solver(None, {"task": known.name}, tasks=[known])


def solve(task: str | Task, puzzle: Puzzle | str, **options: Any) -> Result:
    """Solve a puzzle by its rulebook alone, without any network; options as in `Solver.solve`."""
    return without_network(task).solve(puzzle, **options)


class Zoo:
    """The shipped checkpoint of each task, loaded when a puzzle first asks for it."""

    def __init__(self, device: str | torch.device = "cpu") -> None:
        self.device = device
        self._solvers: dict[str, Solver] = {}

    def __getitem__(self, task: str) -> Solver:
        if task not in self._solvers:
            self._solvers[task] = load(task, self.device)
        return self._solvers[task]
