"""The rulebook of template: one star in every row and column, and no two stars touch.

It works as it stands. Change it step by step and run `pytest` on this folder after each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from erm.rulebook import (
    AtMost,
    Exactly,
    Factor,
    Given,
    Look,
    Puzzle,
    Task,
    cell_ids,
    register,
    windows,
)


@register
class Template(Task):
    """Givens: `clues` [height, width]: the state that is printed on a cell, or -1."""

    # A board is height x width cells, row by row. An answer is one state a cell, counted from 0.
    name = "template"
    states = 2
    state_words = ("empty", "a star")
    state_symbols = "-*"
    givens: ClassVar = {"clues": Given.of_states(2)}
    look = Look(title="Template", about="One star in every row and column, and no two touch.")

    # A factor is a local rule in many places. Each row of its scopes is one place. The memory holds
    # the patterns that are allowed there: `Exactly`, `AtMost`, `AtLeast` for counts of state 1,
    # `Permutations` for every state once, `Enumerated` for any list.
    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        height, width = puzzle.shape
        ids = cell_ids(height, width)
        return (
            Factor("one star a row", ids, Exactly(1, width)),
            Factor("one star a column", ids.T, Exactly(1, height)),
            Factor("no two touch", windows(height, width), AtMost(1, 4)),
        )

    # All that follows is optional; docs/new-task.md describes each.
    #
    # def potentials(self, puzzle): global rules that no small memory can hold, such as "all stars
    #     are connected".
    # def preferences(self, puzzle): rules that may be broken at a price.
    # def domain(self, puzzle): the states left to each cell, bool [cells, states], where something
    #     else than states is printed. Then also `givens`, `clues(puzzle, answer)` for `erm data`,
    #     and `parse(text)` and `format(puzzle)` for a text that is nicer than JSON.
    # settings = EnergySettings(tau=0.02, beta=128.0, mu=64.0): the default. A broken memory costs
    #     up to beta, a broken potential mu.
    # symmetry = SQUARE: turned and mirrored boards train the network and count as duplicates.
    # def features(self, puzzle), def partitions(self, puzzle): what a network sees beside the
    #     domain. By default a constant, and here the rows and the columns.
    # def tokens(self, puzzle), def answer_tokens(self, puzzle): the same for token networks.
