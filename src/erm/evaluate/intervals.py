"""How sure a count is, and whether two counts of the same puzzles differ."""

from __future__ import annotations

from scipy.stats import binomtest


def wilson(correct: int, total: int) -> tuple[float, float]:
    """Wilson's 95% score interval of a share; (0, 1) where nothing was counted."""
    if not total:
        return 0.0, 1.0
    interval = binomtest(correct, total).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact McNemar test: how likely the pairs that differ are this uneven, or more, by chance."""
    discordant = only_first + only_second
    return float(binomtest(only_first, discordant).pvalue) if discordant else 1.0
