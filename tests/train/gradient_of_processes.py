"""Run by torchrun in test_distributed.py: the averaged gradient of two steps, for comparison."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

from erm.model.config import ReasonerConfig
from erm.train.config import DataOptions, SegmentOptions, TrainConfig
from erm.train.distributed import processes
from erm.train.stream import load_answered
from erm.train.trainer import Trainer


def trainer_of(data: Path, batch: int, group, device) -> Trainer:
    config = TrainConfig(
        batch=batch,
        compile=False,
        model=ReasonerConfig(hidden=16, inner=16, lattice=False, l_cycles=2),
        data=DataOptions(data=(data,)),
        segments=SegmentOptions(horizon=4, halt="q", explore=0.5),
    )
    return Trainer(config, [load_answered(data, None, "train", None)], group, device)


def gradients(trainer: Trainer) -> dict[str, torch.Tensor]:
    """Six steps without an update, so that rows are renewed on the way; the last gradient."""
    for _ in range(6):
        trainer.reasoner.zero_grad()
        trainer.gradients()
    named = trainer.reasoner.named_parameters()
    return {name: param.grad.clone() for name, param in named if param.grad is not None}


if __name__ == "__main__":
    data, out, batch = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    with processes("cpu") as (group, device):
        found = gradients(trainer_of(data, batch, group, device))
        save_file(found, out / f"gradient-{group.rank}.safetensors")
    os._exit(0)  # as erm/__main__.py does: torch's threads may abort the shutdown
