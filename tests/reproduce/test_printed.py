"""The printed numbers against the paper's own text, and against counts that it states."""

import re
from pathlib import Path

import pytest
from erm.reproduce.budget import BUDGETS
from erm.reproduce.data import StudyData
from erm.reproduce.paper.notes import NOTES
from erm.reproduce.paper.printed import (
    GOLDEN,
    GOLDEN_COUNTS,
    SHALLOW,
    SHARED,
    STOPPING,
    STOPPING_DEPTHS,
    TEMPERING,
    TRANSFORMER,
)

from erm.reproduce.suites import SUITES

PAPER = Path(__file__).parents[3] / "shared/paper/energy-guided-recursive-model.tex"

STATED = [
    (SHARED["sudoku"]["first"], 1829),
    (SHARED["sudoku"]["confidence"], 2019),
    (SHARED["sudoku"]["energy"], 2024),
    (SHARED["ppbench"]["first"], 206),
    (SHARED["ppbench"]["majority"], 238),
    (SHARED["ppbench"]["confidence"], 243),
    (SHARED["ppbench"]["qhead"], 251),
    (SHARED["ppbench"]["oracle"], 265),
    (TEMPERING["sudoku"]["energy"].selected, 2027),
    (TEMPERING["sudoku"]["qhead"].selected, 2020),
    (TEMPERING["ppbench"]["confidence"].selected, 244),
    (TEMPERING["maze"]["qhead"].selected, 974),
    (SHALLOW["energy"], 999),
    (STOPPING["maze"], 996),
    (TRANSFORMER["first"], 1351),
    (TRANSFORMER["et"], 1574),
    (TRANSFORMER["majority"], 1337),
    (TRANSFORMER["pt-confidence"], 1555),
]


def test_counts_follow_from_percentages():
    for printed, count in STATED:
        assert printed.correct == count
        assert round(100 * count / printed.total, 2) == printed.exact
        low, high = printed.interval
        assert low < count / printed.total < high


def test_tempering_starts_from_the_shared_selectors():
    for task, energies in TEMPERING.items():
        for name, row in energies.items():
            assert row.original == SHARED[task][name]
            # Equal where the paper's selection reaches its oracle.
            assert row.selected.exact <= row.oracle.exact


def test_ptrm_counts_are_those_of_its_subset():
    assert sum(GOLDEN_COUNTS.values()) == 49
    for row in GOLDEN.values():
        assert row.keys() == {*GOLDEN_COUNTS, "all"}


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's source is not here")
def test_rows_stand_in_the_paper():
    text = re.sub(r"\\textbf\{([^}]*)\}", r"\1", PAPER.read_text())

    def row(*numbers):
        return " & ".join(numbers)

    for task, title in (("sudoku", "Sudoku"), ("ppbench", "PPBench"), ("maze", "Maze")):
        order = ("first", "majority", "qhead", "confidence", "energy", "oracle")
        assert row(title, *(f"{SHARED[task][name].exact:.2f}" for name in order)) in text
        for name, label in (("qhead", "q-head"), ("confidence", "Confidence"), ("energy", "ERM")):
            one = TEMPERING[task][name]
            numbers = (f"{part.exact:.2f}" for part in (one.original, one.selected, one.oracle))
            count = f"{one.selected.correct}/{one.selected.total}"
            assert row(title, label, *numbers, f"{one.swap_rate:.4f}", count) in text
    for printed in (*SHALLOW.values(), *TRANSFORMER.values()):
        count = f"{printed.correct}/{printed.total}"
        assert row(f"{printed.exact:.2f}", f"{printed.token:.2f}", count) in text
    mean, least, most = STOPPING_DEPTHS["maze"]
    assert f"{mean:.2f}$ recurrent steps" in text
    assert f"between ${least}$ and ${most}$" in text


def test_footnotes_are_sentences():
    for note in NOTES.values():
        assert note[0].isupper() and note.endswith(".")


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_suite_can_be_generated(budget, tmp_path):
    for suite in SUITES.values():
        for task in suite.tasks:
            source = StudyData({}, tmp_path, budget).source(suite.name, task)
            assert source.command is not None and source.command.startswith(f"erm data {task}")
