"""Networks that mix along the rulebook's own scopes: what each board has, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.exchange import exchange_of, kinds_of
from erm.model.inputs import Inputs, collate
from erm.model.reasoner import Reasoner
from erm.rulebook import Enumerated, Factor, Preference
from erm.rulebook.rules import Rules
from erm.types import Encoding

CELLS = 6
DIFFERENT = Enumerated(np.array([(a, b) for a in range(3) for b in range(3) if a != b]), 3)
ONE = Enumerated(np.array([[1]]), 3)
CONFIG = ReasonerConfig(
    hidden=8,
    inner=12,
    l_cycles=2,
    states=3,
    features=1,
    interchangeable=True,
    lattice=False,
    scopes=True,
    kinds=("differ", "wish"),
    random_start=False,
)
EDGES = [(0, 1), (1, 2), (2, 3)]


def graph(edges: list[tuple[int, int]]) -> Rules:
    return Rules(
        np.ones((CELLS, 3), bool),
        (Factor("differ", np.array(edges), DIFFERENT),),
        (),
        preferences=(Preference("wish", np.array([[4]]), ONE),),
    )


def batch(*boards: list[tuple[int, int]]) -> Inputs:
    def one() -> Encoding:
        return Encoding(
            shape=(1, CELLS),
            domain=np.ones((CELLS, 3), bool),
            features=np.arange(CELLS, dtype=np.float32)[:, None],
            partitions=np.zeros((0, CELLS), np.int64),
            tokens=np.zeros(CELLS, np.int64),
            answer_tokens=np.zeros((CELLS, 3), np.int64),
        )

    return collate([one() for _ in boards], rules=[graph(edges) for edges in boards])


def logits(reasoner: Reasoner, inputs: Inputs, steps: int = 1) -> torch.Tensor:
    draw = torch.Generator().manual_seed(0)
    carry = reasoner.start(inputs, draw)
    for _ in range(steps):
        carry, prediction = reasoner.step(carry, inputs, draw)
    return prediction.logits


@pytest.fixture(scope="module")
def reasoner():
    torch.manual_seed(0)
    return Reasoner(CONFIG).eval()


def test_what_a_cell_hears_comes_along_its_scopes_and_from_nowhere_else(reasoner):
    with torch.no_grad():
        plain, more = logits(reasoner, batch(EDGES)), logits(reasoner, batch([*EDGES, (0, 5)]))
    moved = (plain - more).abs().amax(-1)[0] > 1e-6
    assert moved[0] and moved[5] and moved[1]
    assert not moved[4]


def test_rows_do_not_depend_on_how_many_scopes_their_neighbours_have(reasoner):
    many = [(a, b) for a in range(CELLS) for b in range(a)] * 3
    with torch.no_grad():
        alone = logits(reasoner, batch(EDGES), 2)
        beside = logits(reasoner, batch(many, EDGES), 2)
    torch.testing.assert_close(beside[1:], alone, rtol=1e-4, atol=1e-5)


def test_gradients_reach_every_weight(reasoner):
    own = Reasoner(CONFIG)
    logits(own, batch(EDGES), 1).square().sum().backward()
    silent = [
        name
        for name, weight in own.named_parameters()
        if weight.grad is None and "q_head" not in name
    ]
    assert not silent


def test_memberships():
    rules = graph([(0, 1), (1, 2)])
    assert kinds_of([rules]) == ("differ", "wish")
    found = exchange_of([rules], ("differ",), torch.device("cpu"))
    gather, spread = found.gather[0][0], found.spread[0][0]
    assert gather[0].tolist() == [0.5, 0.5, 0, 0, 0, 0] and not gather[2:].any()
    np.testing.assert_allclose(spread[1, :2], 2**-0.5)
    assert spread[0, 0] == 1 and not spread[3].any()


def test_configs_without_the_new_words_are_what_they_were():
    old = CONFIG.to_json()
    del old["scopes"], old["kinds"]
    known = ReasonerConfig.from_json(old)
    assert known == replace(CONFIG, scopes=False, kinds=())
    assert not [name for name, _ in Reasoner(known).named_parameters() if "ask" in name]
    assert ReasonerConfig.from_json(CONFIG.to_json()) == CONFIG


def test_scopes_are_for_structured_reasoners_with_rules(reasoner):
    with pytest.raises(InputError, match="only structured reasoners mix along scopes"):
        ReasonerConfig(mixer="token-mlp", vocabulary=4, length=4, scopes=True)
    with pytest.raises(ValueError, match="needs inputs with rules"):
        logits(reasoner, batch(EDGES).without_rules())
