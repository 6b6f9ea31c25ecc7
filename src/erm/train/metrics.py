"""Numbers of a run over time: metrics.jsonl, and all that follows it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from erm.errors import InputError
from erm.files import atomic
from erm.json_file import mismatch, parse_json
from erm.run_folder import whole_lines
from erm.train.trackers import Tracker, numbers

CURVE_POINTS = 24
"""Points of a learning curve at most."""


class Window:
    """Sums since the last line of metrics, averaged when the line is written."""

    def __init__(self) -> None:
        self.sums: dict[str, float] = {}
        self.weights: dict[str, float] = {}
        self.started = time.perf_counter()

    def add(self, name: str, total: float, weight: float = 1.0) -> None:
        self.sums[name] = self.sums.get(name, 0.0) + total
        self.weights[name] = self.weights.get(name, 0.0) + weight

    def means(self) -> dict[str, float]:
        return {
            name: self.sums[name] / self.weights[name] for name in self.sums if self.weights[name]
        }

    def state(self) -> dict[str, Any]:
        """To go on with after an interruption, so that a line is the same as without one."""
        elapsed = time.perf_counter() - self.started
        return {"sums": self.sums, "weights": self.weights, "elapsed": elapsed}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Window:
        window = cls()
        window.sums, window.weights = {**state.get("sums", {})}, {**state.get("weights", {})}
        window.started -= state.get("elapsed", 0.0)
        return window

    def rate(self, name: str) -> float:
        """Of something counted in `add`, so many per second."""
        return self.weights.get(name, 0.0) / max(time.perf_counter() - self.started, 1e-9)


class MetricsFile:
    """metrics.jsonl, one object a line; continuing at step n drops the lines behind n."""

    def __init__(self, folder: Path, after: int, trackers: Sequence[Tracker] = ()) -> None:
        self.path = folder / "metrics.jsonl"
        _truncate(self.path, after)
        self.file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 - open for the run
        self.trackers = trackers

    def write(self, step: int, values: dict[str, Any]) -> None:
        rounded = {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in values.items()
        }
        self.file.write(json.dumps({"step": step, **rounded}) + "\n")
        self.file.flush()
        for tracker in self.trackers:
            tracker.log(step, dict(numbers(values)))

    def close(self) -> None:
        self.file.close()
        for tracker in self.trackers:
            tracker.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl; a last line that a killed run left torn is not one."""
    lines = []
    if not path.exists():
        return lines
    with open(path, "rb") as file:
        for line in whole_lines(file):
            try:
                value = parse_json(line, finite=False)
            except InputError:
                break
            if mismatch(value, {"step": int}) is not None:
                break
            lines.append(value)
    return lines


def learning_curve(lines: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
    """The lines averaged over equal stretches: what a card keeps of metrics.jsonl."""
    measured = [line for line in lines if "cells" in line]
    stretch = -(-len(measured) // CURVE_POINTS) or 1
    parts = [measured[first : first + stretch] for first in range(0, len(measured), stretch)]
    return [
        {
            "seconds": round(part[-1]["seconds"], 1),
            **{
                name: round(mean(line[name] for line in part if name in line), 4)
                for name in ("cells", "exact")
                if any(name in line for line in part)
            },
        }
        for part in parts
    ]


def _truncate(path: Path, after: int) -> None:
    kept = [line for line in read_metrics(path) if line["step"] <= after]
    with atomic(path) as temporary:
        temporary.write_text("".join(json.dumps(line) + "\n" for line in kept), "utf-8")
