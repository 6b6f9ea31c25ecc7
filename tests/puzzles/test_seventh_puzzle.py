"""A seventh puzzle from a folder outside of the package: every command knows it by `--include`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from erm.cli.main import USAGE, main
from erm.formats.dataset import load_dataset

RULES = '''
"""Onebit: one cell of every row and of every column is marked; some cells are known to be empty."""

from __future__ import annotations

import numpy as np

from erm.errors import InputError
from erm.grid import cell_ids
from erm.rulebook import SQUARE, Exactly, Factor, Puzzle, Task, register


@register
class Onebit(Task):
    name = "onebit"
    states = 2
    vocabulary = 4
    symmetry = SQUARE
    text_format = "rows of . and x with a / behind each"

    def factors(self, puzzle):
        ids = cell_ids(*puzzle.shape)
        one = Exactly(1, puzzle.width)
        return Factor("one a row", ids, one), Factor("one a column", ids.T.copy(), one)

    def domain(self, puzzle):
        free = puzzle.givens["empty"].ravel() == 0
        return np.stack([np.ones_like(free), free], 1)

    def features(self, puzzle):
        return np.ones((puzzle.cells, 1), np.float32)

    def partitions(self, puzzle):
        return np.stack(np.divmod(np.arange(puzzle.cells), puzzle.width))

    def tokens(self, puzzle):
        return puzzle.givens["empty"].ravel().astype(np.int64)

    def answer_tokens(self, puzzle):
        return np.tile([2, 3], (puzzle.cells, 1))

    def parse(self, text):
        rows = text.strip().removesuffix("/").split("/")
        if any(len(row) != len(rows) or set(row) - set(".x") for row in rows):
            raise InputError("a onebit is a square of . and x with a / behind each row")
        empty = np.array([[cell == "x" for cell in row] for row in rows], np.int8)
        return Puzzle(self.name, len(rows), len(rows), {"empty": empty})

    def format(self, puzzle):
        rows = puzzle.givens["empty"].tolist()
        return "".join("".join(".x"[cell] for cell in row) + "/" for row in rows)

    def generator(self):
        from .generate import OnebitGenerator

        return OnebitGenerator
'''

GENERATE = '''
"""Onebits: a permutation, and all other cells known to be empty but for some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from erm.rulebook import Generator, Puzzle


@dataclass(frozen=True)
class OnebitGenerator(Generator):
    """Onebits with one solution."""

    usual_size = "4x4"

    open_cells: int = 2
    """Cells beside the answer's that are not known to be empty."""

    def make(self, height, width, rng) -> Iterator[Puzzle]:
        for _ in range(8):
            answer = np.eye(width, dtype=np.int8)[rng.permutation(width)]
            empty = 1 - answer
            others = rng.permutation(np.flatnonzero(empty))
            empty.ravel()[others[: self.open_cells]] = 0
            yield Puzzle("onebit", height, width, {"empty": empty}, answer.ravel())
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A puzzle of two files, as a package of its own."""
    folder = tmp_path / "onebit_puzzle"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import rules\n")
    (folder / "rules.py").write_text(RULES)
    (folder / "generate.py").write_text(GENERATE)
    return folder


def test_a_puzzle_from_outside_is_made_read_trained_solved_and_evaluated(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def erm(*arguments: object) -> str:
        code = main([*map(str, arguments), "--include", str(folder)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    data, run = tmp_path / "train.jsonl", tmp_path / "run"
    made = ("--open-cells", 1, "--seed", 3, "--quiet")
    erm("data", "onebit", "--count", 8, "--size", "4x4", "--processes", 2, *made, "--out", data)
    puzzles = load_dataset(data)
    assert puzzles.describe()["tasks"] == {"onebit": 8}
    assert puzzles[0].meta["source"] == "erm data onebit --size 4x4 --seed 3 --open-cells 1"
    erm("data", "validate", data, "--quiet")
    lines = tmp_path / "lines.txt"
    erm("data", "convert", data, lines)
    assert [puzzle.answer.tolist() for puzzle in load_dataset(lines)] == [
        puzzle.answer.tolist() for puzzle in puzzles
    ]
    sizes = ("--hidden", 8, "--inner", 8, "--batch", 4, "--no-compile")
    erm("train", "cpu/lightup", "--data", data, "--out", run, "--steps", 2, *sizes)
    checkpoint = run / "checkpoint"
    answer = json.loads(erm("solve", ".xx/x.x/xx./", "--checkpoint", checkpoint, "--json"))
    assert (answer["task"], answer["answer"]) == ("onebit", "100010001")
    drawn = erm("solve", ".xx/x.x/xx./", "--checkpoint", checkpoint)
    assert "unique" in drawn
    search = ("--depth", 2, "--width", 2, "--quiet", "--json")
    results = json.loads(
        erm("evaluate", checkpoint, data, *search, "--out", tmp_path / "evaluated")
    )
    assert results["puzzles"]["total"] == 8


def test_without_include_nobody_knows_it(capsys: pytest.CaptureFixture[str]):
    assert main(["solve", ".xx/x.x/xx./"]) == USAGE
    assert "is no puzzle that we can read" in capsys.readouterr().err


def test_a_text_that_fits_two_tasks_names_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    binairo = Path(__file__).parents[2] / "examples" / "my_task.py"
    text = "...1.111...00..0011.010.1.01...1..1."
    assert main(["solve", text, "--include", str(binairo)]) == USAGE
    assert "fits binairo and sudoku alike; say which with --task" in capsys.readouterr().err
