from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erm.errors import InputError
from erm.rulebook.answers import format_answer, parse_answer


@given(st.lists(st.integers(0, 16), min_size=1))
def test_answers_round_trip(states: list[int]):
    text = format_answer(np.array(states, np.int8))
    assert parse_answer(text, len(states)).tolist() == states
    assert parse_answer(text.lower(), len(states)).tolist() == states


def test_answers_must_fit():
    with pytest.raises(InputError, match="3 characters, but the board has 4"):
        parse_answer("010", 4)
    with pytest.raises(InputError, match="'x' at cell 2"):
        parse_answer("0x10", 4)
