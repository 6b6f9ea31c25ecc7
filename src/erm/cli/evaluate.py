"""`erm evaluate`: what every selector makes of the same candidates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Literal

import tyro

from erm.cli.guidance import GuidanceOptions
from erm.errors import InputError
from erm.model.card import TRAINED

if TYPE_CHECKING:
    from rich.table import Table

    from erm.cli.temper import Temper


@dataclass
class Evaluate(GuidanceOptions):
    """Compare selectors on a data set; killed at any moment, the same command continues.

    Example: erm evaluate sudoku puzzles.csv --depth 64 --width 128 --mode adaptive --limit 256

    Several processes or machines: torchrun --nproc_per_node 2 -m erm evaluate ...
    """

    checkpoint: tyro.conf.Positional[str]
    """Name of a shipped checkpoint, a checkpoint folder, `zoo` for each puzzle's own, or `none`: in
    mode full the control without a network, in mode adaptive the rules alone."""
    data: tyro.conf.Positional[Path]
    """Puzzles in any supported format, with answers or without."""
    depth: int = 64
    """D, steps of a candidate."""
    width: int = 128
    """K, candidates of a puzzle."""
    mode: Literal["full", "adaptive"] = "full"
    """full: the paper's D x K, no rule before the end; adaptive: certified search, the rules first,
    then candidates in waves."""
    rules: bool = True
    """With --no-rules an adaptive search has candidates only, up to the first certificate."""
    cadence: int = 1
    """Steps a decision of the control without a network (checkpoint none, mode full)."""
    select: tuple[str, ...] = ()
    """Selectors to compare; all of them if none is named. Added to a finished run, they choose
    from its saved candidates."""
    energy: tuple[str, ...] = ()
    """Further energies to compare: tau=2,mu=0 changes the task's own settings (tau, beta, mu,
    gamma, weight; soft=0 for decoded answers instead of log-probabilities); a selector's name is
    an energy of your own."""
    limit: int | None = None
    """Only the first so many puzzles."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, candidate)."""
    seeds: int = 1
    """Repeat the run with so many seeds, from --seed on, and print mean and spread."""
    out: Path | None = None
    """Folder for results.json and samples.jsonl; named after the run if not given."""
    sigma: float | None = None
    """Noise on z before each step (PTRM); the checkpoint's own if not given."""
    path_noise: float | None = None
    """beta, noise at every update (EqR: 0.5 for its Sudoku figures); the checkpoint's own if not
    given."""
    curve: bool = False
    """Also judge the pool after every step: depth curves and energy stopping (mode full)."""
    stop: bool = False
    """Stop a puzzle when the lowest energy of its pool stops changing (mode full)."""
    seconds: float | None = None
    """Most wall time for each puzzle, so that figures depend on the machine; one that is late
    counts as its best candidate does."""
    save_pools: bool = False
    """Keep log-probabilities too, and with --curve the pool after every step, in the pools that
    every run keeps: energies of log-probabilities can then be changed by erm rescore."""
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
    rows: int | None = None
    """Candidates in flight below which more puzzles start; chosen by device if not given."""
    compile: bool = False
    """Compile the network: half a minute for each board size, then about 1.3 times as fast."""
    json: bool = False
    """Print results.json instead of a table."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.evaluate.energies import named_energies
        from erm.evaluate.run import evaluate
        from erm.evaluate.run_report import write_run_report
        from erm.formats.dataset import load_dataset
        from erm.search.options import SearchOptions
        from erm.search.stop import StoppingRule

        options = SearchOptions(
            depth=self.depth,
            width=self.width,
            mode=self.mode,
            seed=self.seed,
            rules=self.rules,
            cadence=self.cadence,
            sigma=self.sigma,
            path_noise=self.path_noise,
            guidance=self.guided(),
            trace=self.curve,
            stopping=StoppingRule() if self.stop else None,
            chunk=self.chunk,
            rows=self.rows,
            decoding=self.decoding,
            probabilities=self.probabilities,
            precision=self.precision,
            seconds=self.seconds,
        )
        if self.limit is not None and self.limit < 1:
            raise InputError(f"--limit must be at least 1, got {self.limit}")
        data = load_dataset(self.data, self.task, self.split, self.limit)
        if self.seeds < 1:
            raise InputError(f"--seeds must be at least 1, got {self.seeds}")
        out = self.out or self.default_out()
        runs = []
        for seed in range(self.seed, self.seed + self.seeds):
            folder = out if self.seeds == 1 else out / f"seed{seed}"
            results = evaluate(
                self.checkpoint,
                data,
                replace(options, seed=seed),
                folder,
                self.select or None,
                self.save_pools,
                device=self.device,
                quiet=self.quiet,
                compiled=self.compile,
                energies=named_energies(self.energy),
            )
            if results is None:
                continue
            runs.append(results)
            write_run_report(folder)
            if self.json:
                print(json.dumps(results))
            else:
                print_search(results, folder)
        if len(runs) > 1 and not self.json:
            print_seeds(runs)
        return 0

    def default_out(self) -> Path:
        rules = None if self.rules else "no-rules"
        cadence = f"cadence{self.cadence}" if self.cadence != 1 else None
        sigma = f"sigma{self.sigma:g}" if self.sigma is not None else None
        beta = f"beta{self.path_noise:g}" if self.path_noise is not None else None
        guided = self.guidance_label()
        late = f"{self.seconds:g}s" if self.seconds is not None else None
        kept = ("curve" if self.curve else None, "stop" if self.stop else None, late)
        return run_folder(self, self.mode, self.width, rules, cadence, sigma, beta, guided, *kept)


def run_folder(command: Evaluate | Temper, mode: str, width: int, *more: str | None) -> Path:
    """The default folder of a run, named after the options that make it another run. All selectors,
    or energies to temper with, share one."""
    limit = f"n{command.limit}" if command.limit is not None else None
    precision = command.precision if command.precision != "float32" else None
    checkpoint = Path(command.checkpoint)
    parts = (
        checkpoint.parent.name if checkpoint.name == TRAINED else checkpoint.name,
        command.data.stem,
        mode,
        f"D{command.depth}",
        f"K{width}",
        command.task,
        command.split,
        *more,
        command.decoding,
        command.probabilities,
        precision,
        "compiled" if command.compile else None,
        limit,
        f"seed{command.seed}",
    )
    return Path("runs") / "-".join(filter(None, parts))


def print_search(results: dict, out: Path | None) -> None:
    """A run's selectors in 80 columns, what is the bottleneck, and where the rest is."""
    from rich.box import SIMPLE
    from rich.table import Table

    from erm.progress import console

    puzzles = results["puzzles"]
    lane = results.get("lane", "run of before 2026-11-18")
    title = (
        f"{lane if isinstance(lane, str) else ', '.join(lane)}: {puzzles['certified']} of "
        f"{puzzles['total']} certified, {results['evaluations_mean']:.1f} model evaluations per "
        f"puzzle, {results['propagation']['boards']:,} propagations "
        f"({results['propagation']['seconds']:.1f} of {results['seconds']:.1f} s)"
    )
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("selector", overflow="fold")
    priced = any("above" in row for row in results["selectors"].values())
    # Where several answers are best, cells that differ from the label's say little.
    closeness = "above" if priced else "token"
    for name in ("correct", "exact", "95% interval", closeness, "gap", "valid", "ties"):
        table.add_column(name, justify="right")
    if results["base"] is not None:
        low, high = results["base"]["interval"]
        exact = f"{100 * results['base']['exact']:.2f}%"
        table.add_row("one rollout, mean", "", exact, f"{100 * low:.2f} to {100 * high:.2f}")
    for name, row in results["selectors"].items():
        labelled = bool(row["total"])
        low, high = row["interval"] or (0.0, 0.0)
        table.add_row(
            name,
            f"{row['correct']}/{row['total']}" if labelled else "-",
            f"{100 * row['exact']:.2f}%" if labelled else "-",
            f"{100 * low:.2f} to {100 * high:.2f}" if labelled else "-",
            _above(row) if priced else f"{100 * row['token']:.2f}%" if labelled else "-",
            str(row["gap"]) if labelled else "-",
            str(row.get("valid", "-")),
            str(row.get("ties", "-")),
        )
    console.print(table)
    if priced:
        console.print("above: cost beyond the label, of what breaks no rule", highlight=False)
    if len([size for task in results["tasks"].values() for size in task["sizes"]]) > 1:
        console.print(_sizes_table(results["tasks"]))
    if "stopping" in results:
        stop = results["stopping"]
        kept = f", {stop['correct']}/{stop['total']} exact" if stop["total"] else ""
        console.print(
            f"energy stopping: {stop['depth_mean']:.2f} steps on average "
            f"({stop['depth_min']} to {stop['depth_max']}){kept}"
        )
    console.print(results["diagnosis"], highlight=False)
    if out is not None:
        written = f"written to {out}: results.json, report.html"
        console.print(written, soft_wrap=True, highlight=False)


def print_seeds(runs: Sequence[dict]) -> None:
    """Mean and spread (standard deviation) over the seeds, by selector."""
    from rich.box import SIMPLE
    from rich.table import Table

    from erm.progress import console

    table = Table("selector", title=f"{len(runs)} seeds", title_justify="left", box=SIMPLE)
    for name in ("mean", "spread", "each"):
        table.add_column(name, justify="right")
    shares = {"one rollout, mean": [run["base"] and run["base"]["exact"] for run in runs]}
    for name in runs[0]["selectors"]:
        shares[name] = [run["selectors"][name]["exact"] for run in runs]
    for name, values in shares.items():
        if all(value is not None for value in values):
            each = ", ".join(f"{100 * value:.1f}" for value in values)
            table.add_row(name, f"{100 * mean(values):.2f}%", f"{100 * stdev(values):.2f}", each)
    console.print(table)


def _above(row: dict) -> str:
    return f"{row['above']:.2f}" if "above" in row else "-"


def _sizes_table(tasks: dict) -> Table:
    """What was certified of each kind of puzzle, small and large boards apart."""
    from rich.table import Table

    from erm.evaluate.intervals import wilson

    table = Table("puzzle", "longer side")
    for name in ("certified", "share", "95% interval", "evaluations"):
        table.add_column(name, justify="right")
    for task, kind in tasks.items():
        for band, row in kind["sizes"].items():
            low, high = wilson(row["certified"], row["total"])
            table.add_row(
                task,
                band,
                f"{row['certified']}/{row['total']}",
                f"{100 * row['certified'] / row['total']:.1f}%",
                f"{100 * low:.1f} to {100 * high:.1f}",
                f"{row['evaluations_mean']:.1f}",
            )
    return table


COMMAND = Evaluate
