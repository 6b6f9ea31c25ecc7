"""What is printed on a heyawake."""

import numpy as np

from erm.rulebook.given import Given
from erm.types import MAX_SIDE

NO_CLUE = -1
"""A cell, or a room, without a number."""
LARGEST = MAX_SIDE**2
GIVENS = {
    "clues": Given(np.int16, NO_CLUE, LARGEST, blank=NO_CLUE),
    "right": Given(np.bool_, 0, 1, trim=(0, 1)),
    "down": Given(np.bool_, 0, 1, trim=(1, 0)),
}
"""A room's number on its first cell, and the borders right of and below the cells."""
