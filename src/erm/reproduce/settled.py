"""What a study found out about its runs before it made them, in one file that all read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from erm.errors import InputError
from erm.files import write_json
from erm.json_file import read_object

SETTLED = "settled.json"


@dataclass(frozen=True)
class Settled:
    """What is known of a run once its data and checkpoint are at hand."""

    puzzles: int = 0
    """How many it does."""
    remark: str = ""
    """On puzzles that the checkpoint cannot read."""
    missing: str = ""
    """Why there can be no such run."""


def read_settled(out: Path) -> dict[str, Settled]:
    """What earlier and other processes of a study settled, by run."""
    try:
        found = read_object(out / SETTLED)
        return {name: Settled(**value) for name, value in found.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"{out / SETTLED} is damaged; delete it to settle it again") from None


def write_settled(out: Path, settled: Mapping[str, Settled]) -> None:
    write_json(out / SETTLED, {name: asdict(one) for name, one in settled.items()})
