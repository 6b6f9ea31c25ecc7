"""What notebooks show: short lines, boards as pictures, nothing unescaped; the example notebook."""

from __future__ import annotations

import ast
import json
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import tiny
from pools import make_pool

import erm
from erm import zoo
from erm.formats.dataset import load_dataset
from erm.rulebook.registry import include, load_task
from erm.search.problem import Problem
from erm.search.solver import Solver
from erm.types import Puzzle

EXAMPLES = Path(__file__).parents[2] / "examples"


def pictures(html: str) -> list[ElementTree.Element]:
    """The page's pictures; every tag that is opened is closed, or this fails."""
    page = ElementTree.fromstring(f"<div>{html}</div>")
    return [element for element in page.iter() if element.tag.endswith("svg")]


def texts(picture: ElementTree.Element) -> str:
    return "".join(element.text or "" for element in picture.iter() if element.tag.endswith("text"))


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("puzzles/*.txt")), ids=lambda file: file.stem)
def test_puzzles_of_every_kind_draw_themselves(file):
    puzzle = load_dataset(file, limit=1)[0]
    assert repr(puzzle) == f"<Puzzle {file.stem} {puzzle.height}x{puzzle.width}, answered>"
    (picture,) = pictures(puzzle._repr_html_())
    labels = "".join(erm.load_task(puzzle.task).labels(puzzle))
    assert texts(picture).replace("·", "").startswith(labels[:1])


def test_a_result_shows_board_verdict_energy_and_candidates(tiny_reasoner):
    solver = Solver(
        tiny_reasoner,
        {
            "task": "sudoku",
            "accuracy": [{"data": "<b>held out</b>", "how": "energy", "correct": 1, "total": 2}],
        },
    )
    assert repr(solver).startswith("<Solver sudoku: structured, ")
    assert "&lt;b&gt;held out&lt;/b&gt;" in solver._repr_html_() and "1/2" in solver._repr_html_()
    puzzle = tiny.puzzles(1, seed=5, clues=(4, 5))[0]
    result = solver.solve(puzzle, width=4, depth=2, mode="full")
    assert repr(result).startswith(f"<Result sudoku 4x4: {result.status} by network, energy ")
    html = result._repr_html_()
    shown = pictures(html)
    distinct = len(np.unique(result.candidates.answers, axis=0))
    assert len(shown) == 1 + min(distinct, 6)
    assert len(texts(shown[0])) == 16
    assert all(name in html for name in (result.status, "row", "column", "box", "energy"))
    impossible = solver.solve("11.." + "." * 12)
    assert "two 1s in row 1" in impossible._repr_html_() and "no solution" in repr(impossible)


def test_what_answers_cost_stands_among_the_terms_of_their_energy():
    include(EXAMPLES / "roster")
    task = load_task("roster")
    result = erm.solve(task, task.look.gallery()[0].text, width=1, depth=1)
    assert result.energy is not None
    parts = result.energy.by_rule()
    assert sum(map(float, parts.values())) == pytest.approx(float(result.energy.total))
    prices = {name for name, value in result.energy.preferences.items() if value}
    assert prices and all(escape(name) in result._repr_html_() for name in prices)


def test_a_pool_that_knows_no_puzzle_is_still_shown():
    pool = make_pool([[1, 1, 1], [1, 2, 1]], local=[0.0, 3.0], valid=[True, False])
    assert repr(pool) == (
        "<CandidatePool sudoku: 2 candidates, 2 answers, 1 certified, energy 0 to 3>"
    )
    assert not pictures(pool._repr_html_()) and "candidate 1" in pool._repr_html_()
    assert "no candidates" in repr(pool[:0]) and "no candidates" in pool[:0]._repr_html_()


def test_what_is_printed_on_a_board_is_escaped(monkeypatch):
    task = erm.load_task("sudoku")
    monkeypatch.setattr(type(task), "labels", lambda self, puzzle: ["<script>&"] * 16)
    puzzle: Puzzle = task.parse("." * 16)
    (picture,) = pictures(puzzle._repr_html_())
    assert texts(picture) == "<script>&" * 16


def test_the_notebook_runs(monkeypatch, tiny_checkpoint):
    """Cell by cell, what ends a cell being shown as a notebook would."""
    if "sudoku" not in zoo.names():
        monkeypatch.setattr(zoo, "find", lambda name: zoo.Checkpoint(str(name), tiny_checkpoint))
    cells = json.loads((EXAMPLES / "tour.ipynb").read_text("utf-8"))["cells"]
    names: dict = {"__name__": "notebook"}
    shown = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"] and cell["execution_count"] is None
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "tour.ipynb", "exec"), names)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), "tour.ipynb", "eval"), names))
    drawn = [one._repr_html_() for one in shown if hasattr(one, "_repr_html_")]
    assert len(drawn) == 4 and all(pictures(html) for html in drawn[1:])
    assert shown[1].status == "unique" and isinstance(shown[1].problem, Problem)
    assert set(names["choices"].values()) <= set(range(6))
