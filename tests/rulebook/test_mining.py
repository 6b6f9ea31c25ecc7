"""Mining finds a rule that was left out again, says how sure it is, and finds none in noise."""

import json
from pathlib import Path

import numpy as np
import pytest

from erm.cli.main import USAGE, main
from erm.data.generate import generate
from erm.data.recipe import Recipe
from erm.errors import InputError
from erm.evaluate.mined import ALL, BOTH, MINED, RULES, rulebooks, solve_all
from erm.formats.dataset import load_dataset, save_dataset
from erm.rulebook.mined import Mined, scopes_of
from erm.rulebook.mining import mine
from erm.rulebook.registry import include, load_task

LEFT_OUT = {"nurikabe": "no 2x2 of sea", "tapa": "no 2x2 of shaded cells"}
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    """Sixteen small boards of each, by the shipped generators."""
    folder = tmp_path_factory.mktemp("boards")
    for name in LEFT_OUT:
        generate(Recipe(name, 5, 5, seed=3), 16, folder / f"{name}.jsonl", 1, quiet=True)
    return {name: list(load_dataset(folder / f"{name}.jsonl")) for name in LEFT_OUT}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_the_rule_that_was_left_out_is_found_again(name, boards):
    task = load_task(name)
    known, held = boards[name][:12], boards[name][12:]
    mined = mine(task, known, quiet=True)
    assert [rule.describe()["forbidden"] for rule in mined.rules if rule.kind == "window:2x2"] == [
        ["1111"]
    ]
    assert all(0.9 <= rule.confidence < 1 for rule in mined.rules)
    solved = solve_all(task, held, rulebooks(task, mined, [LEFT_OUT[name]]), quiet=True)
    assert solved[ALL].right == solved[BOTH].right == len(held)
    assert solved[RULES].right < len(held) and solved[MINED].several == len(held)


def test_memories_are_what_their_file_says_and_prune_like_the_rule(boards, tmp_path):
    task, puzzle = load_task("nurikabe"), boards["nurikabe"][0]
    mined = mine(task, boards["nurikabe"], ["window:2x2"], quiet=True)
    mined.save(tmp_path / "mined.json")
    (factor,) = Mined.load(tmp_path / "mined.json").factors(task, puzzle)
    (rule,) = task.factors(puzzle)
    states = np.random.default_rng(0).integers(2, size=(64, puzzle.cells))
    np.testing.assert_array_equal(factor.violated(states).any(1), rule.violated(states).any(1))
    with pytest.raises(InputError, match="no file of mined memories"):
        (tmp_path / "mined.json").write_text("{}")
        Mined.load(tmp_path / "mined.json")


def test_nothing_is_found_in_noise_and_exceptions_cost_confidence(boards):
    task, draw = load_task("nurikabe"), np.random.default_rng(1)
    noise = [one.with_answer(draw.integers(2, size=25)) for one in boards["nurikabe"]]
    assert not mine(task, noise, ["window:2x2", "window:1x2"], quiet=True).rules
    filled = [one.with_answer(np.ones(25)) for one in boards["nurikabe"][:1]]
    assert not mine(task, [*boards["nurikabe"], *filled], ["window:2x2"], 0.0, quiet=True).rules


def test_the_pairs_of_a_group_show_that_digits_differ(tmp_path):
    include(EXAMPLES / "futoshiki")
    task = load_task("futoshiki")
    made = task.generator()()
    puzzles = [one for seed in range(30) for one in made.make(4, 4, np.random.default_rng(seed))]
    mined = mine(task, puzzles, ["pairs"], quiet=True)
    assert [rule.describe()["forbidden"] for rule in mined.rules] == [["00", "11", "22", "33"]] * 2


def test_scopes_by_name_and_those_that_are_not_there(boards, monkeypatch):
    task, puzzle = load_task("nurikabe"), boards["nurikabe"][0]
    monkeypatch.setattr(type(task), "scopes", lambda self, puzzle: {"corner": np.array([[0, 1]])})
    assert scopes_of(task, puzzle, "corner")[""].tolist() == [[0, 1]]
    assert len(scopes_of(task, puzzle, "window:2x3")[""]) == 12
    for kind in ("window:2", "window:0x1", "knights"):
        with pytest.raises(InputError, match="window:HxW"):
            scopes_of(task, puzzle, kind)
    with pytest.raises(InputError, match="mine smaller ones"):
        mine(task, boards["nurikabe"], ["window:4x4"], quiet=True)


def test_the_command_reports_and_writes(boards, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save_dataset(boards["nurikabe"][:12], "solved.jsonl")
    save_dataset(boards["nurikabe"][12:], "held.jsonl")
    words = ["mine", "nurikabe", "--solved", "solved.jsonl", "--quiet"]
    compared = ["--without", LEFT_OUT["nurikabe"], "--test", "held.jsonl", "--out", "mined.json"]
    assert main([*words, *compared, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["solving"]["rules and mined"]["right"] == 4
    assert len(Mined.load("mined.json").rules) == len(report["rules"])
    assert main([*words, *compared]) == 0
    assert "window:2x2" in capsys.readouterr().out
    assert main([*words, "--without", "no rule"]) == USAGE
    assert "has no rule 'no rule'" in capsys.readouterr().err
