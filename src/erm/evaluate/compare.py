"""Two runs on the same puzzles, puzzle by puzzle: which is better, and is that chance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from erm.errors import InputError
from erm.evaluate.intervals import mcnemar
from erm.evaluate.schema import open_run
from erm.run_folder import RunFolder, Sample


@dataclass(frozen=True)
class Side:
    """A selector's answers in a run."""

    run: str
    selector: str
    correct: int
    evaluations_mean: float


@dataclass(frozen=True)
class Comparison:
    """Counts of the puzzles that both have; `p` is that of the exact McNemar test."""

    first: Side
    second: Side
    total: int
    only_first: int
    """Puzzles that only the first has right."""
    only_second: int
    p: float

    def verdict(self) -> str:
        """In words, at the usual 5%."""
        gap = self.second.correct - self.first.correct
        which = "second" if gap > 0 else "first"
        differ = self.only_first + self.only_second
        chance = f"p = {self.p:.2g}, exact McNemar test, {differ} differ"
        if self.p < 0.05:
            return f"The {which} is better by {abs(gap)} of {self.total} puzzles ({chance})."
        return f"No difference beyond chance: {gap:+d} of {self.total} puzzles ({chance})."


def compare(
    first: str | Path, second: str | Path, selectors: tuple[str, str] = ("energy", "energy")
) -> Comparison:
    """Compare what a selector (or a tempered energy, or the oracle) made of the same puzzles."""
    runs = open_run(first), open_run(second)
    hashes = [run.read_config()["data"]["sha256"] for run in runs]
    if hashes[0] != hashes[1]:
        raise InputError(
            f"{first} and {second} are not about the same data, so that their puzzles cannot be "
            "paired"
        )
    pairs = list(zip(*(run.read_samples() for run in runs), strict=False))
    if any((a["task"], a["shape"]) != (b["task"], b["shape"]) for a, b in pairs):
        raise InputError(f"{first} and {second} took different puzzles from the same data")
    right = np.array(
        [
            [
                _is_right(run, sample, name)
                for run, sample, name in zip(runs, pair, selectors, strict=True)
            ]
            for pair in pairs
            if all(_has_label(sample) for sample in pair)
        ]
    ).reshape(-1, 2)
    if not len(right):
        raise InputError("a comparison needs puzzles with answers")
    only = [int((right[:, side] & ~right[:, 1 - side]).sum()) for side in (0, 1)]
    sides = [
        Side(
            str(run.path),
            selectors[place],
            int(right[:, place].sum()),
            float(np.mean([pair[place]["evaluations"] for pair in pairs])),
        )
        for place, run in enumerate(runs)
    ]
    return Comparison(sides[0], sides[1], len(right), only[0], only[1], mcnemar(*only))


def _has_label(sample: Sample) -> bool:
    return "oracle" in sample or any("oracle" in row for row in sample.get("energies", {}).values())


def _is_right(run: RunFolder, sample: Sample, selector: str) -> bool:
    if selector == "oracle" and "oracle" in sample:
        return sample["oracle"]["correct"]
    marks = sample.get("choices") or {
        name: row["selected"] for name, row in sample.get("energies", {}).items()
    }
    if selector not in marks:
        known = ", ".join(marks)
        raise InputError(f"{run.path} has no selector {selector!r}; it has {known}")
    return marks[selector]["correct"]
