"""One token network for five kinds of puzzles: rows of one batch are of any task and shape."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from boards import PENCIL, solved_pencil, solved_sudoku
from small_sudokus import write_sudokus

from erm.errors import InputError
from erm.formats.dataset import save_dataset
from erm.model.checkpoint import read_card
from erm.puzzles.pencil import PPBENCH
from erm.search.solver import load
from erm.train.config import DataOptions
from erm.train.loop import train
from erm.train.metrics import read_metrics
from erm.train.presets import PRESETS
from erm.train.stream import MixedBucket, fit_model, load_answered, make_buckets
from erm.types import Puzzle

SHAPES = {"lightup": (3, 4), "nurikabe": (3, 3), "heyawake": (2, 5), "tapa": (3, 4)}
PRESET = PRESETS["cpu/ppbench"][1]


def board(task: str, rng: np.random.Generator) -> Puzzle:
    return solved_sudoku(4, rng) if task == "sudoku" else solved_pencil(task, SHAPES[task], rng)


@pytest.fixture(scope="module")
def five(tmp_path_factory) -> tuple[Path, ...]:
    """A file of each type, boards of 9 to 16 cells."""
    folder, rng = tmp_path_factory.mktemp("five"), np.random.default_rng(3)
    paths = []
    for task in PPBENCH:
        paths.append(folder / f"{task}.jsonl")
        save_dataset([board(task, rng) for _ in range(6)], paths[-1])
    return tuple(paths)


def lane_of(paths: tuple[Path, ...], mix: tuple[float, ...] = ()) -> MixedBucket:
    datasets = [load_answered(path, None, "train", None) for path in paths]
    (bucket,) = make_buckets(datasets, DataOptions(data=paths, mix=mix), False)
    assert isinstance(bucket, MixedBucket)
    return bucket


def test_a_batch_holds_all_tasks_by_their_shares(five):
    bucket = lane_of(five, mix=(4, 1, 1, 1, 1))
    rng = np.random.default_rng(0)
    picked = [bucket.pick(rng).task for _ in range(2000)]
    shares = {task: picked.count(task) / len(picked) for task in PPBENCH}
    assert shares["sudoku"] == pytest.approx(0.5, abs=0.05)
    for task in PENCIL:
        assert shares[task] == pytest.approx(0.125, abs=0.04)
    drawn = bucket.draw(0, range(64), [0] * 64)
    assert {tuple(sides) for sides in drawn.inputs.sides.tolist()} == {(4, 4), *SHAPES.values()}
    assert drawn.inputs.tokens.shape == (64, 16) and drawn.inputs.domain.shape == (64, 16, 4)
    again = bucket.draw(0, [7], [0])
    assert torch.equal(again.inputs.tokens[0], drawn.inputs.tokens[7])
    mask = drawn.inputs.mask()
    assert mask is not None and not drawn.inputs.tokens[~mask].any()
    assert not drawn.answers[~mask].any()
    assert (drawn.inputs.tokens[mask] > 0).all()


def test_the_length_is_what_was_asked_for_or_the_largest_board(five):
    bucket = lane_of(five)
    assert fit_model(PRESET.model, [bucket]).length == 100
    assert fit_model(replace(PRESET.model, length=1), [bucket]).length == 16
    assert fit_model(PRESET.model, [bucket]).board is None


def test_five_types_train_into_one_checkpoint_that_reads_them_all(five, tmp_path):
    model = replace(PRESET.model, hidden=32, expansion=1.0)
    data = DataOptions(data=five, validation=five, augment=False)
    config = replace(
        PRESET, out=tmp_path / "run", model=model, data=data, steps=300, batch=16, log_every=100,
        compile=False, evaluate_depth=4, optim=replace(PRESET.optim, lr=3e-3, warmup=20, ema=0.9),
    )  # fmt: skip
    card = train(config, quiet=True)
    assert card is not None and card["tasks"] == sorted(PPBENCH)
    assert card["boards"] == ["2x5", "3x3", "3x4", "4x4"]
    assert [score["total"] for score in card["accuracy"]] == [6] * 5
    lines = [line for line in read_metrics(config.out / "metrics.jsonl") if "cells" in line]
    assert lines[-1]["answer"] < lines[0]["answer"] / 2
    cells = np.mean([score["cells"] for score in card["accuracy"]])
    assert cells > 0.9 > lines[0]["cells"]
    solver = load(config.out / "checkpoint")
    assert read_card(config.out / "checkpoint")["tasks"] == sorted(PPBENCH)
    rng = np.random.default_rng(3)
    for task in PPBENCH:
        puzzle = board(task, rng)
        result = solver.solve(puzzle, width=2, depth=4, mode="full")
        assert len(result.answer) == puzzle.cells
    larger = solved_sudoku(9, rng)
    assert len(solver.solve(larger, width=1, depth=1, mode="full").answer) == 81
    with pytest.raises(InputError, match="up to 100 cells, but a 16x16 sudoku has 256"):
        large = Puzzle("sudoku", 16, 16, {"digits": np.zeros((16, 16), np.int8)})
        solver.solve(large, mode="full")


def test_the_token_mlp_takes_boards_of_several_shapes(tmp_path):
    small = write_sudokus(tmp_path / "small.jsonl", 4, 8, 6)
    large = write_sudokus(tmp_path / "large.jsonl", 6, 8, 12)
    preset = PRESETS["cpu/sudoku-token-mlp"][1]
    config = replace(
        preset, out=tmp_path / "run", model=replace(preset.model, hidden=16), steps=3, batch=4,
        data=DataOptions(data=(small, large)), compile=False,
    )  # fmt: skip
    card = train(config, quiet=True)
    assert card is not None and card["boards"] == ["4x4", "6x6"]
    solver = load(config.out / "checkpoint")
    for path in (small, large):
        for puzzle in load_answered(path, None, "train", 2):
            assert len(solver.solve(puzzle, width=1, depth=1, mode="full").answer) == puzzle.cells
