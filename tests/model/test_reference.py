"""The mixers against what the official EqR, TRM and HRM code computes (../shared/reference)."""

from pathlib import Path

import numpy as np
import pytest
import torch

from erm.model.config import ReasonerConfig
from erm.model.import_official import official_config, rename
from erm.model.inputs import Inputs, collate
from erm.model.reasoner import Carry, Reasoner
from erm.types import Encoding

REFERENCE = Path(__file__).parents[2].parent / "shared" / "reference"
CASES = [
    ("eqr.pt", "sudoku_mlp", 0),
    ("eqr.pt", "maze_attn", 0),
    ("eqr.pt", "attn_rope2d", 0),
    ("trm.pt", "sudoku_mlp", 0),
    ("trm.pt", "maze_attn", 0),
    ("hrm.pt", "sudoku_rope", 0),
    ("hrm.pt", "maze_rope", 0),
    *(("hrm.pt", "identifiers_learned", identifier) for identifier in range(3)),
]
"""Files, their cases, and the puzzle identifier whose boards are compared."""
CHAINED = [case for case in CASES if "mlp" in case[1] or case[0] == "hrm.pt"]
ROUNDING = {"sudoku_rope": 1e-6}
"""Where the frequencies of the rotary tables round otherwise than the official ones."""


def token_inputs(tokens: torch.Tensor, states: int = 2) -> Inputs:
    """A batch for token-based reasoners: only the tokens matter to them."""
    cells = tokens.shape[1]
    return collate(
        [
            Encoding(
                shape=(1, cells),
                domain=np.ones((cells, states), bool),
                features=np.zeros((cells, 0), np.float32),
                partitions=np.zeros((0, cells), np.int64),
                tokens=row.numpy(),
                answer_tokens=np.zeros((cells, states), np.int64),
            )
            for row in tokens
        ]
    )


needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference tensors are not here"
)
STEPS = 4


def load(
    file: str, case: str, identifier: int, dtype: torch.dtype
) -> tuple[Reasoner, Inputs, list[Carry], dict]:
    """An imported reasoner, its boards, the official carries before each step and all else."""
    wanted = torch.load(REFERENCE / file, weights_only=True)[case]
    weights = rename(wanted["state_dict"])
    if "puzzle_identifiers" in wanted:
        rows = wanted["puzzle_identifiers"] == identifier
        wanted["inputs"] = wanted["inputs"][rows]
        for key in ("logits", "q_halt", "z_H_steps", "z_L_steps"):
            wanted[key] = wanted[key][:, rows]
    reasoner = Reasoner(official_config(wanted["config"], weights, identifier=identifier))
    reasoner.load_state_dict(weights)
    reasoner.to(dtype)
    inputs = token_inputs(wanted["inputs"])
    first = reasoner.start(inputs, torch.Generator())
    if "z_H" in wanted:
        first = Carry(wanted["z_H"].to(dtype), wanted["z_L"].to(dtype))
    later = zip(wanted["z_H_steps"].to(dtype), wanted["z_L_steps"].to(dtype), strict=True)
    return reasoner, inputs, [first, *(Carry(*carry) for carry in later)], wanted


def assert_same_step(carry: Carry, prediction, official: Carry, wanted, step: int, atol: float):
    """One step's answer, q and carry beside the official ones."""
    pairs = [
        (prediction.logits, wanted["logits"][step]),
        (prediction.q, wanted["q_halt"][step]),
        (carry.z_H, official.z_H),
        (carry.z_L, official.z_L),
    ]
    for ours, theirs in pairs:
        torch.testing.assert_close(ours.double(), theirs.double(), atol=atol, rtol=0)


@needs_reference
@pytest.mark.parametrize(("file", "case", "identifier"), CHAINED)
def test_four_chained_steps_in_float64_are_those_of_the_official_code(
    file: str, case: str, identifier: int
) -> None:
    reasoner, inputs, official, wanted = load(file, case, identifier, torch.float64)
    atol = ROUNDING.get(case, 1e-6)
    carry = official[0]
    with torch.inference_mode():
        for step in range(STEPS):
            carry, prediction = reasoner.step(carry, inputs, torch.Generator())
            assert_same_step(carry, prediction, official[step + 1], wanted, step, atol)


@needs_reference
@pytest.mark.parametrize(
    ("dtype", "atol"), [(torch.float64, 1e-4), (torch.float32, 1e-3)], ids=["float64", "float32"]
)
@pytest.mark.parametrize(("file", "case", "identifier"), CASES)
def test_each_step_from_the_official_carry_is_the_official_one(
    file: str, case: str, identifier: int, dtype: torch.dtype, atol: float
) -> None:
    """Rounding errors grow thirtyfold a step, so each step starts where the official one did;
    cosines of rotary tables round differently from processor to processor."""
    reasoner, inputs, official, wanted = load(file, case, identifier, dtype)
    with torch.inference_mode():
        for step in range(STEPS):
            carry, prediction = reasoner.step(official[step], inputs, torch.Generator())
            assert_same_step(carry, prediction, official[step + 1], wanted, step, atol)


def plain_rms(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)


def plain_swiglu(x: np.ndarray, layer: torch.nn.Module) -> np.ndarray:
    gate_up, down = (
        layer.get_parameter(f"{n}.weight").detach().numpy() for n in ("gate_up", "down")
    )
    gate, up = np.split(x @ gate_up.T, 2, -1)
    return (gate / (1 + np.exp(-gate)) * up) @ down.T


def test_a_token_mlp_block_is_its_formula_in_numpy() -> None:
    config = ReasonerConfig(mixer="token-mlp", hidden=8, vocabulary=5, length=6, expansion=1.0)
    block = Reasoner(config).blocks[0]
    z = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(1))
    across = z.numpy().swapaxes(1, 2)
    mixed = plain_rms(across + plain_swiglu(across, block.positions)).swapaxes(1, 2)
    wanted = plain_rms(mixed + plain_swiglu(mixed, block.channels))
    got = block(z, token_inputs(torch.zeros(2, 6, dtype=torch.int64))).detach().numpy()
    np.testing.assert_allclose(got, wanted, atol=1e-5)


@pytest.mark.parametrize("rope", ["1d", "2d"])
def test_rotary_scores_depend_on_the_offset_only(rope) -> None:
    config = ReasonerConfig(
        mixer="attention", hidden=16, heads=2, vocabulary=5, length=20, board=(4, 5), rope=rope
    )
    rotary = Reasoner(config).blocks[0].attention.rotary
    query, key = torch.randn(2, 8, generator=torch.Generator().manual_seed(2)).unbind()
    scores = rotary(query.expand(20, 8)) @ rotary(key.expand(20, 8)).T
    assert scores.std() > 0.1
    if rope == "1d":
        torch.testing.assert_close(scores[1:, 1:], scores[:-1, :-1], atol=1e-5, rtol=0)
    else:
        board = scores.reshape(4, 5, 4, 5)
        torch.testing.assert_close(board[1:, 1:, 1:, 1:], board[:-1, :-1, :-1, :-1])
    torch.testing.assert_close(rotary.back(rotary(query.expand(20, 8))), query.expand(20, 8))
