"""Culprits: cells whose states alone rule every pattern out, and no more of them than needed."""

from itertools import combinations

import numpy as np
import pytest

import erm
from erm.drawing.words import broken
from erm.rulebook.counting import AtLeast, AtMost, Between, Exactly
from erm.rulebook.culprits import culprits, irreducible
from erm.rulebook.memory import Enumerated
from erm.rulebook.permanent import Permutations
from erm.types import Puzzle

RNG = np.random.default_rng(5)
RUNS = Enumerated(RNG.permutation(2**7)[:12, None] >> np.arange(7) & 1, states=2)
MEMORIES = [
    Permutations(4),
    Exactly(2, 5),
    AtMost(1, 6),
    AtLeast(3, 5),
    Between(2, 3, 6),
    RUNS,
    Enumerated(RNG.permutation(3**4)[:5, None] // 3 ** np.arange(4) % 3, states=3),
]


def random_domain(memory, rng):
    """What an unfinished board leaves to a scope: some cells say one state, some fewer than all."""
    size, states = memory.patterns().shape[1], getattr(memory, "states", 2)
    states = size if isinstance(memory, Permutations) else states
    domain = np.eye(states, dtype=bool)[rng.integers(states, size=size)]
    return domain | (rng.random((size, 1)) < rng.choice([0, 0.4]))


def rules_out(memory, domain, cells) -> bool:
    patterns = memory.patterns()
    inside = domain[np.arange(len(domain)), patterns]
    return not inside[:, list(cells)].all(1).any()


@pytest.mark.parametrize("memory", MEMORIES, ids=repr)
def test_what_culprits_say_no_pattern_allows(memory):
    rng, seen = np.random.default_rng(1), 0
    for _ in range(300):
        domain = random_domain(memory, rng)
        if memory.supported(domain[None])[0].any():
            continue
        seen += 1
        for found in (culprits(memory, domain), irreducible(memory, domain)):
            assert rules_out(memory, domain, np.flatnonzero(found))
        least = np.flatnonzero(irreducible(memory, domain))
        for spared in combinations(least, len(least) - 1):
            assert not rules_out(memory, domain, spared)
    assert seen > 20


def test_of_listed_patterns_as_few_cells_as_possible_are_named():
    rng = np.random.default_rng(2)
    for _ in range(40):
        domain = random_domain(RUNS, rng)
        if RUNS.supported(domain[None])[0].any():
            continue
        found = int(culprits(RUNS, domain).sum())
        fewer = combinations(range(7), found - 1)
        assert not any(rules_out(RUNS, domain, cells) for cells in fewer)


def test_a_memory_without_patterns_blames_everybody():
    assert culprits(Exactly(5, 4), np.ones((4, 2), bool)).all()
    assert culprits(Enumerated(np.zeros((0, 3), np.int64), 2), np.ones((3, 2), bool)).all()


def said(puzzle: Puzzle, answer) -> list[str]:
    task = erm.load_task(puzzle.task)
    return [broken(task, puzzle, one) for one in task.violations(puzzle, np.array(answer))]


def test_equal_digits_are_named_by_their_unit():
    sudoku = erm.load_task("sudoku").parse("." * 16)
    answer = [1, 2, 3, 1, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 2]
    assert said(sudoku, answer) == [
        "two 1s in row 1",
        "two 2s in row 4",
        "two 2s in column 4",
        "two 1s in box 2",
        "two 2s in box 4",
    ]


def test_culprits_of_pencil_puzzles_in_words():
    clues = np.array([[-2, -2, -2, -1], [-2, 1, -2, -2]], np.int8)
    lightup = Puzzle("lightup", 2, 4, {"clues": clues})
    assert said(lightup, [1, 0, 1, 0, 0, 0, 0, 0]) == [
        "“no bulb sees another” is broken: r1c1, r1c3 are both a bulb",
        "“numbers count bulbs” is broken at r2c2: r1c2, r2c1, r2c3 are all empty",
        "“every white cell is lit” is broken: r2c4 is unlit",
    ]
    nurikabe = Puzzle("nurikabe", 3, 3, {"clues": np.array([[2, 0, 0], [0, 0, 0], [0, 0, 0]])})
    assert said(nurikabe, [0, 1, 1, 0, 1, 1, 1, 0, 1]) == [
        "“no 2×2 pool” is broken: r1c2 to r2c3 are all sea",
        "“one number an island” is broken: r3c2 is on an island without a clue or with several",
        "“one sea” is broken: r3c1 is cut off from the others",
    ]
    assert said(nurikabe, [0, 1, 0, 0, 1, 0, 0, 1, 0])[-1] == (
        "“islands have their size” is broken: r1c1, r2c1, r3c1 are on an island of another size"
    )
