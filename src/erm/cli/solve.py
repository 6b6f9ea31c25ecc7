"""`erm solve`: puzzles in any form, solved and drawn."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from erm.cli.given import Given, read_given, tell_wrong
from erm.cli.guidance import GuidanceOptions
from erm.errors import InputError
from erm.formats.names import FormatName

if TYPE_CHECKING:
    from rich.progress import Progress

    from erm.search.options import SearchOptions
    from erm.search.puzzle_search import PuzzleSearch
    from erm.search.result import Result, Status
    from erm.search.solver import Solvers
    from erm.types import Puzzle

DRAWN = 6
"""With more puzzles than this, --draw auto gives each a line instead of a board."""
LISTED = 12
"""Unsolved puzzles that the summary names by their numbers."""
SOLVED = ("unique", "several", "certified")


@dataclass
class Solve(GuidanceOptions):
    """Solve puzzles, typed, in files or piped in.

    Exit code 0: every puzzle has an answer; 1: one has no solution or is undecided; 2: something
    could not be read (the rest of a file is solved all the same).

    Examples:

    erm solve 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79

    erm solve 'https://puzz.link/p?nurikabe/8/8/q4g5n6w3o4o6h1' --explain

    erm solve puzzles.csv --out solved.csv

    cat puzzles.txt | erm solve --json
    """

    puzzle: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PUZZLE [PUZZLE ...]")
    ] = ()
    """Sudoku digits (. or 0 for empty), a puzz.link address, a maze, a file of any format; what
    is piped in if not given."""
    checkpoint: str | None = None
    """Name of a shipped checkpoint or a checkpoint folder; the task's own if not given; none solves
    by the rules alone."""
    width: int = 128
    """K, most candidates of a puzzle."""
    depth: int = 64
    """D, steps of a candidate."""
    mode: Literal["adaptive", "full"] = "adaptive"
    """adaptive: the rules first, then candidates of the network; full: the paper's D x K."""
    selector: str = "energy"
    """Which candidate is the answer in mode full."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, candidate)."""
    unique: bool = False
    """Go on, however long it takes, until the answer is proved unique or a second one is found."""
    seconds: float | None = None
    """Most wall time for each puzzle, and for --explain; without it, D x K bounds the search."""
    explain: bool = False
    """Also print step by step why each cell is forced, and which rules candidates break."""
    out: Path | None = None
    """File for the answers, laid out as the puzzles' file was; .csv, .jsonl, .parquet, .txt, .sdm,
    .sdk and .links tell another format."""
    format: FormatName | None = None
    """The format of --out, where its name does not tell it."""
    url: bool = False
    """Also print the solved board as a puzz.link address."""
    draw: Literal["auto", "all", "none"] = "auto"
    """Which boards to draw; auto draws up to six puzzles."""
    limit: int | None = None
    """Only the first so many puzzles."""
    task: str | None = None
    """Only the puzzles of this task; a text that fits several tasks needs it."""
    device: str = "cpu"
    """Where the network runs."""
    json: bool = False
    """Print one JSON object a puzzle and line for machines."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.cli.answers import Answers
        from erm.cli.main import UNSOLVED, USAGE
        from erm.progress import console, messages
        from erm.search.options import SearchOptions

        options = SearchOptions(
            self.depth,
            self.width,
            self.mode,
            self.seed,
            unique=self.unique,
            seconds=self.seconds,
            guidance=self.guided(),
        )
        solvers = _solvers(self.checkpoint, self.device)
        given = self.read(solvers.tasks)
        puzzles = given.puzzles
        answers = None if self.out is None else Answers(self.out, self.format, given)
        for task in dict.fromkeys(puzzle.task for puzzle in puzzles):
            solvers[task]  # One that cannot be loaded is known before anything is printed.
        tell_wrong(given, "solve")
        verdicts: list[Status] = []
        started = time.monotonic()
        try:
            found = _results(puzzles, solvers, options, self.selector, self.quiet)
            for number, result in found:
                self.show(number, result, solvers[result.puzzle.task].name, len(puzzles))
                verdicts.append(result.status)
                if answers is not None:
                    answers.add(result)
        except KeyboardInterrupt:
            # The answers so far are worth keeping.
            if answers is not None and verdicts:
                answers.write()
                messages.print(f"\n{len(verdicts)} of {len(puzzles)} answers in {self.out}")
            raise
        if answers is not None:
            answers.write()
        if len(puzzles) > 1 or given.wrong or answers is not None:
            seconds = time.monotonic() - started
            (messages if self.json else console).print(
                _summary(verdicts, len(given.wrong), seconds, self.out),
                style="bold",
                highlight=False,
                soft_wrap=True,
            )
        if given.wrong:
            return USAGE
        return 0 if all(verdict in SOLVED for verdict in verdicts) else UNSOLVED

    def read(self, own_tasks: Collection[str]) -> Given:
        """The puzzles of all arguments; a text that fits several tasks is of the checkpoint's."""
        if self.limit is not None and self.limit < 1:
            raise InputError(f"--limit must be at least 1, got {self.limit}")
        if self.format is not None and self.out is None:
            raise InputError("--format needs --out, the file to write")
        return read_given(self.puzzle, self.task, self.limit, own_tasks)

    def show(self, number: int, result: Result, checkpoint: str, total: int) -> None:
        from erm.cli import report
        from erm.progress import console

        if self.json:
            fields = report.as_json(result, checkpoint, self.seed, self.explain, self.url)
            if self.explain:
                from erm.cli.hint import explained_json

                fields["explanation"] = explained_json(result.problem, self.seconds)
            print(json.dumps(fields), flush=True)
            return
        if self.draw == "all" or (self.draw == "auto" and total <= DRAWN):
            if total > 1:
                console.rule(f"{number} of {total}", align="left", characters="─")
            report.show(console, result, checkpoint, self.explain)
            # Where answers have prices the cheapest is chosen, not forced.
            if self.explain and not result.problem.rules.preferences:
                from erm.cli.hint import print_chain

                print_chain(console, result.puzzle, self.seconds)
        else:
            console.print(report.row(number, result), soft_wrap=True, highlight=False)
            if self.explain:
                report.explain_rules(console, result)
        if self.url:
            link = report.link(result) or f"puzz.link has no {result.puzzle.task}"
            console.print(link, soft_wrap=True, highlight=False, markup=False)


def _summary(verdicts: list[Status], wrong: int, seconds: float, out: Path | None) -> str:
    """How many puzzles got which verdict, which ones are left, and where the answers are."""
    from erm.progress import counted

    counts = [
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in (*SOLVED, "no solution", "undecided")
        if verdict in verdicts
    ]
    left = [str(number) for number, one in enumerate(verdicts, 1) if one not in SOLVED]
    more = f" and {len(left) - LISTED} more" if len(left) > LISTED else ""
    parts = [f"{counted(len(verdicts), 'puzzle')} in {seconds:.1f} s: {', '.join(counts)}"]
    if left:
        parts.append(f"not solved: {', '.join(left[:LISTED])}{more}")
    if wrong:
        parts.append(f"{wrong} could not be read")
    if out is not None:
        parts.append(f"answers in {out}")
    return "; ".join(parts)


def _solvers(checkpoint: str | None, device: str) -> Solvers:
    from erm.search.solver import SHIPPED, Solvers

    solvers = Solvers(checkpoint or SHIPPED, device)
    if not solvers.tasks or solvers[solvers.tasks[0]].reasoner.config.structured:
        _use_one_thread()
    return solvers


def _use_one_thread() -> None:
    """Small networks lose by sharing their matrices between cores, on a busy machine tenfold."""
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)


def _results(
    puzzles: list[Puzzle], solvers: Solvers, options: SearchOptions, selector: str, quiet: bool
) -> Iterator[tuple[int, Result]]:
    """Numbered results in the order of the puzzles, under a bar that makes way for each."""
    from erm.progress import messages, progress_bar

    bar = progress_bar(quiet)
    bar.live.transient = True
    shown = messages.is_terminal and not quiet
    try:
        if shown:
            bar.start()
        for numbered in _search(puzzles, solvers, options, selector, bar):
            # While it is shown, the bar takes over standard output, too.
            if shown:
                bar.stop()
            yield numbered
            if shown:
                bar.start()
    finally:
        if shown:
            bar.stop()


def _search(
    puzzles: list[Puzzle], solvers: Solvers, options: SearchOptions, selector: str, bar: Progress
) -> Iterator[tuple[int, Result]]:
    from itertools import groupby

    one = len(puzzles) == 1
    line = bar.add_task(
        "search" if one else "puzzles", total=options.budget if one else len(puzzles), note=""
    )

    def watch(search: PuzzleSearch) -> None:
        if not one:
            return
        if search.evaluations:
            candidates = options.waves[max(search.wave, 0)].stop
            note = f"{candidates} candidates, depth {search.depth}"
            bar.update(line, completed=search.evaluations, note=note)
        elif search.rules_ran:
            note = "guesses of the rules"
            if search.improvements:
                note += f", cost {search.improvements[-1].cost:g} so far"
            if search.rules.bound is not None:
                note += f", at least {search.rules.bound:g}"
            bar.update(line, completed=search.rules_nodes, note=note)

    finished: dict[int, Result] = {}
    following, solved = 1, 0
    for task, numbered in groupby(enumerate(puzzles, 1), key=lambda pair: pair[1].task):
        numbers, group = zip(*numbered, strict=True)
        found = solvers[task].solve_many(group, options, selector, watch)
        for result in found:
            finished[numbers[result.number]] = result
            solved += result.certified
            if not one:
                bar.update(line, advance=1, note=f"{solved} solved")
            while following in finished:
                yield following, finished.pop(following)
                following += 1


COMMAND = Solve
