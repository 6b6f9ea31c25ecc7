"""`erm solve`: puzzles in any form, solved and drawn."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from erm.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress

    from erm.search.guide import GuideName
    from erm.search.hunt import SearchOptions
    from erm.search.solver import Result, Solver
    from erm.types import Puzzle

DRAWN = 6
"""With more puzzles than this, --draw auto gives each a line instead of a board."""
LISTED = 12
"""Unsolved puzzles that the summary names by their numbers."""


@dataclass
class Solve:
    """Solve puzzles with a shipped or given checkpoint; exit code 3 if one is left unsolved.

    Examples:

    erm solve 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79

    erm solve 'https://puzz.link/p?nurikabe/8/8/q4g5n6w3o4o6h1' --explain

    erm solve puzzles.jsonl --limit 20 --json
    """

    puzzle: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PUZZLE [PUZZLE ...]")
    ] = ()
    """Sudoku digits (. or 0 for empty), a puzz.link address, a maze, a file of any format, or -."""
    checkpoint: str | None = None
    """Name of a shipped checkpoint or a checkpoint folder; chosen by task if not given."""
    width: int = 128
    """K, most candidates of a puzzle."""
    depth: int = 64
    """D, steps of a candidate."""
    mode: Literal["adaptive", "full"] = "adaptive"
    """adaptive: stop at the first certificate; full: the paper's D x K."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, candidate)."""
    guide: Literal["rules", "network", "none"] | None = None
    """Settled candidates guess, and the rulebook prunes (rules) or the network alone judges
    (network); rules in adaptive searches if the checkpoint can, else none."""
    explain: bool = False
    """Say step by step why each cell is forced, and which rules candidates break."""
    url: bool = False
    """Also print the solved board as a puzz.link address."""
    draw: Literal["auto", "all", "none"] = "auto"
    """Which boards to draw; auto draws up to six puzzles."""
    limit: int | None = None
    """Only the first so many puzzles."""
    task: str | None = None
    """Only the puzzles of this task; a text of your own task needs it."""
    include: tuple[Path, ...] = ()
    """Python files with your own tasks."""
    device: str = "cpu"
    """Where the network runs."""
    json: bool = False
    """Print one JSON object a puzzle and line for machines."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.cli.main import UNSOLVED
        from erm.rulebook.registry import include
        from erm.search.hunt import SearchOptions

        for path in self.include:
            include(path)
        options = SearchOptions(self.depth, self.width, self.mode, self.seed)
        checkpoints = Checkpoints(self.checkpoint, self.device, self.guide)
        puzzles = self.read(checkpoints.own_task)
        for task in dict.fromkeys(puzzle.task for puzzle in puzzles):
            checkpoints[task]  # A missing checkpoint is known before anything is printed.
        certified = []
        for number, result in _results(puzzles, checkpoints, options, self.quiet):
            self.say(number, result, checkpoints.name(result.puzzle.task), len(puzzles))
            certified.append(result.certified)
        if len(puzzles) > 1 and not self.json:
            from erm.progress import console

            left = [str(number) for number, good in enumerate(certified, 1) if not good]
            more = f" and {len(left) - LISTED} more" if len(left) > LISTED else ""
            unsolved = f", not solved: {', '.join(left[:LISTED])}{more}" if left else ""
            console.print(f"{sum(certified)} of {len(puzzles)} certified{unsolved}", style="bold")
        return 0 if all(certified) else UNSOLVED

    def read(self, own_task: str | None) -> list[Puzzle]:
        """The puzzles of all arguments; `own_task` is what a checkpoint for one task reads."""
        if not self.puzzle:
            raise InputError(
                "give a puzzle: the digits of a Sudoku, a puzz.link address, a maze, a file or -"
            )
        if self.limit is not None and self.limit < 1:
            raise InputError(f"--limit must be at least 1, got {self.limit}")
        puzzles = [
            puzzle
            for text in self.puzzle
            for puzzle in read_argument(text, self.task or own_task, self.limit)
        ]
        return puzzles[: self.limit]

    def say(self, number: int, result: Result, checkpoint: str, total: int) -> None:
        from erm.cli import report
        from erm.progress import console

        if self.json:
            fields = report.as_json(result, checkpoint, self.seed, self.explain, self.url)
            print(json.dumps(fields), flush=True)
            return
        if self.draw == "all" or (self.draw == "auto" and total <= DRAWN):
            if total > 1:
                console.rule(f"{number} of {total}", align="left", characters="─")
            report.say(console, result, checkpoint, self.explain)
            if self.explain:
                from erm.cli.hint import print_chain

                print_chain(console, result.puzzle)
        else:
            console.print(report.row(number, result), soft_wrap=True, highlight=False)
            if self.explain:
                report.explain_rules(console, result)
        if self.url:
            link = report.link(result) or f"puzz.link has no {result.puzzle.task}"
            console.print(link, soft_wrap=True, highlight=False, markup=False)


def read_argument(text: str, task: str | None, limit: int | None = None) -> list[Puzzle]:
    """The puzzles of a file, of standard input, or of a text typed as an argument."""
    from erm.data.dataset import load_dataset
    from erm.data.lines import TextFile
    from erm.data.reading import read_text
    from erm.formats import puzzlink

    if text == "-" or os.path.exists(text):
        return list(load_dataset(text, task, limit=limit))
    typed = TextFile("the puzzle", None, text.encode(errors="replace"))
    try:
        puzzles = list(read_text(typed, task)[1])
    except InputError as error:
        if "\n" in text:
            raise
        reason = str(error).removeprefix("the puzzle, line 1: ")
        if puzzlink.is_link(text):
            raise InputError(reason) from None
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise InputError(f"{shown!r} is no file, and read as a puzzle: {reason}") from None
    if task is not None and any(puzzle.task != task for puzzle in puzzles):
        raise InputError(f"the puzzle is {puzzles[0].task}, but only {task} is wanted")
    return puzzles


class Checkpoints:
    """The given checkpoint for everything, or each task's shipped one."""

    def __init__(self, given: str | None, device: str, guide: GuideName | None) -> None:
        from erm.search.solver import Zoo, load

        self.given = given
        self.guide: GuideName | None = guide
        self._solver = None if given is None else load(given, device)
        self._zoo = Zoo(device)
        if self._solver is None or self._solver.reasoner.config.structured:
            _use_one_thread()

    @property
    def own_task(self) -> str | None:
        """The task of a given checkpoint where texts alone do not tell it: a user's own."""
        from erm.formats import puzzlink

        if self._solver is None or len(self._solver.tasks) > 1:
            return None
        name = self._solver.task.name
        return None if name in (*puzzlink.KINDS, "maze") else name

    def name(self, task: str) -> str:
        return self.given or task

    def __getitem__(self, task: str) -> Solver:
        from erm import zoo

        if self._solver is not None:
            return self._solver
        if task not in zoo.names():
            shipped = ", ".join(zoo.names()) or "none"
            raise InputError(
                f"no checkpoint for {task} is shipped (shipped: {shipped}); "
                "give one with --checkpoint FOLDER"
            )
        return self._zoo[task]


def _use_one_thread() -> None:
    """Small networks lose by sharing their matrices between cores, on a busy machine tenfold."""
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)


def _results(
    puzzles: list[Puzzle], checkpoints: Checkpoints, options: SearchOptions, quiet: bool
) -> Iterator[tuple[int, Result]]:
    """Numbered results in the order of the puzzles, under a bar that makes way for each."""
    from erm.progress import messages, progress_bar

    search = _search_one if len(puzzles) == 1 else _search_many
    bar = progress_bar(quiet)
    bar.live.transient = True
    shown = messages.is_terminal and not quiet
    try:
        if shown:
            bar.start()
        for numbered in search(puzzles, checkpoints, options, bar):
            # While it is shown, the bar takes over standard output, too.
            if shown:
                bar.stop()
            yield numbered
            if shown:
                bar.start()
    finally:
        if shown:
            bar.stop()


def _search_one(
    puzzles: list[Puzzle], checkpoints: Checkpoints, options: SearchOptions, bar: Progress
) -> Iterator[tuple[int, Result]]:
    from erm.search.solver import Result

    solver = checkpoints[puzzles[0].task]
    shown = bar.add_task("model evaluations", total=options.depth * options.width, note="")
    guide = solver.guide_for(options, checkpoints.guide)
    for hunt in solver.watch(solver.problem(puzzles[0]), options, guide):
        note = f"{options.waves[hunt.wave].stop} candidates, depth {hunt.depth}"
        bar.update(shown, completed=hunt.evaluations, note=note)
        if hunt.done:
            yield 1, Result.of(hunt)


def _search_many(
    puzzles: list[Puzzle], checkpoints: Checkpoints, options: SearchOptions, bar: Progress
) -> Iterator[tuple[int, Result]]:
    from itertools import groupby

    from erm.search.solver import Result

    shown = bar.add_task("puzzles", total=len(puzzles), note="")
    finished: dict[int, Result] = {}
    following, certified = 1, 0
    for task, numbered in groupby(enumerate(puzzles, 1), key=lambda pair: pair[1].task):
        solver = checkpoints[task]
        problems = ((number, solver.problem(puzzle)) for number, puzzle in numbered)
        guide = solver.guide_for(options, checkpoints.guide)
        for hunt in solver.hunts(problems, options, guide):
            finished[hunt.tag] = Result.of(hunt)
            certified += hunt.certified
            bar.update(shown, advance=1, note=f"{certified} certified")
            while following in finished:
                yield following, finished.pop(following)
                following += 1


COMMAND = Solve
