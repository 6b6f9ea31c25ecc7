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
        low, high = self.interval or (None, None)
        return {
            "exact": self.percent,
            "low": None if low is None else 100 * low,
            "high": None if high is None else 100 * high,
        }


class Base(Rate):
    """One rollout: the mean over the K candidates of each puzzle."""

    puzzles: int


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


class Puzzles(Outcome):
    total: int
    labelled: int = 0
    certified: int = 0


class Propagation(Outcome):
    """What the rules propagated: boards, and the time of it."""

    boards: int = 0
    seconds: float = 0.0


class Curve(Outcome):
    """One value a depth."""

    score: list[float] = []
    exact: list[float] = []


class Widths(Outcome):
    """Accuracy on the first k candidates."""

    width: list[int]
    energy: list[float]
    oracle: list[float]


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

    puzzles: Puzzles
    selectors: dict[str, Tally]
    base: Base | None = None
    propagation: Propagation = Propagation()
    seconds: float = 0.0
    evaluations_mean: float
    tasks: dict[str, Part]
    depth_curve: dict[str, Curve] = {}
    width_curve: Widths | None = None
    stopping: Stopping | None = None


class Tempered(Tally):
    """What tempering with one energy selects, and the best of what it met."""

    oracle_final: Tally
    oracle_visited: Tally
    swap_rate: float | None
    acceptance: float


class Temper(Outcome):
    """A tempering run by energy."""

    puzzles: Puzzles
    energies: dict[str, Tempered]
    evaluations_mean: float


class Weights(Outcome):
    """The network of a run, as results.json describes it."""

    name: str
    architecture: str = "no network"
    parameters: int = 0
    sha256: str = ""


class Data(Outcome):
    path: str
    count: int
    sha256: str


class Origin(Outcome):
    """Where the numbers of one run come from."""

    command: str
    lane: str | list[str]
    checkpoint: dict[str, Any]
    data: Data
    commit: str | None = None
    diagnosis: str = ""
    seen_in_training: int | None = None
    """Puzzles that equal a training puzzle up to symmetry; None where the network cannot tell."""

    @property
    def weights(self) -> list[Weights]:
        """One network, or one for each task."""
        one = self.checkpoint
        return [Weights(**each) for each in ([one] if "name" in one else one.values())]

    @property
    def lanes(self) -> str:
        return self.lane if isinstance(self.lane, str) else ", ".join(self.lane)

    @property
    def short_commit(self) -> str:
        return (self.commit or "unknown")[:10]
