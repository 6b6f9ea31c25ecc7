"""`erm temper`: parallel tempering on a data set."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

import tyro

from erm.cli.guidance import GuidanceOptions
from erm.errors import InputError


@dataclass
class Temper(GuidanceOptions):
    """Sample with an energy instead of only ranking with it, on the same D x K budget.

    Example: erm temper sudoku puzzles.csv --energy energy qhead confidence --limit 64

    Several processes or machines: torchrun --nproc_per_node 2 -m erm temper ...
    """

    checkpoint: tyro.conf.Positional[str]
    """Name of a shipped checkpoint, a checkpoint folder, or `zoo` for each puzzle's own."""
    data: tyro.conf.Positional[Path]
    """Puzzles in any supported format, with answers or without."""
    depth: int = 64
    """D, steps of a replica."""
    ladders: int = 8
    """Independent ladders; K is ladders times rungs."""
    rungs: int = 16
    """R, temperatures of a ladder."""
    energy: tuple[str, ...] = ("energy",)
    """The scores to temper with: energy, qhead, confidence or any other selector; tau=2,mu=0 is the
    task's energy with other settings (tau, beta, mu, gamma, weight; soft=0 for decoded answers)."""
    span: float = 1000.0
    """T_R / T_1, the hottest over the coldest temperature."""
    heat: float = 1.0
    """T_R over the spread of the energy in the first pool."""
    temperatures: tuple[float, float] | None = None
    """T_1 and T_R as they are, such as the appendix' 0.001 1.0, instead of --span and --heat."""
    noise: float = 0.1
    """sigma at the hottest temperature; it grows with the square root of T."""
    guidance_langevin: bool = False
    """Guidance with noise at the replica's temperature (Langevin); usually with --noise 0."""
    metropolis: bool = False
    """Undo steps that raise the energy too much for the replica's temperature."""
    limit: int | None = None
    """Only the first so many puzzles."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, replica)."""
    out: Path | None = None
    """Folder for results.json and samples.jsonl; named after the run if not given."""
    task: str | None = None
    """Only the puzzles of this task."""
    split: str | None = None
    """Which split of the data to read."""
    decoding: Literal["raw", "clamped"] | None = None
    """raw: each cell's likeliest state, as EqR and TRM evaluate themselves; clamped: clues stay.
    Token-based networks are read raw if not given, structured ones know no other than clamped."""
    probabilities: Literal["softmax", "stablemax"] | None = None
    """How logits become probabilities for confidence and Eq. 6; as the checkpoint was trained if
    not given."""
    device: str = "cpu"
    """Where the network runs: cpu, cuda, mps, or auto; under torchrun each process has its GPU."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """What the network computes in."""
    chunk: int | None = None
    """Rows in one call of the network; chosen by size and device if not given."""
    compile: bool = False
    """Compile the network: half a minute for each board size, then about 1.3 times as fast."""
    json: bool = False
    """Print results.json instead of a table."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.evaluate.energies import named_energies
        from erm.evaluate.run import temper_all
        from erm.evaluate.run_report import write_run_report
        from erm.formats.dataset import load_dataset
        from erm.search.temper import TemperOptions

        options = TemperOptions(
            depth=self.depth,
            ladders=self.ladders,
            rungs=self.rungs,
            span=self.span,
            heat=self.heat,
            noise=self.noise,
            temperatures=self.temperatures,
            metropolis=self.metropolis,
            guidance=self.guided(self.guidance_langevin),
            seed=self.seed,
            chunk=self.chunk,
            decoding=self.decoding,
            probabilities=self.probabilities,
            precision=self.precision,
        )
        if self.limit is not None and self.limit < 1:
            raise InputError(f"--limit must be at least 1, got {self.limit}")
        data = load_dataset(self.data, self.task, self.split, self.limit)
        out = self.out or self.default_out()
        energies = list(dict.fromkeys(named_energies(self.energy)))
        results = temper_all(
            self.checkpoint,
            data,
            options,
            energies,
            out,
            device=self.device,
            quiet=self.quiet,
            compiled=self.compile,
        )
        if results is not None:
            write_run_report(out)
            if self.json:
                print(json.dumps(results))
            else:
                _print_table(results, out)
        return 0

    def default_out(self) -> Path:
        from erm.cli.evaluate import run_folder

        usual = {field.name: field.default for field in fields(self)}
        changed = [
            f"{name}{getattr(self, name):g}"
            for name in ("ladders", "span", "heat", "noise")
            if getattr(self, name) != usual[name]
        ]
        ladder = "T{:g}-{:g}".format(*self.temperatures) if self.temperatures else None
        kept = "metropolis" if self.metropolis else None
        more = (*changed, ladder, kept, self.guidance_label(self.guidance_langevin))
        return run_folder(self, "temper", self.ladders * self.rungs, *more)


def _print_table(results: dict, out: Path) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    from erm.progress import console

    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("energy", overflow="fold")
    columns = ("selected", "95% interval", "final oracle", "visited oracle", "swap rate")
    for name in columns:
        table.add_column(name, justify="right")
    for name, row in results["energies"].items():
        low, high = row["interval"] or (0.0, 0.0)
        counts = [
            f"{one['correct']}/{one['total']}" if one["total"] else "-"
            for one in (row, row["oracle_final"], row["oracle_visited"])
        ]
        table.add_row(
            name,
            counts[0] if row["total"] else f"{row['valid']} valid",
            f"{100 * low:.2f} to {100 * high:.2f}" if row["total"] else "-",
            *counts[1:],
            "-" if row["swap_rate"] is None else f"{row['swap_rate']:.2f}",
        )
    console.print(table)
    console.print(results["diagnosis"], highlight=False)
    written = f"written to {out}: results.json, report.html"
    console.print(written, soft_wrap=True, highlight=False)


COMMAND = Temper
