"""`erm fit-weights`: what each kind of rule should count in the energy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import tyro


@dataclass
class FitWeights:
    """Fit a weight for each kind of rule on pools whose labels are known, and show the gain on
    pools that were not fitted on.

    Example: erm fit-weights runs/mine --out weights.json

    Then: erm rescore runs/other --energy weights=weights.json
    """

    pools: tyro.conf.Positional[Path]
    """Folder of a run of erm evaluate on puzzles with answers."""
    out: Path | None = None
    """File to write the weights to; only shown if not given."""
    folds: int = 5
    """Parts of the pools, each judged by weights that were fitted on the others."""
    data: Path | None = None
    """Where the run's puzzles lie, if they have moved."""
    json: bool = False
    """Print one JSON object instead of a table."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.evaluate.weights import fit_weights, labelled_pools
        from erm.files import write_json

        found = fit_weights(labelled_pools(self.pools, self.data, quiet=self.quiet), self.folds)
        if self.out is not None:
            write_json(self.out, found.describe())
        if self.json:
            print(json.dumps(found.describe(), indent=2))
            return 0
        from rich.box import SIMPLE
        from rich.table import Table

        from erm.progress import console

        table = Table("rule", box=SIMPLE, padding=(0, 1, 0, 0))
        table.add_column("weight", justify="right")
        for name, weight in found.weights.items():
            table.add_row(name, f"{weight:.3f}")
        console.print(table)
        console.print(
            f"{found.pools} pools, of which {found.telling} hold right and wrong candidates: the "
            f"energy as it stands takes a right one in {found.equal}, with weights fitted on the "
            f"other pools in {found.held_out}, the oracle in {found.oracle}",
            soft_wrap=True,
            highlight=False,
        )
        if self.out is not None:
            console.print(f"written to {self.out}", soft_wrap=True, highlight=False)
        return 0


COMMAND = FitWeights
