"""What holds for every rulebook: energy, validity, violations and encoding agree."""

import numpy as np
import pytest
from boards import ALL_TASKS, solved, solved_pencil, solved_sudoku

from erm.rulebook.registry import load_task
from erm.rulebook.task import energy


def corruptions(puzzle, rng: np.random.Generator, count: int) -> np.ndarray:
    """Copies of the answer with one to six cells redrawn, clue cells among them."""
    task = load_task(puzzle.task)
    answers = np.tile(puzzle.answer, (count, 1))
    for answer in answers:
        cells = rng.choice(puzzle.cells, rng.integers(1, 7), replace=False)
        answer[cells] = rng.integers(0, task.states_of(puzzle), len(cells)) + task.first_state
    return answers


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_every_valid_answer_has_a_lower_energy_than_every_invalid_one(kind):
    rng = np.random.default_rng(3)
    task = load_task(kind)
    for _ in range(6):
        puzzle = solved(kind, rng)
        answers = np.concatenate([puzzle.answer[None], corruptions(puzzle, rng, 100)])
        valid = task.rules(puzzle).is_valid(task.to_states(puzzle, answers))
        total = energy(task, puzzle, answers).total
        assert valid[0] and not valid.all()
        assert total[valid].max() < total[~valid].min()


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_violations_are_empty_exactly_when_valid(kind):
    rng = np.random.default_rng(4)
    task = load_task(kind)
    puzzle = solved(kind, rng)
    for answer in corruptions(puzzle, rng, 40):
        violations = task.violations(puzzle, answer)
        assert (not violations) == task.is_valid(puzzle, answer)
        assert all(violation.cells for violation in violations)


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_settings_are_the_papers_and_can_be_changed(kind):
    task = load_task(kind)
    puzzle = solved(kind, np.random.default_rng(5))
    constants = task.settings
    paper = {"sudoku": (128, 1, 1), "maze": (1, 1, 0.25)}.get(kind, (128, 64, 1))
    assert (constants.beta, constants.mu, constants.weight) == paper and constants.gamma == 0
    wrong = np.full((1, puzzle.cells), task.first_state)
    local = energy(task, puzzle, wrong, settings=type(constants)(beta=128, mu=0, tau=0.02))
    assert all((term == 0).all() for term in local.potentials.values())


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_encoding(kind):
    rng = np.random.default_rng(6)
    task = load_task(kind)
    puzzle = solved(kind, rng)
    encoding = task.encode(puzzle)
    n, states = puzzle.cells, task.states_of(puzzle)
    given = task.to_states(puzzle, puzzle.answer)
    assert encoding.domain.shape == (n, states) and encoding.domain[np.arange(n), given].all()
    assert encoding.tokens.min() > 0 and encoding.tokens.max() < task.vocabulary
    assert encoding.answer_tokens.shape == (n, states)
    assert encoding.answer_tokens.max() < task.vocabulary
    assert (np.diff(np.sort(encoding.answer_tokens, axis=1)) > 0).all()
    assert np.isfinite(encoding.features).all()


@pytest.mark.parametrize("kind", ["sudoku", "lightup", "nurikabe", "heyawake", "tapa"])
def test_width_of_features_and_partitions_does_not_depend_on_the_board(kind):
    rng = np.random.default_rng(7)
    task = load_task(kind)
    if kind == "sudoku":
        boards = [solved_sudoku(side, rng) for side in (4, 6, 9, 16)]
    else:
        boards = [solved_pencil(kind, shape, rng) for shape in ((2, 3), (3, 3), (4, 3))]
    encodings = [task.encode(puzzle) for puzzle in boards]
    assert len({encoding.features.shape[1] for encoding in encodings}) == 1
    assert len({len(encoding.partitions) for encoding in encodings}) == 1


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_text_goes_both_ways(kind):
    task = load_task(kind)
    puzzle = solved(kind, np.random.default_rng(8))
    again = task.parse(task.format(puzzle))
    assert again.shape == puzzle.shape
    for name, printed in puzzle.givens.items():
        np.testing.assert_array_equal(again.givens[name], printed)


@pytest.mark.parametrize("kind", ALL_TASKS)
def test_boards_blamed_together_are_blamed_as_each_alone(kind):
    rng = np.random.default_rng(9)
    task = load_task(kind)
    puzzles = [solved(kind, rng) for _ in range(12)]
    rulebooks = [task.rules(puzzle) for puzzle in puzzles]
    states = np.stack(
        [task.to_states(puzzle, corruptions(puzzle, rng, 1)[0]) for puzzle in puzzles]
    )
    states[0] = task.to_states(puzzles[0], puzzles[0].answer)
    states[1], states[2] = 0, 1
    for alike in zip(*(rules.potentials for rules in rulebooks), strict=True):
        together = type(alike[0]).blame_all(alike, states)
        for own, potential, blamed in zip(states, alike, together, strict=True):
            broken = potential.violation(own[None])[0] > 0
            assert (blamed == (potential.blame(own) & broken)).all(), potential.name
