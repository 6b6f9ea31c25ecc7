"""A study in its folder: which runs there are, how far they are, what they found."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.journal import Sample, Share
from erm.files import write_json
from erm.formats.dataset import Dataset
from erm.progress import messages
from erm.reproduce.backbones import Backbone, Backbones
from erm.reproduce.budget import Budget
from erm.reproduce.missing import Missing
from erm.reproduce.runs import Run, readable
from erm.reproduce.sources import GENERATED, Sources

SEED = 0

Runs = Mapping[str, "Run | Missing"]
"""Runs by task, or why there is none."""


@dataclass(frozen=True)
class Group:
    """What several runs found together."""

    samples: list[Sample]
    missing: dict[str, Missing] = field(default_factory=dict)
    """Tasks that are not in it."""
    data: str = ""
    """For people."""

    @property
    def status(self) -> str:
        """Empty where all is there; else what is missing and why."""
        if not self.missing:
            return ""
        reasons = list(dict.fromkeys(map(str, self.missing.values())))
        if not self.samples:
            return "; ".join(reasons)
        return f"without {', '.join(self.missing)} ({'; '.join(reasons)})"


class Study:
    """Everything that parts of the report share."""

    def __init__(
        self,
        out: Path,
        budget: Budget,
        checkpoints: Mapping[str, str],
        data: Mapping[str, Path],
        share: Share | None = None,
        quiet: bool = False,
    ) -> None:
        self.out, self.budget, self.quiet = out, budget, quiet
        self.share = share or Share()
        self.backbones = Backbones(checkpoints, out / "checkpoints", self.share.rank == 0)
        self.sources = Sources(out / "data", budget, data, self.share.rank == 0, quiet)
        self.seconds_per_weight: float | None = None
        """Set for time-boxed budgets, once all runs are known."""
        self.opens_data = False
        """Whether planning may read or make data; only for the parts that are asked for."""
        self._plan = self._open_plan()
        self._samples: dict[str, list[Sample]] = {}
        self._data: dict[tuple[str, str, str], tuple[Dataset, str] | Missing] = {}

    # ------------------------------------------------------------------ planning

    def run(
        self, kind: str, suite: str, task: str, options: Any, role: str | None = None, **more: Any
    ) -> Run | Missing:
        """The run of that kind, or why it cannot be: no checkpoint, no data, no board it reads."""
        backbone = self.backbones.role(role) if role else self.backbones.find(task, suite)
        if isinstance(backbone, Missing):
            return backbone
        if more.pop("fixed_start", False):
            backbone = self.backbones.fixed_start(backbone, make=self.opens_data)
        name = "-".join(dict.fromkeys((suite, role or task))) + f"-{kind}"
        run = Run(name, suite, task, backbone, options, **more)
        impossible = self._plan.setdefault("impossible", {})
        if self._data_key(run) not in self._data and not self.opens_data:
            return Missing(impossible[name]) if impossible.get(name) else run
        data = self._readable(run)
        reason = str(data) if isinstance(data, Missing) else None
        if self.share.rank == 0 and impossible.get(name) != reason:
            self._plan["impossible"] = {**impossible, name: reason}
            write_json(self.out / "plan.json", self._plan)
        return data if isinstance(data, Missing) else run

    def data(self, run: Run) -> Dataset:
        """The puzzles of a run; settles how many of them where the budget is time-boxed."""
        found = self._readable(run)
        assert not isinstance(found, Missing)
        data = found[0]
        most = min(len(data), self.budget.puzzles[run.suite])
        count = min(most, self._count(run, data, most))
        return replace(data, puzzles=data.puzzles[:count])

    def remark(self, run: Run) -> str:
        """What a reader should know of the run's data: puzzles that the checkpoint cannot read."""
        found = self._readable(run)
        return "" if isinstance(found, Missing) else found[1]

    def _readable(self, run: Run) -> tuple[Dataset, str] | Missing:
        key = self._data_key(run)
        if key not in self._data:
            data = self.sources.load(run.suite, run.task)
            self._data[key] = data if isinstance(data, Missing) else _fitting(run.backbone, data)
        return self._data[key]

    @staticmethod
    def _data_key(run: Run) -> tuple[str, str, str]:
        return run.suite, run.task, run.backbone.name

    def _count(self, run: Run, data: Dataset, most: int) -> int:
        if self.budget.minutes is None:
            return most
        planned = self._plan["puzzles"]
        if run.name in planned:
            return planned[run.name]
        if self.share.rank:
            return self._wait_for_count(run)
        assert self.seconds_per_weight is not None
        if not self.quiet:
            messages.print(f"timing {run.name}", highlight=False)
        seconds = self.seconds_per_weight * run.weight * self.share.world
        planned[run.name] = min(most, run.affordable(data.puzzles, seconds))
        write_json(self.out / "plan.json", self._plan)
        return planned[run.name]

    def _wait_for_count(self, run: Run) -> int:
        """The first process of a study times the runs; the others read what it settled."""
        while True:
            planned = json.loads((self.out / "plan.json").read_text("utf-8"))["puzzles"]
            if run.name in planned:
                return planned[run.name]
            time.sleep(0.5)

    def _open_plan(self) -> dict[str, Any]:
        """The study's settings, which the folder keeps; another study's folder is refused."""
        path = self.out / "plan.json"
        plan = {
            "budget": self.budget.name,
            "data": self.sources.describe(),
            "checkpoints": self.backbones.given,
            "puzzles": {},
            "impossible": {},
        }
        if self.share.rank:
            while not path.exists():
                time.sleep(0.2)
        if not path.exists():
            if self.out.exists() and any(self.out.iterdir()):
                raise InputError(f"{self.out} holds other files than a study; choose another --out")
            write_json(path, plan)
            return plan
        try:
            before = json.loads(path.read_text("utf-8"))
        except ValueError:
            raise InputError(f"{path} is not JSON; choose another --out") from None
        for key in ("budget", "data", "checkpoints"):
            if before.get(key) != plan[key]:
                raise InputError(
                    f"{self.out} holds a study with {key} {before.get(key)!r}, not {plan[key]!r}; "
                    "choose another --out or delete it"
                )
        return before

    # ------------------------------------------------------------------ running

    def execute(self, runs: Iterable[Run]) -> None:
        """Do all runs, one after the other; each continues where it was."""
        runs = list(runs)
        for number, run in enumerate(runs, 1):
            data = self.data(run)
            if not self.quiet and self.share.rank == 0:
                messages.print(
                    f"[{number}/{len(runs)}] {run.name}: {len(data)} puzzles", highlight=False
                )
            run.execute(data, self.folder(run), self.share, self.quiet)
            self._samples.pop(run.name, None)

    def folder(self, run: Run) -> Path:
        return self.out / "runs" / run.name

    def command(self, run: Run) -> str | None:
        return run.command(self.data(run), self.folder(run))

    def is_done(self, run: Run) -> bool:
        return (self.folder(run) / "results.json").exists()

    # ------------------------------------------------------------------ reading

    def samples(self, run: Run) -> list[Sample]:
        if run.name not in self._samples:
            lines = (self.folder(run) / "samples.jsonl").read_text("utf-8").splitlines()
            self._samples[run.name] = [json.loads(line) for line in lines]
        return self._samples[run.name]

    def results(self, run: Run) -> dict[str, Any]:
        return json.loads((self.folder(run) / "results.json").read_text("utf-8"))

    def gather(self, runs: Runs) -> Group:
        """The samples of runs together, with what is missing."""
        samples, missing, titles = [], {}, []
        for task, run in runs.items():
            if isinstance(run, Missing):
                missing[task] = run
            elif not self.is_done(run):
                missing[task] = Missing("not run yet")
            else:
                samples += self.samples(run)
                titles.append(self.sources.source(run.suite, run.task).title)
        return Group(samples, missing, _joined(list(dict.fromkeys(titles))))


def _joined(titles: list[str]) -> str:
    """A list for people; what they all begin with is said once."""
    made = [title.removeprefix(GENERATED) for title in titles if title.startswith(GENERATED)]
    found = [title for title in titles if not title.startswith(GENERATED)]
    return ", ".join(found + ([GENERATED + ", ".join(made)] if made else []))


def _fitting(backbone: Backbone, data: Dataset) -> tuple[Dataset, str] | Missing:
    """The puzzles that a checkpoint can read, and a word on the others."""
    kept, reason = readable(backbone, data.puzzles)
    if not kept:
        return Missing(str(reason))
    left_out = len(data) - len(kept)
    remark = f"{left_out} of {len(data)} puzzles left out: {reason}" if left_out else ""
    return replace(data, puzzles=kept), remark
