"""What is printed on a tapa."""

import numpy as np

from erm.rulebook.given import Given

UNUSED, UNKNOWN = -1, -2
"""A slot of a clue without a number, and one with "?"."""
SLOTS = 4
AROUND = 8
"""Cells around a clue."""
LONGEST_OF_SEVERAL = AROUND - 3
"""A run beside another one: that has a cell, and behind each there is a gap."""
GIVENS = {"clues": Given(np.int8, UNKNOWN, AROUND, blank=UNUSED, names={"?": UNKNOWN}, slots=SLOTS)}
"""Up to four lengths of runs in a cell."""
