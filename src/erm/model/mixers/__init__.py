"""How positions exchange information inside a block; each mixer is one file."""

from torch import nn

from erm.model.config import ReasonerConfig
from erm.model.mixers.structured import StructuredBlock


def make_block(config: ReasonerConfig) -> nn.Module:
    """A block of the configured mixer: `block(z, inputs) -> z`."""
    return {"structured": StructuredBlock}[config.mixer](config)
