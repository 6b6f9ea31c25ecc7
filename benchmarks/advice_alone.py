"""What each kind of advice is worth: the same training, each time hearing something else.

    python benchmarks/advice_alone.py tapa tapa-8.jsonl.gz tapa-8-held.jsonl.gz --steps 5000

Every network has the shape of one that hears pruning; what it is not to hear is 0.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import torch
import tyro
from rich.table import Table
from torch import Tensor

from erm.model.codec import channels_heard
from erm.model.reasoner import Reasoner
from erm.progress import console
from erm.train.config import DataOptions, OptimOptions, SegmentOptions
from erm.train.guess import GuessOptions
from erm.train.loop import train
from erm.train.presets import presets

KINDS = {
    "retrieval": ("says: ",),
    "free energies": ("misfit: ",),
    "blame": ("blames: ",),
    "pruning": ("refuted", "settled", "nothing left"),
}
HEARD = {
    "nothing": (),
    **{kind: (kind,) for kind in KINDS},
    "all but pruning": ("retrieval", "free energies", "blame"),
    "all": tuple(KINDS),
}


@dataclass
class Options:
    """Held-out boards solved in one rollout by networks that hear one kind of advice, or all."""

    task: tyro.conf.Positional[str]
    data: tyro.conf.Positional[Path]
    """Boards to learn from."""
    held_out: tyro.conf.Positional[Path]
    """Boards to be asked about."""
    heard: tuple[str, ...] = tuple(HEARD)
    """Which networks to train."""
    steps: int = 5000
    batch: int = 16
    lr: float = 2e-3
    depth: int = 32
    """D, steps of the rollout."""
    seed: int = 0


def main(options: Options) -> None:
    torch.set_num_threads(1)
    table = Table(title=f"{options.held_out.name}, one rollout of D={options.depth}")
    for column in ("hears", "parameters", "seconds of training", "solved"):
        table.add_column(column, justify="left" if column == "hears" else "right")
    for name in options.heard:
        with tempfile.TemporaryDirectory() as folder:
            card = _trained(options, HEARD[name], Path(folder) / "run")
        (score,) = card["accuracy"]
        solved = f"{score['correct']}/{score['total']}"
        table.add_row(name, f"{card['parameters']:,}", f"{card['seconds']:.0f}", solved)
        console.print(table)


def _trained(options: Options, heard: tuple[str, ...], out: Path) -> dict:
    class PartlyDeaf(Reasoner):
        """It hears some channels and 0 on the others."""

        def advice(self, belief: Tensor, inputs) -> Tensor | None:
            channels = channels_heard(self.config)
            assert channels is not None, "it has the shape of one that hears"
            audible = tuple(prefix for kind in heard for prefix in KINDS[kind])
            keep = [bool(audible) and name.startswith(audible) for name in channels.names]
            said = super().advice(belief, inputs)
            return None if said is None else said * torch.tensor(keep, dtype=said.dtype)

    _, preset = presets()[f"cpu/{options.task}"]
    config = replace(
        preset,
        out=out,
        steps=options.steps,
        batch=options.batch,
        seed=options.seed,
        evaluate_depth=options.depth,
        evaluate_every=options.steps,
        data=DataOptions(data=(options.data,), validation=(options.held_out,)),
        optim=OptimOptions(lr=options.lr, warmup=300),
        segments=SegmentOptions(horizon=16),
        guesses=GuessOptions(),
    )
    with patch("erm.train.trainer.Reasoner", PartlyDeaf):
        card = train(config)
    assert card is not None, "one process leads itself"
    return card


if __name__ == "__main__":
    main(tyro.cli(Options))
