"""Noise by address against one generator per candidate, at the paper's sizes, on one core.

python benchmarks/noise.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from erm.model.noise import Draws
from erm.model.sizes import SIZES

CANDIDATES = 8


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The best of several runs, of processor time."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'network':14} {'numbers':>9} {'by address':>11} {'generators':>11}   ratio")
    for name in ("eqr-sudoku", "eqr-maze", "eqr-ppbench"):
        config = SIZES[name]
        updates = config.h_cycles * (config.l_cycles + 1)
        shape = updates, config.prefix + config.length, config.hidden
        rows = torch.arange(CANDIDATES)
        addressed = Draws(torch.ones(CANDIDATES, 2, dtype=torch.int64), rows, rows)
        generators = [torch.Generator().manual_seed(k) for k in range(CANDIDATES)]

        def by_address(draws: Draws = addressed, shape=shape) -> object:
            return draws.normal(shape, 0)

        def by_generator(generators=generators, shape=shape) -> object:
            return torch.stack(
                [
                    torch.stack([torch.randn(shape[1:], generator=one) for one in generators])
                    for _ in range(shape[0])
                ]
            )

        new, old = (1e3 * seconds(work) / CANDIDATES for work in (by_address, by_generator))
        numbers = shape[0] * shape[1] * shape[2]
        print(f"{name:14} {numbers:9,} {new:8.2f} ms {old:8.2f} ms   {old / new:.2f}x")


if __name__ == "__main__":
    main()
