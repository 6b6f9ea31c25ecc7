import copy
import gc

import numpy as np
import pytest
import tiny
import torch

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.search.options import SearchOptions
from erm.search.puzzle_search import PuzzleSearch
from erm.search.select import select
from erm.search.solver import Solver, load
from erm.search.temper import TemperOptions


@pytest.fixture(scope="module")
def solver(tiny_checkpoint):
    return load(tiny_checkpoint)


def text_of(puzzle):
    return load_task("sudoku").format(puzzle)


def token_solver(mixer="token-mlp", **options):
    torch.manual_seed(0)
    config = {"hidden": 16, "inner": 32, "heads": 2, "vocabulary": 11, "length": 16}
    return Solver(
        Reasoner(ReasonerConfig(mixer=mixer, **{**config, **options})), {"task": "sudoku"}
    )


def test_a_result_says_what_was_found_and_what_it_cost(solver):
    task = load_task("sudoku")
    for puzzle in tiny.puzzles(6, seed=3):
        result = solver.solve(text_of(puzzle), width=16, depth=8, rules=False)
        assert result.certified == task.is_valid(puzzle, result.answer)
        assert result.certified == (result.violations == [])
        if result.certified:
            np.testing.assert_array_equal(result.answer, puzzle.answer)
        assert result.energy.total == result.candidates.energy.total[result.index]
        assert result.evaluations == result.candidates.steps.sum()
        assert result.done and result.seconds > 0


def test_an_impossible_puzzle_is_left_uncertified_with_reasons(solver):
    result = solver.solve("11.." + "." * 12, width=4, depth=2, mode="full")
    assert result.status == "undecided" and not result.certified
    assert any(violation.rule == "row" for violation in result.violations)


def test_the_same_seed_gives_the_same_result(solver):
    puzzle = tiny.puzzles(1, seed=8)[0]
    first, again = (solver.solve(puzzle, width=4, depth=3, seed=2) for _ in range(2))
    np.testing.assert_array_equal(first.candidates.q, again.candidates.q)


def test_search_streams_the_same_search(solver):
    puzzle = tiny.puzzles(20, seed=99, clues=(4, 4))[7]
    last = solver.solve(puzzle, width=12, depth=5, rules=False)
    for step in solver.search(puzzle, width=12, depth=5, rules=False):
        assert step.violations == [] or not step.certified
    assert step.done and step.evaluations == last.evaluations
    np.testing.assert_array_equal(step.answer, last.answer)


def test_many_puzzles_are_open_only_a_few_at_a_time(solver):
    """Memory does not grow with the number of puzzles."""
    options = SearchOptions(depth=1, width=32, mode="full")
    open_searches = []
    for count, _ in enumerate(solver.solve_many(tiny.puzzles(60, seed=1), options)):
        if count % 20 == 0:
            gc.collect()
            open_searches.append(sum(type(thing) is PuzzleSearch for thing in gc.get_objects()))
    assert count == 59
    assert max(open_searches) <= 3


def test_puzzles_that_the_checkpoint_cannot_read_are_errors(solver):
    maze = load_task("maze").parse("#####\n#S G#\n#####")
    with pytest.raises(InputError, match="solves sudoku, but the puzzle is maze"):
        solver.solve(maze)
    with pytest.raises(InputError):
        solver.solve("not a puzzle")
    with pytest.raises(InputError, match="16 cells, but a 9x9 sudoku has 81"):
        token_solver().solve("." * 81, mode="full")
    with pytest.raises(InputError, match="5 tokens"):
        token_solver(vocabulary=5).solve("." * 16, mode="full")
    with pytest.raises(InputError, match="neither a folder nor a shipped checkpoint"):
        load("no such checkpoint")


def test_a_checkpoint_for_another_rulebook_is_said_to_be_one():
    config = ReasonerConfig(hidden=8, inner=8, states=9, partitions=2, interchangeable=True)
    with pytest.raises(InputError, match="2 partitions, but a 4x4 sudoku has 3"):
        Solver(Reasoner(config), {"task": "sudoku"}).solve("." * 16, mode="full")


def test_boards_that_the_network_cannot_read_are_solved_by_the_rules():
    result = token_solver().solve("." * 81)
    assert (result.status, result.by, result.evaluations) == ("several", "rules", 0)


def test_token_based_reasoners_answer_in_states_and_with_stablemax():
    solver = token_solver()
    assert solver.probabilities == "stablemax"
    puzzle = tiny.puzzles(1, seed=0)[0]
    options = {"width": 3, "depth": 2, "mode": "full", "decoding": "clamped"}
    result = solver.solve(puzzle, keep_log_probs=True, **options)
    given = puzzle.givens["digits"].ravel()
    assert (result.candidates.answers[:, given > 0] == given[given > 0]).all()
    assert result.candidates.log_probs.shape == (3, 16, 4)
    np.testing.assert_allclose(np.exp(result.candidates.log_probs).sum(-1), 1, rtol=1e-5)
    softmax = Solver(solver.reasoner, {"task": "sudoku", "options": {"loss": "softmax"}})
    other = softmax.solve(puzzle, **options)
    np.testing.assert_array_equal(other.candidates.answers, result.candidates.answers)
    assert (other.candidates.confidence != result.candidates.confidence).all()


def test_the_energy_transformers_own_energy_is_a_selector():
    solver = token_solver("energy-transformer")
    puzzle = tiny.puzzles(1, seed=0)[0]
    pool = solver.solve(puzzle, width=5, depth=2, mode="full", chunk=2).candidates
    assert len(set(pool.scores["et"])) == 5
    assert select(pool, "et").index == pool.scores["et"].argmin()


def test_many_puzzles_are_searched_as_each_alone_is():
    solver = load("sudoku-6x6-token-mlp")
    puzzle, options = ".2.4.6..6..3.3..5.5..2..6..1..1.3.5.", SearchOptions(8, 4, "full")
    alone = solver.solve(puzzle, width=4, depth=8, mode="full")
    first, second = solver.solve_many([puzzle, puzzle], options)
    for one in (first, second):
        np.testing.assert_array_equal(one.candidates.answers, alone.candidates.answers)


def test_the_answer_of_a_full_search_is_what_the_selector_chooses(solver):
    puzzle = tiny.puzzles(20, seed=99, clues=(4, 4))[7]
    options = {"width": 12, "depth": 2, "mode": "full"}
    for name in ("energy", "qhead", "rules", "majority"):
        result = solver.solve(puzzle, selector=name, **options)
        np.testing.assert_array_equal(result.answer, select(result.candidates, name).answer)
    lowest = solver.solve(puzzle, **options)
    assert lowest.energy.total == lowest.candidates.energy.total.min()


def test_an_unknown_device_is_an_error():
    with pytest.raises(InputError, match="not available"):
        load("sudoku", "foo")


@pytest.mark.parametrize("mode", ["adaptive", "full"])
def test_a_network_that_says_nan_ends_its_search(tiny_reasoner, mode):
    loud = copy.deepcopy(tiny_reasoner)
    for parameter in loud.parameters():
        parameter.data.mul_(1e30)
    solver = Solver(loud, {"task": "sudoku"})
    puzzle = tiny.puzzles(1, seed=3, clues=(4, 4))[0]
    result = solver.solve(puzzle, width=4, depth=3, mode=mode, rules=False)
    # What is no number is no opinion: every state of an open cell is as likely as any other.
    np.testing.assert_allclose(result.candidates.confidence, -np.log(4), rtol=1e-5)
    assert np.isfinite(result.candidates.energy.total).all()
    assert result.done and result.status in ("undecided", "certified", "unique")


def test_tempering_with_nan_comes_to_its_end(tiny_reasoner):
    broken = copy.deepcopy(tiny_reasoner)
    for parameter in broken.parameters():
        parameter.data.fill_(float("nan"))
    options = TemperOptions(depth=3, ladders=2, rungs=2, metropolis=True)
    result = Solver(broken, {"task": "sudoku"}).temper("....12..........", options)
    assert np.isfinite(result.pool.energy.total).all()
