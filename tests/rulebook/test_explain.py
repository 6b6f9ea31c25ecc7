"""Every step of an explanation checked by brute force, and the chain against fast pruning."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import erm
from erm.drawing.words import ending, say
from erm.rulebook.explain import Level, Walk, explain, hint, take
from erm.rulebook.propagate import prune
from erm.types import Puzzle

sys.path.append(str(Path(__file__).parent.parent / "puzzles"))
import tiny
from boards import ALL_TASKS, every_state, small_maze, solved_pencil, solved_sudoku


def small_sudoku(rng):
    """A 4x4 Sudoku with one answer or several."""
    answer = tiny.grids()[rng.integers(len(tiny.grids()))].astype(np.int8)
    digits = np.where(rng.random(16) < rng.uniform(0.1, 0.5), answer, 0).astype(np.int8)
    return Puzzle("sudoku", 4, 4, {"digits": digits.reshape(4, 4)}).with_answer(answer)


def small_board(kind, rng):
    if kind == "sudoku":
        return small_sudoku(rng)
    return small_maze((3, 4), rng) if kind == "maze" else solved_pencil(kind, (3, 4), rng)


def every_filling(task, given, step):
    """All ways to fill the board in as far as a step looks at it: two states everywhere; of a
    Sudoku the scope of one rule, or every grid."""
    cells, states = given.shape
    if states == 2:
        found = every_state(cells).astype(np.int64)
    elif step.level is Level.ONE_RULE:
        ways = np.array(list(product(range(states), repeat=len(step.scope))))
        found = np.repeat(given.argmax(1)[None], len(ways), 0)
        found[:, step.scope] = ways
    else:
        found = tiny.grids() - task.first_state
    return found[given[np.arange(cells), found].all(1)]


def states_that_keep(rules, step, states):
    """Those of all states that obey the named rule, by itself or, where the step says so, all."""
    if step.level is not Level.ONE_RULE:
        return states[rules.is_valid(states)]
    for factor in rules.factors:
        if factor.name != step.rule:
            continue
        own = [set(scope) == set(step.scope) for scope in factor.scopes.tolist()]
        if any(own):
            return states[~factor.violated(states)[:, own].any(1)]
    (potential,) = [one for one in rules.potentials if one.name == step.rule]
    if step.rule == "an island is as large as its clue":  # It speaks for both island rules.
        others = [one for one in rules.potentials if one.name == "an island holds one clue"]
        states = states[others[0].violation(states) == 0]
    return states[potential.violation(states) == 0]


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_every_step_follows_from_its_rule_and_the_cells_it_names(kind):
    rng = np.random.default_rng(2)
    task, levels = erm.load_task(kind), set()
    for _ in range(12):
        puzzle = small_board(kind, rng)
        rules = task.rules(puzzle)
        domain = rules.domain
        explanation = explain(rules)
        for step in explanation.steps:
            if step.level is not Level.GUESS:
                given = rules.domain.copy()
                given[list(step.because)] = domain[list(step.because)]
                kept = states_that_keep(rules, step, every_filling(task, given, step))
                assert not np.isin(kept[:, step.cell], step.ruled_out).any(), step
            assert domain[step.cell, list(step.ruled_out)].all()
            words = say(task, puzzle, domain, step)
            assert words.startswith(f"r{step.cell // 4 + 1}c{step.cell % 4 + 1} ")
            levels.add(step.level)
            domain = take(domain, step)
        assert explanation.solved and not explanation.late
        assert rules.is_valid(domain.argmax(1)[None])[0]
        if explanation.steps:
            assert explanation.grade == max(step.level for step in explanation.steps)
    assert Level.ONE_RULE in levels and len(levels) > 1


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_steps_without_a_trial_end_where_fast_pruning_ends(kind):
    rng = np.random.default_rng(6)
    for _ in range(12):
        rules = erm.load_task(kind).rules(small_board(kind, rng))
        domain = rules.domain
        for step in explain(rules).steps:
            if step.level > Level.SEVERAL_RULES:
                break
            domain = take(domain, step)
        np.testing.assert_array_equal(domain, prune(rules, rules.domain[None])[0])


def test_a_sudoku_is_explained_from_singles_on():
    puzzle = solved_sudoku(9, np.random.default_rng(1))
    task = erm.load_task("sudoku")
    rules = task.rules(puzzle)
    explanation = explain(rules)
    assert explanation.solved
    first = hint(rules)
    assert first == explanation.steps[0] and first.level is Level.ONE_RULE
    assert first.rule in ("row", "column", "box") and len(first.scope) == 9


def test_contradicting_clues_are_named():
    task = erm.load_task("sudoku")
    puzzle = task.parse("55" + "." * 79)
    explanation = explain(task.rules(puzzle))
    assert explanation.contradiction and not explanation.solved
    last = explanation.steps[-1]
    assert last.rule in ("row", "box")
    assert "no state left" in say(task, puzzle, task.rules(puzzle).domain, last)


def test_nothing_is_left_to_say_about_a_solved_board():
    puzzle = solved_pencil("tapa", (3, 4), np.random.default_rng(0))
    task = erm.load_task("tapa")
    answer = task.to_states(puzzle, puzzle.answer)
    assert hint(task.rules(puzzle), np.eye(2, dtype=bool)[answer]) is None


def test_a_large_board_with_many_answers_is_explained_until_time_is_up():
    task = erm.load_task("lightup")
    puzzle = Puzzle("lightup", 30, 30, {"clues": np.full((30, 30), -2, np.int8)})
    walk = Walk(task.rules(puzzle), seconds=0.2)
    steps = list(walk)
    explanation = walk.explanation
    assert explanation.late and not explanation.solved and not explanation.contradiction
    assert list(explanation.steps) == steps
    left = int((explanation.domain.sum(1) > 1).sum())
    assert ending(explanation) == f"time is up: {left} cells are still open"
    assert hint(task.rules(puzzle), seconds=1e-9) is None
