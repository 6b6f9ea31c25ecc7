"""Options of energy guidance that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from erm.errors import InputError

if TYPE_CHECKING:
    from erm.search.guidance import Guidance


@dataclass(kw_only=True)
class GuidanceOptions:
    """The energy's gradient moves the latent states between two steps."""

    guidance: float = 0.0
    """eta, how far the energy's gradient moves z_H between two steps, in root mean squares; 0 is
    off."""
    guidance_schedule: Literal["constant", "falling", "confidence", "stalled"] = "constant"
    """eta falls with depth, is scaled by one minus the row's confidence, or is 0 as long as the
    candidate's energy falls."""
    guidance_share: float = 1.0
    """Share of the candidates that are guided."""
    guidance_on: Literal["H", "L", "both"] = "H"
    """The latent states that are moved."""
    guidance_potentials: bool = False
    """Guide the cells that potentials blame, too."""

    def guided(self, langevin: bool = False) -> float | Guidance:
        """The guidance of a search; a number where nothing but eta is given."""
        from erm.search.guidance import Guidance

        wanted = Guidance(
            self.guidance,
            self.guidance_schedule,
            self.guidance_share,
            self.guidance_on,
            langevin,
            self.guidance_potentials,
        )
        if wanted == Guidance(self.guidance):
            return self.guidance
        if not self.guidance:
            raise InputError("options of guidance need --guidance ETA above 0")
        return wanted

    def guidance_label(self, langevin: bool = False) -> str | None:
        """Its part of a run folder's name."""
        from erm.search.guidance import Guidance

        wanted = Guidance.of(self.guided(langevin))
        return None if wanted is None else wanted.label
