"""Intervals for counts of successes."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95% interval."""


def wilson(correct: int, total: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a share; (0, 1) where nothing was counted."""
    if not total:
        return 0.0, 1.0
    share = correct / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    half /= 1 + z * z / total
    # At the ends the bound is exact; rounding must not move it.
    low = 0.0 if correct == 0 else centre - half
    high = 1.0 if correct == total else centre + half
    return low, high
