"""Where a run's numbers also go: TensorBoard's events and, without a connection, wandb's files."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from erm.errors import InputError, install_command

PROJECT = "erm"


@runtime_checkable
class Tracker(Protocol):
    """Takes numbers by name, step after step."""

    def log(self, step: int, values: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


class TensorBoard:
    """Events in the run's folder; those behind step `after` are taken back."""

    def __init__(self, folder: Path, after: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.writer = SummaryWriter(str(folder / "tensorboard"), purge_step=after + 1)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    def close(self) -> None:
        self.writer.close()


class Wandb:
    """A run of wandb, kept in the run's folder unless WANDB_MODE asks for the server.

    The same folder is the same run, so that one that continues goes on in its curves; `wandb sync`
    sends it where it should be seen.
    """

    def __init__(self, folder: Path, options: Mapping[str, Any]) -> None:
        import wandb

        place = hashlib.blake2b(str(folder.resolve()).encode(), digest_size=6).hexdigest()
        self.run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=folder.name,
            id=f"{folder.name[:40]}-{place}",
            resume="allow",
            dir=str(folder),
            mode=os.environ.get("WANDB_MODE", "offline"),  # pyright: ignore[reportArgumentType]
            config=dict(options),
            settings=wandb.Settings(
                silent=True, console="off", disable_git=True, save_code=False, x_disable_stats=True
            ),
        )

    def log(self, step: int, values: Mapping[str, float]) -> None:
        self.run.log(dict(values), step=step)

    def close(self) -> None:
        self.run.finish()


def check_installed(tensorboard: bool, wandb: bool) -> None:
    """What is asked for and is not there is known before anything is trained."""
    for wanted, name in ((tensorboard, "tensorboard"), (wandb, "wandb")):
        if wanted and importlib.util.find_spec(name) is None:
            raise InputError(
                f"--{name} needs {name}, which is not installed: {install_command(name)}"
            )


def numbers(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a line of metrics, nested ones as "validation/puzzles.csv/exact"."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from numbers(value, f"{above}{name}/")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield above + name, value
