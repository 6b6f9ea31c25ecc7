"""A run of the study: one checkpoint on one kind of puzzle, searched or tempered."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from erm.data.dataset import Dataset
from erm.errors import InputError
from erm.evaluate.journal import Share
from erm.evaluate.run import evaluate, temper_all
from erm.reproduce.backbones import Backbone
from erm.search.guide import GuideName
from erm.search.options import SearchOptions
from erm.search.solver import Solver, load
from erm.search.temper import TemperOptions
from erm.types import Puzzle

CALIBRATION_SECONDS = 5.0
CALIBRATION_PUZZLES = 8
SAFETY = 1.25
"""A time-boxed run counts on puzzles that take this much longer than those it was timed on."""
LEAST = 4
"""Puzzles that a time-boxed run does at least."""


@dataclass(frozen=True)
class Run:
    """What `erm evaluate` or `erm temper` would be told."""

    name: str
    """Also the name of its folder."""
    suite: str
    task: str
    backbone: Backbone
    options: SearchOptions | TemperOptions
    energies: tuple[str, ...] = ()
    """Scores to temper with, each on its own."""
    guide: GuideName | None = None
    """That of an adaptive search, see `Solver.guide_for`."""
    weight: float = 1.0
    """Its share of a time-boxed budget."""

    def execute(self, data: Dataset, out: Path, share: Share, quiet: bool) -> None:
        """Do what is left of this process's share; the last to end writes the run's results."""
        name = self.backbone.name
        if isinstance(self.options, TemperOptions):
            temper_all(name, data, self.options, self.energies, out, share, quiet=quiet)
        else:
            evaluate(name, data, self.options, out, share=share, guide=self.guide, quiet=quiet)

    def command(self, data: Dataset, out: Path) -> str:
        """The same run by hand."""
        options = self.options
        words = ["erm", "temper" if self.energies else "evaluate", self.backbone.name, data.path]
        words += ["--task", self.task, "--depth", str(options.depth)]
        if isinstance(options, TemperOptions):
            words += ["--ladders", str(options.ladders), "--rungs", str(options.rungs)]
            words += ["--energies", *self.energies]
        else:
            words += ["--width", str(options.width), "--mode", options.mode]
            words += [] if options.sigma is None else ["--sigma", str(options.sigma)]
            words += ["--curve"] if options.trace else []
            words += ["--guide", self.guide] if self.guide else []
        words += ["--limit", str(len(data)), "--seed", str(options.seed), "--out", str(out)]
        return shlex.join(words)

    def affordable(self, puzzles: Sequence[Puzzle], seconds: float) -> int:
        """How many puzzles fit into so many seconds, judged by the first ones."""
        solver = load(self.backbone.name)
        self._time(solver, puzzles[:1], replace(self.options, depth=1))
        spent = done = 0.0
        for puzzle in puzzles[:CALIBRATION_PUZZLES]:
            spent += self._time(solver, [puzzle], self.options)
            done += 1
            if spent > CALIBRATION_SECONDS:
                break
        return max(LEAST, int(seconds / (SAFETY * spent / done)))

    def _time(self, solver: Solver, puzzles: Sequence[Puzzle], options: Any) -> float:
        began = time.perf_counter()
        for puzzle in puzzles:
            if isinstance(options, TemperOptions):
                for energy in self.energies:
                    solver.temper(puzzle, replace(options, energy=energy))
            else:
                list(solver.solve_many([puzzle], options, guide=self.guide))
        return time.perf_counter() - began


def readable(backbone: Backbone, puzzles: Sequence[Puzzle]) -> tuple[list[Puzzle], str | None]:
    """The puzzles whose boards the checkpoint can read, and why not the others."""
    solver = load(backbone.name)
    refused: dict[tuple, str | None] = {}
    for puzzle in puzzles:
        if puzzle.shape not in refused:
            try:
                solver.problem(puzzle)
                refused[puzzle.shape] = None
            except InputError as error:
                refused[puzzle.shape] = str(error)
    reasons = [reason for reason in refused.values() if reason]
    kept = [puzzle for puzzle in puzzles if refused[puzzle.shape] is None]
    return kept, reasons[0] if reasons else None
