"""Addressed noise: Philox's published answers, moments, independence, and no trace of the batch."""

import numpy as np
import pytest
import torch
from scipy import stats

from erm.model.noise import WORD, Draws, key_of, philox

PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
PUBLISHED = [
    (((0, 0, 0, 0), (0, 0)), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (((WORD,) * 4, (WORD,) * 2), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (PI, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]
"""Counters, keys and answers as Random123 lists them."""


def draws(candidates: int = 1, step: int = 0, seed: int = 0) -> Draws:
    keys = torch.tensor([key_of(seed, b"puzzle")] * candidates)
    return Draws(keys, torch.arange(candidates), torch.full((candidates,), step))


@pytest.mark.parametrize(("asked", "answer"), PUBLISHED)
def test_philox_gives_its_published_answers(asked, answer) -> None:
    counter, key = ([torch.tensor(word) for word in words] for words in asked)
    assert philox(counter, key).tolist() == list(answer)


def test_the_compiled_kernel_draws_what_devices_draw() -> None:
    ours = draws(3, step=7)
    assert torch.equal(ours.uniform((100_000,), 4), ours._on_device(25_000, 4))


def test_normal_numbers_are_normal() -> None:
    numbers = draws(4).normal((50_000,), 1).flatten().numpy()
    assert stats.kstest(numbers, "norm").pvalue > 1e-3
    assert abs(numbers.mean()) < 0.01
    assert numbers.std() == pytest.approx(1, abs=0.01)
    assert stats.kurtosis(numbers) == pytest.approx(0, abs=0.05)
    cut = draws(4).truncated_normal((50_000,), 1).flatten().numpy()
    edge = 2 / 0.8796256610342398
    assert np.abs(cut).max() <= edge + 1e-5
    assert cut.std() == pytest.approx(1, abs=0.01)
    wanted = stats.truncnorm(-2, 2, scale=edge / 2)
    assert stats.kstest(cut, wanted.cdf).pvalue > 1e-3


def test_candidates_steps_purposes_and_seeds_are_not_correlated() -> None:
    count = 100_000
    streams = [
        draws(2).normal((count,), 0)[0],
        draws(2).normal((count,), 0)[1],
        draws(2, step=1).normal((count,), 0)[0],
        draws(2).normal((count,), 1)[0],
        draws(2, seed=1).normal((count,), 0)[0],
    ]
    correlation = np.corrcoef(torch.stack(streams).numpy())
    assert np.abs(correlation - np.eye(len(streams))).max() < 5 / np.sqrt(count)
    shifted = np.corrcoef(streams[0][1:].numpy(), streams[0][:-1].numpy())[0, 1]
    assert abs(shifted) < 5 / np.sqrt(count)


def test_a_row_does_not_depend_on_its_batch_or_on_what_was_drawn_before() -> None:
    together = draws(5, step=3)
    for row in range(5):
        alone = together[[row]]
        assert torch.equal(together.normal((7, 3), 2)[row], alone.normal((7, 3), 2)[0])


def test_a_longer_draw_begins_like_a_shorter_one() -> None:
    assert torch.equal(draws().normal((10,), 0)[0], draws().normal((33,), 0)[0, :10])
