"""`erm import`: official checkpoints as ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro


@dataclass
class Import:
    """Convert an official EqR, TRM or HRM checkpoint into a checkpoint folder.

    No pickle is executed, and averaged (EMA) weights are preferred.

    Example: erm import eqr_step_50000.pth my-eqr

    Example: erm import checkpoints/sudoku/step_65100 my-trm --task sudoku

    Example: erm import hf://sapientinc/HRM-checkpoint-sudoku-extreme my-hrm
    """

    file: tyro.conf.Positional[str]
    """A .pth training checkpoint of EqR, a step_N file or run folder of TRM or HRM, or
    hf://owner/name or hf://owner/name/path on the Hub."""
    out: tyro.conf.Positional[Path]
    """Folder to write: model.safetensors, config.json and card.json."""
    config: Path | None = None
    """The run's all_config.yaml, where it is neither inside nor beside the file."""
    task: str | None = None
    """The task it was trained for, such as sudoku or maze, where the file does not say."""
    identifier: int = 0
    """Row of the puzzle embedding to use, where the checkpoint has several."""

    force: bool = False
    """Replace a checkpoint that is there already."""

    def run(self) -> int:
        from erm.errors import InputError
        from erm.model.checkpoint import check_replaceable
        from erm.model.import_official import import_official
        from erm.progress import console
        from erm.rulebook.registry import task_names
        from erm.zoo import hub

        if self.task is not None and self.task not in task_names():
            raise InputError(f"--task takes one of {', '.join(task_names())}, got {self.task!r}")
        check_replaceable(self.out)
        if self.out.is_dir() and any(self.out.iterdir()) and not self.force:
            raise InputError(f"{self.out} is there already; name another folder, or add --force")
        file = hub.download_official(self.file) if hub.is_address(self.file) else self.file
        card = import_official(file, self.out, self.config, self.task, self.identifier)
        origin = card["origin"]
        console.print(
            f"{self.out}: {card['architecture']} for {card['task']}, "
            f"weights: {origin['weights']}, settings: {origin['config']}",
            soft_wrap=True,
            highlight=False,
        )
        return 0


COMMAND = Import
