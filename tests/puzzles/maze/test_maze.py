from pathlib import Path

import numpy as np
import pytest
from boards import LOOP_MAZE, every_state, solved_maze

from erm.grid import neighbours
from erm.puzzles.maze.rules import PATH, Maze
from erm.rulebook.registry import load_task
from erm.rulebook.task import energy
from erm.types import Puzzle

MAZE = load_task("maze")
MAZE_UNIQUE = Path(__file__).parents[4] / "shared/data/maze/maze-unique-30x30.npz"


def marks(puzzle, text: str) -> np.ndarray:
    return np.array([mark == "o" for mark in text.replace("\n", "")]).astype(np.int8)


def test_a_disconnected_cycle_fools_the_memories_but_not_the_potentials():
    puzzle = MAZE.parse("S  G\n####\n   #\n # #\n   #")
    path = marks(puzzle, ".oo.\n....\n....\n....\n....")
    with_cycle = marks(puzzle, ".oo.\n....\nooo.\no.o.\nooo.")
    assert MAZE.is_valid(puzzle, path)
    rules = MAZE.rules(puzzle)
    assert not any(factor.violated(with_cycle[None]).any() for factor in rules.factors)
    terms = energy(MAZE, puzzle, np.stack([path, with_cycle]))
    assert sum(terms.factors.values()) == pytest.approx(0, abs=1e-3)
    assert terms.potentials["cycle"].tolist() == [0, 1]
    (violation,) = MAZE.violations(puzzle, with_cycle)
    assert violation.rule == "cycle"
    assert violation.cells == tuple(np.flatnonzero(with_cycle[8:]) + 8)


def induced_paths(puzzle) -> set[tuple[int, ...]]:
    """The marked cells of all chordless paths, by a walk that never touches itself."""
    cells = puzzle.givens["cells"].ravel()
    around = [
        {int(other) for other in beside if other >= 0 and cells[other] != 1}
        for beside in neighbours(*puzzle.shape)
    ]
    start, goal = (int(np.flatnonzero(cells == kind)[0]) for kind in (3, 4))
    found, walks = set(), [(start,)]
    while walks:
        walk = walks.pop()
        if goal in around[walk[-1]]:
            found.add(tuple(sorted(walk[1:])))
            continue
        ahead = around[walk[-1]] - set(walk)
        walks += [(*walk, cell) for cell in ahead if len(around[cell] & set(walk)) == 1]
    return found


SMALL_MAZES = ["S  \n   \n  G", "SG \n   \n   ", "S #\n   \n# G", "S  \n # \n  G"]


@pytest.mark.parametrize("text", SMALL_MAZES)
def test_valid_answers_are_exactly_the_induced_paths(text):
    puzzle = MAZE.parse(text)
    states = every_state(9)
    valid = states[MAZE.rules(puzzle).is_valid(states)]
    assert {tuple(np.flatnonzero(answer)) for answer in valid} == induced_paths(puzzle)
    assert len(valid)


def test_a_start_beside_the_goal_needs_no_path():
    puzzle = MAZE.parse("SG\n  ")
    assert MAZE.is_valid(puzzle, np.zeros(4, int))
    assert not MAZE.is_valid(puzzle, np.array([0, 0, 1, 1]))


def test_shortest_paths_are_an_option():
    short = solved_maze()
    detour = np.zeros(short.shape, np.int8)
    detour[2:4, 1] = detour[3, 2] = detour[3:6, 3] = detour[5, 4:6] = 1
    detour[4, 5] = detour[4, 6] = detour[4, 7] = 1
    detour = detour.ravel()
    shortest = Maze(shortest=True)
    assert MAZE.is_valid(short, short.answer) and MAZE.is_valid(short, detour)
    assert shortest.is_valid(short, short.answer) and not shortest.is_valid(short, detour)
    assert shortest.violations(short, detour)[0].rule == "length"
    assert energy(shortest, short, detour[None]).total > energy(MAZE, short, detour[None]).total


def test_each_rule_of_the_global_penalty_counts_its_own_fault():
    puzzle = MAZE.parse(LOOP_MAZE)
    answer = solved_maze().answer.copy()
    assert energy(MAZE, puzzle, answer[None]).total == pytest.approx(0, abs=1e-3)
    answer[0] = 1
    broken = {violation.rule: violation.cells for violation in MAZE.violations(puzzle, answer)}
    assert broken == {"wall": (0,), "format": (0,)}
    answer[0], answer[9 + 4] = 0, 0
    terms = energy(MAZE, puzzle, answer[None])
    found = {name: float(value[0]) for name, value in terms.potentials.items()}
    assert found["start-goal connectivity"] == 1 and found["degree"] == 2
    assert found["format"] == found["cycle"] == 0


def test_a_walled_in_start_has_no_answer():
    puzzle = MAZE.parse("S#G\n## ")
    assert not MAZE.rules(puzzle).is_valid(every_state(6)).any()
    assert not Maze(shortest=True).rules(puzzle).is_valid(every_state(6)).any()


def test_tokens_are_those_of_the_field():
    puzzle = MAZE.parse("S #G\n    ")
    assert MAZE.tokens(puzzle).tolist() == [3, 2, 1, 4, 2, 2, 2, 2]
    assert MAZE.answer_tokens(puzzle)[:2].tolist() == [[3, 5], [2, 5]]


@pytest.mark.skipif(not MAZE_UNIQUE.exists(), reason="Maze-Unique is not at hand")
def test_labels_of_maze_unique_are_valid_and_shortest():
    data = np.load(MAZE_UNIQUE)
    for cells, labels in zip(data["test_inputs"][:40], data["test_labels"][:40], strict=True):
        puzzle = Puzzle("maze", 30, 30, {"cells": cells.reshape(30, 30)})
        answer = (labels == PATH).astype(np.int8)
        assert MAZE.is_valid(puzzle, answer) and Maze(shortest=True).is_valid(puzzle, answer)
