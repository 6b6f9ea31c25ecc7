"""What is printed on a tapa."""

import numpy as np

from erm.rulebook.given import Given

UNUSED, UNKNOWN = -1, -2
GIVENS = {"clues": Given(np.int8, UNKNOWN, 8, blank=UNUSED, names={"?": UNKNOWN}, slots=4)}
"""Up to four lengths of runs in a cell."""
