"""Every step of an explanation checked by brute force, and the chain against fast pruning."""

import sys
from pathlib import Path

import numpy as np
import pytest

import erm
from erm.rulebook.explain import Level, explain, hint, take
from erm.rulebook.propagate import prune
from erm.rulebook.words import say

sys.path.append(str(Path(__file__).parent.parent / "puzzles"))
from boards import PENCIL, every_state, solved_pencil, solved_sudoku

CELLS = np.arange(12)


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


@pytest.mark.parametrize("kind", PENCIL)
def test_every_step_follows_from_its_rule_and_the_cells_it_names(kind):
    rng = np.random.default_rng(2)
    task, everything = erm.load_task(kind), every_state(12).astype(np.int64)
    levels = set()
    for _ in range(12):
        puzzle = solved_pencil(kind, (3, 4), rng)
        rules = task.rules(puzzle)
        domain = rules.domain
        explanation = explain(rules)
        for step in explanation.steps:
            if step.level is not Level.GUESS:
                given = rules.domain.copy()
                given[list(step.because)] = domain[list(step.because)]
                inside = everything[given[CELLS, everything].all(1)]
                kept = states_that_keep(rules, step, inside)
                assert not np.isin(kept[:, step.cell], step.ruled_out).any(), step
            assert domain[step.cell, list(step.ruled_out)].all()
            words = say(task, puzzle, domain, step)
            assert words.startswith(f"r{step.cell // 4 + 1}c{step.cell % 4 + 1} ")
            levels.add(step.level)
            domain = take(domain, step)
        assert explanation.solved
        assert rules.is_valid(domain.argmax(1)[None])[0]
        assert explanation.grade == max(step.level for step in explanation.steps)
    assert Level.ONE_RULE in levels and len(levels) > 1


@pytest.mark.parametrize("kind", PENCIL)
def test_steps_without_a_trial_end_where_fast_pruning_ends(kind):
    rng = np.random.default_rng(6)
    for _ in range(12):
        rules = erm.load_task(kind).rules(solved_pencil(kind, (3, 4), rng))
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
