"""What belongs to one puzzle is in its folder: no other code asks for a task by its name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import erm
from erm.plugins import TASKS, installed

SOURCE = Path(erm.__file__).parent
NAMES = {name for name, entry in installed(TASKS).items() if entry.value.startswith("erm.")}
DATA = {
    "model/import_official.py": "what the official files leave unsaid, by the data they are for",
    "train/presets.py": "which data the published networks learn from",
    "reproduce/suites.py": "the benchmarks of the study",
    "formats/csv_row.py": "what others call the column of their puzzles",
}
"""Files that name kinds of puzzles as data; none of them does one thing for this and another for
that."""


def documentation(tree: ast.AST) -> set[int]:
    """The strings that stand alone: docstrings of modules, classes, functions and fields."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def named(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    spared = documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "examples":
            spared |= {id(part) for part in ast.walk(node.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in NAMES and id(node) not in spared:
            yield node.lineno, str(node.value)


def outside() -> list[Path]:
    files = [*SOURCE.rglob("*.py")]
    return [path for path in files if not path.is_relative_to(SOURCE / "puzzles")]


def test_no_code_outside_the_puzzles_names_one():
    assert len(NAMES) == 6
    found = {str(path.relative_to(SOURCE)): [*named(path)] for path in outside()}
    assert {file: places for file, places in found.items() if places and file not in DATA} == {}
    assert DATA.keys() == {file for file, places in found.items() if places}


def test_data_about_puzzles_is_not_branched_on():
    for file in DATA:
        for node in ast.walk(ast.parse((SOURCE / file).read_text("utf-8"))):
            if isinstance(node, ast.Compare):
                constants = {getattr(part, "value", None) for part in ast.walk(node)}
                assert not NAMES & {one for one in constants if isinstance(one, str)}, file


@pytest.mark.parametrize(
    "script", sorted(SOURCE.rglob("web/static/*.js")), ids=lambda one: one.name
)
def test_the_page_names_no_puzzle(script):
    text = script.read_text("utf-8")
    quoted = [f"{mark}{name}{mark}" for name in NAMES for mark in "'\"`"]
    assert not [word for word in quoted if word in text]
