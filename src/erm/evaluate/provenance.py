"""Where a number comes from: versions, commit, checkpoint."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from erm import __version__, zoo
from erm.files import sha256
from erm.model.card import WEIGHTS


def versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("torch", "numpy", "scipy", "numba")}
    return {"python": platform.python_version(), "erm": __version__, **packages}


def commit() -> str | None:
    """The git commit of this source tree, where it is one."""
    here = Path(__file__).parent
    try:
        found = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None


def describe_checkpoint(name_or_folder: str | Path) -> dict[str, Any]:
    """What a results.json says of the weights that made it."""
    found = zoo.find(name_or_folder)
    card = found.card
    return {
        "name": str(name_or_folder),
        "task": card["task"],
        "architecture": card.get("architecture"),
        "parameters": card.get("parameters"),
        "sha256": sha256(found.folder / WEIGHTS),
    }
