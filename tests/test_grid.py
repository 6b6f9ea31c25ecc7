import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from erm import grid

boards = hnp.arrays(bool, hnp.array_shapes(min_dims=3, max_dims=3, max_side=5))


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1), (3, 4)])
def test_neighbours_and_ring_are_the_cells_one_step_away(shape):
    height, width = shape
    for around, steps in (
        (grid.neighbours(*shape), grid.ORTHOGONAL),
        (grid.ring(*shape), grid.CLOCKWISE),
    ):
        for cell, found in enumerate(around.tolist()):
            row, column = divmod(cell, width)
            wanted = [
                (row + r) * width + column + c
                if 0 <= row + r < height and 0 <= column + c < width
                else grid.OFF_BOARD
                for r, c in steps
            ]
            assert found == wanted


def test_windows_and_pairs():
    assert grid.windows(2, 3).tolist() == [[0, 1, 3, 4], [1, 2, 4, 5]]
    assert len(grid.windows(1, 9)) == 0
    pairs = {tuple(pair) for pair in grid.adjacent_pairs(2, 2).tolist()}
    assert pairs == {(0, 1), (2, 3), (0, 2), (1, 3)}


def flood(mask: np.ndarray) -> list[set[int]]:
    """Connected areas of one board, cell by cell."""
    left = set(np.flatnonzero(mask).tolist())
    around = grid.neighbours(*mask.shape)
    areas = []
    while left:
        area, edge = set(), [left.pop()]
        while edge:
            cell = edge.pop()
            area.add(cell)
            edge += [other for other in around[cell].tolist() if other in left]
            left -= set(edge)
        areas.append(area)
    return areas


@given(boards)
def test_components_of_a_batch_are_those_of_each_board(mask):
    labels, counts = grid.components(mask)
    for board, label, count in zip(mask, labels, counts, strict=True):
        areas = {frozenset(np.flatnonzero(label == i)) for i in np.unique(label[label > 0])}
        assert areas == {frozenset(area) for area in flood(board)}
        assert count == len(areas)
    shared = [set(np.unique(label[label > 0])) for label in labels]
    assert sum(map(len, shared)) == len(set().union(*shared))


def test_a_dangling_border_divides_no_room():
    right = np.array([[True], [False]])
    assert grid.rooms(right, np.array([[False, False]])).tolist() == [0, 0, 0, 0]
    assert grid.rooms(right, np.array([[True, False]])).tolist() == [0, 1, 1, 1]


def test_segments_end_at_blocked_cells():
    horizontal, vertical = grid.segments(np.array([[0, 1, 0], [0, 0, 0]], bool))
    assert horizontal.tolist() == [0, 1, 2, 3, 3, 3]
    assert vertical.tolist() == [0, 1, 2, 0, 3, 2]


@given(st.lists(st.integers(0, 5), min_size=1))
def test_members_and_order_keep_the_groups(values):
    ids = grid.first_seen_order(np.array(values))
    assert ids[0] == 0 and set(ids.tolist()) == set(range(len(set(values))))
    for group, cells in enumerate(grid.members(ids)):
        assert {values[cell] for cell in cells} == {values[cells[0]]}
        assert (ids[cells] == group).all()
    assert sum(len(cells) for cells in grid.members(ids)) == len(values)
