"""`erm hint` from argument to exit code."""

import json

import pytest

from erm.cli.main import UNSOLVED, USAGE, main

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


@pytest.fixture
def hint(capsys):
    def run(*arguments):
        code = main(["hint", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_the_next_step_names_its_rule_and_cells(hint):
    code, out, _ = hint(EASY, "--json")
    step = json.loads(out)
    assert code == 0 and step["level"] == "one_rule"
    assert step["rule"] in ("row", "column", "box") and step["cell"] in step["scope"]
    assert int(SOLVED[step["cell"]]) not in step["ruled_out"]
    assert step["words"].startswith(f"r{step['cell'] // 9 + 1}c{step['cell'] % 9 + 1} is ")


def test_a_partial_answer_is_gone_on_from(hint):
    assert hint(EASY, "--partial", SOLVED) == (0, "every cell is settled\n", "")
    code, out, _ = hint(EASY, "--partial", SOLVED[:2] + "." + SOLVED[3:], "--json")
    assert code == 0 and json.loads(out)["cell"] == 2


def test_the_whole_chain_ends_with_a_grade(hint):
    code, out, _ = hint(EASY, "--all")
    assert code == 0
    assert out.splitlines()[-1].startswith("grade 1 of 4")


def test_contradictions_and_bad_input_are_said(hint):
    code, out, _ = hint(EASY, "--partial", "534" + "4" + EASY[4:])
    assert code == UNSOLVED and out.startswith("r1c4 is filled in wrongly: r1c4 is ")
    # No rule is broken yet, but nothing can come of it.
    code, out, _ = hint(EASY, "--partial", "531" + EASY[3:], "--json")
    assert code == UNSOLVED and json.loads(out)["mistaken"] and json.loads(out)["cell"] == 2
    code, out, _ = hint("55" + EASY[2:])
    assert code == UNSOLVED and "no state left" in out
    code, _, err = hint(EASY, "--partial", "1" + "." * 80)
    assert code == USAGE and "contradicts what is printed at r1c1" in err
    code, _, err = hint(EASY, "--partial", "1")
    assert code == USAGE and "1 characters" in err
