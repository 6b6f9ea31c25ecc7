"""What advice costs a training step: `python benchmarks/advice.py DATA [DATA ...]`.

Each file of puzzles with answers is trained on with the preset of its task, one process with one
thread, compiled; processor time of the advice over that of the whole step.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from erm.formats.dataset import load_dataset
from erm.model.config import Advice
from erm.model.inputs import Inputs
from erm.model.reasoner import Reasoner
from erm.train.distributed import Group
from erm.train.presets import presets
from erm.train.trainer import Trainer

KINDS: tuple[Advice, ...] = ("energy", "propagation")


class Clock:
    """Processor time spent inside a method."""

    def __init__(self, reasoner: Reasoner) -> None:
        self.seconds = 0.0
        self._advice = reasoner.advice
        reasoner.advice = self.advice

    def advice(self, z_H: Tensor, inputs: Inputs) -> Tensor | None:
        began = time.process_time()
        found = self._advice(z_H, inputs)
        self.seconds += time.process_time() - began
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--steps", type=int, default=40, help="timed steps")
    parser.add_argument("--warmup", type=int, default=60, help="steps before the timed ones")
    parser.add_argument("--eager", action="store_true", help="do not compile the network")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    table = Table("puzzles", "advice", "ms per step", "of which advice", "share")
    for path in arguments.data:
        dataset = load_dataset(path, limit=512)
        preset = presets()[f"cpu/{dataset.puzzles[0].task}"][1]
        for advice in KINDS:
            config = replace(
                preset,
                model=replace(preset.model, advice=advice),
                compile=not arguments.eager,
            )
            trainer = Trainer(config, [dataset], Group(), torch.device("cpu"))
            for _ in range(arguments.warmup):
                trainer.update()
            clock = Clock(trainer.reasoner)
            began = time.process_time()
            for _ in range(arguments.steps):
                trainer.update()
            whole = time.process_time() - began
            each = 1000 / arguments.steps
            table.add_row(
                path.name,
                advice,
                f"{each * whole:.1f}",
                f"{each * clock.seconds:.2f}",
                f"{clock.seconds / whole:.0%}",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
