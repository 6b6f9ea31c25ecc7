"""Preferences: rules that may be broken at a price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from erm.rulebook.factor import Factor

NEARLY_ZERO = 1e-3
"""A retrieval temperature at which a free energy is the distance to the nearest pattern."""


@dataclass(frozen=True, eq=False)
class Preference(Factor):
    """A factor with a price instead of a prohibition: no certificate asks for it.

    A scope costs its price times its distance to the memory, the d_j of Eq. 3 counted in cells:
    how many of them must change before the rule is kept. A wish about one cell costs its price
    or nothing, and a count costs its price for each one too many or too few.
    """

    price: float | Sequence[float] | Float[np.ndarray, " j"] | Int[np.ndarray, " j"] = field(
        default=1.0, kw_only=True
    )
    """Of one cell's change; a number for each scope where they differ."""

    def __post_init__(self) -> None:
        super().__post_init__()
        prices = np.asarray(self.price, np.float64)
        if prices.shape not in ((), (len(self.scopes),)):
            raise ValueError(
                f"preference {self.name!r} needs one price or {len(self.scopes)}, "
                f"got shape {prices.shape}"
            )
        if not (np.isfinite(prices) & (prices >= 0)).all():
            raise ValueError(f"preference {self.name!r} needs prices of 0 or more")

    @property
    def prices(self) -> Float[np.ndarray, " j"]:
        """The price of each scope."""
        return np.broadcast_to(np.asarray(self.price, np.float64), (len(self.scopes),))

    def costs(self, states: Int[np.ndarray, "*batch n"], n_states: int) -> np.ndarray:
        """What each scope of decoded answers costs, [*batch, j]."""
        distance = self.decoded_free_energies(states, n_states, self.size, NEARLY_ZERO)
        return self.prices * distance.round()
