import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools import make_pool

from erm.errors import InputError
from erm.search import select as selectors
from erm.search.select import Selector, load_selector, register, select, selector_names

A, B, C = [1, 1, 1], [1, 2, 1], [2, 2, 1]


def test_every_selector_takes_its_own_favourite():
    pool = make_pool(
        [A, B, C, C],
        q=[0, 5, 1, 2],
        confidence=[-1, -3, -2, -0.5],
        residual=[3, 2, 1, 4],
        local=[4, 5, 1, 2],
        remote=[0, 0, 9, 9],
        valid=[False, True, False, False],
        scores={"et": np.array([0.0, -1.0, -5.0, -2.0]), "convergence": np.array([1, 0.1, 2, 3])},
    )
    taken = {name: select(pool, name).index for name in selector_names()}
    assert taken == {
        "first": 0,
        "majority": 3,  # C twice; the one with the larger q
        "cell-majority": 1,  # 1 and 2 tie in the first cell; the lower makes it B
        "qhead": 1,
        "confidence": 3,
        "convergence": 1,
        "residual": 2,
        "energy": 0,
        "energy-gamma": 3,
        "energy-mu0": 2,
        "rules": 1,
        "certified": 1,
        "et": 2,
    }


def test_ties_go_to_q_then_to_confidence():
    by_q = make_pool([A, B], q=[1, 2], local=[3, 3])
    assert select(by_q, "energy").index == 1
    by_confidence = make_pool([A, B, C], q=[2, 2, 0], confidence=[-2, -1, 0], local=[3, 3, 3])
    assert select(by_confidence, "energy").index == 1


def test_a_tie_counts_only_between_different_answers():
    assert select(make_pool([A, B], local=[3, 3]), "energy").tied
    assert not select(make_pool([A, A], local=[3, 3]), "energy").tied
    assert not select(make_pool([A, B], local=[3, 3.1]), "energy").tied


def test_scores_equal_up_to_rounding_are_ties():
    pool = make_pool([A, B], q=[0, 1], local=[0.1 + 0.2, 0.3])
    assert select(pool, "energy").index == 1


def test_cell_majority_may_answer_what_no_candidate_said():
    pool = make_pool([[1, 2, 2], [2, 1, 2], [2, 2, 1]])
    choice = select(pool, "cell-majority")
    assert choice.answer.tolist() == [2, 2, 2]
    assert choice.index is None
    assert choice.score == pytest.approx(-2 / 3)
    assert not choice.tied
    assert select(make_pool([A, C]), "cell-majority").tied


def test_gamma_mixes_the_confidence_in():
    pool = make_pool([A, B], local=[0, 3], confidence=[-2, 0])
    assert select(pool, "energy-gamma:1").index == 0
    assert select(pool, "energy-gamma:2").index == 1


def test_certified_prefers_any_certificate_to_a_lower_energy():
    pool = make_pool([A, B, C], local=[1, 50, 40], valid=[False, True, True])
    assert select(pool, "energy").index == 0
    assert select(pool, "certified").index == 2


@given(st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=1, max_size=12))
def test_majority_is_the_most_frequent_answer(answers):
    choice = select(make_pool(answers), "majority")
    assert answers.count(choice.answer.tolist()) == max(map(answers.count, answers))
    assert -choice.score == answers.count(choice.answer.tolist())


def test_unknown_selectors_and_settings_are_errors():
    with pytest.raises(InputError, match="known selectors: first, majority"):
        load_selector("best")
    with pytest.raises(InputError, match="needs labels"):
        load_selector("oracle")
    with pytest.raises(InputError, match="takes no setting"):
        load_selector("qhead:3")
    with pytest.raises(InputError, match="energy-transformer"):
        select(make_pool([A]), "et")
    with pytest.raises(InputError, match="without candidates"):
        select(make_pool(np.zeros((0, 3))), "energy")


def test_new_selectors_register_like_tasks(monkeypatch):
    monkeypatch.setattr(selectors, "_registry", dict(selectors._registry))

    @register
    class Last(Selector):
        """The last candidate."""

        name = "last"

        def score(self, pool):
            return -np.arange(len(pool), dtype=float)

    assert "last" in selector_names()
    assert select(make_pool([A, B, C]), "last").index == 2


def test_a_score_that_is_no_number_is_never_chosen():
    class Odd(Selector):
        name = "odd"

        def score(self, pool):
            return np.array([np.nan, 2.0, np.nan])

    assert Odd().choose(make_pool([A, B, C])).index == 1
    with pytest.raises(InputError, match="nan"):
        load_selector("energy-gamma:nan")
