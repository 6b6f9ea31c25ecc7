"""The recursion: repeatable, independent of the batch, and agnostic of dtype and device."""

from dataclasses import replace

import pytest
import torch
from model_boards import STRUCTURED, TOKENS, boards, seeded, streams

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.noise import Stream
from erm.model.reasoner import Carry, Reasoner

CONFIGS = {
    "structured": STRUCTURED,
    "messages": replace(STRUCTURED, messages=3),
    "pairs": replace(STRUCTURED, interchangeable=True, lattice=False),
    "token-mlp": TOKENS,
    "attention": replace(TOKENS, mixer="attention", rope="1d"),
    "attention-2d": replace(TOKENS, mixer="attention", rope="2d", board=(3, 4)),
    "energy-transformer": replace(TOKENS, mixer="energy-transformer"),
    "trm": replace(
        TOKENS, damping=1.0, path_noise=0.0, random_start=False, prefix=3, identifiers=1
    ),
    "hrm": replace(
        TOKENS,
        mixer="attention",
        h_layers=2,
        damping=1.0,
        path_noise=0.0,
        random_start=False,
        learned_positions=True,
        rope="none",
        prefix=1,
        identifiers=3,
        identifier=1,
    ),
}
every_mixer = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def build(config: ReasonerConfig) -> Reasoner:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Reasoner(config)


def rollout(reasoner: Reasoner, inputs, draw, steps: int = 2, **options):
    """`draw` is a generator, or a stream for each row."""

    def next_draw():
        return draw if isinstance(draw, torch.Generator) else Stream.next(draw)

    with torch.inference_mode():
        carry = reasoner.start(inputs, next_draw())
        for _ in range(steps):
            carry, prediction = reasoner.step(carry, inputs, next_draw(), **options)
    return carry, prediction


@every_mixer
def test_the_same_generator_gives_the_same_rollout(config: ReasonerConfig) -> None:
    reasoner, inputs = build(config), boards(3)
    (a, first), (b, again), (_, other) = (
        rollout(reasoner, inputs, seeded(seed), sigma=0.1) for seed in (1, 1, 2)
    )
    assert torch.equal(a.z_H, b.z_H)
    assert torch.equal(a.z_L, b.z_L)
    assert torch.equal(first.logits, again.logits)
    assert not torch.allclose(first.logits, other.logits)


@every_mixer
def test_nothing_is_drawn_from_the_global_generator(config: ReasonerConfig) -> None:
    reasoner, inputs = build(config), boards(2)
    before = torch.random.get_rng_state()
    rollout(reasoner, inputs, seeded(0), sigma=0.1)
    assert torch.equal(before, torch.random.get_rng_state())


@every_mixer
def test_a_row_with_its_own_stream_does_not_depend_on_its_batch(config) -> None:
    reasoner, inputs = build(config), boards(4)
    together, said = rollout(reasoner, inputs, streams(range(4)), sigma=0.1)
    for row in range(4):
        alone, alone_said = rollout(reasoner, inputs[row : row + 1], streams([row]), sigma=0.1)
        torch.testing.assert_close(alone.z_H, together.z_H[row : row + 1], atol=1e-5, rtol=0)
        torch.testing.assert_close(alone_said.q, said.q[row : row + 1], atol=1e-4, rtol=0)


@every_mixer
def test_float64_agrees_with_float32(config: ReasonerConfig) -> None:
    inputs = boards(2)
    narrow, wide = build(config), build(config).double()
    carry, said = rollout(narrow, inputs, seeded(3))
    wide_carry, wide_said = rollout(wide, inputs, seeded(3))
    assert wide_carry.z_H.dtype == torch.float64
    torch.testing.assert_close(wide_carry.z_H.float(), carry.z_H, atol=1e-4, rtol=0)
    torch.testing.assert_close(wide_said.logits.float(), said.logits, atol=1e-4, rtol=0)


@every_mixer
def test_another_device_is_only_an_argument(config: ReasonerConfig) -> None:
    inputs, on_cpu = boards(2), build(config)
    reasoner = build(config).to("meta")
    latent = on_cpu.start(inputs, seeded(0)).z_H
    carry = Carry(latent.to("meta"), latent.to("meta"))
    carry, said = reasoner.step(carry, inputs.to("meta"), seeded(0), sigma=0.1)
    assert carry.z_H.is_meta
    assert carry.z_H.shape == latent.shape
    assert (
        said.logits.shape
        == on_cpu.step(on_cpu.start(inputs, seeded(0)), inputs, seeded(0))[1].logits.shape
    )


def test_all_but_the_last_round_run_without_gradient() -> None:
    inputs = boards(2)
    for rounds, reaches in [(1, True), (3, False)]:
        reasoner = build(replace(TOKENS, h_cycles=rounds, path_noise=0.0))
        z_H, z_L = (torch.randn(2, 12, 16, generator=seeded(n)).requires_grad_() for n in (1, 2))
        _, said = reasoner.step(Carry(z_H, z_L), inputs, seeded(0))
        said.logits.sum().backward()
        assert (z_H.grad is not None) == reaches
        assert reasoner.blocks[0].channels.down.weight.grad.abs().sum() > 0


def test_separate_networks_have_a_gradient_in_the_last_update_of_each_state_only() -> None:
    inputs = boards(2)
    for cycles, reaches in [(1, True), (2, False)]:
        reasoner = build(replace(CONFIGS["hrm"], h_cycles=1, l_cycles=cycles))
        z_H, z_L = (torch.randn(2, 13, 16, generator=seeded(n)).requires_grad_() for n in (1, 2))
        _, said = reasoner.step(Carry(z_H, z_L), inputs, seeded(0))
        said.logits.square().sum().backward()
        assert z_H.grad is not None
        assert (z_L.grad is not None) == reaches
        for block in (*reasoner.blocks, *reasoner.h_blocks):
            assert block.channels.down.weight.grad.abs().sum() > 0
        assert reasoner.codec.positions.grad.abs().sum() > 0


def test_the_identifier_chooses_the_row_of_the_puzzle_embedding() -> None:
    inputs, config = boards(2), CONFIGS["hrm"]
    reasoners = [build(replace(config, identifier=row)) for row in (0, 1)]
    for reasoner in reasoners:
        reasoner.codec.puzzle.data[1] = 1.0
    first, second = (rollout(reasoner, inputs, seeded(0))[1].logits for reasoner in reasoners)
    assert not torch.allclose(first, second)
    with pytest.raises(InputError, match="identifier must be below the 3"):
        replace(config, identifier=3)


def test_layers_of_both_networks_are_counted() -> None:
    config = replace(TOKENS, layers=2, h_layers=3, h_cycles=2, l_cycles=4)
    assert config.layers_per_step == 2 * (4 * 2 + 3)


def test_damping_mixes_the_old_state_in_and_noise_is_added() -> None:
    """z' = (1 - lambda) z + lambda f(z + injection) + beta eps, by hand for one update each."""
    inputs, config = boards(2), replace(TOKENS, h_cycles=1, l_cycles=1, damping=0.7)
    reasoner = build(replace(config, path_noise=0.5))
    z_H, z_L = (torch.randn(2, 12, 16, generator=seeded(n)) for n in (1, 2))
    draw = seeded(5)
    noise_L, noise_H = (torch.randn(2, 12, 16, generator=draw) for _ in range(2))
    with torch.inference_mode():
        carry, _ = reasoner.step(Carry(z_H, z_L), inputs, seeded(5))
        block, x = reasoner.blocks[0], reasoner.codec.embed(inputs)
        z_L = 0.3 * z_L + 0.7 * block(z_L + z_H + x, inputs) + 0.5 * noise_L
        z_H = 0.3 * z_H + 0.7 * block(z_H + z_L, inputs) + 0.5 * noise_H
    torch.testing.assert_close(carry.z_L, z_L)
    torch.testing.assert_close(carry.z_H, z_H)


def test_ptrm_is_trm_with_noise_before_each_step_and_rows_may_differ() -> None:
    reasoner, inputs = build(CONFIGS["trm"]), boards(3)
    _, quiet = rollout(reasoner, inputs, seeded(1))
    _, loud = rollout(reasoner, inputs, seeded(1), sigma=0.5)
    _, ladder = rollout(reasoner, inputs, seeded(1), sigma=torch.tensor([0.0, 0.5, 0.0]))
    assert torch.equal(ladder.logits[[0, 2]], quiet.logits[[0, 2]])
    assert torch.equal(ladder.logits[1], loud.logits[1])
    assert not torch.allclose(loud.logits, quiet.logits)


def test_the_start_is_truncated_normal_with_deviation_one() -> None:
    reasoner = build(replace(TOKENS, hidden=64))
    z = reasoner.start(boards(50), seeded(0)).z_H
    assert z.abs().max() <= 2 / 0.8796 + 1e-3
    assert abs(z.std() - 1) < 0.01
    assert abs(z.mean()) < 0.01


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (replace(TOKENS, length=9), "boards of up to 9 cells, got 12"),
        (replace(TOKENS, vocabulary=3), "knows 3 tokens, got token 6"),
        (replace(STRUCTURED, features=5), "features are not those"),
        (replace(STRUCTURED, states=4), "states are not those"),
    ],
)
def test_boards_of_another_task_are_refused(config: ReasonerConfig, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        build(config).start(boards(1), seeded(0))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"heads": 3}, "does not split into 3 heads"),
        ({"rope": "2d", "prefix": 2}, "need a prefix of 0"),
        ({"rope": "2d", "board": (3, 3)}, "need 3 x 3 positions"),
        ({"damping": 0.0}, "damping"),
        ({"layers": 0}, "layers must be 1 to 64"),
        ({"hidden": 1 << 30}, "hidden must be 1 to"),
        ({"length": 0}, "needs a vocabulary and a length"),
        ({"identifiers": 1}, "does not fit in a prefix of 0"),
    ],
)
def test_impossible_configs_are_refused(change: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        replace(CONFIGS["attention"], **change)


def test_compiled_steps_agree(unchecked) -> None:
    """The eager backend checks the graph that compile_step captures, without a C compiler."""
    reasoner, inputs = build(STRUCTURED), boards(2)
    _, plain = rollout(reasoner, inputs, seeded(1))
    _, compiled = rollout(reasoner.compile_step(backend="eager"), inputs, seeded(1))
    torch.testing.assert_close(compiled.logits, plain.logits)
