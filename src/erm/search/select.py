"""Selectors: each gives every candidate of a pool a score, and the lowest wins (Eq. 1)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.errors import InputError
from erm.plugins import SELECTORS, installed, somebodys
from erm.search.pool import CandidatePool

TIE = 1e-9
"""Scores closer than this, relative to their size, are equal."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What a selector took from a pool."""

    answer: Int[np.ndarray, " n"]
    index: int | None
    """Which candidate it is; None where the answer was put together from several."""
    score: float
    tied: bool
    """Whether candidates with different answers shared the best score."""


class Selector(ABC):
    """Reads a pool, never a label."""

    name: ClassVar[str]

    @abstractmethod
    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        """One number per candidate, lower is better; `pool.puzzle` and `pool.rules` say of what."""

    def scores(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        """`score`, checked: a selector may be a user's."""
        with _guarded(type(self)):
            scores = np.asarray(self.score(pool), np.float64)
        if scores.shape != (len(pool),):
            raise InputError(
                f"selector {self.name!r} must give one number per candidate, {len(pool)} of them, "
                f"but its score has shape {scores.shape}"
            )
        return scores

    def choose(self, pool: CandidatePool) -> Choice:
        """The lowest score; ties go to the larger q, then to the larger confidence."""
        if not len(pool):
            raise InputError("there is nothing to select in a pool without candidates")
        scores = self.scores(pool)
        scores = np.where(np.isnan(scores), np.inf, scores)
        best = _equal_to_lowest(scores)
        order = np.lexsort((-pool.confidence, -pool.q, ~best))
        index = int(order[0])
        answers = pool.answers[best]
        tied = bool((answers != answers[0]).any())
        return Choice(pool.answers[index], index, float(scores[index]), tied)


def _equal_to_lowest(scores: Float[np.ndarray, " K"]) -> Bool[np.ndarray, " K"]:
    low = scores.min()
    return scores <= low + TIE * max(1.0, abs(low)) if np.isfinite(low) else scores == low


_registry: dict[str, Callable[..., Selector]] = {}


def register(selector: type[Selector]) -> type[Selector]:
    """Class decorator: makes a selector known by its name; packages use `erm.selectors` entries."""
    name = getattr(selector, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][\w.-]*", name):
        raise InputError(
            f"selector {selector.__name__} needs a name of small letters, digits and -, such as "
            f"name = {selector.__name__.lower()!r}, got {name!r}"
        )
    known = _registry.get(name)
    if known is not None and _is_ours(known) and not _is_ours(selector):
        raise InputError(f"the selector {name!r} is erm's own; choose another name for yours")
    _registry[name] = selector
    return selector


def _is_ours(selector: object) -> bool:
    return str(getattr(selector, "__module__", "")).startswith("erm.")


def _guarded(selector: type[Selector]) -> AbstractContextManager[None]:
    """Mistakes in others' selectors are one sentence; those in ours are ours to find."""
    return nullcontext() if _is_ours(selector) else somebodys(f"selector {selector.name!r}")


def selector_names() -> list[str]:
    """Every selector that can be loaded, the built-in ones first."""
    return [*_registry, *sorted(installed(SELECTORS).keys() - {*_registry})]


def load_selector(name: str) -> Selector:
    """The selector of that name; `energy-gamma:8` gives one its number."""
    base, colon, number = name.partition(":")
    make = _registry.get(base)
    if make is None and base in installed(SELECTORS):
        with somebodys(f"the installed selector {base!r}"):
            make = installed(SELECTORS)[base].load()
    if make is None:
        hint = "; the oracle needs labels, so only erm evaluate reports it"
        raise InputError(
            f"there is no selector {base!r}; known selectors: {', '.join(selector_names())}"
            + (hint if base == "oracle" else "")
        )
    if not colon:
        with nullcontext() if _is_ours(make) else somebodys(f"selector {base!r}"):
            return make()
    try:
        return make(float(number))
    except (TypeError, ValueError):
        raise InputError(f"selector {base!r} takes no setting {number!r}") from None


def select(pool: CandidatePool, selector: str | Selector = "energy") -> Choice:
    """What a selector chooses from a pool: `.answer`, `.index`, `.score`, `.tied`."""
    chosen = load_selector(selector) if isinstance(selector, str) else selector
    with _guarded(type(chosen)):
        return chosen.choose(pool)


@register
class First(Selector):
    """The paper's one-rollout base: candidate 0, whatever the others say."""

    name = "first"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return np.arange(len(pool), dtype=np.float64)


@register
class Majority(Selector):
    """Whole-sequence majority: the answer that most candidates give."""

    name = "majority"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        _, group, counts = np.unique(pool.answers, axis=0, return_inverse=True, return_counts=True)
        return -counts[group.reshape(-1)].astype(np.float64)


@register
class CellMajority(Selector):
    """The most frequent state of each cell; ties of a cell go to the lower state."""

    name = "cell-majority"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        """Minus the mean share of candidates that agree with a candidate's cells."""
        return -self._shares(pool).mean(-1)

    def choose(self, pool: CandidatePool) -> Choice:
        shares = self._shares(pool)
        winning = shares == shares.max(0)
        low = np.where(winning, pool.answers, np.iinfo(pool.answers.dtype).max).min(0)
        high = np.where(winning, pool.answers, np.iinfo(pool.answers.dtype).min).max(0)
        same = np.flatnonzero((pool.answers == low).all(-1))
        index = int(same[0]) if len(same) else None
        return Choice(low, index, -float(shares.max(0).mean()), bool((low != high).any()))

    @staticmethod
    def _shares(pool: CandidatePool) -> Float[np.ndarray, "K n"]:
        """For each candidate's cell, the share of all candidates that say the same there."""
        shares = np.zeros(pool.answers.shape)
        for state in np.unique(pool.answers):
            says = pool.answers == state
            shares += says * says.mean(0)
        return shares


@register
class QHead(Selector):
    """The largest halting logit (EqR, PTRM)."""

    name = "qhead"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return -pool.q


@register
class Confidence(Selector):
    """The largest mean log-probability over the cells that no clue fixes."""

    name = "confidence"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return -pool.confidence


@register
class Convergence(Selector):
    """The smallest change of the logits over the last three steps: EqR's own selector, as its
    evaluation computes it (`convergence_top_k` of 1)."""

    name = "convergence"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        if "convergence" not in pool.scores:
            raise InputError(
                "selector 'convergence' needs the changes of the logits, which answers alone and "
                "pools saved before it was known do not hold; --select others, or evaluate again"
            )
        return pool.scores["convergence"]


@register
class Residual(Selector):
    """The smallest change of the latent state z_H over the last three steps."""

    name = "residual"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        if "convergence" not in pool.scores and np.isinf(pool.residual).all():
            raise InputError(
                "selector 'residual' needs the changes of the latent state, which answers alone do "
                "not hold; --select others"
            )
        return pool.residual


@register
class Energy(Selector):
    """E(y_k; x) of Eq. 3 with the task's settings: ERM."""

    name = "energy"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return pool.energy.total


@register
@dataclass(frozen=True)
class EnergyGamma(Selector):
    """ERM with gamma times the model's confidence mixed in, which the paper warns of."""

    name = "energy-gamma"
    gamma: float = 64.0

    def __post_init__(self) -> None:
        if not np.isfinite(self.gamma):
            raise ValueError(self.gamma)

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return pool.energy.total - self.gamma * pool.confidence


@register
class EnergyLocal(Selector):
    """ERM with mu = 0: the local memories alone."""

    name = "energy-mu0"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return sum(pool.energy.factors.values(), np.zeros(len(pool)))


@register
class RuleChecker(Selector):
    """Any candidate that breaks no rule; what a plain verifier would do."""

    name = "rules"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        return (~pool.valid).astype(np.float64)


@register
class Certified(Selector):
    """A certificate where the pool holds one, the cheapest where answers have prices, else the
    lowest energy: what adaptive search says."""

    name = "certified"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        energy = pool.energy.total
        if pool.energy.preferences:
            price = sum(pool.energy.preferences.values(), np.zeros(len(pool)))
            return np.where(pool.valid, energy.min() - 1.0 + price - price.max(), energy)
        return np.where(pool.valid, energy - (np.ptp(energy) + 1.0), energy)


@register
class ArchitecturalEnergy(Selector):
    """The energy transformer's own energy (the paper's EqR+ET)."""

    name = "et"

    def score(self, pool: CandidatePool) -> Float[np.ndarray, " K"]:
        if "et" not in pool.scores:
            raise InputError("selector 'et' needs a reasoner with the energy-transformer mixer")
        return pool.scores["et"]
