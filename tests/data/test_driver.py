import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from erm.cli.main import USAGE, main
from erm.data.generate import generate
from erm.data.recipe import Recipe
from erm.data.symmetry import canonical
from erm.errors import InputError
from erm.formats.dataset import load_dataset
from erm.puzzles.sudoku.sides import solve_side
from erm.rulebook.explain import explain
from erm.rulebook.registry import load_task

SUDOKU = Recipe("sudoku", 9, 9, seed=7, options={"min_guesses": 2})


def test_the_file_does_not_depend_on_the_number_of_processes(tmp_path):
    recipe = Recipe("maze", 9, 9, seed=1)
    generate(recipe, 300, tmp_path / "one.jsonl", processes=1, quiet=True)
    generate(recipe, 300, tmp_path / "two.jsonl", processes=2, quiet=True)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_puzzles_are_different_up_to_symmetry_and_say_where_they_come_from(tmp_path):
    # 4x4 boards are few up to symmetry, so that duplicates do turn up.
    done = generate(Recipe("sudoku", 4, 4), 25, tmp_path / "small.jsonl", 1, quiet=True)
    puzzles = list(load_dataset(done.path))
    assert done.count == len(puzzles) == 25
    assert done.duplicates > 0
    assert len({canonical(puzzle) for puzzle in puzzles}) == 25
    assert {p.meta["source"] for p in puzzles} == {"erm data sudoku --size 4x4 --seed 0"}
    assert load_dataset(done.path).describe()["sources"] == ["erm data sudoku --size 4x4 --seed 0"]
    counted = [solve_side(puzzle.givens["digits"])[2] for puzzle in puzzles]
    assert [puzzle.meta["guesses"] for puzzle in puzzles] == counted


def test_the_command_of_a_recipe_makes_it():
    recipe = Recipe("maze", 30, 20, 7, {"loops": 0.1, "max_length": 90})
    assert recipe.command == "erm data maze --size 30x20 --seed 7 --loops 0.1 --max-length 90"
    hard = Recipe("sudoku", 9, 9, 2, {"min_guesses": 100, "hard": True})
    assert hard.command == "erm data sudoku --size 9x9 --seed 2 --min-guesses 100 --hard"


def test_grades_are_told_and_can_be_asked_for(tmp_path, monkeypatch):
    recipe = Recipe("sudoku", 4, 4, grades=(1, 2))
    assert recipe.command.endswith(" --grade 1 2")
    assert recipe.describe()["grades"] == (1, 2) and "grades" not in Recipe("maze", 9, 9).describe()
    generate(recipe, 3, tmp_path / "easy.jsonl", 1, quiet=True)
    for puzzle in load_dataset(tmp_path / "easy.jsonl"):
        grade = explain(load_task("sudoku").rules(puzzle)).grade
        assert puzzle.meta["grade"] == grade == 1
    monkeypatch.setattr("erm.data.generate.FRUITLESS_UNITS", 2)
    with pytest.raises(InputError, match="only 0 different"):
        generate(Recipe("sudoku", 4, 4, grades=(4,)), 1, tmp_path / "hard.jsonl", 1, quiet=True)
    with pytest.raises(InputError, match="there is no grade 5; grades are 1 one rule at a time"):
        Recipe("sudoku", 4, 4, grades=(5,))


def test_a_shorter_run_is_the_beginning_of_a_longer_one(tmp_path):
    generate(SUDOKU, 30, tmp_path / "short.jsonl", 1, quiet=True)
    generate(SUDOKU, 400, tmp_path / "long.jsonl", 1, quiet=True)
    short = (tmp_path / "short.jsonl").read_bytes()
    assert (tmp_path / "long.jsonl").read_bytes().startswith(short)
    assert all(puzzle.meta["guesses"] >= 2 for puzzle in load_dataset(tmp_path / "long.jsonl"))


def command(out):
    fixed = "data maze --size 9x9 --count 3000 --seed 3 --processes 2 --quiet --out"
    return [sys.executable, "-m", "erm", *fixed.split(), str(out)]


def test_killed_at_any_moment_the_same_command_gives_the_same_file(tmp_path):
    out, journal = tmp_path / "mazes.jsonl", tmp_path / "mazes.jsonl.part"
    running = subprocess.Popen(command(out))
    while running.poll() is None and (not journal.exists() or journal.stat().st_size < 100_000):
        time.sleep(0.01)
    workers = _children(running.pid)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL, "it was done before it could be killed"
    assert journal.exists() and not out.exists()
    _wait_for_end(workers)
    with open(journal, "ab") as file:
        file.write(b'[["half a li')
    subprocess.run(command(out), check=True)
    assert not journal.exists()
    whole = tmp_path / "whole.jsonl"
    generate(Recipe("maze", 9, 9, seed=3), 3000, whole, 1, quiet=True)
    assert out.read_bytes() == whole.read_bytes()


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


def _wait_for_end(workers: list[int]) -> None:
    """Workers end with their parent, however it ended."""
    for _ in range(1200):
        workers = [pid for pid in workers if _is_alive(pid)]
        if not workers:
            return
        time.sleep(0.1)
    raise AssertionError(f"workers {workers} outlive their parent")


def _is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_journal_of_other_options_or_a_damaged_one_is_refused(tmp_path):
    out, journal = tmp_path / "a.jsonl", tmp_path / "a.jsonl.part"
    journal.write_text(json.dumps(Recipe("maze", 7, 7).describe(), sort_keys=True) + "\n")
    with pytest.raises(InputError, match="other options"):
        generate(SUDOKU, 5, out, 1, quiet=True)
    journal.write_text(json.dumps(SUDOKU.describe(), sort_keys=True) + "\nnonsense\n")
    with pytest.raises(InputError, match="damaged in line 2"):
        generate(SUDOKU, 5, out, 1, quiet=True)


def test_nothing_is_overwritten_and_nothing_is_left_of_a_refused_run(tmp_path):
    out = tmp_path / "a.jsonl"
    out.write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        generate(SUDOKU, 5, out, 1, quiet=True)
    assert out.read_text() == "precious"
    with pytest.raises(InputError, match="hardly any path"):
        generate(
            Recipe("maze", 7, 7, options={"min_length": 60}), 5, tmp_path / "b.jsonl", 1, quiet=True
        )
    with pytest.raises(InputError, match="no folder"):
        generate(SUDOKU, 5, tmp_path / "missing" / "a.jsonl", 1, quiet=True)
    with pytest.raises(InputError, match="tells no format"):
        generate(SUDOKU, 5, tmp_path / "a.pickle", 1, quiet=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_too_many_wanted_ends_with_what_there_is(tmp_path, monkeypatch):
    monkeypatch.setattr("erm.data.generate.FRUITLESS_UNITS", 3)
    with pytest.raises(InputError, match="only 1 different maze 3x5"):
        generate(Recipe("maze", 3, 5), 10, tmp_path / "a.jsonl", 1, quiet=True)
    assert generate(Recipe("maze", 3, 5), 1, tmp_path / "a.jsonl", 1, quiet=True).count == 1


@pytest.mark.parametrize(
    "options, complaint",
    [
        (("sudoku", "--size", "5x5"), "Sudokus are 4x4"),
        (("sudoku", "--size", "6x6", "--hard"), "hard Sudokus are 9x9"),
        (("maze", "--size", "0x9"), "sides go from 1"),
        (("maze", "--size", "tall"), "--size takes"),
        (("maze", "--count", "0"), "1 or more"),
        (("tapa", "--processes", "0"), "processes must be 1"),
        (("sudoku", "--seed", "-1"), "must not be negative"),
    ],
)
def test_wrong_options_are_one_sentence_and_exit_code_2(tmp_path, capsys, options, complaint):
    out = ("--out", str(tmp_path / "x.jsonl"))
    count = () if "--count" in options else ("--count", "3")
    assert main(["data", *options, *count, *out]) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("task", ["lightup", "nurikabe", "heyawake", "tapa"])
def test_pencil_boards_come_through_the_command_and_validate(tmp_path, task):
    pytest.importorskip("clingo")
    out = str(tmp_path / "boards.jsonl")
    size = ("--size", "5x6", "--count", "4", "--processes", "1", "--quiet")
    assert main(["data", task, *size, "--out", out]) == 0
    assert main(["data", "validate", out, "--uniqueness", "all", "--quiet"]) == 0
    assert {puzzle.shape for puzzle in load_dataset(out)} == {(5, 6)}


def test_a_format_that_cannot_hold_the_puzzles_is_refused_before_the_work(tmp_path, capsys):
    out = tmp_path / "boards.npz"
    assert main(["data", "lightup", "--count", "1", "--size", "4x4", "--out", str(out)]) == USAGE
    assert "boards.npz" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_boards_of_some_sizes_are_picked_out(tmp_path, capsys):
    source, out = tmp_path / "all.txt", tmp_path / "some.jsonl"
    source.write_text("nurikabe/2/2/2i\nnurikabe/1/1/1\nnurikabe/1/1/1\n")
    assert main(["data", "convert", str(source), str(out), "--size", "1x1", "--limit", "1"]) == 0
    assert [puzzle.shape for puzzle in load_dataset(out)] == [(1, 1)]
    assert main(["data", "convert", str(source), str(out), "--size", "7"]) == USAGE
    assert "no board of 7" in capsys.readouterr().err
    assert main(["data", "convert", str(source), str(out), "--largest", "1"]) == 0
    assert [puzzle.shape for puzzle in load_dataset(out)] == [(1, 1)] * 2
    assert main(["data", "convert", str(source), str(out), "--every", "2"]) == 0
    assert [puzzle.shape for puzzle in load_dataset(out)] == [(2, 2), (1, 1)]
    assert main(["data", "convert", str(source), str(out), "--largest", "0"]) == USAGE
    assert "at most 0 a side" in capsys.readouterr().err
    assert main(["data", "convert", str(source), str(out), "--every", "0"]) == USAGE


def test_both_sides_of_a_split_need_a_file_of_their_own(tmp_path, capsys):
    source, side = tmp_path / "all.txt", str(tmp_path / "side.jsonl")
    source.write_text("1.......2.......\n")
    command = ["data", "split", str(source), "--out-train", side, "--out-test", side]
    assert main(command) == USAGE
    assert "name two files" in capsys.readouterr().err


def test_a_file_without_splits_is_converted_into_a_named_one(tmp_path):
    generate(Recipe("sudoku", 4, 4), 2, tmp_path / "all.csv", quiet=True)
    assert (
        main(
            [
                "data",
                "convert",
                *(str(tmp_path / n) for n in ("all.csv", "s.npz")),
                "--split",
                "test",
            ]
        )
        == 0
    )
    assert len(load_dataset(tmp_path / "s.npz", split="test")) == 2


def test_termination_ends_the_workers_too_and_exits_with_143(tmp_path):
    out, journal = tmp_path / "mazes.jsonl", tmp_path / "mazes.jsonl.part"
    running = subprocess.Popen(command(out), stderr=subprocess.PIPE)
    while running.poll() is None and (not journal.exists() or journal.stat().st_size < 10_000):
        time.sleep(0.01)
    with pytest.raises(InputError, match="the same data set"):
        generate(Recipe("maze", 9, 9, seed=3), 3000, out, 1, quiet=True)
    workers = _children(running.pid)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate()
    assert running.returncode == 143 and b"the same command continues" in said
    _wait_for_end(workers)
    assert journal.exists() and not out.exists()
