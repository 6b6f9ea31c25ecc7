"""The front door: a network and the rulebook of its task, or the rulebook alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import UInt64
from torch import nn

from erm import zoo
from erm.errors import InputError
from erm.formats.read import read_text
from erm.model.card import Probabilities, current_card, tasks_of
from erm.model.checkpoint import architecture, load_checkpoint, read_seen
from erm.model.device import pick_device
from erm.model.own import OwnReasoner, as_reasoner
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.search import notebook
from erm.search.control import run_control
from erm.search.deadline import NEVER, Deadline
from erm.search.guidance import Guidance
from erm.search.options import Mode, SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.puzzle_search import PuzzleSearch
from erm.search.result import Result
from erm.search.rollouts import Help
from erm.search.search import Search
from erm.search.temper import TemperOptions, TemperResult, temper
from erm.types import Puzzle

SHIPPED = "zoo"
"""As a checkpoint's name: for each puzzle the shipped checkpoint of its task."""
NO_NETWORK = "none"
"""As a checkpoint's name: the rulebook alone."""
Lane = Literal["network alone", "network with energy guidance", "network with advice", "rules"]
"""What a network was given while it ran; no number of one lane stands for another."""


class Solver:
    """A reasoner with the tasks it was trained for, or the rulebook of a task alone.

    `Solver(network, task)` takes any module with the methods of `model.own.OwnNetwork`, and a task
    or its name in place of a checkpoint's card.
    """

    def __init__(
        self,
        network: nn.Module | None,
        card: Mapping[str, Any] | str | Task,
        device: str | torch.device = "cpu",
        seen: UInt64[np.ndarray, " m"] | None = None,
        tasks: Sequence[Task] | None = None,
        name: str | None = None,
    ) -> None:
        reasoner = None if network is None else as_reasoner(network)
        if isinstance(card, str | Task):
            task = load_task(card) if isinstance(card, str) else card
            card, tasks = {"task": task.name}, tasks or [task]
        self.name = name or (NO_NETWORK if network is None else type(network).__name__)
        """As results have it: a shipped name, a folder, or one of your own."""
        self._reasoner = None if reasoner is None else reasoner.to(device).eval()
        structured = reasoner is None or reasoner.config.structured
        self.card = current_card(card, structured)
        self.seen = seen
        """Fingerprints of the training puzzles, where the checkpoint has them."""
        known = [load_task(name) for name in tasks_of(card)] if tasks is None else tasks
        self.tasks: dict[str, Task] = {task.name: task for task in known}
        self.probabilities: Probabilities = self.card["probabilities"]

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

    def lane(self, options: SearchOptions | TemperOptions) -> Lane:
        """Which lane a search with these options belongs to."""
        if not self.has_network:
            return "rules"
        if isinstance(options, SearchOptions) and options.mode == "adaptive" and options.rules:
            return "rules"
        if self.card["advice"] != "none":
            return "network with advice"
        guided = Guidance.of(options.guidance) is not None
        return "network with energy guidance" if guided else "network alone"

    def describe(self) -> dict[str, Any]:
        """What results.json holds about the weights that made it."""
        described = {"name": self.name, "tasks": list(self.tasks), "advice": self.card["advice"]}
        if self._reasoner is None:
            return described
        digest = hashlib.sha256()
        for name, tensor in sorted(self._reasoner.state_dict().items()):
            values = np.ascontiguousarray(tensor.detach().cpu().float().numpy())
            digest.update(f"{name} {tuple(tensor.shape)}".encode() + values.tobytes())
        return described | {
            "architecture": self._architecture(self._reasoner),
            "parameters": self._reasoner.parameter_count,
            "sha256": digest.hexdigest(),
        }

    @staticmethod
    def _architecture(reasoner: Reasoner) -> str:
        own = isinstance(reasoner, OwnReasoner)
        return reasoner.kind if own else architecture(reasoner.config)

    def read(self, text: str) -> Puzzle:
        """A puzzle from any text; one that fits several tasks is of the checkpoint's."""
        return read_text(text, prefer=self.tasks)

    def problem(self, puzzle: Puzzle | str, options: SearchOptions | None = None) -> Problem:
        """The puzzle made ready, or an InputError where this checkpoint cannot read it; a certified
        search with the rules takes every board of the task."""
        if isinstance(puzzle, str):
            puzzle = self.read(puzzle)
        if puzzle.task not in self.tasks:
            raise InputError(
                f"this checkpoint solves {', '.join(self.tasks)}, but the puzzle is {puzzle.task}"
            )
        problem = Problem(self.tasks[puzzle.task], puzzle)
        by_rules = options is not None and options.mode == "adaptive" and options.rules
        if not by_rules and (reason := self.refusal(problem)) is not None:
            raise InputError(reason)
        return problem

    def solve(
        self,
        puzzle: Puzzle | str,
        width: int = 128,
        depth: int = 64,
        seed: int = 0,
        mode: Mode = "adaptive",
        *,
        selector: str = "energy",
        **options: Any,
    ) -> Result:
        """Search one puzzle, a `Puzzle` or any text of it; options as in `SearchOptions`.

        In mode full the answer is what `selector` chooses among K candidates of depth D, by
        default the lowest energy. In mode adaptive the rules go first, and the answer breaks no
        rule where one was found.
        """
        wanted = SearchOptions(depth, width, mode, seed, **options)
        return next(self.solve_many([puzzle], wanted, selector))

    def solve_many(
        self,
        puzzles: Iterable[Puzzle | str],
        options: SearchOptions | None = None,
        selector: str = "energy",
        watch: Callable[[PuzzleSearch], None] | None = None,
    ) -> Iterator[Result]:
        """Search many puzzles in one batch, as `solve` does each; results come as they finish,
        see `.number` and `.puzzle`. `watch` is called with every open puzzle after every step."""
        options = options or SearchOptions()
        problems = (self.problem(puzzle, options) for puzzle in puzzles)
        for searches in self._run(problems, options):
            for search in searches:
                if watch is not None:
                    watch(search)
                if search.ended is not None:
                    yield Result.of(search, selector)

    def search(
        self,
        puzzle: Puzzle | str,
        width: int = 128,
        depth: int = 64,
        seed: int = 0,
        mode: Mode = "adaptive",
        *,
        selector: str = "energy",
        cancelled: Callable[[], bool] | None = None,
        help: Help | None = None,
        **options: Any,
    ) -> Iterator[Result]:
        """The same search, a result after every step; the last one is `done`.

        `cancelled` is called inside long steps, too, and ends the search where it returns True;
        `help` may start a second thread for the network.
        """
        wanted = SearchOptions(depth, width, mode, seed, **options)
        problem = self.problem(puzzle, wanted)
        for searches in self._run([problem], wanted, True, cancelled, help):
            yield Result.of(searches[0], selector)

    def _run(
        self,
        problems: Iterable[Problem],
        options: SearchOptions,
        read_every_step: bool = False,
        cancelled: Callable[[], bool] | None = None,
        help: Help | None = None,
    ) -> Iterator[list[PuzzleSearch]]:
        if not self.has_network and Guidance.of(options.guidance) is not None:
            raise InputError("guidance steers a network, but the solver goes by the rules alone")
        if not self.has_network and options.mode == "full":
            if options.trace or options.stopping is not None:
                raise InputError("the control without a network has no depth curve; name a network")
            for number, problem in enumerate(problems):
                yield [run_control(problem, options, number)]
            return
        search = Search(
            self._reasoner,
            options,
            self.probabilities,
            read_every_step,
            cancelled,
            help,
            lambda problem: self.refusal(problem) is None,
        )
        yield from search.steps(problems)

    def temper(
        self,
        puzzle: Puzzle | str,
        options: TemperOptions | None = None,
        watch: Callable[[CandidatePool], None] | None = None,
        deadline: Deadline = NEVER,
    ) -> TemperResult:
        """Parallel tempering of one puzzle on a budget of D x K; `watch` is called after every
        step, and OutOfTime is raised where the deadline comes."""
        problem = self.problem(puzzle)
        return temper(self.reasoner, problem, options, self.probabilities, watch, deadline)

    def refusal(self, problem: Problem) -> str | None:
        """Why the network cannot read a board, in a sentence; None where it can."""
        if self._reasoner is None:
            return None
        config, encoding = self.reasoner.config, problem.encoding
        if isinstance(self.reasoner, OwnReasoner):
            return self.reasoner.refusal(encoding)
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
                    return f"this checkpoint reads {own} {name}, but a {size} has {given}"
            return None
        if cells > config.length:
            most = f"boards of up to {config.length} cells"
            return f"this checkpoint reads {most}, but a {size} has {cells}"
        if config.board is not None and max(encoding.shape) > max(config.board):
            within = f"{config.board[0]}x{config.board[1]}"
            return f"this checkpoint reads boards within {within}, got a {size}"
        largest = int(max(encoding.tokens.max(), encoding.answer_tokens.max()))
        if largest >= config.vocabulary:
            has = f"{config.vocabulary} tokens"
            return f"this checkpoint has {has}, but a {size} needs token {largest}"
        return None


def load(name_or_folder: str | Path, device: str | torch.device = "cpu") -> Solver:
    """A solver from a shipped checkpoint's name ("sudoku"), any checkpoint folder, or one on the
    Hugging Face Hub ("hf://owner/name")."""
    found = zoo.find(name_or_folder)
    place = pick_device(str(device))
    reasoner, card = load_checkpoint(found.folder)
    return Solver(reasoner, card, place, seen=read_seen(found.folder), name=str(name_or_folder))


def without_network(task: str | Task) -> Solver:
    """A solver for one task that has its rulebook and nothing else."""
    known = load_task(task) if isinstance(task, str) else task
    return Solver(None, {"task": known.name}, tasks=[known])


def solve(task: str | Task, puzzle: Puzzle | str, **options: Any) -> Result:
    """Solve a puzzle by its rulebook alone, without any network; options as in `Solver.solve`."""
    return without_network(task).solve(puzzle, **options)


class Solvers:
    """A solver for each task, made when a puzzle first needs it.

    `which` is a solver, the name or folder of a checkpoint, `none` for the rules alone, or `zoo`
    for each task's shipped network, and the rules where none ships.
    """

    def __init__(self, which: str | Path | Solver = SHIPPED, device: str | torch.device = "cpu"):
        self.device = device
        self._known: dict[str, Solver] = {}
        self._one: Solver | None = None
        self.shipped = str(which) == SHIPPED
        if isinstance(which, Solver):
            self._one = which
        elif not self.shipped and str(which) != NO_NETWORK:
            self._one = load(which, device)

    @property
    def tasks(self) -> list[str]:
        """The tasks of the one solver, where there is one."""
        return [] if self._one is None else list(self._one.tasks)

    def __getitem__(self, task: str) -> Solver:
        if self._one is not None:
            return self._one
        if task not in self._known:
            ships = self.shipped and task in zoo.names()
            self._known[task] = load(task, self.device) if ships else without_network(task)
        return self._known[task]
