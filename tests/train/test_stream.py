"""Rows are a function of the seed, their number and their count; buckets keep their shares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from small_sudokus import write_sudokus

from erm.data.symmetry import random_symmetry
from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.rulebook.registry import load_task
from erm.rulebook.symmetry import Symmetry
from erm.train.config import DataOptions
from erm.train.stream import Bucket, Schedule, fit_model, load_answered, make_buckets
from erm.types import Puzzle


def buckets_of(*paths: Path, mix=(), structured=True) -> list[Bucket]:
    options = DataOptions(data=paths, mix=mix)
    datasets = [load_answered(path, None, "train", None) for path in paths]
    return make_buckets(datasets, options, structured)


def test_a_row_depends_on_seed_number_and_count_alone(sudokus):
    (bucket,) = buckets_of(sudokus)
    together = bucket.draw(3, [0, 1, 2], [0, 5, 0])
    alone = bucket.draw(3, [1], [5])
    assert torch.equal(together.inputs.domain[1:2], alone.inputs.domain)
    assert torch.equal(together.answers[1:2], alone.answers)
    later, other_seed = bucket.draw(3, [1], [6]), bucket.draw(4, [1], [5])
    assert not torch.equal(later.inputs.domain, alone.inputs.domain)
    assert not torch.equal(other_seed.inputs.domain, alone.inputs.domain)


def test_drawn_rows_are_symmetric_forms_with_their_answers(sudokus):
    (bucket,) = buckets_of(sudokus)
    task = load_task("sudoku")
    printed = {task.format(puzzle) for puzzle in bucket.puzzles}
    drawn = bucket.draw(0, range(50), [0] * 50)
    seen = set()
    for domain, states in zip(drawn.inputs.domain.numpy(), drawn.answers.numpy(), strict=True):
        settled = domain.sum(1) == 1
        digits = np.where(settled, domain.argmax(1) + 1, 0)
        puzzle = task.parse("".join(".1234"[d] for d in digits))
        assert task.is_valid(puzzle, task.to_answer(states))
        seen.add(task.format(puzzle))
    assert len(seen - printed) > 40


def test_buckets_hold_one_shape_and_get_their_share(tmp_path):
    small = write_sudokus(tmp_path / "small.jsonl", 4, 30, 8)
    large = write_sudokus(tmp_path / "large.jsonl", 6, 10, 12)
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(small.read_text() + large.read_text())
    buckets = buckets_of(small, mixed, mix=(0.6, 0.4))
    assert [bucket.name for bucket in buckets] == ["sudoku 4x4", "sudoku 4x4", "sudoku 6x6"]
    schedule = Schedule(buckets)
    taken = np.bincount([schedule.next() for _ in range(1000)], minlength=3)
    assert taken.tolist() == [600, 300, 100]


def test_a_resumed_schedule_goes_on_where_it_was(sudokus):
    buckets = buckets_of(sudokus, sudokus, mix=(0.7, 0.3))
    whole, first, second = Schedule(buckets), Schedule(buckets), Schedule(buckets)
    expected = [whole.next() for _ in range(40)]
    start = [first.next() for _ in range(17)]
    second.taken[:] = first.taken
    assert start + [second.next() for _ in range(23)] == expected


def test_the_models_sizes_follow_from_the_task(sudokus):
    buckets = buckets_of(sudokus)
    config = fit_model(ReasonerConfig(hidden=8, inner=8), buckets)
    assert (config.states, config.partitions, config.interchangeable) == (4, 3, True)
    tokens = ReasonerConfig(mixer="token-mlp", hidden=8, vocabulary=11, length=81)
    assert fit_model(tokens, buckets_of(sudokus, structured=False)).length == 16


def test_token_reasoners_take_no_partitions_along(sudokus):
    (bucket,) = buckets_of(sudokus, structured=False)
    inputs = bucket.draw(0, [0, 1], [0, 0]).inputs
    assert inputs.gather.numel() == inputs.features.numel() == 0
    assert inputs.tokens.shape == (2, 16)


def test_unanswered_puzzles_are_refused(sudokus, tmp_path):
    path = tmp_path / "open.jsonl"
    lines = sudokus.read_text().splitlines()
    lines[2] = lines[2][: lines[2].index('"answer"')] + '"answer": null, "meta": {}}'
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"puzzle 3 of .*open.jsonl has no answer"):
        load_answered(path, None, "train", None)


def test_a_structured_reasoner_refuses_two_tasks(sudokus):
    buckets = buckets_of(sudokus)
    other = replace(buckets[0], task=load_task("maze"))
    with pytest.raises(InputError, match="learns one task"):
        fit_model(ReasonerConfig(), [buckets[0], other])


def test_boards_that_are_not_square_keep_their_shape():
    """Turning a board on its side would put it into another bucket."""
    task = load_task("nurikabe")
    clues = np.zeros((3, 5), np.int16)
    clues[0, 1], clues[2, 4] = 3, 2
    answer = (np.arange(15) % 2).astype(np.int8)
    bucket = Bucket(task, [Puzzle("nurikabe", 3, 5, {"clues": clues}, answer)], 1.0)
    drawn = bucket.draw(0, range(40), [0] * 40)
    assert drawn.inputs.shape == (3, 5)
    forms = {states.numpy().tobytes() for states in drawn.answers}
    expected = answer.astype(np.int64).reshape(3, 5)
    flips = [expected, expected[::-1], expected[:, ::-1], expected[::-1, ::-1]]
    assert forms == {np.ascontiguousarray(flip).tobytes() for flip in flips}


def test_boards_of_tasks_with_a_direction_are_never_mirrored():
    own = Puzzle("mine", 2, 3, {"cells": np.arange(6).reshape(2, 3)}, np.arange(6, dtype=np.int8))
    for seed in range(8):
        form = Symmetry().random(own, np.random.default_rng(seed), upright=True)
        np.testing.assert_array_equal(form.answer, own.answer)
    tapa = Puzzle(
        "tapa", 2, 3, {"clues": np.zeros((2, 3, 4), np.int8)}, np.arange(6, dtype=np.int8)
    )
    forms = [random_symmetry(tapa, np.random.default_rng(seed), upright=True) for seed in range(30)]
    assert {form.shape for form in forms} == {(2, 3)}
    assert len({tuple(form.answer) for form in forms}) == 4
