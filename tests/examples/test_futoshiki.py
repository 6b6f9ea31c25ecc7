"""Futoshiki, a task that the library does not know: rules, signs, training."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from erm.cli.main import main
from erm.errors import InputError
from erm.rulebook.registry import include, load_task
from erm.web.board import to_json

FOLDER = Path(__file__).parents[2] / "examples" / "futoshiki"
TEXT = ".<.-2/-^v/.-.-./---/1-.>."


@pytest.fixture
def futoshiki():
    include(FOLDER)
    return load_task("futoshiki")


def test_the_rulebook_agrees_with_brute_force(futoshiki):
    puzzle = futoshiki.parse(TEXT)
    boards = np.array(list(product((1, 2, 3), repeat=9)))
    grids = boards.reshape(-1, 3, 3)
    expected = (grids[:, 0, 2] == 2) & (grids[:, 2, 0] == 1)
    expected &= (grids[:, 0, 0] < grids[:, 0, 1]) & (grids[:, 0, 1] < grids[:, 1, 1])
    expected &= (grids[:, 0, 2] > grids[:, 1, 2]) & (grids[:, 2, 1] > grids[:, 2, 2])
    for lines in (grids, grids.swapaxes(1, 2)):
        expected &= (np.sort(lines, 2) == (1, 2, 3)).all((1, 2))
    np.testing.assert_array_equal(futoshiki.rules(puzzle).is_valid(boards - 1), expected)


def test_text_both_ways(futoshiki):
    assert futoshiki.format(futoshiki.parse(TEXT)) == TEXT
    for wrong, said in (
        ("1-2-3", "3 to 9 rows"),
        (TEXT.replace("2", "4"), "'4' at place 5"),
        (TEXT.replace("---", "----"), "4 characters, not 3"),
    ):
        with pytest.raises(InputError, match=said):
            futoshiki.parse(wrong)


def test_signs_are_drawn_in_the_terminal_and_on_the_page(futoshiki, capsys):
    main(["solve", TEXT, "--include", str(FOLDER)])
    drawn = capsys.readouterr().out
    assert "<" in drawn and ">" in drawn and "∧" in drawn and "∨" in drawn
    signs = {one.cells: one.text for one in to_json(futoshiki.parse(TEXT)).signs}
    assert signs == {(0, 1): "<", (7, 8): ">", (1, 4): "∧", (2, 5): "∨"}


def test_it_is_made_trained_and_evaluated(tmp_path, capsys):
    def erm(*arguments):
        assert main([*map(str, arguments), "--include", str(FOLDER)]) == 0
        return capsys.readouterr().out

    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    made = ("--count", 8, "--size", "5x5", "--processes", 1, "--quiet")
    erm("data", "futoshiki", *made, "--out", data)
    small = ("--steps", 2, "--batch", 4, "--hidden", 8, "--inner", 8, "--no-compile")
    erm("train", "cpu/futoshiki", "--data", data, "--out", run, *small)
    search = ("--depth", 2, "--width", 2, "--limit", 4, "--json", "--quiet")
    results = json.loads(
        erm("evaluate", run / "checkpoint", data, *search, "--out", tmp_path / "e")
    )
    assert results["puzzles"]["total"] == 4
    assert {"first", "energy", "qhead", "oracle"} <= set(results["selectors"])
    assert "generation" in results["diagnosis"]
