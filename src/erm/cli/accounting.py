"""`erm accounting`: parameters and compute, ours beside the paper's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Accounting:
    """Parameters and compute of the paper's models and of the shipped ones, counted here.

    Example: erm accounting --json
    """

    json: bool = False
    """Print one JSON object for machines instead of tables."""

    def run(self) -> int:
        from erm.evaluate import accounting

        if self.json:
            import json

            print(json.dumps(accounting.as_json(), indent=2))
            return 0
        from rich.table import Table

        from erm.progress import console

        paper = Table(title="The paper's models, recounted")
        for name in ("model", "M", "M, paper", "D", "K", "evaluations", "layers per step"):
            paper.add_column(name, justify="left" if name == "model" else "right")
        paper.add_column("equivalent layers", justify="right")
        paper.add_column("of the paper", justify="right")
        paper.add_column("selector")
        notes: dict[str, str] = {}
        for row in accounting.paper_accounts():
            notes |= {mark: accounting.NOTES[mark] for mark in row.notes}
            paper.add_row(
                f"{row.model} {' '.join(f'({mark})' for mark in row.notes)}".strip(),
                f"{row.parameters / 1e6:.3f}",
                "" if row.paper_millions is None else f"{row.paper_millions:.2f}",
                str(row.depth),
                str(row.width),
                f"{row.evaluations:,}",
                str(row.layers_per_step),
                f"{row.layers:,}",
                "" if row.paper_layers is None else f"{row.paper_layers:,}",
                row.selector,
            )
        console.print(paper)
        for mark, note in sorted(notes.items()):
            console.print(f"({mark}) {note}", highlight=False)
        shipped = Table(title="Shipped checkpoints at the paper's budget")
        for name in ("checkpoint", "parameters", "D", "K", "layers per step", "equivalent layers"):
            shipped.add_column(name, justify="left" if name == "checkpoint" else "right")
        for row in accounting.shipped_accounts():
            shipped.add_row(
                row.model,
                f"{row.parameters:,}",
                str(row.depth),
                str(row.width),
                str(row.layers_per_step),
                f"{row.layers:,}",
            )
        if shipped.row_count:
            console.print(shipped)
        return 0


COMMAND = Accounting
