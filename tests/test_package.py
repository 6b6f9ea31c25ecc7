"""The package as others get it: an sdist, the wheel made from it, installed far from the tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import erm
import erm.zoo

ROOT = Path(__file__).parents[1]
TREE = (
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md"),
    "MANIFEST.in",
)
FOLDERS = ("docs", "examples")


def run(*command: str | Path, cwd: Path) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(tree: Path, kind: str, out: Path) -> Path:
    """What setuptools makes of a tree, as pip would ask for it."""
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(out)!r}))"
    return out / run(sys.executable, "-c", code, cwd=tree).splitlines()[-1]


def test_the_wheel_of_the_sdist_works_outside_of_the_tree(tmp_path: Path):
    tree = tmp_path / "tree"
    tree.mkdir()
    shutil.copytree(
        ROOT / "src" / "erm", tree / "src" / "erm", ignore=shutil.ignore_patterns("__*__")
    )
    for package in (ROOT / "src" / "erm").rglob("__*__.py"):
        shutil.copy(package, tree / package.relative_to(ROOT))
    for name in TREE:
        shutil.copy(ROOT / name, tree / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name)
    with tarfile.open(built(tree, "sdist", tmp_path)) as packed:
        packed.extractall(tmp_path / "sdist", filter="data")
    (unpacked,) = (tmp_path / "sdist").iterdir()
    wheel = built(unpacked, "wheel", tmp_path)
    assert {path.name for path in unpacked.iterdir()} >= {*TREE, *FOLDERS}
    assert wheel.name.startswith(f"erm_reasoner-{erm.__version__}")

    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    # What it depends on is taken from here; its own files come before.
    (site / "around.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = tmp_path / "venv" / "bin" / "python"
    place = run(python, "-c", "import erm; print(erm.__file__)", cwd=tmp_path).strip()
    assert Path(place).is_relative_to(site)
    assert (site / "erm" / "py.typed").exists()
    assert run(python, "-m", "erm", "--version", cwd=tmp_path) == f"erm {erm.__version__}\n"
    listed = json.loads(run(python, "-m", "erm", "ls", "--json", cwd=tmp_path))
    assert {"sudoku", "tapa"} <= {*listed["tasks"]}
    assert [one["name"] for one in listed["checkpoints"]] == erm.zoo.names()
    shown = run(python, "-c", "import erm; print(erm.load_task('tapa').symmetry)", cwd=tmp_path)
    assert "Symmetry" in shown
