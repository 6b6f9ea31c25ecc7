"""An energy of one's own: how many places of the board a candidate breaks, clues counted double.

    erm evaluate sudoku puzzles.csv --include examples/my_energy.py --energy places
    erm temper sudoku puzzles.csv --include examples/my_energy.py --energy places
    erm reproduce --out study --include examples/my_energy.py --energy places

A selector gives every candidate of a pool a number, and the lowest wins. It sees what every
candidate says and how sure the network was (`pool.answers`, `pool.q`, `pool.confidence`, the
terms of `pool.energy`), what is printed (`pool.puzzle`) and the rulebook (`pool.rules`).
"""

import numpy as np

from erm.search.pool import CandidatePool
from erm.search.select import Selector, register


@register
class Places(Selector):
    name = "places"

    def score(self, pool: CandidatePool) -> np.ndarray:
        rules, states = pool.rules, pool.states
        broken = [len(rules.violations(candidate)) for candidate in states]
        printed = (~rules.in_domain(states)).sum(-1)
        return np.array(broken) + printed
