"""The ARC-like task: its memories are built from the instance's own examples."""

import json
from pathlib import Path

import numpy as np
import pytest

from erm.cli.main import main
from erm.errors import InputError
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.registry import include, load_task

FOLDER = Path(__file__).parents[2] / "examples" / "arc_like"
RIGHT = "010/020/300>001/002/030"
SHIFTED = f"{RIGHT}|100/000/022>010/000/002|301/000/100>030/000/010|120/003/000"
"""Everything goes one cell to the right."""


@pytest.fixture
def arc():
    include(FOLDER)
    return load_task("arc_like")


def test_three_pairs_tell_the_transformation(arc):
    puzzle = arc.parse(SHIFTED)
    found = enumerate_answers(arc.rules(puzzle))
    assert found.exhausted and found.answers.tolist() == [[0, 1, 2, 0, 0, 0, 0, 0, 0]]


def test_other_pairs_make_other_memories_of_the_same_board(arc):
    same = "010/020/300>010/020/300"
    kept = arc.parse("|".join([same.replace("3", "1")] * 2 + [same, "120/003/000"]))
    assert enumerate_answers(arc.rules(kept)).answers.tolist() == [[1, 2, 0, 0, 0, 3, 0, 0, 0]]
    contradictory = arc.parse(f"{'000>000'}|000>111|000>222|000")
    assert not arc.factors(contradictory)
    assert len(enumerate_answers(arc.rules(contradictory)).answers) == 2


def test_text_both_ways(arc):
    assert arc.format(arc.parse(SHIFTED)) == SHIFTED
    for wrong in ("120/003/000", SHIFTED.replace("120", "1200"), SHIFTED.replace("120/", "")):
        with pytest.raises(InputError):
            arc.parse(wrong)


def test_generated_instances_have_the_answer_that_the_simplest_explanation_gives(arc):
    made = [
        puzzle
        for seed in range(3)
        for puzzle in arc.generator()().make(5, 5, np.random.default_rng(seed))
    ]
    assert len(made) > 5
    for puzzle in made:
        assert arc.is_valid(puzzle, puzzle.answer)
    assert set(arc.count_solutions(made)) == {1}


def test_it_is_made_trained_and_evaluated(tmp_path, capsys):
    def erm(*arguments):
        assert main([*map(str, arguments), "--include", str(FOLDER)]) == 0
        return capsys.readouterr().out

    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    erm("data", "arc_like", "--count", 8, "--processes", 1, "--out", data, "--quiet")
    small = ("--steps", 2, "--batch", 4, "--hidden", 8, "--inner", 8, "--no-compile")
    erm("train", "cpu/arc_like", "--data", data, "--out", run, *small, "--hears", "nothing")
    search = ("--depth", 2, "--width", 2, "--limit", 4, "--json", "--quiet")
    results = json.loads(
        erm("evaluate", run / "checkpoint", data, *search, "--out", tmp_path / "e")
    )
    assert results["selectors"]["oracle"]["total"] == 4
