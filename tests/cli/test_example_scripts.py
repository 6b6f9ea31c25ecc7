"""What newcomers run first: the demo, the example puzzles, the guide to a task of one's own."""

import importlib.util
import json
import re
import shlex
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import erm.rulebook.registry
from erm.cli.including import take_out
from erm.cli.main import _parse, main
from erm.formats.dataset import load_dataset

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SHOWN = ("first", "majority", "qhead", "confidence", "energy", "oracle")


def module_of(path):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def binairo(monkeypatch):
    """The example's module; its task is forgotten after the test."""
    monkeypatch.setattr(erm.rulebook.registry, "_registry", {})
    return module_of(EXAMPLES / "my_task.py")


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("puzzles/*.txt")), ids=lambda file: file.stem)
def test_the_example_puzzles_come_with_right_answers(file):
    for puzzle in load_dataset(file):
        assert erm.load_task(file.stem).is_valid(puzzle, puzzle.answer)


def test_the_demo_shows_every_kind_and_how_to_go_on(monkeypatch, capsys):
    demo = module_of(EXAMPLES / "demo.py")
    monkeypatch.setattr(demo, "SECONDS", 0.5)
    demo.main()
    out = capsys.readouterr().out
    assert all(f"{kind} ──" in out for kind in demo.KINDS)
    assert out.count("energy") >= len(demo.KINDS)
    assert out.rstrip().endswith(".venv/bin/erm serve --open")


def test_the_demo_scores_answers_where_no_checkpoint_is_shipped(monkeypatch, capsys):
    demo = module_of(EXAMPLES / "demo.py")
    monkeypatch.setattr("erm.zoo.names", list)
    demo.main()
    out = capsys.readouterr().out
    assert out.count("right answer breaks no rule") == len(demo.KINDS)
    assert out.count("wrong answer breaks") == len(demo.KINDS)
    assert "0 of 6 kinds solved" in out


def test_the_example_task_agrees_with_brute_force(binairo):
    task = erm.load_task("binairo")
    puzzle = task.parse("." * 16)
    boards = np.array(list(product((0, 1), repeat=16)))
    rows = boards.reshape(-1, 4, 4)
    balanced = (rows.sum(1) == 2).all(-1) & (rows.sum(2) == 2).all(-1)
    good = [
        all(
            len({tuple(line) for line in lines}) == 4
            and not any(line[at] == line[at + 1] == line[at + 2] for line in lines for at in (0, 1))
            for lines in (board.tolist(), board.T.tolist())
        )
        for board in rows[balanced]
    ]
    expected = np.zeros(len(boards), bool)
    expected[balanced] = good
    np.testing.assert_array_equal(task.rules(puzzle).is_valid(boards), expected)
    assert expected.sum() == 72
    for board in boards[::4111]:
        assert bool(task.violations(puzzle, board)) != task.is_valid(puzzle, board)


def test_the_example_task_trains_and_solves(binairo, tmp_path, capsys):
    include = ["--include", str(EXAMPLES / "my_task.py")]
    data, run = tmp_path / "binairo.jsonl", tmp_path / "run"
    made = ["--count", "8", "--processes", "1", "--out", str(data), "--quiet"]
    assert main(["data", "binairo", *include, *made]) == 0
    small = ["--steps", "3", "--batch", "4", "--hidden", "8", "--inner", "8", "--no-compile"]
    trained = ["--data", str(data), "--out", str(run), "--evaluate-limit", "4"]
    assert main(["train", "cpu/binairo", *include, *small, *trained]) == 0
    capsys.readouterr()
    checkpoint = ["--checkpoint", str(run / "checkpoint"), "--depth", "2", "--width", "2"]
    puzzle = next(iter(load_dataset(data)))
    text = erm.load_task("binairo").format(puzzle)
    code = main(["solve", text, *include, *checkpoint, "--json"])
    fields = json.loads(capsys.readouterr().out)
    assert fields["task"] == "binairo" and len(fields["answer"]) == 36
    assert code == (0 if fields["certified"] else 3)
    main(["solve", text, *include, *checkpoint])
    assert "binairo 6x6:" in capsys.readouterr().out


GUIDE = (ROOT / "docs/new-task.md").read_text("utf-8")
EXAMPLES_PAGE = (EXAMPLES / "README.md").read_text("utf-8")
MEASURED = json.loads((ROOT / "docs/new-task.json").read_text("utf-8"))
OWN_TASKS = ("futoshiki", "colouring", "arc_like")


def test_the_guide_runs_as_it_stands(monkeypatch):
    monkeypatch.chdir(ROOT)
    known: dict = {}
    for code in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        exec(compile(code, "docs/new-task.md", "exec"), known)
    assert known["task"].name == "roster"


def test_the_guide_s_excerpts_are_in_the_example():
    files = [file.read_text("utf-8") for file in (EXAMPLES / "roster").glob("*.py")]
    lines = {line.rstrip() for file in files for line in file.splitlines()}
    excerpts = re.findall(r"```py\n(.*?)```", GUIDE, re.DOTALL)
    assert len(excerpts) == 3
    assert not {line for part in excerpts for line in part.splitlines()} - lines


@pytest.mark.parametrize("page", [GUIDE, EXAMPLES_PAGE], ids=["new-task.md", "examples"])
def test_the_commands_of_a_page_have_the_options_that_they_name(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = page.replace("\\\n", " ")
    commands = re.findall(r"^ *erm (\S+) (.*?)(?:  +#.*)?$", lines, re.MULTILINE)
    assert {name for name, _ in commands} >= {"data", "train", "evaluate"}
    for name, rest in commands:
        files, words = take_out(shlex.split(rest))
        for file in files:
            if file != "stars":  # what the guide itself makes
                erm.rulebook.registry.include(file)
        assert hasattr(_parse(name, words), "run")


@pytest.mark.parametrize("name", OWN_TASKS)
def test_figures_of_the_examples_are_those_that_were_measured(name):
    measured = MEASURED[name]
    row = " | ".join(str(measured["selectors"][one]) for one in SHOWN)
    assert re.search(rf"^\| {name}\b.* \| {re.escape(row)} \|$", GUIDE, re.MULTILINE)
    about = f"| `{name}/` | {measured['parameters']:,} | {measured['seconds']} s"
    assert f"{about} | {row} of {measured['puzzles']} |" in EXAMPLES_PAGE
    assert len((EXAMPLES / name / "rules.py").read_text("utf-8").splitlines()) < 150


def test_the_gap_is_generation_s_in_all_three():
    rows = [MEASURED[name] for name in OWN_TASKS]
    assert all(row["selectors"]["energy"] == row["selectors"]["oracle"] for row in rows)
    lost = [row["puzzles"] - row["selectors"]["oracle"] for row in rows]
    assert f"what is lost ({', '.join(map(str, lost))}) is lost to" in EXAMPLES_PAGE
    assert all("Bottleneck: generation" in row["diagnosis"] for row in rows)


def test_the_guide_s_figures_of_mining_are_those_that_were_measured():
    by = {"all rules": "all rules", "rules": "the rules without the 2x2 rule"}
    by |= {"mined": "the mined memories alone"}
    by |= {"rules and mined": "the rules without it, and the memories"}
    for name, words in by.items():
        right = [
            MEASURED["mining"][task]["solving"][name]["right"] for task in ("nurikabe", "tapa")
        ]
        assert f"| {words} | {right[0]} | {right[1]} |" in GUIDE
