"""The energy transformer descends the energy that it states."""

from dataclasses import replace

import pytest
import torch
from model_boards import STRUCTURED, TOKENS, boards, seeded

from erm.model.mixers.energy_transformer import EnergyTransformerBlock
from erm.model.reasoner import Carry, Reasoner

CONFIGS = [
    replace(TOKENS, mixer="energy-transformer", rope="none"),
    replace(TOKENS, mixer="energy-transformer", rope="1d"),
    replace(TOKENS, mixer="energy-transformer", rope="2d", board=(3, 4)),
]
every_rope = pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.rope)


def make(config) -> tuple[EnergyTransformerBlock, torch.Tensor]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        block = EnergyTransformerBlock(config).double()
        torch.nn.init.normal_(block.shift, std=0.3)
        torch.nn.init.constant_(block.log_gain, 0.2)
    return block, torch.randn(4, 12, 16, generator=seeded(4), dtype=torch.float64)


@every_rope
def test_the_update_is_minus_the_gradient_of_the_energy(config) -> None:
    block, z = make(config)
    g = block.normed(z).detach().requires_grad_()
    (wanted,) = torch.autograd.grad(block.energy_of(g).sum(), g)
    torch.testing.assert_close(block.gradient(g), wanted)
    assert wanted.abs().mean() > 0.1


@every_rope
def test_the_energy_falls_at_every_small_step(config) -> None:
    block, z = make(config)
    torch.nn.init.constant_(block.log_step, -5.0)
    inputs = boards(4)
    with torch.inference_mode():
        energies = []
        for _ in range(100):
            energies.append(block.energy(z, inputs))
            z = block(z, inputs)
    path = torch.stack(energies)
    assert (path.diff(dim=0) < 0).all()
    assert (path[-1] < path[0] - 1).all()


def test_the_energy_is_its_formula_summed_by_hand() -> None:
    block, z = make(CONFIGS[0])
    g = block.normed(z)[0].detach()
    query, key = (g @ layer.weight.T for layer in (block.query, block.key))
    total = 0.0
    for head in (slice(0, 8), slice(8, 16)):
        for c in range(12):
            others = [b for b in range(12) if b != c]
            scores = torch.stack([block.beta * key[b, head] @ query[c, head] for b in others])
            total -= (scores.exp().sum().log() / block.beta).item()
    for memory in block.memories.weight:
        total -= 0.5 * (g @ memory).clamp(min=0).square().sum().item()
    assert block.energy(z, boards(4))[0].item() == pytest.approx(total)


def test_a_reasoner_exposes_the_energy_as_a_score_and_other_mixers_do_not() -> None:
    inputs = boards(3)
    reasoner = Reasoner(CONFIGS[1])
    carry, _ = reasoner.step(reasoner.start(inputs, seeded(0)), inputs, seeded(0))
    energy = reasoner.energy(carry, inputs)
    assert energy is not None
    assert energy.shape == (3,)
    rescaled = reasoner.energy(Carry(2 * carry.z_H, carry.z_L), inputs)
    torch.testing.assert_close(rescaled, energy, rtol=1e-4, atol=0)
    plain = Reasoner(STRUCTURED)
    assert plain.energy(plain.start(inputs, seeded(0)), inputs) is None


def test_of_several_blocks_the_energies_add_up() -> None:
    """The score of the paper's EqR+ET table, for networks of more than one layer, too."""
    inputs = boards(3)
    torch.manual_seed(0)
    reasoner = Reasoner(replace(CONFIGS[1], layers=2))
    carry, _ = reasoner.step(reasoner.start(inputs, seeded(0)), inputs, seeded(0))
    first, last = (block.energy(carry.z_H, inputs) for block in reasoner.blocks)
    assert (first != last).all()
    energy = reasoner.energy(carry, inputs)
    assert energy is not None
    torch.testing.assert_close(energy, first + last)
