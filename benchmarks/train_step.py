"""How fast training steps are, as ratios measured in one run: `python benchmarks/train_step.py`.

First our structured Sudoku reasoner as `erm train cpu/sudoku` runs it: eager, compiled, one
process with two threads, two processes with one. Then our token-MLP step against a plain
transcription of the published recurrence at the same size.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

VARIANTS = {
    "eager, 1 process x 1 thread": (1, 1, False),
    "compiled, 1 process x 1 thread": (1, 1, True),
    "compiled, 1 process x 2 threads": (1, 2, True),
    "compiled, 2 processes x 1 thread": (2, 1, True),
}
"""Processes, threads of each, compiled."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20, help="timed steps of each variant")
    parser.add_argument("--worker", choices=["eager", "compiled", "tokens"], help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker == "tokens":
        token_step(arguments.steps, arguments.out)
    elif arguments.worker:
        structured_step(arguments.worker == "compiled", arguments.steps, arguments.out)
    else:
        compare(arguments.steps)


def compare(steps: int) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("structured Sudoku, batch 16 a process", "samples/s", "ratio")
    base = None
    for name, (processes, threads, compiled) in VARIANTS.items():
        worker = "compiled" if compiled else "eager"
        rate = run_worker(worker, steps, processes, threads)["samples_per_second"]
        base = base or rate
        table.add_row(name, f"{rate:.0f}", f"{rate / base:.2f}")
    tokens = run_worker("tokens", max(3, steps // 4), 1, 1)
    second = Table("token MLP, hidden 128, cycles 3/6, batch 16, eager", "samples/s", "ratio")
    for name, rate in tokens.items():
        second.add_row(name, f"{rate:.1f}", f"{rate / tokens['published recurrence']:.2f}")
    console = Console()
    console.print(table)
    console.print(second)


def run_worker(worker: str, steps: int, processes: int, threads: int) -> dict[str, float]:
    """Each variant in processes of its own, so that thread counts and code do not mix."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rate.json"
        script = [__file__, "--worker", worker, "--steps", str(steps), "--out", str(out)]
        start = [sys.executable]
        if processes > 1:
            start += ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node"]
            start.append(str(processes))
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        subprocess.run([*start, *script], env=environment, check=True)
        return json.loads(out.read_text())


def structured_step(compiled: bool, steps: int, out: Path) -> None:
    """Whole updates of the training loop, fresh rows and optimiser included."""
    import torch

    from erm.formats.dataset import Dataset
    from erm.train.distributed import processes
    from erm.train.presets import presets
    from erm.train.trainer import Trainer

    torch.set_flush_denormal(True)
    config = replace(presets()["cpu/sudoku"][1], compile=compiled)
    with processes("cpu") as (group, device):
        trainer = Trainer(config, [Dataset(boards(500), "random", "-", "")], group, device)
        for _ in range(3):
            trainer.update()
        group.barrier()
        began = time.perf_counter()
        for _ in range(steps):
            trainer.update()
        group.barrier()
        rate = steps * config.batch * group.world / (time.perf_counter() - began)
        if group.leads:
            out.write_text(json.dumps({"samples_per_second": rate}))


def boards(count: int) -> list:
    """Random solved boards with 50 cells open; the time does not depend on their sense."""
    import numpy as np

    from erm.puzzles.sudoku.rules import move_sudokus
    from erm.types import Puzzle

    draw = np.random.default_rng(0)
    row, column = np.divmod(np.arange(81), 9)
    pattern = ((row * 3 + row // 3 + column) % 9 + 1).astype(np.int8)
    answers = move_sudokus(np.tile(pattern, (1, count, 1)), draw)[0]
    found = []
    for answer in answers:
        digits = answer.copy()
        digits[draw.choice(81, 50, replace=False)] = 0
        found.append(Puzzle("sudoku", 9, 9, {"digits": digits.reshape(9, 9)}, answer))
    return found


def token_step(steps: int, out: Path) -> None:
    """One segment forward and backward: ours and the transcription, taking turns."""
    import torch

    from erm.model.losses import judge
    from erm.model.reasoner import Reasoner
    from erm.model.sizes import EQR_SUDOKU
    from erm.rulebook.registry import load_task
    from erm.train.stream import Bucket

    config = replace(EQR_SUDOKU, hidden=128, prefix=0, identifiers=0, path_noise=0.0)
    torch.manual_seed(0)
    bucket = Bucket(load_task("sudoku"), boards(50), 1.0, structured=False)
    drawn = bucket.draw(0, range(16), [0] * 16)
    reasoner = Reasoner(config)
    published = published_recurrence(config)
    ours, theirs = (sum(p.numel() for p in m.parameters()) for m in (reasoner, published))
    assert ours == theirs, (ours, theirs)
    labels = drawn.answers + 2
    start = reasoner.start(drawn.inputs, torch.Generator().manual_seed(0))

    def our_step() -> None:
        reasoner.zero_grad()
        _, prediction = reasoner.step(start, drawn.inputs, torch.Generator())
        judge(prediction, drawn.inputs, drawn.answers, False, "stablemax").total.backward()

    def published_step() -> None:
        published.zero_grad()
        published.loss(start.z_H, start.z_L, drawn.inputs.tokens, labels).backward()

    spent = {"published recurrence": 0.0, "ours": 0.0}
    for turn in range(steps + 1):
        for name, step in (("published recurrence", published_step), ("ours", our_step)):
            began = time.process_time()
            step()
            # The first turn warms up.
            spent[name] += (time.process_time() - began) * (turn > 0)
    out.write_text(json.dumps({name: 16 * steps / seconds for name, seconds in spent.items()}))


def published_recurrence(config):
    """EqR's Sudoku network written down plainly from its description, nothing shared with ours."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    def normed(z):
        return z * torch.rsqrt(z.square().mean(-1, keepdim=True) + 1e-5)

    class SwiGLU(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            inner = math.ceil(config.expansion * width * 2 / 3 / 256) * 256
            self.gate_up = nn.Linear(width, 2 * inner, bias=False)
            self.down = nn.Linear(inner, width, bias=False)

        def forward(self, z):
            gate, up = self.gate_up(z).chunk(2, -1)
            return self.down(F.silu(gate) * up)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.across_cells, self.within_cell = SwiGLU(config.length), SwiGLU(config.hidden)

        def forward(self, z):
            # The published code norms the transposed state: over positions here.
            across = z.transpose(1, 2)
            z = normed(across + self.across_cells(across)).transpose(1, 2)
            return normed(z + self.within_cell(z))

    class Published(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(config.vocabulary, config.hidden)
            self.blocks = nn.ModuleList(Block() for _ in range(config.layers))
            self.head = nn.Linear(config.hidden, config.vocabulary, bias=False)
            self.q_head = nn.Linear(config.hidden, 2)

        def update(self, z, injection):
            new = z + injection
            for block in self.blocks:
                new = block(new)
            return (1 - config.damping) * z + config.damping * new

        def cycle(self, z_H, z_L, x):
            for _ in range(config.l_cycles):
                z_L = self.update(z_L, z_H + x)
            return self.update(z_H, z_L), z_L

        def loss(self, z_H, z_L, tokens, labels):
            x = math.sqrt(config.hidden) * self.embedding(tokens)
            with torch.no_grad():
                for _ in range(config.h_cycles - 1):
                    z_H, z_L = self.cycle(z_H, z_L, x)
            z_H, z_L = self.cycle(z_H, z_L, x)
            logits = self.head(z_H).double()
            s = torch.where(logits < 0, 1 / (1 - logits + 1e-30), logits + 1)
            log_p = torch.log(s / s.sum(-1, keepdim=True))
            answer = -log_p.gather(-1, labels[..., None]).mean()
            exact = (logits.argmax(-1) == labels).all(-1).float()
            q = self.q_head(z_H[:, 0])[:, 0]
            return answer + 0.5 * F.binary_cross_entropy_with_logits(q, exact)

    return Published()


if __name__ == "__main__":
    main()
