"""What is printed on a lightup."""

import numpy as np

from erm.rulebook.given import Given

WHITE, BLACK, MOST_BULBS = -2, -1, 4
GIVENS = {"clues": Given(np.int8, WHITE, MOST_BULBS, blank=WHITE, names={"black": BLACK})}
"""White cells, black ones, and black ones with 0 to 4."""
