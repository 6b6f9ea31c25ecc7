"""Everything a training run depends on, in groups that the command line shows as such."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from erm.errors import InputError
from erm.json_file import mismatch
from erm.model.config import MAX_ETA, ReasonerConfig, current_advice
from erm.model.device import Precision

Halt = Literal["q", "solved", "never"]
LossName = Literal["stablemax", "softmax"]
OptimiserName = Literal["adamw", "adam-atan2"]
Decay = Literal["cosine", "constant"]


@dataclass(frozen=True)
class DataOptions:
    """What is learned from."""

    data: tuple[Path, ...] = ()
    """Files or folders of puzzles with answers, in any format that `erm data` knows."""
    mix: tuple[float, ...] = ()
    """Share of the steps that each file of --data gets; equal shares where it is not given."""
    validation: tuple[Path, ...] = ()
    """Held-out puzzles with answers."""
    split: str = "train"
    """Which part of --data is read, where it is a folder or .npz with several."""
    validation_split: str = "test"
    """The same for --validation."""
    task: str | None = None
    """Task of files that do not say it themselves."""
    limit: int | None = None
    """Read at most so many puzzles from each file."""
    augment: bool = True
    """Show each puzzle in a random symmetric form."""


@dataclass(frozen=True)
class SegmentOptions:
    """Deep supervision: one step is one segment, the state is carried on without gradient."""

    horizon: int = 16
    """Most segments that a puzzle stays in the batch."""
    halt: Halt = "solved"
    """When a puzzle leaves earlier: q > 0 (EqR, TRM), answered rightly, or never."""
    linger: int = 1
    """With halt solved: further segments of a solved puzzle, so that answers are fixed points."""
    explore: float = 0.1
    """With halt q: share of the rows that must go on for a random number of segments."""
    steps_per_update: int = 1
    """Segments of which the gradients are summed for one update of the weights."""
    cohorts: int = 1
    """Batches of rows that take turns. With one, every update sees the same puzzles as the last
    and the weights learn them by heart for as long as they stay."""
    guidance_max: float = 0.0
    """Guide the carry between segments by the energy's gradient; each puzzle draws its eta from 0
    to this, so that one network serves guided and unguided."""

    def __post_init__(self) -> None:
        if not 0 <= self.guidance_max <= MAX_ETA:
            raise InputError(f"--guidance-max must be 0 to {MAX_ETA:g}, got {self.guidance_max}")


@dataclass(frozen=True)
class LossOptions:
    """How a prediction is judged."""

    loss: LossName = "softmax"
    """Normalisation of the cross entropy; HRM, TRM and EqR use stablemax in float64."""
    q_weight: float = 0.5
    """Weight of BCE(q, answer exactly right)."""

    def __post_init__(self) -> None:
        if self.q_weight < 0:
            raise InputError(f"--q-weight must be at least 0, got {self.q_weight}")


@dataclass(frozen=True)
class OptimOptions:
    """How gradients become weights."""

    optimiser: OptimiserName = "adamw"
    """adam-atan2 is what HRM, TRM and EqR train with."""
    lr: float = 2e-3
    """Learning rate after the warm-up."""
    warmup: int = 200
    """Steps over which the learning rate rises linearly."""
    decay: Decay = "cosine"
    """What follows the warm-up."""
    lr_min: float = 0.05
    """Share of the learning rate that is left at the last step of a cosine decay."""
    beta1: float = 0.9
    """Memory of the gradient's mean."""
    beta2: float = 0.99
    """Memory of the gradient's square."""
    weight_decay: float = 0.01
    """Decoupled decay, in units of the learning rate."""
    clip: float = 1.0
    """Largest norm of the gradient; 0 does not clip."""
    ema: float = 0.999
    """Moving average of the weights, which is what is validated and saved; 0 for none."""
    ema_warmup: bool = True
    """Let the average's memory grow with the steps; without, it is constant (TRM, EqR)."""
    puzzle_lr: float | None = None
    """Learning rate of the puzzle embedding, which is then trained by SignSGD, as in HRM and TRM;
    like the other weights if not given."""
    puzzle_weight_decay: float = 0.0
    """Its decay, in units of that rate."""

    def __post_init__(self) -> None:
        for name in ("beta1", "beta2", "ema"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"--{name} must be in [0, 1), got {getattr(self, name)}")
        for name in ("lr", "puzzle_lr"):
            rate = getattr(self, name)
            if rate is not None and not rate > 0:
                raise InputError(f"--{_option(name)} must be above 0, got {rate}")
        least = min(self.warmup, self.weight_decay, self.puzzle_weight_decay, self.clip)
        if least < 0 or not 0 <= self.lr_min <= 1:
            raise InputError("--warmup, --weight-decay and --clip must be >= 0, --lr-min in [0, 1]")


@dataclass(frozen=True)
class TrainConfig:
    """Train a reasoner."""

    out: Path = Path("run")
    """Folder of the run; the same command again continues what is there."""
    steps: int = 10_000
    """Updates of the weights."""
    batch: int = 16
    """Rows in one pass of one process."""
    accumulate: int = 1
    """Passes of which the gradients are summed for one update of the weights."""
    global_batch: int | None = None
    """Rows of one update over all processes, as the papers count them; --batch is then the most
    that one process takes in a pass, and --accumulate follows."""
    seed: int = 0
    """Everything random follows from it."""
    init: str | Path | None = None
    """Checkpoint to start from, such as that of an easier stage: a folder, a shipped name, or
    hf://owner/name."""
    device: str = "auto"
    """cpu, cuda, mps, or auto: cuda where there is one."""
    compile: bool = True
    """Compile the network; takes up to a minute for each board shape, then trains faster."""
    precision: Precision = "float32"
    """bfloat16 runs the network in mixed precision, where the device has it."""
    include: tuple[Path, ...] = ()
    """Your own task files."""
    checkpoint_every: int = 1000
    """Steps between saved states, from which a killed run continues."""
    evaluate_every: int = 1000
    """Steps between validations; 0 validates at the end only."""
    evaluate_depth: int = 16
    """D, the steps of a rollout in validation."""
    evaluate_limit: int = 256
    """Most puzzles of each validation file."""
    log_every: int = 50
    """Steps between lines of metrics.jsonl."""
    tensorboard: bool = False
    """Also write events for TensorBoard into the run's folder."""
    wandb: bool = False
    """Also keep a run of wandb in the run's folder, offline unless WANDB_MODE says otherwise."""
    data: DataOptions = field(default_factory=DataOptions)
    segments: SegmentOptions = field(default_factory=SegmentOptions)
    loss: LossOptions = field(default_factory=LossOptions)
    optim: OptimOptions = field(default_factory=OptimOptions)
    model: ReasonerConfig = field(default_factory=ReasonerConfig)

    def check(self) -> None:
        """What must hold before anything is read or written."""
        counts = ("steps", "batch", "accumulate", "checkpoint_every", "log_every", "evaluate_depth")
        for name in counts:
            if getattr(self, name) < 1:
                raise InputError(f"--{_option(name)} must be at least 1, got {getattr(self, name)}")
        segments = self.segments
        least = min(segments.horizon, segments.steps_per_update, segments.cohorts)
        if least < 1 or not 0 <= segments.explore <= 1:
            raise InputError(
                "--horizon, --steps-per-update and --cohorts must be at least 1 "
                "and --explore in [0, 1]"
            )
        if self.seed < 0:
            raise InputError(f"--seed must be at least 0, got {self.seed}")
        if self.data.limit is not None and self.data.limit < 1:
            raise InputError(f"--limit must be at least 1, got {self.data.limit}")
        if not self.data.data:
            raise InputError("give the training puzzles with --data FILE [FILE ...]")
        mix = self.data.mix
        if mix and (len(mix) != len(self.data.data) or min(mix) <= 0):
            raise InputError("--mix takes one positive share for each file of --data")

    def shared_by(self, processes: int) -> TrainConfig:
        """Batch and passes of one of so many processes, where the whole batch is given."""
        if self.global_batch is None:
            return self
        rows, rest = divmod(self.global_batch, processes)
        batch = min(self.batch, rows)
        if rest or not batch or rows % batch:
            raise InputError(
                f"--global-batch {self.global_batch} does not split into passes of {self.batch} "
                f"rows on {processes} processes; give a --batch that divides their share"
            )
        return replace(self, batch=batch, accumulate=rows // batch)

    @property
    def rows(self) -> int:
        """Puzzles of one bucket that one process carries at a time."""
        return self.batch * self.accumulate * self.segments.cohorts

    def to_json(self) -> dict[str, Any]:
        """The options by name as they stand on the command line."""
        flat: dict[str, Any] = {}
        for entry in dataclasses.fields(TrainConfig):
            value = getattr(self, entry.name)
            if dataclasses.is_dataclass(value):
                nested = dataclasses.fields(value)
                flat |= {part.name: _plain(getattr(value, part.name)) for part in nested}
            else:
                flat[entry.name] = _plain(value)
        return flat


GUESSED = ("guess", "prune", "hints", "commit", "commit_wrong")
"""Options of before 2026-11-18 that made rows guess; a run with any of them cannot be continued."""
GONE = {
    *GUESSED,
    *("guess_eliminate", "guess_horizon", "value_weight"),
    *("commit_horizon", "commit_right", "commit_eliminate"),
}
"""All options that older runs had; those beyond `GUESSED` did nothing without them."""


def differing_option(saved: dict[str, Any], asked: dict[str, Any]) -> str | None:
    """The first option in which two commands differ, with both values; None if they agree.

    Options that a saved run does not know, since it is older than they are, had their defaults.
    """
    saved = dict(saved)
    if "hears" in saved:
        saved["advice"] = current_advice(saved.pop("hears"))
    for name in GUESSED:
        if saved.get(name):
            return f"--{_option(name)} is no longer an option; --init goes on from its checkpoint"
    saved = {**TrainConfig().to_json(), **saved}
    for name in sorted({*saved, *asked} - {"out"} - GONE):
        if saved.get(name) != asked.get(name):
            was, now = saved.get(name), asked.get(name)
            return f"--{_option(name)} was {was!r} and is now {now!r}"
    return None


def difference(before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """How a run's config.json, {"options": ..., "facts": ...}, differs from another command's.

    Facts are what the options stand for, such as the hashes of the data files.
    """
    wrong = mismatch(before, {"options": {str: object}, "facts": {str: object}})
    if wrong is not None:
        return f"a config.json that cannot be read ({wrong})"
    option = differing_option(before["options"], now["options"])
    if option is not None:
        return f"another command ({option})"
    was, facts = before["facts"], now["facts"]
    changed = [name for name in sorted({*was, *facts}) if was.get(name) != facts.get(name)]
    return f"other data ({changed[0]} has changed)" if changed else None


def _option(name: str) -> str:
    return name.replace("_", "-")


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value
