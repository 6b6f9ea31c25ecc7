"""How positions exchange information inside a block; each mixer is one file."""

from torch import nn

from erm.model.config import MixerName, ReasonerConfig
from erm.model.mixers.attention import AttentionBlock
from erm.model.mixers.energy_transformer import EnergyTransformerBlock
from erm.model.mixers.structured import StructuredBlock
from erm.model.mixers.token_mlp import TokenMLPBlock

MIXERS: dict[MixerName, type[nn.Module]] = {
    "structured": StructuredBlock,
    "token-mlp": TokenMLPBlock,
    "attention": AttentionBlock,
    "energy-transformer": EnergyTransformerBlock,
}


def make_block(config: ReasonerConfig) -> nn.Module:
    """A block of the configured mixer: `block(z, inputs) -> z`."""
    return MIXERS[config.mixer](config)
