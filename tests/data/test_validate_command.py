import json

import numpy as np
import pytest

from erm import load_task
from erm.cli.main import main
from erm.data.generate import generate
from erm.data.recipe import Recipe
from erm.data.split import split_puzzles, without
from erm.data.symmetry import canonical, random_symmetry
from erm.data.validate import validate
from erm.errors import InputError
from erm.formats.dataset import load_dataset, save_dataset
from erm.types import Puzzle


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    generate(Recipe("sudoku", 9, 9, seed=1), 40, folder / "sudoku.jsonl", 1, quiet=True)
    generate(Recipe("maze", 9, 9, seed=1), 40, folder / "maze.jsonl", 1, quiet=True)
    return folder


def planted(folder, name, change, tmp_path):
    """The data set of that name with its eleventh puzzle changed."""
    puzzles = list(load_dataset(folder / name))
    puzzles[10] = change(puzzles[10], puzzles)
    save_dataset(puzzles, tmp_path / name)
    return tmp_path / name


def wrong_digit(puzzle, _):
    answer = puzzle.answer.copy()
    answer[3] = answer[3] % 9 + 1
    return puzzle.with_answer(answer)


def missing_clue(puzzle, _):
    digits = puzzle.givens["digits"].copy()
    digits[tuple(np.argwhere(digits)[0])] = 0
    return Puzzle("sudoku", 9, 9, {"digits": digits}, puzzle.answer)


def symmetric_copy(_, puzzles):
    return random_symmetry(puzzles[4], np.random.default_rng(0))


@pytest.mark.parametrize(
    "change, what, detail",
    [
        (wrong_digit, "answer", "breaks"),
        (missing_clue, "uniqueness", "more than one"),
        (symmetric_copy, "duplicate", "is puzzle 5 up to symmetry"),
    ],
)
def test_a_planted_fault_is_found_and_nothing_else(folder, tmp_path, change, what, detail):
    path = planted(folder, "sudoku.jsonl", change, tmp_path)
    report = validate(path, uniqueness="all", quiet=True)
    assert [(fault.row, fault.what) for fault in report.faults] == [(11, what)]
    assert detail in report.faults[0].detail
    assert report.total == 40


def test_good_sets_have_no_fault_and_exit_code_0(folder, capsys):
    for name in ("sudoku.jsonl", "maze.jsonl"):
        assert main(["data", "validate", str(folder / name), "--uniqueness", "all"]) == 0
    shown = capsys.readouterr().out
    assert "sudoku 9x9" in shown and "exactly one solution" in shown


def test_faults_are_shown_by_row_with_exit_code_1(folder, tmp_path, capsys):
    path = str(planted(folder, "sudoku.jsonl", wrong_digit, tmp_path))
    assert main(["data", "validate", path, "--quiet"]) == 1
    assert "puzzle 11 breaks" in capsys.readouterr().out
    assert main(["data", "validate", path, "--quiet", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["puzzles"] == {"sudoku 9x9": 40}
    assert [fault["row"] for fault in report["faults"]] == [11]


def test_a_detour_and_a_second_way_through_a_maze_are_found(tmp_path):
    task = load_task("maze")
    long_way = task.parse("#####\n#S G#\n# # #\n#   #\n#####")
    answer = np.zeros((5, 5), int)
    answer[2, 1] = answer[3, 1:4] = answer[2, 3] = 1
    two_ways = task.parse("#####\n#S  #\n# # #\n#  G#\n#####")
    save_dataset([long_way.with_answer(answer), two_ways], tmp_path / "m.jsonl")
    report = validate(tmp_path / "m.jsonl", quiet=True)
    assert [(fault.row, fault.what) for fault in report.faults] == [
        (1, "answer"),
        (2, "uniqueness"),
    ]
    assert "takes 6 steps where 2 suffice" in report.faults[0].detail
    assert report.without_answer == 1


def test_puzzles_shared_with_another_set_are_found_in_any_form(folder, tmp_path, capsys):
    puzzles = list(load_dataset(folder / "sudoku.jsonl"))
    copies = [random_symmetry(puzzles[k], np.random.default_rng(k)) for k in (30, 7)]
    save_dataset(copies, tmp_path / "copies.jsonl")
    train, test = str(folder / "sudoku.jsonl"), str(tmp_path / "copies.jsonl")
    assert main(["data", "validate", test, "--against", train, "--quiet"]) == 1
    assert "puzzle 2 is puzzle 8 of" in " ".join(capsys.readouterr().out.split())


def test_malformed_rows_are_faults_and_missing_files_are_errors(folder, tmp_path, capsys):
    lines = (folder / "sudoku.jsonl").read_text().splitlines()
    lines[4] = lines[4].replace('"puzzle": "', '"puzzle": "x')
    (tmp_path / "bad.jsonl").write_text("\n".join(lines))
    assert main(["data", "validate", str(tmp_path / "bad.jsonl"), "--quiet"]) == 1
    assert "line 5" in " ".join(capsys.readouterr().out.split())
    assert main(["data", "validate", str(tmp_path / "none.jsonl")]) == 2


def test_a_sample_proves_fewer_and_none_proves_nothing(folder, monkeypatch):
    monkeypatch.setattr("erm.data.validate.SAMPLE", 12)
    proved = {
        how: validate(folder / "maze.jsonl", uniqueness=how, quiet=True).unique
        for how in ("sample", "all", "none")
    }
    assert proved == {"sample": 12, "all": 40, "none": 0}


def test_splits_are_disjoint_up_to_symmetry_and_lose_nothing(folder, tmp_path):
    puzzles = list(load_dataset(folder / "sudoku.jsonl"))
    rng = np.random.default_rng(0)
    puzzles += [random_symmetry(puzzle, rng) for puzzle in puzzles[:20]]
    train, test = split_puzzles(puzzles, 0.25, seed=1, quiet=True)
    assert len(train) + len(test) == 60
    assert 15 <= len(test) <= 16
    assert not {canonical(p) for p in train} & {canonical(p) for p in test}
    assert [id(p) for p in test] != [id(p) for p in split_puzzles(puzzles, 0.25, 2, True)[1]]
    assert len(without(puzzles, test, quiet=True)) == len(train)
    with pytest.raises(InputError, match="between 0 and 1"):
        split_puzzles(puzzles, 1.0)
    with pytest.raises(InputError, match="cannot be"):
        split_puzzles(puzzles[:1] * 4, 0.5, quiet=True)


def test_split_and_convert_commands_write_sets_that_validate(folder, tmp_path):
    train, test = str(tmp_path / "train.jsonl"), str(tmp_path / "test.csv")
    source = str(folder / "sudoku.jsonl")
    out = ("--out-train", train, "--out-test", test)
    assert main(["data", "split", source, "--test-fraction", "0.2", *out, "--quiet"]) == 0
    assert (len(load_dataset(train)), len(load_dataset(test))) == (32, 8)
    assert main(["data", "validate", test, "--against", train, "--quiet"]) == 0
    assert main(["data", "validate", test, "--against", source, "--quiet"]) == 1
    others = str(tmp_path / "others.jsonl")
    assert main(["data", "convert", source, others, "--exclude", test, "--limit", "30"]) == 0
    assert len(load_dataset(others)) == 30
    assert main(["data", "validate", others, "--against", test, "--quiet"]) == 0
    assert main(["data", "convert", test, others, "--exclude", source]) == 2
    again = str(tmp_path / "again.jsonl.gz")
    assert main(["data", "convert", test, again]) == 0
    for left, right in zip(load_dataset(test), load_dataset(again), strict=True):
        assert (left.givens["digits"] == right.givens["digits"]).all()
        assert (left.answer == right.answer).all()
