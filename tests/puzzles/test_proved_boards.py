"""Generated boards: unique, valid, the same for the same seed, and of many kinds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from pencil_boards import GIVENS

from erm.errors import InputError
from erm.grid import areas
from erm.puzzles import prover
from erm.puzzles.generators import Growth, ProvedGenerator
from erm.puzzles.heyawake.text import rooms_of
from erm.rulebook.registry import load_task
from erm.types import Puzzle

SIZES = [(6, 6), (8, 8), (7, 9), (10, 10)]


def generator(task: str, minimal: bool = False) -> ProvedGenerator:
    kind = load_task(task).generator()
    assert kind is not None and issubclass(kind, ProvedGenerator)
    return kind(minimal)


def count_solutions(puzzle: Puzzle) -> int | None:
    return next(load_task(puzzle.task).count_solutions([puzzle]))


def boards(task: str, minimal: bool = False) -> list[Puzzle]:
    """The same few boards for every test of this file: making them is the slow part."""
    return _boards(task, minimal)


@cache
def _boards(task: str, minimal: bool) -> list[Puzzle]:
    count = 4 if minimal else 12
    made = [
        generator(task, minimal).make_one(
            *SIZES[seed % 2 if minimal else seed % 4], np.random.default_rng(seed)
        )
        for seed in range(count)
    ]
    return [puzzle for puzzle in made if puzzle is not None]


@pytest.mark.parametrize("task", GIVENS)
@pytest.mark.parametrize("minimal", [False, True])
def test_boards_are_valid_and_unique(task, minimal):
    made = boards(task, minimal)
    assert len(made) == (4 if minimal else 12)
    for puzzle in made:
        assert puzzle.answer is not None
        assert load_task(task).is_valid(puzzle, puzzle.answer)
        assert count_solutions(puzzle) == 1


@pytest.mark.parametrize("task", GIVENS)
def test_boards_can_be_written_and_read(task):
    rules = load_task(task)
    for puzzle in boards(task):
        again = rules.parse(rules.format(puzzle))
        assert again.shape == puzzle.shape
        for name, array in puzzle.givens.items():
            np.testing.assert_array_equal(again.givens[name], array)
            assert again.givens[name].dtype == array.dtype


@pytest.mark.parametrize("task", GIVENS)
def test_a_seed_names_a_board(task):
    first, same, other = (
        generator(task).make_one(7, 7, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first is not None and same is not None and other is not None
    np.testing.assert_array_equal(first.answer, same.answer)
    for name, array in first.givens.items():
        np.testing.assert_array_equal(array, same.givens[name])
    assert any(not np.array_equal(a, other.givens[n]) for n, a in first.givens.items())


@pytest.mark.parametrize("task", ["lightup", "heyawake", "tapa"])
def test_minimal_boards_lose_their_answer_with_any_clue(task):
    for puzzle in boards(task, minimal=True)[:2]:
        clues = puzzle.givens["clues"]
        blank, none = (-1, clues >= 0) if task != "tapa" else (-1, (clues != -1).any(-1))
        for row, column in np.argwhere(none):
            fewer = clues.copy()
            fewer[row, column] = blank
            weaker = Puzzle(task, *puzzle.shape, {**puzzle.givens, "clues": fewer})
            assert count_solutions(weaker) == 2


def test_lightup_boards_vary():
    made = boards("lightup")
    black = [p.givens["clues"] >= -1 for p in made]
    assert len({round(float(b.mean()), 2) for b in black}) >= 6
    turned = [np.array_equal(b, b[::-1, ::-1]) for b in black]
    assert any(turned) and not all(turned)
    printed = [(p.givens["clues"] >= 0).sum() / b.sum() for p, b in zip(made, black, strict=True)]
    assert max(printed) - min(printed) > 0.2


def test_nurikabe_boards_vary():
    sizes = [p.givens["clues"][p.givens["clues"] != 0] for p in boards("nurikabe")]
    assert len(set(np.concatenate(sizes).tolist())) >= 5
    assert (
        len({round(len(s) / p.cells, 2) for s, p in zip(sizes, boards("nurikabe"), strict=True)})
        > 3
    )


def test_heyawake_boards_vary():
    shapes, unnumbered, crooked = set(), 0, 0
    for puzzle in boards("heyawake"):
        rooms = rooms_of(puzzle).reshape(puzzle.shape)
        unnumbered += int((rooms.max() + 1) - (puzzle.givens["clues"] >= 0).sum())
        for room in range(rooms.max() + 1):
            cells = np.argwhere(rooms == room)
            cells = cells - cells.min(0)
            shapes.add(tuple(map(tuple, cells.tolist())))
            crooked += len(cells) != np.prod(cells.max(0) + 1)
    assert len(shapes) > 20
    assert unnumbered > 10
    assert crooked > 2


def test_tapa_boards_vary():
    kinds = {
        tuple(clue)
        for puzzle in boards("tapa")
        for clue in puzzle.givens["clues"].reshape(-1, 4).tolist()
    }
    assert len(kinds) > 12
    shares = [(p.givens["clues"] != -1).any(-1).mean() for p in boards("tapa")]
    assert max(shares) - min(shares) > 0.05


def test_bounds_are_said():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=r"nurikabe boards .* 3x10"):
        generator("nurikabe").make_one(3, 10, rng)


@pytest.mark.parametrize("seed", range(5))
def test_grown_regions_are_connected_and_thin(seed):
    growth = Growth(9, 12, np.random.default_rng(seed))
    growth.grow(70, loops=0.5, straight=0.3)
    region = growth.region
    assert region.sum() == growth.size > 30
    assert areas(region)[1] == 1
    assert not (region[1:, 1:] & region[:-1, 1:] & region[1:, :-1] & region[:-1, :-1]).any()


def test_without_clingo_the_right_package_is_named(monkeypatch):
    monkeypatch.setattr(prover, "clingo", None)
    with pytest.raises(InputError, match=r"pip install 'erm-reasoner\[generate\]'"):
        prover._control((3, 3))
