"""Boards that the tests make themselves: random clues around an answer found by brute force."""

from __future__ import annotations

from itertools import product

import numpy as np

from erm.grid import components, members, neighbours, ring, rooms
from erm.puzzles.maze.text import GOAL, OPEN, START, WALL
from erm.puzzles.sudoku.rules import BOX_SHAPES
from erm.puzzles.tapa.rules import cyclic_runs
from erm.rulebook.propagate import prune
from erm.rulebook.registry import load_task
from erm.rulebook.rules import Rules
from erm.types import Puzzle

PENCIL = ("lightup", "nurikabe", "heyawake", "tapa")
ALL_TASKS = ("sudoku", "maze", *PENCIL)

LOOP_MAZE = """\
#########
#S      #
# ### # #
#   # # #
# # #   #
# #   #G#
#########"""


def prune_alone(rule, domain: np.ndarray) -> np.ndarray:
    """What one rule by itself leaves of each domain; all empty where some cell has nothing left."""
    everything = np.ones(domain.shape[1:], bool)
    return prune(Rules(everything, (), (), implied=lambda: (rule,)), domain)


def every_state(cells: int) -> np.ndarray:
    return np.array(list(product((0, 1), repeat=cells)), np.int8)


def solved_sudoku(side: int, rng: np.random.Generator) -> Puzzle:
    """A relabelled cyclic grid of which about a third is printed."""
    height, width = BOX_SHAPES[side]
    row, column = np.divmod(np.arange(side * side), side)
    answer = rng.permutation(side)[(row % height * width + row // height + column) % side] + 1
    digits = np.where(rng.random(answer.shape) < 0.35, answer, 0).astype(np.int8)
    return Puzzle("sudoku", side, side, {"digits": digits.reshape(side, side)}).with_answer(answer)


def solved_maze() -> Puzzle:
    """A maze with loops and its shortest path, along the top and down the right side."""
    puzzle = load_task("maze").parse(LOOP_MAZE)
    answer = np.zeros(puzzle.shape, np.int8)
    answer[1, 2:8] = 1
    answer[2:5, 7] = 1
    return puzzle.with_answer(answer)


def small_maze(shape: tuple[int, int], rng: np.random.Generator) -> Puzzle:
    """A maze of at most about 12 cells, with loops and some path."""
    while True:
        cells = np.where(rng.random(shape) < 0.25, WALL, OPEN).astype(np.uint8)
        cells.flat[rng.permutation(cells.size)[:2]] = START, GOAL
        puzzle = Puzzle("maze", *shape, {"cells": cells})
        answers = valid_states(puzzle)
        if len(answers):
            return puzzle.with_answer(rng.choice(answers))


def solved_pencil(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> Puzzle:
    """A board of at most about 12 cells of one of the four types, with an answer."""
    return {
        "lightup": _solved_lightup,
        "nurikabe": _solved_nurikabe,
        "heyawake": _solved_heyawake,
        "tapa": _solved_tapa,
    }[kind](shape, rng)


def solved(kind: str, rng: np.random.Generator) -> Puzzle:
    """A small solved board of any task."""
    if kind == "sudoku":
        return solved_sudoku(9, rng)
    return solved_maze() if kind == "maze" else solved_pencil(kind, (3, 4), rng)


def valid_states(puzzle: Puzzle) -> np.ndarray:
    """All valid answers of a pencil puzzle, by brute force."""
    states = every_state(puzzle.cells)
    return states[load_task(puzzle.task).rules(puzzle).is_valid(states)]


def _solved_lightup(shape: tuple[int, int], rng: np.random.Generator) -> Puzzle:
    while True:
        clues = np.where(rng.random(shape) < 0.3, -1, -2).astype(np.int8)
        answers = valid_states(Puzzle("lightup", *shape, {"clues": clues}))
        if len(answers):
            break
    answer = rng.choice(answers)
    bulbs = np.append(answer, 0)[neighbours(*shape)].sum(1).reshape(shape)
    numbered = (clues == -1) & (rng.random(shape) < 0.6)
    clues = np.where(numbered, bulbs, clues).astype(np.int8)
    return Puzzle("lightup", *shape, {"clues": clues}).with_answer(answer)


def _solved_nurikabe(shape: tuple[int, int], rng: np.random.Generator) -> Puzzle:
    clues = np.zeros(shape, np.int16)
    states = every_state(clues.size)
    rules = load_task("nurikabe").rules(Puzzle("nurikabe", *shape, {"clues": clues}))
    pools = rules.factors[0].violated(states).any(1)
    connected = components(states.reshape(-1, *shape) == 1)[1] <= 1
    answer = rng.choice(states[~pools & connected])
    labels, (islands,) = components(answer.reshape(1, *shape) == 0)
    for island in range(1, islands + 1):
        cells = np.flatnonzero(labels.ravel() == island)
        clues.flat[rng.choice(cells)] = len(cells) if rng.random() < 0.75 else -1
    return Puzzle("nurikabe", *shape, {"clues": clues}).with_answer(answer)


def _solved_heyawake(shape: tuple[int, int], rng: np.random.Generator) -> Puzzle:
    """Borders are drawn at random, so that many end inside a room."""
    height, width = shape
    right = rng.random((height, width - 1)) < 0.4
    down = rng.random((height - 1, width)) < 0.4
    clues = np.full(shape, -1, np.int16)
    givens = {"right": right, "down": down, "clues": clues}
    answers = valid_states(Puzzle("heyawake", *shape, givens))
    if not len(answers):
        return _solved_heyawake(shape, rng)
    answer = rng.choice(answers)
    for room in members(rooms(right, down)):
        if rng.random() < 0.5:
            clues.flat[room[0]] = answer[room].sum()
    return Puzzle("heyawake", *shape, givens).with_answer(answer)


def _solved_tapa(shape: tuple[int, int], rng: np.random.Generator) -> Puzzle:
    clues = np.full((*shape, 4), -1, np.int8)
    answers = valid_states(Puzzle("tapa", *shape, {"clues": clues}))
    answer = rng.choice(answers)
    around = np.append(answer, 0)[ring(*shape)]
    for cell in np.flatnonzero((answer == 0) & (rng.random(len(answer)) < 0.4)).tolist():
        runs = np.array(cyclic_runs(around[cell].tolist()))
        runs[rng.random(len(runs)) < 0.3] = -2
        clues.reshape(-1, 4)[cell, : len(runs)] = runs
    return Puzzle("tapa", *shape, {"clues": clues}).with_answer(answer)
