"""`erm train PRESET`: train a reasoner, or go on with a training that was cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from erm.train.config import TrainConfig
from erm.train.presets import presets

ABOUT = """
Train a reasoner from a preset; killed at any moment, the same command continues.

Example: erm train cpu/sudoku --data train.jsonl --validation test.jsonl --out runs/sudoku

Every option of a preset can be set: erm train cpu/sudoku --help lists them.

Two processes with one thread each are the fastest way on two cores:
OMP_NUM_THREADS=1 torchrun --nproc_per_node 2 -m erm train cpu/sudoku ...
"""


@dataclass(frozen=True)
class Train(TrainConfig):
    """A preset with all its options."""

    include: Annotated[tuple[Path, ...], tyro.conf.Suppress] = ()
    """Taken from what the command line includes, so that the run's folder tells it."""
    quiet: bool = False
    """No progress, and no word at the end."""

    def run(self) -> int:
        from erm.progress import messages
        from erm.rulebook.registry import included_files
        from erm.train.loop import train

        card = train(replace(self, include=tuple(included_files())), self.quiet)
        if card is not None and not self.quiet:
            messages.print(f"Trained {card['steps']} steps: {self.out / 'checkpoint'}")
            for score in card["accuracy"]:
                correct, total = score["correct"], score["total"]
                messages.print(f"{score['data']}: {correct}/{total} exact, {score['how']}")
        return 0


def _preset(config: TrainConfig) -> Train:
    return Train(**{field.name: getattr(config, field.name) for field in fields(TrainConfig)})


def command(arguments: Sequence[str]) -> Any:
    """A subcommand a preset; tasks of --include have one, too."""
    known = presets()
    return Annotated[
        tyro.extras.subcommand_type_from_defaults(
            {name: _preset(config) for name, (_, config) in known.items()},
            {name: about for name, (about, _) in known.items()},
            prefix_names=False,
        ),
        tyro.conf.OmitArgPrefixes,
    ]
