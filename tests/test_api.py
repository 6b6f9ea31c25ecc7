"""The public names, and the documentation's examples executed as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import erm
from erm import zoo

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.fixture
def shipped(monkeypatch, tiny_checkpoint):
    """The shipped Sudoku checkpoint; a tree without one runs the examples with a tiny net.

    The tiny net has learned 4x4 boards but reads any, so the examples run, solved or not.
    """
    if "sudoku" not in zoo.names():
        monkeypatch.setattr(zoo, "find", lambda name: zoo.Checkpoint(str(name), tiny_checkpoint))


def test_every_example_of_the_documentation_runs(shipped, tmp_path, monkeypatch, capsys):
    from erm.search import select

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(select, "_registry", dict(select._registry))
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "api.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 9
    names = {"__name__": "docs"}
    for block in blocks:
        exec(compile(block, "docs/api.md", "exec"), names)
    assert "row (1, 2)\ntwo 3s in row 1" in capsys.readouterr().out


def test_the_examples_of_the_readme_run(shipped):
    text = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    links = re.findall(r"erm solve '(https[^']*)'", text)
    assert links and all(erm.load_task("nurikabe").parse(link) for link in links)


def test_the_public_names_are_there_and_few():
    assert len(erm.__all__) < 16
    for name in erm.__all__:
        assert getattr(erm, name) is not None
    assert callable(erm.energy)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = erm.nonsense


def test_importing_erm_is_light():
    """`erm --help` must not wait for torch."""
    program = "import sys, erm, erm.cli.main; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
