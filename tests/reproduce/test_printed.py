"""The printed numbers against the paper's own text, and against counts that it states."""

import re
from pathlib import Path

import pytest

from erm.reproduce import paper
from erm.reproduce.paper import (
    SHALLOW,
    SHARED,
    STOPPING,
    STOPPING_DEPTHS,
    TEMPERING,
    TOTALS,
    TRANSFORMER,
    TRANSFORMER_PT,
)

TEXT = Path(__file__).parents[3] / "shared/paper/energy-guided-recursive-model.tex"

STATED = [
    (SHARED["Sudoku"]["base"], 1829),
    (SHARED["Sudoku"]["confidence"], 2019),
    (SHARED["Sudoku"]["energy"], 2024),
    (SHARED["PPBench"]["qhead"], 251),
    (SHARED["PPBench"]["oracle"], 265),
    (SHALLOW["energy"], 999),
    (STOPPING, 996),
    (TRANSFORMER["base"], 1351),
    (TRANSFORMER["et"], 1574),
    (TRANSFORMER_PT["confidence"], 1555),
]


def test_counts_follow_from_percentages():
    for printed, count in STATED:
        assert printed.correct == count
        assert round(100 * count / printed.total, 2) == pytest.approx(printed.percent)
        low, high = printed.interval
        assert low < count / printed.total < high


def test_tempering_starts_from_the_shared_selectors():
    for task, energies in TEMPERING.items():
        for name, (original, selected, oracle, _) in energies.items():
            assert original == pytest.approx(SHARED[task][name].percent)
            assert selected <= oracle


@pytest.mark.skipif(not TEXT.exists(), reason="the paper's source is not here")
def test_rows_stand_in_the_paper():
    text = re.sub(r"\\textbf\{([^}]*)\}", r"\1", TEXT.read_text())
    labels = {"qhead": "q-head", "confidence": "Confidence", "energy": "ERM"}
    for task, row in SHARED.items():
        assert " & ".join([task, *(f"{one.percent:.2f}" for one in row.values())]) in text
        for name, (*percents, swap_rate) in TEMPERING[task].items():
            count = f"{paper.printed(percents[1], TOTALS[task]).correct}/{TOTALS[task]}"
            numbers = [f"{one:.2f}" for one in percents]
            assert " & ".join([task, labels[name], *numbers, f"{swap_rate:.4f}", count]) in text
    for printed in (*SHALLOW.values(), *TRANSFORMER.values(), *TRANSFORMER_PT.values()):
        numbers = f"{printed.percent:.2f} & {100 * printed.token:.2f}"
        assert f"{numbers} & {printed.correct}/{printed.total}" in text
    assert f"{STOPPING_DEPTHS['depth_mean']:.2f}$ recurrent steps" in text
    assert "between ${depth_min}$ and ${depth_max}$".format(**STOPPING_DEPTHS) in text


def test_notes_are_sentences():
    notes = [v for k, v in vars(paper).items() if k.isupper() and isinstance(v, str)]
    assert len(notes) > 8
    for note in (*notes, *paper.OPEN):
        assert note[0].upper() == note[0] and note.endswith(".")
