"""Sudoku: every row, column and box holds each digit once.

Givens: `digits` int8 [n, n], 0 where empty. Boards of side 4, 6, 9 and 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from erm.codecs import text
from erm.energy.factor import Factor
from erm.energy.model import EnergySettings
from erm.energy.permanent import Permutations
from erm.task import Task
from erm.types import Puzzle
