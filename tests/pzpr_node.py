"""pzpr.js itself, from the PyPI package ppbench, and the puzzles which that package carries."""

from __future__ import annotations

import gzip
import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2] / "shared" / "data"
FIVE = ("sudoku", "lightup", "nurikabe", "heyawake", "tapa")


def ppbench_folder() -> Path:
    package = importlib.util.find_spec("ppbench")
    assert package and package.origin, "these tests need: pip install --no-deps ppbench"
    return Path(package.origin).parent


def open_in_pzpr(texts: list[str], judge: bool = False) -> list[dict[str, Any]]:
    """How pzpr.js writes each link or file again, and, asked to judge, whether it is solved."""
    node = shutil.which("node")
    assert node, "these tests need node: apt-get install nodejs, or https://nodejs.org"
    script = ppbench_folder() / "vendor" / "pzprjs" / "dist" / "js" / "pzpr.js"
    run = subprocess.run(
        [node, str(Path(__file__).with_name("pzpr.js")), str(script), "judge" if judge else "open"],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def golden_records() -> list[dict[str, Any]]:
    """The puzzles of our five types in Pencil Puzzle Bench."""
    lines = (ppbench_folder() / "bundled" / "golden_300.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return [record for record in records if record["pid"] in FIVE]


def wild_records() -> list[dict[str, Any]]:
    """Puzzles from janko.at; a test that asks for them is skipped where they are not at hand."""
    path = SHARED / "wild" / "janko-half.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]
