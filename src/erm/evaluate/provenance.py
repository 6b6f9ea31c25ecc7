"""Where a number comes from: versions, commit."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from erm import __version__


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
