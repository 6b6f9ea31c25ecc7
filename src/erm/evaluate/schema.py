"""What the files of a run hold, as far as the package relies on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.json_file import NUMBER, Spec, mismatch
from erm.run_folder import RunFolder

PRICE: Spec = {"above?": (*NUMBER, type(None))}
MARK: Spec = {"correct": bool, "token": NUMBER, **PRICE}
CHOICE: Spec = {"correct?": bool, "token?": NUMBER, "valid?": bool, "tied?": bool, **PRICE}
COMMON = {"index": int, "task": str, "shape": [int], "evaluations": NUMBER}
SAMPLES: dict[str, Spec] = {
    "evaluate": {
        **COMMON,
        "depth": NUMBER,
        "certified": bool,
        "candidates?": int,
        "right?": int,
        "propagations?": int,
        "propagation_seconds?": NUMBER,
        "choices": {str: CHOICE},
        "oracle?": MARK,
        "lowest_energy?": {str: (*NUMBER, type(None))},
        "widths?": {str: [(*NUMBER, bool)]},
    },
    "temper": {
        **COMMON,
        "energies": {str: {"selected": CHOICE, "best": CHOICE, "oracle?": MARK, "visited?": MARK}},
    },
}
"""By the command of the run."""
CONFIG: Spec = {
    "command": str,
    "data": {"path": str, "count": int, "tasks": {str: int}, "sha256": str, "split?": str},
    "options": {"mode?": str},
}


def run_folder(path: str | Path, command: str) -> RunFolder:
    """The folder of a run of `evaluate` or `temper`."""
    return RunFolder(Path(path), sample=SAMPLES[command])


def open_run(path: str | Path, command: str | None = None) -> RunFolder:
    """A run by its folder or by that of its pools; of any command if none is named."""
    folder = Path(path)
    folder = folder.parent if folder.name == "pools" else folder
    made_by = read_config(RunFolder(folder))["command"]
    if made_by not in ([command] if command else SAMPLES):
        raise InputError(
            f"{folder} holds a run of erm {made_by[:40]}, not of erm {command or 'evaluate'}"
        )
    return run_folder(folder, made_by)


def read_config(run: RunFolder) -> dict[str, Any]:
    """What a run was asked for, checked."""
    config = run.read_config()
    wrong = mismatch(config, CONFIG, "its content")
    if wrong is not None:
        raise InputError(f"{run.config} is not that of a run: {wrong}")
    return config
