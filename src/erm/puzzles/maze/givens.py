"""What is printed on a maze."""

import numpy as np

from erm.rulebook.given import Given

WALL, OPEN, START, GOAL = 1, 2, 3, 4
"""What is printed on a maze's cells, in the field's tokens."""
PATH = 5
"""The token by which an answer writes a path cell."""
NAMES = {"wall": WALL, "open": OPEN, "start": START, "goal": GOAL}
GIVENS = {"cells": Given(np.uint8, WALL, GOAL, blank=OPEN, names=NAMES)}
