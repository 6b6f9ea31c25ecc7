"""What is printed on a lightup."""

import numpy as np

from erm.rulebook.given import Given

WHITE, BLACK = -2, -1
GIVENS = {"clues": Given(np.int8, WHITE, 4, blank=WHITE, names={"black": BLACK})}
"""White cells, black ones, and black ones with 0 to 4."""
