"""Graph colouring: a board that is no lattice, from its text to a network that sees its edges."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import erm
from erm.cli.main import main
from erm.formats.dataset import save_dataset
from erm.rulebook.clued import ClueGenerator
from erm.rulebook.registry import include

FOLDER = Path(__file__).parents[2] / "examples" / "colouring"


@pytest.fixture
def drawn():
    include(FOLDER)
    generator = erm.load_task("colouring").generator()
    assert generator is not None and issubclass(generator, ClueGenerator)

    def draw(vertices: int, seed: int) -> erm.Puzzle:
        rng, found = np.random.default_rng(seed), []
        while not found:
            found = list(generator(minimal=True).make(1, vertices, rng))
        return found[0]

    return draw


def test_graphs_have_one_colouring_and_no_clue_too_many(drawn):
    for seed in range(3):
        puzzle = drawn(7, seed)
        edges, clues = puzzle.givens["edges"], puzzle.givens["clues"]
        every = np.array(list(product(range(3), repeat=7)))
        proper = every[(every[:, edges[:, 0]] != every[:, edges[:, 1]]).all(1)]
        given = clues != -1
        fitting = proper[(proper[:, given] == clues[given]).all(1)]
        assert fitting.tolist() == [puzzle.answer.tolist()]
        for vertex in np.flatnonzero(given):
            fewer = given & (np.arange(7) != vertex)
            assert (proper[:, fewer] == clues[fewer]).all(1).sum() > 1


def test_text_there_and_back_and_what_is_wrong_with_it(drawn):
    task, puzzle = erm.load_task("colouring"), drawn(9, 0)
    again = task.parse(task.format(puzzle))
    assert all((again.givens[name] == puzzle.givens[name]).all() for name in puzzle.givens)
    assert task.parse(f"colour 3 | {'.' * 200} | 0-199").cells == 200
    with pytest.raises(erm.InputError, match="edge 0-3 does not join"):
        task.parse("colour 3 | ... | 0-1 0-3")


def test_it_is_drawn_in_rows_and_solved_by_the_rules(drawn, capsys):
    task, puzzle = erm.load_task("colouring"), drawn(20, 1)
    result = erm.solve(task, puzzle)
    assert result.status == "unique" and (result.answer == puzzle.answer).all()
    assert main(["solve", task.format(puzzle), "--include", str(FOLDER)]) == 0
    assert capsys.readouterr().out.count("\n") > 3


def test_its_cells_are_named_by_the_numbers_of_its_text(capsys):
    text = "colour 3 | 0.1 | 0-1 1-2"
    assert main(["hint", text, "--include", str(FOLDER)]) == 0
    assert "cell 1 is not 0: neighbours differ (cell 0, cell 1)" in capsys.readouterr().out


def test_training_and_evaluation_on_graphs_of_two_sizes(drawn, tmp_path, capsys):
    graphs = [drawn(size, seed) for seed in range(3) for size in (8, 10)]
    save_dataset(graphs, tmp_path / "graphs.jsonl")
    shared = ["--include", str(FOLDER), "--quiet"]
    train = ["train", "cpu/colouring", "--data", str(tmp_path / "graphs.jsonl"), "--out"]
    sizes = ["--steps", "3", "--batch", "2", "--hidden", "8", "--inner", "8", "--no-compile"]
    assert main([*train, str(tmp_path / "run"), *sizes, *shared]) == 0
    assert capsys.readouterr() == ("", "")
    config = json.loads((tmp_path / "run" / "checkpoint" / "config.json").read_text())
    assert config["scopes"] and config["kinds"] == ["neighbours differ"] and not config["lattice"]
    checkpoint = str(tmp_path / "run" / "checkpoint")
    evaluate = ["evaluate", checkpoint, str(tmp_path / "graphs.jsonl"), "--depth", "2", "--width"]
    assert main([*evaluate, "2", "--out", str(tmp_path / "report"), *shared]) == 0
    results = json.loads((tmp_path / "report" / "results.json").read_text())
    assert results["selectors"]["oracle"]["total"] == 6
