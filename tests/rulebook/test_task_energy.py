"""`erm.energy` on real tasks: one puzzle, and a list of puzzles in one call."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from erm.errors import InputError
from erm.rulebook.registry import load_task
from erm.rulebook.task import energy


def sudoku_pool(puzzles: int, candidates: int) -> tuple[list, np.ndarray, torch.Tensor]:
    task = load_task("sudoku")
    solution = np.array([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]).ravel()
    rng = np.random.default_rng(0)
    texts = [
        "".join(str(digit) if rng.random() < 0.4 else "." for digit in solution)
        for _ in range(puzzles)
    ]
    answers = rng.integers(1, 5, (puzzles, candidates, 16))
    answers[:, 0] = solution
    logits = 6.0 * (answers[..., None] == np.arange(1, 5)) + rng.normal(size=(*answers.shape, 4))
    log_probs = torch.log_softmax(torch.from_numpy(logits), -1)
    return [task.parse(text) for text in texts], answers, log_probs


@pytest.mark.parametrize("soft", [True, False])
def test_a_list_of_sudokus_equals_one_at_a_time(soft):
    task = load_task("sudoku")
    puzzles, answers, log_probs = sudoku_pool(5, 7)
    given = log_probs if soft else None
    pool = energy(task, puzzles, answers, given)
    assert pool.total.shape == (5, 7)
    assert (pool.total.argmin(1) == 0).all()
    for index, puzzle in enumerate(puzzles):
        one = energy(task, puzzle, answers[index], log_probs[index] if soft else None)
        np.testing.assert_allclose(pool.total[index], one.total, rtol=1e-12)
        for name, value in one.factors.items():
            np.testing.assert_allclose(pool.factors[name][index], value, rtol=1e-12)


def test_a_list_of_nurikabes_equals_one_at_a_time():
    task = load_task("nurikabe")
    puzzles = [
        task.parse(f"https://puzz.link/p?nurikabe/4/4/{body}") for body in ("2s1g", "g3t", "1u")
    ]
    answers = np.random.default_rng(1).integers(0, 2, (3, 9, 16))
    pool = energy(task, puzzles, answers)
    for index, puzzle in enumerate(puzzles):
        one = energy(task, puzzle, answers[index])
        np.testing.assert_allclose(pool.total[index], one.total, atol=1e-12)
        for name, value in {**one.factors, **one.potentials}.items():
            together = {**pool.factors, **pool.potentials}[name]
            np.testing.assert_allclose(together[index], value, atol=1e-12)


def test_wrong_pools_get_one_sentence():
    task = load_task("sudoku")
    puzzles, answers, log_probs = sudoku_pool(2, 3)
    bigger = task.parse("." * 81)
    with pytest.raises(InputError, match="2 pools of answers were given for 1 puzzles"):
        energy(task, puzzles[:1], answers)
    with pytest.raises(InputError, match="one board size"):
        energy(task, [puzzles[0], bigger], answers)
    with pytest.raises(InputError, match=r"have shape \(2, 3, 16, 4\)"):
        energy(task, puzzles, answers, log_probs[:, :2])
    with pytest.raises(InputError, match="states 1 to 4"):
        energy(task, puzzles[0], answers[0] - 1)
