"""`erm solve` from argument to exit code, with a real checkpoint that was trained for seconds."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tiny

from erm.cli.main import UNSOLVED, USAGE, main
from erm.formats.dataset import load_dataset
from erm.formats.read import read_text
from erm.rulebook.registry import load_task

IMPOSSIBLE = "11.." + "." * 12
FIELDS = {"task", "puzzle", "answer", "certified", "energy", "terms", "violations"}
VERDICT = {"status", "by", "other", "differing", "contradiction", "guesses"}
COSTS = {"candidates", "depth", "evaluations", "seconds", "checkpoint", "seed", "height", "width"}
PRICES = {"cost", "bound", "optimal", "improvements"}
PLAIN = ("--mode", "full")
"""The paper's protocol: candidates of the network, no rule before the end."""


@pytest.fixture
def solve(tiny_checkpoint, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments, checkpoint=tiny_checkpoint):
        given = ["--checkpoint", str(checkpoint)] if checkpoint else []
        code = main(["solve", *map(str, arguments), *given])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def easy():
    """A puzzle with so many clues that one rollout after another gets it right."""
    return tiny.puzzles(1, seed=5, clues=(12, 12))[0]


def text_of(puzzle):
    return load_task("sudoku").format(puzzle)


def test_a_solved_puzzle_is_drawn_and_certified(solve, easy):
    code, out, err = solve(text_of(easy), "--width", 8, "--depth", 16, *PLAIN)
    assert code == 0 and err == ""
    assert "sudoku 4x4: certified, no rule is broken" in out
    assert "energy" in out and "row" in out and "128 model evaluations," in out
    drawn = [line.split("   ┃")[1] for line in out.splitlines() if line.startswith("┃")]
    digits = [int(digit) for line in drawn for digit in line if digit.isdigit()]
    np.testing.assert_array_equal(digits, easy.answer)


def test_an_unsolved_puzzle_is_said_to_be_one(solve):
    code, out, _ = solve(IMPOSSIBLE, "--width", 2, "--depth", 2, *PLAIN)
    assert code == UNSOLVED == 1
    assert "undecided, the best of 2 candidates breaks rules in" in out
    assert "broken: two 1s in row 1" in out and "┃ 1! 1!┃" in out


def test_contradictory_clues_are_named_before_any_network_runs(solve):
    code, out, _ = solve(IMPOSSIBLE)
    assert code == UNSOLVED
    assert "sudoku 4x4: no solution, two 1s in row 1" in out
    assert "┃ 1! 1!┃" in out and "by the rules" in out
    fields = json.loads(solve(IMPOSSIBLE, "--json")[1])
    assert fields["status"] == "no solution" and fields["contradiction"] == "two 1s in row 1"
    assert fields["answer"] is None and fields["energy"] is None and fields["evaluations"] == 0
    (found,) = fields["violations"]
    assert found == {"rule": "row", "cells": [0, 1], "words": "two 1s in row 1"}


def test_a_board_that_the_rules_settle_is_unique_without_the_network(solve, easy):
    code, out, _ = solve(text_of(easy))
    assert code == 0 and "unique, no rule is broken, and there is no other answer" in out
    assert "by the rules" in out


@pytest.mark.parametrize("checkpoint", [None, "none"])
def test_unique_shows_a_second_answer_with_what_differs(solve, checkpoint):
    code, out, _ = solve("." * 16, "--unique", checkpoint=checkpoint)
    assert code == 0 and "several, another answer differs in" in out
    board = out.split("what differs marked:")[1]
    fields = json.loads(solve("." * 16, "--unique", "--json", checkpoint=checkpoint)[1])
    assert board.count("!") == len(fields["differing"]) > 0
    pair = zip(fields["answer"], fields["other"], strict=True)
    assert [x for x, (one, two) in enumerate(pair) if one != two] == fields["differing"]


def test_a_search_can_be_bounded_by_time(solve):
    code, out, _ = solve("." * 256, "--seconds", "0.001", "--checkpoint", "none", checkpoint=None)
    assert code == UNSOLVED and "sudoku 16x16: undecided" in out
    assert solve(IMPOSSIBLE, "--seconds", 0)[0] == USAGE


def test_json_has_the_names_that_stay(solve, easy):
    given = (text_of(easy), IMPOSSIBLE, "--json", "--width", 64, "--depth", 8, *PLAIN)
    code, out, _ = solve(*given)
    solved, unsolved = map(json.loads, out.splitlines())
    assert code == UNSOLVED
    for fields in (solved, unsolved):
        assert set(fields) == FIELDS | VERDICT | COSTS | PRICES
        assert fields["optimal"] is None
        assert sum(fields["terms"].values()) == pytest.approx(fields["energy"])
    assert solved["certified"] and solved["violations"] == []
    np.testing.assert_array_equal([int(state) for state in solved["answer"]], easy.answer)
    assert not unsolved["certified"]
    assert any(one["rule"] == "row" and {0, 1} <= {*one["cells"]} for one in unsolved["violations"])
    assert all(one["words"] for one in unsolved["violations"])


def test_explain_works_without_a_drawing(solve, easy):
    _, out, _ = solve(text_of(easy), "--draw", "none", "--explain")
    assert "rule by rule" in out


def test_explain_compares_with_the_runner_up(solve):
    options = ("--mode", "full", "--width", 16, "--depth", 3, "--explain")
    code, out, _ = solve(IMPOSSIBLE, *options)
    assert code == UNSOLVED
    assert "answer breaks" in out and "runner-up breaks" in out
    assert "answer: two 1s in row 1" in out or "answer: two 1s and" in out
    _, out, _ = solve(IMPOSSIBLE, *options, "--json")
    fields = json.loads(out)
    assert fields["runner_up"]["answer"] != fields["answer"]
    assert fields["runner_up"]["energy"] >= fields["energy"]


def test_url_opens_with_the_answer(solve, easy):
    _, out, _ = solve(text_of(easy), "--url", "--width", 64)
    linked = read_text(out.splitlines()[-1])
    np.testing.assert_array_equal(linked.givens["digits"], easy.givens["digits"])
    np.testing.assert_array_equal(linked.answer, easy.answer)


def test_links_files_and_standard_input_are_read_alike(solve, easy, tmp_path, monkeypatch):
    def answer(*arguments):
        return json.loads(solve(*arguments, "--json", "--width", 64)[1])["answer"]

    file = tmp_path / "puzzles.txt"
    file.write_text(text_of(easy) + "\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    answers = {
        answer(text_of(easy)),
        answer(load_task("sudoku").link(easy)),
        answer(file),
        answer("-"),
    }
    assert len(answers) == 1


def test_many_puzzles_get_a_line_each_and_a_summary(solve, tmp_path):
    file = tmp_path / "many.txt"
    puzzles = [text_of(puzzle) for puzzle in tiny.puzzles(7, seed=5, clues=(12, 12))]
    file.write_text("\n".join([*puzzles[:3], IMPOSSIBLE, *puzzles[3:]]))
    code, out, _ = solve(file, "--width", 16, "--depth", 4)
    rows = out.splitlines()
    assert code == UNSOLVED and "┃" not in out
    assert [int(row.split()[0]) for row in rows[:8]] == list(range(1, 9))
    assert "no solution by the rules, two 1s in row 1" in rows[3]
    assert re.fullmatch(r"8 puzzles in \d+\.\d s: 7 unique, 1 no solution; not solved: 4", rows[8])
    code, out, _ = solve(file, "--limit", 2, "--draw", "all", "--width", 16)
    assert "1 of 2" in out and "┃" in out


@pytest.fixture
def some(tmp_path):
    """A table of four rows, one of which cannot be read and one of which has no solution."""
    easy = [text_of(puzzle) for puzzle in tiny.puzzles(2, seed=5, clues=(12, 12))]
    file = tmp_path / "some.csv"
    rows = [f"{n},{text}" for n, text in enumerate([easy[0], "12", IMPOSSIBLE, easy[1]])]
    file.write_text("\n".join(["id,quizzes", *rows]) + "\n")
    return file


def test_a_bad_line_is_told_and_the_rest_is_solved(solve, some):
    code, out, err = solve(some)
    assert code == USAGE
    assert err.startswith(f"erm solve: {some}, line 3: the Sudoku has 2 cells")
    assert len(err.splitlines()) == 1
    assert "2 unique, 1 no solution; not solved: 2; 1 could not be read" in out
    code, out, err = solve(some, "--json")
    assert code == USAGE and [json.loads(line)["status"] for line in out.splitlines()] == [
        "unique",
        "no solution",
        "unique",
    ]
    assert "1 could not be read" in err


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.txt", "out.sdm", "out.links", "out"])
def test_answers_are_written_as_the_puzzles_came_or_as_the_name_says(solve, some, name):
    out = some.with_name(name)
    code, shown, _ = solve(some, "--out", out)
    assert code == USAGE and f"answers in {out}" in shown
    written = out.read_text()
    if name in ("out.csv", "out"):
        lines = written.splitlines()
        assert lines[0] == "id,quizzes,answer"
        assert lines[1].startswith("0,") and lines[2] == f"2,{IMPOSSIBLE},"
    if name == "out.sdm":
        assert [len(line) for line in written.splitlines()] == [16] * 3
        return
    puzzles = list(load_dataset(out))
    assert [puzzle.answer is not None for puzzle in puzzles] == [True, False, True]
    for puzzle in puzzles[::2]:
        assert load_task("sudoku").is_valid(puzzle, puzzle.answer)


def test_out_fails_before_anything_is_searched(solve, some, tmp_path):
    for out, reason in {
        some: "would overwrite the puzzles",
        tmp_path / "no" / "folder.csv": "there is no folder",
        tmp_path / "a.npz": "holds solved puzzles only",
        tmp_path / "a.doc": "tells no format",
    }.items():
        code, shown, err = solve(some, "--out", out)
        assert code == USAGE and shown == "" and reason in err and len(err.splitlines()) == 1
    assert solve(some, "--format", "csv")[0] == USAGE


@pytest.fixture
def hears_ctrl_c():
    """Also where the tests themselves run in the background, whose Ctrl-C a shell takes away."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_in_compiled_code_ends_the_search_where_it_returns(monkeypatch, capsys):
    """No kernel is called again; how long one runs is for tests/rulebook/test_complete.py."""
    from erm.rulebook import complete

    kernel, calls = complete.go_on, []

    def interrupted(*arguments):
        calls.append(len(calls))
        why = kernel(*arguments)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return why

    monkeypatch.setattr(complete, "go_on", interrupted)
    monkeypatch.setattr(complete, "FIRST_SLICE", 1)
    assert main(["solve", "." * 256, "--checkpoint", "none", "--unique"]) == 130
    assert capsys.readouterr().err == "\nerm solve: interrupted\n" and len(calls) == 1


def test_ctrl_c_keeps_the_answers_so_far(solve, some, monkeypatch):
    from erm.cli.solve import Solve

    def interrupted(self, number, *_):
        if number == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Solve, "show", interrupted)
    out = some.with_name("out.jsonl")
    assert solve(some, "--out", out)[0] == 130
    assert len(load_dataset(out)) == 1


@pytest.mark.parametrize(
    ("puzzle", "reason"),
    [
        ("53..7", "'53..7' is no file, and read as a puzzle: the Sudoku has 5 cells"),
        ("nothing.csv", "no such file: nothing.csv"),
        ("./nothing", "no such file: ./nothing"),
        ("https://puzz.link/p?nurikabe/6/6/5z", "the nurikabe link cannot be read"),
        ("puzz.link/p?chess/8/8/a", "'chess' names no puzzle"),
        ("#####\n#S  #\n#####", "the maze has 0 G"),
        ("", "is empty"),
        ("x" * 5000, "is no file"),
    ],
)
def test_what_is_no_puzzle_is_one_sentence(solve, puzzle, reason):
    code, out, err = solve(puzzle, checkpoint=None)
    assert code == USAGE and out == ""
    assert reason in err and err.startswith("erm solve: ") and len(err.splitlines()) == 1


def test_puzzles_and_checkpoints_that_do_not_fit_are_one_sentence(solve, monkeypatch, tmp_path):
    maze = "#####\n#S G#\n#####"
    code, _, err = solve(maze)
    assert code == USAGE and "solves sudoku, but the puzzle is maze" in err
    monkeypatch.setattr("erm.zoo.names", lambda: ["sudoku"])
    code, out, _ = solve(maze, checkpoint=None)
    assert code == 0 and "maze 3x5: unique" in out and "by the rules" in out
    code, _, err = solve(maze, checkpoint=tmp_path / "nothing")
    assert code == USAGE and "neither a folder nor a shipped checkpoint" in err
    assert solve()[0] == USAGE
    assert solve(IMPOSSIBLE, "--limit", 0)[0] == USAGE
    assert solve(IMPOSSIBLE, "--width", 0)[0] == USAGE


def test_a_pipe_gets_no_colours_and_nothing_but_results(tiny_checkpoint, easy):
    """As a process of its own, the way scripts call it."""
    command = [sys.executable, "-m", "erm", "solve", "-", "--checkpoint", str(tiny_checkpoint)]
    done = subprocess.run(
        [*command[:4], *command[5:], "--width", "64"],
        input=text_of(easy).encode(),
        capture_output=True,
        env=os.environ | {"TERM": "xterm-256color", "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout and "unique" in done.stdout.decode()
    assert done.stderr == b""
