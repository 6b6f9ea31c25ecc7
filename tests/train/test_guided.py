"""Training with energy guidance of random strength between segments."""

from dataclasses import replace

import pytest
import torch

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.train.config import DataOptions, SegmentOptions, TrainConfig
from erm.train.distributed import Group
from erm.train.stream import load_answered
from erm.train.trainer import Trainer

NETWORKS = {
    "structured": ReasonerConfig(hidden=16, inner=32, lattice=False, l_cycles=2),
    "tokens": ReasonerConfig(
        mixer="token-mlp", hidden=16, l_cycles=2, rope="none", vocabulary=11, length=16
    ),
}


def trained(puzzles, model, guidance_max):
    segments = SegmentOptions(halt="never", guidance_max=guidance_max)
    data = DataOptions(data=(puzzles,))
    config = TrainConfig(batch=8, compile=False, model=model, data=data, segments=segments)
    boards = load_answered(puzzles, None, "train", None)
    trainer = Trainer(config, [boards], Group(), torch.device("cpu"))
    for _ in range(3):
        trainer.update()
    weights = torch.cat([one.detach().flatten() for one in trainer.reasoner.parameters()])
    return trainer, weights


@pytest.mark.parametrize("name", NETWORKS)
def test_rows_are_guided_with_strengths_of_their_own(sudokus, name):
    model = NETWORKS[name]
    (_, plain), (trainer, guided), (_, again) = (
        trained(sudokus, model, most) for most in (0.0, 0.5, 0.5)
    )
    assert torch.equal(guided, again)
    assert not torch.equal(guided, plain)
    shares = trainer.rows[0].shares(range(8))
    assert len(set(shares.tolist())) == 8 and 0 <= shares.min() <= shares.max() <= 1
    assert torch.equal(shares, trainer.rows[0].shares(range(8)))
    assert not trainer.rows[0].carry.z_H.requires_grad


def test_strengths_have_a_range():
    with pytest.raises(InputError, match="--guidance-max must be 0 to 100"):
        replace(SegmentOptions(), guidance_max=-1.0)
