"""Violations of unfinished answers against all their completions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook.registry import load_task
from erm.rulebook.rules import OPEN

TEXTS = {
    "sudoku": ".2.4.3..31...4..",
    "maze": "#####\n#S  #\n# # #\n#  G#\n#####",
    "lightup": "https://puzz.link/p?akari/3/3/i.cgb",
    "nurikabe": "https://puzz.link/p?nurikabe/3/3/2m1",
    "heyawake": "https://puzz.link/p?heyawake/3/3/kgf010h",
    "tapa": "https://puzz.link/p?tapa/3/3/h2gaej",
}


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_impossible_means_that_no_completion_is_left(name, data):
    task = load_task(name)
    rules = task.rules(task.parse(TEXTS[name]))
    cells, states = rules.domain.shape
    filled = data.draw(
        st.lists(st.sampled_from([OPEN, OPEN, *range(states)]), min_size=cells, max_size=cells)
    )
    partial = np.array(filled)
    impossible = rules.impossible(partial)
    found = {(one.rule, one.scope) for one in impossible if one.scope}
    assert all(set(one.cells) <= set(one.scope) for one in impossible if one.scope)
    for factor in rules.factors:
        for scope in factor.scopes:
            choices = [
                np.flatnonzero(rules.domain[cell]) if partial[cell] == OPEN else [partial[cell]]
                for cell in scope
            ]
            completions = np.array(list(product(*choices)))
            hopeless = not factor.memory.accepts(completions).any()
            assert ((factor.name, tuple(scope.tolist())) in found) == hopeless
    off = [cell for cell in range(cells) if partial[cell] >= 0]
    off = [cell for cell in off if not rules.domain[cell, partial[cell]]]
    assert [one.cells for one in impossible if not one.scope] == ([tuple(off)] if off else [])
