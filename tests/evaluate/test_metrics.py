import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erm.evaluate.bands import BANDS, band_of
from erm.evaluate.intervals import wilson
from erm.evaluate.metrics import mark, oracle
from erm.evaluate.results import summarise_search


def test_wilson_agrees_with_the_published_example():
    # Newcombe 1998, table I: 81 of 263 has the Wilson interval 0.2553 to 0.3662.
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    # and 0 of 20 has 0 to 0.1611
    low, high = wilson(0, 20)
    assert low == 0 and round(high, 4) == 0.1611


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_wilson_holds_the_share_and_mirrors(correct, wrong):
    total = correct + wrong
    low, high = wilson(correct, total)
    assert 0 <= low <= (correct / total if total else 0.5) <= high <= 1
    mirrored = wilson(wrong, total)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_exact_needs_every_cell_and_token_counts_them():
    label = np.array([1, 2, 3, 4])
    assert mark(label, label) == (True, 1.0)
    assert mark(np.array([1, 2, 4, 4]), label) == (False, 0.75)


def test_the_oracle_is_the_best_candidate():
    label = np.array([1, 2, 3, 4])
    assert oracle(np.array([[1, 2, 4, 3], [1, 2, 3, 1]]), label) == (False, 0.75)
    assert oracle(np.array([[1, 2, 4, 3], [1, 2, 3, 4]]), label) == (True, 1.0)


@pytest.mark.parametrize(
    ("shape", "band"),
    [
        ((1, 1), "up to 10"),
        ((10, 3), "up to 10"),
        ((3, 11), "11 to 15"),
        ((15, 15), "11 to 15"),
        ((20, 1), "16 to 20"),
        ((21, 1), "over 20"),
        ((45, 31), "over 20"),
    ],
)
def test_a_board_lies_in_one_band_by_its_longer_side(shape, band):
    assert band_of(shape) == band
    assert band in BANDS


def test_each_kind_of_puzzle_is_summed_up_by_size():
    def sample(task, side, certified, evaluations):
        mark = {"correct": certified, "token": 1.0}
        return {
            "task": task,
            "shape": [side, side],
            "certified": certified,
            "depth": 4,
            "evaluations": evaluations,
            "choices": {"energy": mark},
            "oracle": mark,
        }

    samples = [
        sample("tapa", 8, True, 2),
        sample("tapa", 10, False, 6),
        sample("tapa", 30, True, 9),
        sample("lightup", 30, True, 1),
    ]
    tasks = summarise_search(samples)["tasks"]
    assert {task: list(row["sizes"]) for task, row in tasks.items()} == {
        "lightup": ["over 20"],
        "tapa": ["up to 10", "over 20"],
    }
    small = tasks["tapa"]["sizes"]["up to 10"]
    assert (small["certified"], small["total"], small["evaluations_mean"]) == (1, 2, 4.0)
    assert small["selectors"]["energy"]["correct"] == 1
