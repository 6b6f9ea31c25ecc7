"""What energy guidance costs: `python benchmarks/guidance.py sudoku-token-mlp=DATA NAME=DATA`.

Processor time of guidance over that of a step of the network, one process with one thread. Rows are
candidates of several puzzles.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
import tyro
from rich.console import Console
from rich.table import Table

import erm
from erm.errors import InputError
from erm.formats.dataset import load_dataset
from erm.search.guidance import Guidance, Guide
from erm.search.rollouts import Batch, Candidate


@dataclass
class Options:
    """Guidance over a step, in processor time."""

    runs: tyro.conf.Positional[tuple[str, ...]]
    """CHECKPOINT=DATA."""
    puzzles: int = 4
    width: int = 8
    """Candidates of a puzzle."""
    steps: int = 20
    potentials: bool = False
    device: str = "cpu"


class Clock(Guide):
    """Guidance with the processor time that it takes."""

    seconds = 0.0

    def steer(self, *given):
        began = time.process_time()
        carry = super().steer(*given)
        self.seconds += time.process_time() - began
        return carry


@torch.inference_mode()
def measure(name: str, path: str, options: Options) -> tuple[float, float]:
    """Milliseconds of a step without guidance, and of guidance."""
    solver = erm.load(name, options.device)
    puzzles = load_dataset(path, limit=options.puzzles).puzzles
    guidance = Guidance(0.2, potentials=options.potentials)
    clock = Clock(guidance, solver.reasoner, 1000, solver.probabilities)
    batch = Batch(solver.reasoner, guide=clock)
    problems = [solver.problem(puzzle) for puzzle in puzzles]
    candidates = [Candidate(p, k, p.draw(0, k)) for p in problems for k in range(options.width)]
    batch.admit(candidates)
    for _ in range(4):  # Kernels are compiled in the second step.
        batch.step()
    clock.seconds = 0.0
    began = time.process_time()
    for _ in range(options.steps):
        batch.step()
    whole = time.process_time() - began
    each = 1000 / options.steps
    return each * (whole - clock.seconds), each * clock.seconds


def main(options: Options) -> None:
    torch.set_num_threads(1)
    table = Table("checkpoint", "data", "rows", "ms per step", "ms guidance", "ratio")
    for run in options.runs:
        name, equals, path = run.partition("=")
        if not equals:
            raise InputError(f"expected CHECKPOINT=DATA, got {run}")
        step, guidance = measure(name, path, options)
        rows = str(options.puzzles * options.width)
        numbers = f"{step:.1f}", f"{guidance:.2f}", f"{guidance / step:.1%}"
        table.add_row(name, path.rpartition("/")[2], rows, *numbers)
    Console().print(table)


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
