"""What follows from several rules at once: listed as brute force lists it, never scored."""

from itertools import product

import numpy as np
import pytest
from boards import prune_alone, solved_pencil, valid_states

import erm
from erm.grid import components, neighbours
from erm.puzzles.heyawake.implied import AS_SHADED, SIDE_BY_SIDE, CrowdedRooms, RoomShadings
from erm.puzzles.nurikabe.implied import IslandShapes
from erm.puzzles.nurikabe.rules import LAND, SEA
from erm.rulebook.propagate import prune
from erm.rulebook.task import energy
from erm.types import Puzzle

FIXED_POLYOMINOES = {1: 1, 2: 2, 3: 6, 4: 19, 5: 63, 6: 216}
"""Known numbers (OEIS A001168); a clue may stand on any cell of each."""


def room_shadings(room, count, shape):
    """The shadings of one room's cells; None where they are too many to list."""
    scopes = RoomShadings([room], [count], shape).scopes
    if not len(scopes.lengths):
        return None
    words = -(-len(room) // SIDE_BY_SIDE)
    required = scopes.table.reshape(-1, 2, words)[:, 0, :, None]
    cells = required >> 2 * np.arange(SIDE_BY_SIDE) & AS_SHADED
    return cells.reshape(len(required), words * SIDE_BY_SIDE)[:, : len(room)] > 0


def block(rows, columns, width):
    return np.array([row * width + column for row in rows for column in columns])


@pytest.mark.parametrize(
    ("room", "count"),
    [
        (block(range(2), range(3), 4), 2),
        (block(range(1, 3), range(1, 4), 4), 3),
        (block(range(3), range(2), 4), 3),
        (np.array([0, 1, 2, 3, 7, 11]), 3),
        (np.array([5]), 1),
        (np.array([5, 6]), 2),
        (block(range(3), range(4), 4), 0),
    ],
)
def test_shadings_of_a_room_are_those_of_brute_force(room, count):
    around = neighbours(3, 4)
    expected = set()
    for shading in product((0, 1), repeat=len(room)):
        board = np.zeros(12, np.int64)
        board[room] = shading
        touching = any(board[cell] and board[o] for cell in room for o in around[cell] if o >= 0)
        _, areas = components((board == 0).reshape(1, 3, 4))
        if sum(shading) == count and not touching and areas[0] <= 1:
            expected.add(shading)
    assert set(map(tuple, room_shadings(room, count, (3, 4)))) == expected


def test_five_of_nine_fit_in_the_open_and_not_into_a_corner():
    assert len(room_shadings(block(range(1, 4), range(1, 4), 5), 5, (5, 5))) == 1
    assert len(room_shadings(block(range(3), range(3), 5), 5, (5, 5))) == 0


@pytest.mark.parametrize("sides", [(3, 3), (3, 5), (4, 4), (4, 5), (5, 5)])
def test_a_crowded_room_asks_for_nothing_that_a_shading_lacks(sides):
    height, width = sides
    shape = height + 2, width + 2
    room = block(range(1, height + 1), range(1, width + 1), width + 2)
    binding = 0
    for number in range(1, room.size):
        shadings = room_shadings(room, number, shape)
        if shadings is None:
            continue
        boards = np.zeros((len(shadings), shape[0] * shape[1]), np.int64)
        boards[:, room] = shadings
        for part in CrowdedRooms([room], [number], shape).parts():
            binding += 1
            scopes = np.split(part.cells, np.cumsum(part.lengths)[:-1])
            for scope, low, high in zip(scopes, part.low, part.high, strict=True):
                shaded = boards[:, scope].sum(1)
                assert ((low <= shaded) & (shaded <= high)).all(), (number, scope)
    assert binding


def test_twenty_one_of_forty_nine_stand_all_around():
    """As in the golden puzzle that no search by rules could do without it."""
    room = block(range(1, 8), range(1, 8), 9)
    domain = np.ones((1, 81, 2), bool)
    pruned = prune_alone(CrowdedRooms([room], [21], (9, 9)), domain)[0]
    shaded = np.flatnonzero(~pruned[:, 0])
    around = [0, 2, 4, 6]
    expected = {(r, c) for r in around for c in around if r in (0, 6) or c in (0, 6)}
    assert {(cell // 9 - 1, cell % 9 - 1) for cell in shaded.tolist()} == expected
    assert not prune_alone(CrowdedRooms([room], [22], (9, 9)), domain).any()


@pytest.mark.parametrize(("side", "count"), [(9, 41), (9, 30), (8, 32), (64, 5), (64, 2000)])
def test_a_room_with_too_many_ways_is_left_out(side, count):
    assert room_shadings(np.arange(side * side), count, (side, side)) is None


def test_a_room_or_island_that_cannot_be_filled_leaves_no_hope():
    task = erm.load_task("heyawake")
    clues = np.full((3, 3), -1, np.int16)
    clues[0, 0] = 6
    borders = {"right": np.zeros((3, 2), bool), "down": np.zeros((2, 3), bool)}
    rules = task.rules(Puzzle("heyawake", 3, 3, {**borders, "clues": clues}))
    assert not prune(rules, rules.domain[None]).any()
    rooms, _ = rules.implied()
    assert not prune_alone(rooms, rules.domain[None]).any()
    islands = np.zeros((3, 3), np.int16)
    islands[0, 0], islands[1, 1] = 3, 2
    assert not prune_alone(IslandShapes(islands), np.ones((1, 9, 2), bool)).any()


@pytest.mark.parametrize(("board", "size"), [((15, 15), 7), ((1, 31), 13)])
def test_an_island_with_too_many_shapes_or_cells_is_left_out(board, size):
    clues = np.zeros(board, np.int16)
    clues[board[0] // 2, board[1] // 2] = size
    shapes = IslandShapes(clues)
    assert not len(shapes.scopes.lengths) and not shapes.complete
    domain = np.ones((1, clues.size, 2), bool)
    assert (prune_alone(shapes, domain) == domain).all()


@pytest.mark.parametrize("size", FIXED_POLYOMINOES)
def test_an_island_in_the_open_has_every_polyomino_through_its_clue(size):
    clues = np.zeros((15, 15), np.int16)
    clues[7, 7] = size
    land, shore = IslandShapes(clues).listed(0)
    assert len(land) == size * FIXED_POLYOMINOES[size]
    assert (land.sum(1) == size).all()
    assert len(np.unique(land, axis=0)) == len(land)
    assert not (land & shore).any()


def test_what_all_shapes_agree_on_is_settled():
    clues = np.zeros((3, 4), np.int16)
    clues[0, 0], clues[2, 3] = 2, 3
    shapes = IslandShapes(clues)
    domain = np.ones((1, 12, 2), bool)
    domain[0, 1, LAND] = False  # The island of two has one way left, down.
    pruned = prune_alone(shapes, domain)[0]
    assert pruned[4, LAND] and not pruned[4, SEA]
    assert pruned[[5, 8], SEA].all() and not pruned[[5, 8], LAND].any()
    domain[0, 4, LAND] = False
    assert not prune_alone(shapes, domain)[0].any()


@pytest.mark.parametrize("kind", ["heyawake", "nurikabe"])
def test_implied_rules_prune_more_lose_no_answer_and_are_never_scored(kind):
    rng, cells = np.random.default_rng(5), np.arange(12)
    more = 0
    for _ in range(30):
        puzzle = solved_pencil(kind, (3, 4), rng)
        task = erm.load_task(kind)
        rules, answers = task.rules(puzzle), valid_states(puzzle)
        for pruner in rules.implied():
            pruned = prune_alone(pruner, rules.domain[None])[0]
            more += int((rules.domain & ~pruned).sum())
            assert all(pruned[cells, answer].all() for answer in answers)
        terms = energy(task, puzzle, task.to_answer(answers))
        assert set(terms.factors) == {rules.printed, *(factor.name for factor in rules.factors)}
    assert more > 0
