"""Complete search against clingo and against brute force: none, one and many answers."""

import itertools

import numpy as np
import pencil_boards
import pytest

import erm
from erm.rulebook.complete import FAR, CompleteSearch, enumerate_answers
from erm.rulebook.counting import Exactly
from erm.rulebook.factor import Factor
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.search import TRIES
from erm.rulebook.rules import Rules
from erm.types import Puzzle

MOST = 30


def random_board(kind, rng):
    """A small board with random clues: many have no answer, some one, some very many."""
    height, width = rng.integers(2, 6, 2).tolist()
    shape = height, width
    if kind == "lightup":
        clues = rng.choice([-2] * 9 + [-1, -1, 1, 2], shape).astype(np.int8)
        return Puzzle(kind, *shape, {"clues": clues})
    if kind == "nurikabe":
        clues = rng.choice([0, 0, 0, 0, 0, 1, 2, 3, 4, -1], shape).astype(np.int16)
        clues[rng.random(shape) < 0.3] = 0
        return Puzzle(kind, *shape, {"clues": clues})
    if kind == "heyawake":
        right = rng.random((height, width - 1)) < 0.4
        down = rng.random((height - 1, width)) < 0.4
        clues = np.full(shape, -1, np.int16)
        bare = Puzzle(kind, *shape, {"right": right, "down": down, "clues": clues})
        rooms = erm.load_task(kind).partitions(bare)[0]
        for room in range(rooms.max() + 1):
            if rng.random() < 0.5:
                clues.flat[np.flatnonzero(rooms == room)[0]] = rng.integers(0, 3)
        return bare
    clues = np.full((*shape, 4), -1, np.int8)
    for cell in np.flatnonzero(rng.random(height * width) < 0.2):
        count = rng.integers(1, 3)
        clues.reshape(-1, 4)[cell, :count] = rng.choice([-2, 1, 1, 1, 2, 3], count)
    return Puzzle(kind, *shape, {"clues": clues})


@pytest.mark.parametrize("kind", ["lightup", "nurikabe", "heyawake", "tapa"])
def test_it_finds_all_answers_that_clingo_finds(kind):
    rng = np.random.default_rng(11)
    task = erm.load_task(kind)
    seen = {"none": 0, "one": 0, "many": 0}
    for _ in range(250):
        puzzle = random_board(kind, rng)
        found = enumerate_answers(task.rules(puzzle), limit=MOST)
        proved = task.prover(puzzle.givens).answers(MOST + 1)
        expected = {tuple(answer) for answer in proved}
        ours = {tuple(answer) for answer in found.answers.tolist()}
        assert len(ours) == len(found.answers)
        assert found.exhausted == (len(expected) < MOST) or len(expected) == MOST
        if found.exhausted:
            assert ours == expected
        else:
            assert len(ours) == MOST and len(expected) >= MOST
        count = len(expected)
        seen["none" if count == 0 else "one" if count == 1 else "many"] += 1
    assert min(seen.values()) >= 3, seen


def first_answers(rules, tries):
    """Up to so many answers with the guesses that each took, by slices of so many tried states."""
    search = CompleteSearch(rules, rules.domain)
    found = []
    while len(found) < MOST and not search.exhausted:
        search._slice = tries
        answer = search.go_on()
        if answer is not None:
            found.append((search.nodes, answer.tolist()))
    return found, search.nodes


@pytest.mark.parametrize("kind", ["heyawake", "tapa"])
def test_a_search_that_comes_back_goes_on_as_if_it_had_never_left(kind):
    """What is found, in which order and by how many guesses, is no matter of the machine's pace."""
    rng, guesses = np.random.default_rng(1), 0
    task = erm.load_task(kind)
    for _ in range(15):
        rules = task.rules(pencil_boards.random_board(kind, 7, 7, rng))
        in_one = first_answers(rules, FAR)
        assert first_answers(rules, 3) == in_one
        guesses += in_one[1]
    assert guesses > 100


def test_compiled_code_comes_back_the_sooner_the_slower_the_machine_is(monkeypatch):
    """So that clocks and Ctrl-C are heard; the clock here says that every call took a second."""
    monkeypatch.setattr("erm.rulebook.complete.clock", itertools.count().__next__)
    rules = erm.load_task("heyawake").rules(
        pencil_boards.random_board("heyawake", 7, 7, np.random.default_rng(1))
    )
    search, before, allowed, tried = CompleteSearch(rules, rules.domain), 0, [], []
    for _ in range(20):
        allowed.append(search._slice)
        search.go_on()
        tries = int(search._search.at[TRIES])
        tried.append(tries - before)
        before = tries
    assert allowed[:8] == [64, 32, 16, 8, 4, 2, 1, 1] and not search.exhausted
    # A cell's states are tried together.
    most = rules.domain.shape[1] - 1
    assert all(did <= might + most for did, might in zip(tried, allowed, strict=True))


def test_a_sudoku_is_unique_and_with_a_clue_less_it_is_not():
    task = erm.load_task("sudoku")
    text = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
    puzzle = task.parse(text)
    found = enumerate_answers(task.rules(puzzle))
    assert found.exhausted and len(found.answers) == 1
    assert task.is_valid(puzzle, task.to_answer(found.answers[0]))
    # It needs no guess, so that one answer is enough to know that it is the only one.
    only = enumerate_answers(task.rules(puzzle), limit=1)
    assert only.exhausted and only.nodes == 0 and len(only.answers) == 1
    open_board = task.parse("." + text[1:])
    assert not enumerate_answers(task.rules(open_board), limit=1).exhausted
    more = enumerate_answers(task.rules(open_board), limit=3)
    assert len(more.answers) == 3 and not more.exhausted
    assert task.rules(open_board).is_valid(more.answers).all()


def test_latin_squares_of_order_four_with_boxes_are_288():
    task = erm.load_task("sudoku")
    empty = Puzzle("sudoku", 4, 4, {"digits": np.zeros((4, 4), np.int8)})
    found = enumerate_answers(task.rules(empty), limit=1000)
    assert found.exhausted and len(np.unique(found.answers, axis=0)) == 288


def test_budgets_end_a_search_honestly():
    task = erm.load_task("nurikabe")
    rules = task.rules(Puzzle("nurikabe", 30, 30, {"clues": np.full((30, 30), 0, np.int16)}))
    clues = np.zeros((30, 30), np.int16)
    clues[::6, ::6] = -1
    rules = task.rules(Puzzle("nurikabe", 30, 30, {"clues": clues}))
    found = enumerate_answers(rules, nodes=3)
    assert not found.exhausted and found.nodes <= 3
    assert not enumerate_answers(rules, seconds=0.0).exhausted
    assert not enumerate_answers(rules, limit=0).exhausted


def test_only_answers_within_the_domain_are_looked_for():
    rules = Rules(np.ones((4, 2), bool), (Factor("two", np.arange(4)[None], Exactly(2, 4)),), ())
    domain = np.ones((4, 2), bool)
    domain[0, 0] = False
    found = enumerate_answers(rules, limit=10, domain=domain)
    assert found.exhausted
    assert {tuple(a) for a in found.answers.tolist()} == {(1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1)}


class Palindrome(Potential):
    """Known to Python only, with and without a way to prune."""

    name = "reads the same backwards"

    def violation(self, states):
        return (states != states[:, ::-1]).sum(1).astype(float)

    def blame(self, states):
        return states != states[::-1]


class PruningPalindrome(Palindrome):
    def prune(self, domain):
        return domain & domain[:, ::-1]


@pytest.mark.parametrize("rule", [Palindrome(), PruningPalindrome()], ids=["mute", "prunes"])
def test_rules_in_python_are_kept_to(rule):
    factor = Factor("two", np.arange(6)[None], Exactly(2, 6))
    found = enumerate_answers(Rules(np.ones((6, 2), bool), (factor,), (rule,)), limit=99)
    assert found.exhausted
    assert {tuple(a) for a in found.answers.tolist()} == {
        (1, 0, 0, 0, 0, 1),
        (0, 1, 0, 0, 1, 0),
        (0, 0, 1, 1, 0, 0),
    }
