"""Unique, several, certified, no solution, undecided: proofs against clingo and brute force."""

import itertools

import numpy as np
import pytest
import tiny
import torch
from pencil_boards import random_board

import erm
from erm.drawing.words import rule_words
from erm.errors import InputError
from erm.model.codec import Prediction
from erm.rulebook import Factor, Potential, Task
from erm.rulebook.counting import Exactly
from erm.rulebook.registry import load_task
from erm.search.options import SearchOptions
from erm.search.rules_search import RulesSearch
from erm.search.solver import Solver, load, without_network
from erm.types import Puzzle

STATUS = {0: "no solution", 1: "unique", 2: "several"}
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
"""Needs guesses."""


def check_verdict(result, answers: int, task: Task) -> None:
    """A verdict is right, and so are the answers that come with it."""
    assert result.status == STATUS[min(answers, 2)]
    assert result.done and result.evaluations == 0 and result.by == "rules"
    assert result.certified == bool(answers)
    if answers:
        assert task.is_valid(result.puzzle, result.answer)
    else:
        assert result.answer is None and result.energy is None
    if answers > 1:
        assert task.is_valid(result.puzzle, result.other)
        assert result.differing == tuple(np.flatnonzero(result.answer != result.other))
        assert result.differing
    else:
        assert result.other is None and result.differing == ()


@pytest.mark.parametrize("kind", ["lightup", "nurikabe", "heyawake", "tapa"])
def test_verdicts_on_random_boards_are_those_of_clingo(kind):
    pytest.importorskip("clingo")
    solver, rng, seen = without_network(kind), np.random.default_rng(7), set()
    for _ in range(120):
        height, width = rng.integers(2, 6, 2).tolist()
        puzzle = random_board(kind, height, width, rng)
        answers = len(list(solver.task.prover(puzzle.givens).answers(2)))
        check_verdict(solver.solve(puzzle, unique=True), answers, solver.task)
        seen.add(answers)
    assert {0, 2} <= seen, "the boards must differ for this to say something"


def test_verdicts_on_small_sudokus_are_those_of_counting_all_grids():
    solver, rng, seen = without_network("sudoku"), np.random.default_rng(3), set()
    grids = tiny.grids()
    for _ in range(120):
        digits = grids[rng.integers(len(grids))].copy()
        if rng.random() < 0.3:
            digits[rng.integers(16)] = rng.integers(1, 5)
        digits[rng.random(16) < rng.uniform(0.4, 0.9)] = 0
        answers = int(((grids == digits) | (digits == 0)).all(1).sum())
        puzzle = Puzzle("sudoku", 4, 4, {"digits": digits.reshape(4, 4).astype(np.int8)})
        check_verdict(solver.solve(puzzle, unique=True), answers, solver.task)
        seen.add(min(answers, 2))
    assert seen == {0, 1, 2}


def test_a_network_beside_the_rules_changes_no_verdict(tiny_reasoner):
    solver, grids = Solver(tiny_reasoner, {"task": "sudoku"}), tiny.grids()
    for puzzle in tiny.puzzles(12, seed=11, clues=(3, 5)):
        digits = puzzle.givens["digits"].ravel()
        answers = int(((grids == digits) | (digits == 0)).all(1).sum())
        result = solver.solve(puzzle, width=16, depth=32)
        assert result.status == STATUS[min(answers, 2)]


def test_the_rules_go_first_and_name_the_clues_that_contradict_each_other():
    solver = load("sudoku")
    result = solver.solve("55" + "." * 79)
    assert (result.status, result.by, result.evaluations) == ("no solution", "rules", 0)
    assert result.contradiction.sentence == "two 5s in row 1"
    assert result.contradiction.cells == (0, 1)
    assert [violation.cells for violation in result.violations] == [(0, 1)]
    column = solver.solve("7........" + "." * 36 + "7........" + "." * 27)
    assert column.contradiction.sentence == "two 7s in column 1"


def test_a_contradiction_between_rules_is_named_with_the_rule_that_fails():
    # An island of 1 beside another clue.
    task = load_task("nurikabe")
    clues = np.zeros((3, 3), np.int16)
    clues[0, 0] = clues[0, 1] = 1
    result = erm.solve("nurikabe", Puzzle("nurikabe", 3, 3, {"clues": clues}))
    assert result.status == "no solution" and result.evaluations == 0
    names = {one.name for one in (*task.factors(result.puzzle), *task.potentials(result.puzzle))}
    assert result.contradiction.rule in names
    assert rule_words(task, result.contradiction.rule) in result.contradiction.sentence


def test_a_room_that_is_too_crowded_is_named_with_its_cells():
    """Six of nine fit by every rule alone, but not by all of them."""
    right, down = np.zeros((5, 4), bool), np.zeros((4, 5), bool)
    right[:3, 2] = down[2, :3] = True
    clues = np.full((5, 5), -1, np.int16)
    clues[0, 0] = 6
    puzzle = Puzzle("heyawake", 5, 5, {"right": right, "down": down, "clues": clues})
    result = erm.solve("heyawake", puzzle)
    assert result.status == "no solution" and result.evaluations == 0
    sentence = "“shaded cells fit into a room” cannot be kept: r1c1 to r3c3"
    assert result.contradiction.sentence == sentence


def test_a_board_that_propagation_decides_costs_no_evaluation():
    puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    result = load("sudoku").solve(puzzle)
    assert (result.status, result.by, result.evaluations) == ("unique", "rules", 0)
    assert result.certified and result.guesses == 0 and not len(result.candidates)
    # The paper's protocol goes without the rules.
    assert load("sudoku").solve(puzzle, 2, 2, mode="full").evaluations == 4
    assert load("sudoku").solve(puzzle, 1, 2, rules=False).evaluations > 0


def test_uniqueness_is_decided_without_being_asked_for():
    solver = load("sudoku")
    first = solver.solve(HARD)
    assert first.status == "unique" and first.guesses > 0 and first.evaluations == 0
    blank = solver.solve("." * 81)
    assert blank.status == "several" and blank.differing and blank.certified
    np.testing.assert_array_equal(erm.solve("sudoku", HARD, unique=True).answer, first.answer)


def test_where_the_shares_end_a_search_the_verdict_is_the_weaker_one(monkeypatch, tiny_reasoner):
    """The rules' share is taken away: the network has its waves, then the rules go on to D x K."""
    monkeypatch.setattr("erm.search.puzzle_search.RULES_FIRST", 0)
    monkeypatch.setattr("erm.search.puzzle_search.RULES_RATE", 0)
    puzzle = tiny.puzzles(1, seed=3, clues=(4, 4))[0]
    solver = Solver(tiny_reasoner, {"task": "sudoku"})
    phases = {one.wave for one in solver.search(puzzle, width=4, depth=1, seed=3)}
    found = solver.solve(puzzle, width=4, depth=1, seed=3)
    assert 1 <= found.evaluations <= 4 and phases
    assert found.by in ("network", "rules")
    assert found.status == ("certified" if found.by == "network" else "unique")
    proved = solver.solve(puzzle, width=4, depth=1, seed=3, unique=True)
    assert proved.status == "unique"


def test_what_the_rules_find_between_waves_does_not_depend_on_other_puzzles():
    solver = load("sudoku")
    puzzles = ["." * 81, HARD, "12" + "." * 79, "." * 80 + "9"]
    options = SearchOptions(depth=24, width=8, seed=5)
    together = {one.number: one for one in solver.solve_many(puzzles, options)}
    for number, puzzle in enumerate(puzzles):
        alone = next(solver.solve_many([puzzle], options))
        beside = together[number]
        assert (alone.status, alone.by) == (beside.status, beside.by)
        assert (alone.evaluations, alone.guesses) == (beside.evaluations, beside.guesses)


def test_without_rules_a_search_has_candidates_only():
    solver, options = load("sudoku"), {"width": 4, "depth": 3}
    result = solver.solve("." * 81, rules=False, **options)
    assert result.status == "undecided" and result.evaluations == 12 and result.by == "network"
    full = solver.solve("." * 81, mode="full", **options)
    assert full.evaluations == 12 and full.by == "network" and full.guesses == 0


def test_a_search_of_the_rules_can_be_left_and_taken_up_again():
    task = load_task("sudoku")
    search = RulesSearch(without_network("sudoku").problem(task.parse(HARD)))
    search.step(1)
    assert search.nodes == 1 and not search.proved
    while not search.proved:
        search.step(1)
    assert search.exhausted and len(search.answers) == 1 and search.contradiction is None


class Mute(Potential):
    """The middle cell is 1; it prunes nothing."""

    name = "the middle is 1"

    def violation(self, states):
        return (states[:, states.shape[1] // 2] != 1).astype(float)

    def blame(self, states):
        return np.arange(len(states)) == len(states) // 2


class Line(Task):
    """Cells in a row of which `ones` are 1: not registered anywhere, without a network."""

    name = "line"
    states = 2

    def factors(self, puzzle):
        ones = int(puzzle.givens["ones"][0, 0])
        scope = np.arange(puzzle.cells)[None]
        return [Factor("number of ones", scope, Exactly(ones, puzzle.cells))]

    def potentials(self, puzzle):
        return [Mute()]

    def domain(self, puzzle):
        return np.ones((puzzle.cells, 2), bool)

    def features(self, puzzle):
        return np.zeros((puzzle.cells, 0), np.float32)

    def partitions(self, puzzle):
        return np.zeros((1, puzzle.cells), np.int64)

    def tokens(self, puzzle):
        return np.zeros(puzzle.cells, np.int64)

    def answer_tokens(self, puzzle):
        return np.tile([0, 1], (puzzle.cells, 1))

    def parse(self, text):
        return Puzzle("line", 1, len(text) - 1, {"ones": np.array([[int(text[0])]])})

    def format(self, puzzle):
        return str(puzzle.givens["ones"][0, 0]) + "." * puzzle.cells


@pytest.mark.parametrize(("ones", "cells"), itertools.product(range(4), (1, 3, 4)))
def test_a_rulebook_of_ones_own_solves_without_a_network_or_a_name(ones, cells):
    """A rule that cannot prune is still kept: what is settled is checked."""
    if ones > cells:
        pytest.skip("not that many cells")
    task = Line()
    puzzle = task.parse(str(ones) + "." * cells)
    every = np.array(list(itertools.product((0, 1), repeat=cells)))
    answers = int(task.rules(puzzle).is_valid(every).sum())
    check_verdict(erm.solve(task, puzzle, unique=True), answers, task)


def test_what_needs_a_network_says_so():
    with pytest.raises(InputError, match="no depth curve"):
        erm.solve("sudoku", HARD, mode="full", trace=True)
    with pytest.raises(InputError, match="needs a network"):
        without_network("sudoku").temper(HARD)
    with pytest.raises(InputError, match="unique"):
        load("sudoku").solve(HARD, mode="full", unique=True)


@pytest.mark.parametrize("checkpoint", ["sudoku-structured", None])
def test_a_cancelled_search_ends_at_once_with_what_it_has(checkpoint):
    solver = load(checkpoint) if checkpoint else without_network("sudoku")
    asked = itertools.count()
    results = list(solver.search("." * 256, cancelled=lambda: next(asked) > 0))
    assert results[-1].ended == "stopped" and results[-1].status == "undecided"


def test_time_bounds_each_puzzle_and_the_next_one_gets_its_own():
    solver = load("sudoku")
    options = erm.SearchOptions(seconds=1e-9)
    results = list(solver.solve_many(["." * 81, "55" + "." * 79, HARD], options))
    assert [result.number for result in results] == [0, 1, 2]
    assert [result.status for result in results] == ["undecided", "no solution", "undecided"]
    assert results[0].ended == results[2].ended == "time"


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), -float("inf")])
def test_a_network_that_breaks_down_ends_its_search(tiny_reasoner, broken):
    class Broken(type(tiny_reasoner)):
        def step(self, *state):
            carry, prediction = super().step(*state)
            return carry, Prediction(*(torch.full_like(part, broken) for part in prediction))

    solver = Solver(Broken(tiny_reasoner.config), {"task": "sudoku"})
    result = solver.solve("1..." + "." * 12, width=4, depth=8, rules=False)
    assert result.evaluations == 4 * 8 and result.status == "undecided"
    assert solver.solve("1..." + "." * 12, width=4, depth=8).status == "several"
    assert solver.temper("1..." + "." * 12, erm.TemperOptions(depth=2, ladders=1, rungs=2))
