"""What is printed on a nurikabe."""

import numpy as np

from erm.rulebook.given import Given
from erm.types import MAX_SIDE

NO_CLUE, ANY_SIZE = 0, -1
GIVENS = {"clues": Given(np.int16, ANY_SIZE, MAX_SIDE**2, blank=NO_CLUE, names={"?": ANY_SIZE})}
"""Sizes of islands."""
