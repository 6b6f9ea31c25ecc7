"""What is printed on a nurikabe."""

import numpy as np

from erm.rulebook.given import Given
from erm.types import MAX_SIDE

NO_CLUE, ANY_SIZE, LARGEST = 0, -1, MAX_SIDE**2
GIVENS = {"clues": Given(np.int16, ANY_SIZE, LARGEST, blank=NO_CLUE, names={"?": ANY_SIZE})}
"""Sizes of islands."""
