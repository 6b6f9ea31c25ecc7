"""What the rules leave alone, the structured mixer leaves alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from model_boards import STRUCTURED, boards, seeded

from erm.model.config import ReasonerConfig
from erm.model.inputs import collate
from erm.model.mixers.structured import side_by_side
from erm.model.reasoner import Carry, Prediction, Reasoner
from erm.puzzles.sudoku.rules import BOX_SHAPES, Sudoku
from erm.types import Puzzle

SUDOKU = ReasonerConfig(
    hidden=12,
    inner=20,
    h_cycles=2,
    l_cycles=2,
    damping=0.9,
    partitions=3,
    states=9,
    interchangeable=True,
    lattice=False,
)


def reasoner_of(config: ReasonerConfig) -> Reasoner:
    """Random weights everywhere, also where training starts from zero."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        reasoner = Reasoner(config).double()
        torch.nn.init.normal_(reasoner.codec.q_head.weight)
    return reasoner


def random_board(side: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.where(
        random.random((side, side)) < 0.4, random.integers(1, side + 1, (side, side)), 0
    )


def two_steps(reasoner: Reasoner, digits: np.ndarray, carry: Carry) -> Prediction:
    task, side = Sudoku(), len(digits)
    puzzle = Puzzle("sudoku", side, side, {"digits": digits.astype(np.int8)})
    inputs = collate([task.encode(puzzle)])
    with torch.inference_mode():
        for _ in range(2):
            carry, prediction = reasoner.step(carry, inputs, seeded(0))
    return prediction


def random_carry(side: int) -> Carry:
    shape = (1, side * side, side, SUDOKU.hidden)
    return Carry(*(torch.randn(shape, generator=seeded(n)).double() for n in (1, 2)))


def shuffled_lines(random: np.random.Generator, lines: int, band: int) -> np.ndarray:
    """Rows (or columns) permuted inside their bands, and the bands permuted."""
    bands = np.arange(lines).reshape(-1, band)
    return np.concatenate([random.permutation(one) for one in random.permutation(bands)])


@settings(max_examples=12, deadline=None)
@given(side=st.sampled_from([4, 6, 9]), seed=st.integers(0, 1000))
def test_sudoku_symmetries_permute_the_logits_and_nothing_else(side: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    height, width = BOX_SHAPES[side]
    rows, columns = shuffled_lines(random, side, height), shuffled_lines(random, side, width)
    names = random.permutation(side)  # the new digit of each old one, counted from 0
    digits = random_board(side, seed)

    moved = digits[rows][:, columns]
    renamed = np.where(moved > 0, names[moved - 1] + 1, 0)
    cells = torch.from_numpy((rows[:, None] * side + columns).ravel())
    states = torch.from_numpy(np.argsort(names))

    def move(tensor: torch.Tensor) -> torch.Tensor:
        return tensor[:, cells][:, :, states]

    reasoner, carry = reasoner_of(SUDOKU), random_carry(side)
    before = two_steps(reasoner, digits, carry)
    after = two_steps(reasoner, renamed, Carry(move(carry.z_H), move(carry.z_L)))
    torch.testing.assert_close(after.logits, move(before.logits), atol=1e-6, rtol=0)
    torch.testing.assert_close(after.q, before.q, atol=1e-6, rtol=0)


def test_rows_of_different_bands_are_no_symmetry() -> None:
    """The test above can fail: swapping rows 2 and 3 breaks boxes, and the logits show it."""
    rows = np.array([0, 1, 3, 2, 4, 5, 6, 7, 8])
    cells = torch.from_numpy((rows[:, None] * 9 + np.arange(9)).ravel())
    reasoner, carry, digits = reasoner_of(SUDOKU), random_carry(9), random_board(9, 5)
    before = two_steps(reasoner, digits, carry)
    after = two_steps(reasoner, digits[rows], Carry(carry.z_H[:, cells], carry.z_L[:, cells]))
    assert (after.logits - before.logits[:, cells]).abs().max() > 1e-3


def test_transposing_the_board_swaps_the_roles_of_rows_and_columns() -> None:
    cells = torch.arange(81).reshape(9, 9).T.reshape(-1)
    reasoner, carry, digits = reasoner_of(SUDOKU), random_carry(9), random_board(9, 6)
    before = two_steps(reasoner, digits, carry)
    groups = reasoner.blocks[0].groups
    groups[0], groups[1] = groups[1], groups[0]
    after = two_steps(reasoner, digits.T, Carry(carry.z_H[:, cells], carry.z_L[:, cells]))
    torch.testing.assert_close(after.logits, before.logits[:, cells], atol=1e-6, rtol=0)


@pytest.mark.parametrize("side", [4, 6, 9, 16])
def test_one_set_of_weights_serves_every_sudoku(side: int) -> None:
    prediction = two_steps(reasoner_of(SUDOKU), random_board(side, 0), random_carry(side))
    assert prediction.logits.shape == (1, side * side, side)
    assert prediction.logits.isfinite().all()


@pytest.mark.parametrize("messages", [0, 2])
def test_the_lattice_mixer_moves_with_the_board_away_from_its_edge(messages: int) -> None:
    config = replace(STRUCTURED, partitions=0, l_cycles=2, path_noise=0.0, messages=messages)
    reasoner, height, width, reach = reasoner_of(config), 12, 10, 3
    inputs = boards(1, (height, width))
    carry = Carry(*(torch.randn(1, 120, 1, 12, generator=seeded(n)).double() for n in (1, 2)))
    cells = torch.arange(120).reshape(height, width).roll((1, 2), (0, 1)).reshape(-1)
    moved = replace(inputs, domain=inputs.domain[:, cells], features=inputs.features[:, cells])
    with torch.inference_mode():
        _, before = reasoner.step(carry, inputs, seeded(0))
        _, after = reasoner.step(Carry(carry.z_H[:, cells], carry.z_L[:, cells]), moved, seeded(0))

    def inside(logits: torch.Tensor, down: int, right: int) -> torch.Tensor:
        board = logits.reshape(height, width, -1)
        return board[
            reach + down : height - reach - 1 + down, reach + right : width - reach - 2 + right
        ]

    there, here = inside(after.logits, 1, 2), inside(before.logits, 0, 0)
    assert here.numel() > 0
    torch.testing.assert_close(there, here, atol=1e-6, rtol=0)


def test_each_neighbour_is_heard_from_its_own_side() -> None:
    height, width = 3, 4
    values = torch.randn(2, height * width, 1, 6, generator=seeded(0))
    parts = {(0, 1): slice(0, 2), (1, 0): slice(2, 3), (2, 2): slice(3, 6)}
    heard = side_by_side(values, (height, width), parts).reshape(2, height, width, 6)
    board = values.reshape(2, height, width, 6)
    for row in range(height):
        for column in range(width):
            expected = torch.zeros(2, 6)
            for (down, right), part in parts.items():
                y, x = row + down - 1, column + right - 1
                if 0 <= y < height and 0 <= x < width:
                    expected[:, part] = board[:, y, x, part]
            assert torch.equal(heard[:, row, column], expected)


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (10, 10), (30, 30)])
def test_one_set_of_weights_serves_every_lattice(shape: tuple[int, int]) -> None:
    reasoner, inputs = Reasoner(STRUCTURED), boards(2, shape)
    _, prediction = reasoner.step(reasoner.start(inputs, seeded(0)), inputs, seeded(0))
    assert prediction.logits.shape == (2, shape[0] * shape[1], 3)


def test_a_group_is_its_members_whatever_its_number() -> None:
    """Renumbering the groups of a partition changes nothing; nor does padding for empty ones."""
    reasoner, inputs = reasoner_of(STRUCTURED), boards(2, (4, 4))
    order = torch.tensor([2, 0, 3, 1, 4, 5, 6, 7])
    renumbered = replace(inputs, gather=inputs.gather[:, order], spread=inputs.spread[:, :, order])
    carry = reasoner.start(inputs, seeded(0))
    with torch.inference_mode():
        _, before = reasoner.step(carry, inputs, seeded(0))
        _, after = reasoner.step(carry, renumbered, seeded(0))
    torch.testing.assert_close(after.logits, before.logits, atol=1e-6, rtol=0)
