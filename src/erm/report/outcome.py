"""Typed results: what results.json, or a summary of several runs, holds for tables and figures."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Row = dict[str, Any]


class Outcome(BaseModel):
    """Read-only; keys that no table needs are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Rate(Outcome):
    """A share with its 95% interval, as fractions; None where no puzzle has a label."""

    exact: float | None = None
    interval: tuple[float, float] | None = None

    def __str__(self) -> str:
        if self.exact is None or self.interval is None:
            return ""
        low, high = self.interval
        return f"{100 * self.exact:.2f}% ({self._count()}{100 * low:.1f} to {100 * high:.1f})"

    def _count(self) -> str:
        return ""

    @property
    def percent(self) -> float | None:
        return None if self.exact is None else 100 * self.exact

    def raw(self) -> Row:
        """The numbers of a CSV, in percent."""
        low, high = (100 * one for one in self.interval) if self.interval else (None, None)
        return {"exact": self.percent, "low": low, "high": high}


class Tally(Rate):
    """Choices of one selector, counted."""

    correct: int
    total: int
    token: float | None = None
    valid: int | None = None
    ties: int | None = None
    above: float | None = None
    gap: int | None = None
    """Puzzles to the oracle."""

    def _count(self) -> str:
        return f"{self.correct}/{self.total}, "

    def raw(self) -> Row:
        token = None if self.token is None else 100 * self.token
        return {"correct": self.correct, "total": self.total, **super().raw(), "token": token}


class Stopping(Tally):
    """Energy stopping: the depths at which it ends, and what is right there."""

    depth_mean: float
    depth_min: int
    depth_max: int


class Part(Outcome):
    """The puzzles of one kind, or of one kind and size."""

    total: int
    certified: int
    selectors: dict[str, Tally]
    evaluations_mean: float
    sizes: dict[str, Part] = {}


class Search(Outcome):
    """An evaluation: what every selector takes from the same candidates."""

    puzzles: dict[str, int]
    selectors: dict[str, Tally]
    base: Rate | None = None
    """One rollout: the mean over the K candidates of each puzzle."""
    propagation: dict[str, float] = {"boards": 0, "seconds": 0}
    seconds: float = 0.0
    evaluations_mean: float
    tasks: dict[str, Part]
    depth_curve: dict[str, dict[str, list[float]]] = {}
    """Score and exact accuracy at every depth, by selector."""
    width_curve: dict[str, list[float]] = {}
    stopping: Stopping | None = None

    @property
    def rates(self) -> dict[str, Rate]:
        """Base, every selector, and the oracle."""
        return {**({} if self.base is None else {"base": self.base}), **self.selectors}


class Tempered(Tally):
    """What tempering with one energy selects, and the best of what it met."""

    oracle_final: Tally
    oracle_visited: Tally
    swap_rate: float | None
    acceptance: float


class Temper(Outcome):
    """A tempering run by energy."""

    energies: dict[str, Tempered]
    evaluations_mean: float


class Origin(Outcome):
    """Where the numbers of one run come from."""

    command: str
    lane: str | list[str]
    checkpoint: dict[str, Any]
    data: dict[str, Any]
    commit: str | None = None
    diagnosis: str = ""
    seen_in_training: int | None = None
    """Puzzles that equal a training puzzle up to symmetry; None without a list of them."""

    @property
    def networks(self) -> list[dict[str, Any]]:
        """One network, or one for each task."""
        return [self.checkpoint] if "name" in self.checkpoint else [*self.checkpoint.values()]

    def __str__(self) -> str:
        """Lane, checkpoints and data with their hashes, commit."""
        lane = self.lane if isinstance(self.lane, str) else ", ".join(self.lane)
        networks = (f"{one['name']} {one.get('sha256', '')[:12]}" for one in self.networks)
        return (
            f"{lane}; checkpoint {', '.join(networks).strip()}; data {self.data['path']}, first "
            f"{self.data['count']}, sha256 {self.data['sha256'][:12]}; "
            f"commit {(self.commit or 'unknown')[:10]}"
        )
