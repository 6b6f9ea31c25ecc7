"""The loop learns, halts as asked, and accumulates what a larger batch would see."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from small_sudokus import write_sudokus

from erm import zoo
from erm.errors import InputError
from erm.model.checkpoint import load_checkpoint
from erm.model.config import ReasonerConfig
from erm.train.config import (
    DataOptions,
    OptimOptions,
    SegmentOptions,
    TrainConfig,
    differing_option,
)
from erm.train.distributed import Group
from erm.train.loop import train
from erm.train.metrics import read_metrics
from erm.train.rows import Rows
from erm.train.seeds import Purpose
from erm.train.state import Saved
from erm.train.stream import load_answered
from erm.train.trainer import Trainer

TINY = ReasonerConfig(hidden=16, inner=32, lattice=False, l_cycles=2)


def config_of(puzzles: Path, **changes) -> TrainConfig:
    config = TrainConfig(
        out=puzzles.parent / "run",
        steps=20,
        batch=8,
        compile=False,
        model=TINY,
        data=DataOptions(data=(puzzles,)),
        optim=OptimOptions(lr=5e-3, warmup=20, ema=0.99),
    )
    return replace(config, **changes)


def trainer_of(config: TrainConfig, group: Group | None = None) -> Trainer:
    data = config.data
    datasets = [load_answered(path, data.task, data.split, data.limit) for path in data.data]
    origin = None if config.init is None else Path(config.init)
    return Trainer(config, datasets, group or Group(), torch.device("cpu"), origin)


def test_training_solves_held_out_boards_and_says_so(sudokus, tmp_path):
    held_out = write_sudokus(tmp_path / "test.jsonl", 4, 20, 8, seed=9)
    config = config_of(sudokus, steps=200, batch=16, log_every=50, evaluate_every=200)
    config = replace(config, data=replace(config.data, validation=(held_out,)))
    card = train(config, quiet=True)
    assert card is not None
    (score,) = card["accuracy"]
    # Boards with 8 of 16 cells open may have two answers; most have one.
    assert score["total"] == 20 and score["correct"] >= 10
    lines = read_metrics(config.out / "metrics.jsonl")
    assert [line["step"] for line in lines] == [50, 100, 150, 200, 200]
    assert lines[3]["loss"] < 0.7 * lines[0]["loss"]
    assert card["stages"][0]["held_out"] == [lines[4]]
    reasoner, saved = load_checkpoint(config.out / "checkpoint")
    assert saved["steps"] == 200 and saved["data"][0]["count"] == 60
    assert reasoner.config.states == 4


def test_a_card_tells_every_stage_with_its_curve(sudokus, tmp_path):
    first = config_of(sudokus, steps=30, log_every=10)
    train(first, quiet=True)
    second = replace(first, out=tmp_path / "second", init=first.out / "checkpoint", steps=20)
    card = train(second, quiet=True)
    assert card is not None
    assert [stage["steps"] for stage in card["stages"]] == [30, 20]
    assert card["steps"] == 50
    assert card["seconds"] == pytest.approx(sum(stage["seconds"] for stage in card["stages"]))
    assert card["stages"][1]["options"]["lr"] == second.optim.lr
    assert [len(stage["curve"]) for stage in card["stages"]] == [3, 2]
    for stage in card["stages"]:
        assert stage["data"][0]["count"] == 60
        assert all(0 <= point["cells"] <= 1 for point in stage["curve"])
        seconds = [point["seconds"] for point in stage["curve"]]
        assert seconds == sorted(seconds) and seconds[-1] <= stage["seconds"]


def test_a_stage_starts_from_a_shipped_name_too(sudokus, tmp_path, monkeypatch):
    first = config_of(sudokus, steps=2)
    train(first, quiet=True)
    monkeypatch.setattr(zoo, "_HERE", tmp_path)
    shutil.copytree(first.out / "checkpoint", tmp_path / "easy")
    card = train(replace(first, out=tmp_path / "second", init="easy"), quiet=True)
    assert card is not None and card["init"] == "easy"
    assert [stage["steps"] for stage in card["stages"]] == [2, 2]
    with pytest.raises(InputError, match="hard is neither a folder nor a shipped checkpoint"):
        train(replace(first, out=tmp_path / "third", init="hard"), quiet=True)
    assert not (tmp_path / "third" / "config.json").exists()


def test_cohorts_take_turns_and_start_at_all_ages(sudokus):
    segments = SegmentOptions(horizon=5, halt="never", cohorts=3)
    trainer = trainer_of(config_of(sudokus, batch=2, segments=segments))
    (rows,) = trainer.rows
    assert rows.steps.tolist() == [0, 1, 2, 3, 4, 0]
    for expected in (
        [1, 2, 2, 3, 4, 0],
        [1, 2, 3, 4, 4, 0],
        [1, 2, 3, 4, 0, 1],
        [2, 3, 3, 4, 0, 1],
    ):
        trainer.gradients()
        assert rows.steps.tolist() == expected
    assert rows.counts.tolist() == [0, 0, 0, 0, 1, 0]


def test_accumulated_passes_have_the_gradient_of_one_large_batch(sudokus):
    whole = trainer_of(config_of(sudokus, batch=8))
    parts = trainer_of(config_of(sudokus, batch=2, accumulate=4))
    for _ in range(3):
        for trainer in (whole, parts):
            trainer.reasoner.zero_grad()
            trainer.gradients()
        for one, other in zip(
            whole.reasoner.parameters(), parts.reasoner.parameters(), strict=True
        ):
            torch.testing.assert_close(one.grad, other.grad, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("halt", ["q", "solved", "never"])
def test_no_puzzle_outlives_the_horizon(sudokus, halt):
    segments = SegmentOptions(horizon=3, halt=halt)
    trainer = trainer_of(config_of(sudokus, segments=segments))
    for _ in range(7):
        trainer.update()
        assert trainer.rows[0].steps.max() < 3
    if halt == "never":
        assert trainer.rows[0].counts.tolist() == [2] * 8


def test_solved_puzzles_linger_and_leave(sudokus):
    """A board without open cells is solved from the first step on."""
    full = write_sudokus(sudokus.parent / "full.jsonl", 4, 5, 0)
    segments = SegmentOptions(horizon=16, halt="solved", linger=2)
    trainer = trainer_of(config_of(full, segments=segments))
    for _ in range(6):
        trainer.update()
    assert trainer.rows[0].counts.tolist() == [2] * 8


def test_several_segments_an_update(sudokus):
    segments = SegmentOptions(horizon=8, halt="never", steps_per_update=4)
    trainer = trainer_of(config_of(sudokus, segments=segments))
    trainer.update()
    assert trainer.rows[0].steps.tolist() == [4] * 8
    trainer.update()
    assert trainer.rows[0].counts.tolist() == [1] * 8


@pytest.mark.parametrize("mixer", ["token-mlp", "attention", "energy-transformer"])
def test_token_reasoners_train(sudokus, mixer):
    model = ReasonerConfig(
        mixer=mixer, hidden=32, inner=32, heads=2, l_cycles=1, vocabulary=11, length=16
    )
    trainer = trainer_of(config_of(sudokus, model=model, steps=60))
    losses = []
    for _ in range(2):
        for _ in range(25):
            trainer.update()
        losses.append(trainer.window.means()["answer"])
        trainer.window.sums.clear()
        trainer.window.weights.clear()
    assert losses[1] < losses[0]


def test_a_further_stage_starts_from_the_weights_of_the_one_before(sudokus):
    first = config_of(sudokus, steps=5)
    train(first, quiet=True)
    second = replace(first, out=sudokus.parent / "second", init=first.out / "checkpoint")
    trainer = trainer_of(second)
    saved, _ = load_checkpoint(first.out / "checkpoint")
    for one, other in zip(trainer.reasoner.parameters(), saved.parameters(), strict=True):
        assert torch.equal(one, other)
    wider = replace(second, model=replace(TINY, hidden=24))
    with pytest.raises(InputError, match="do not fit the model asked for"):
        trainer_of(wider)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"steps": 0}, "--steps must be at least 1"),
        ({"data": DataOptions()}, "--data FILE"),
        ({"data": DataOptions(data=(Path("a"), Path("b")), mix=(1.0,))}, "--mix takes one"),
        ({"device": "tpu"}, "--device tpu is not available"),
    ],
)
def test_wrong_commands_are_refused_before_anything_is_written(sudokus, changes, sentence):
    config = config_of(sudokus, **changes)
    with pytest.raises(InputError, match=sentence):
        train(config, quiet=True)
    assert not config.out.exists()


def test_another_command_for_the_same_folder_names_the_option(sudokus):
    config = config_of(sudokus, steps=2)
    train(config, quiet=True)
    before = json.loads((config.out / "config.json").read_text())
    other = replace(config, optim=replace(config.optim, lr=1e-3))
    with pytest.raises(InputError, match=r"--lr was 0.005 and is now 0.001"):
        train(other, quiet=True)
    sudokus.write_text(sudokus.read_text() + sudokus.read_text())
    with pytest.raises(InputError, match=r"train.jsonl has changed"):
        train(config, quiet=True)
    assert json.loads((config.out / "config.json").read_text()) == before


def test_puzzle_embeddings_have_an_optimiser_of_their_own(sudokus):
    """As in HRM and TRM: steps of one size by SignSGD, whatever the other weights do."""
    model = ReasonerConfig(
        mixer="token-mlp", hidden=8, vocabulary=11, length=16, expansion=1.0, prefix=2,
        identifiers=1,
    )  # fmt: skip
    optim = OptimOptions(lr=1e-3, warmup=0, decay="constant", puzzle_lr=0.25, clip=0.0)
    trainer = trainer_of(config_of(sudokus, model=model, optim=optim))
    before = trainer.reasoner.codec.puzzle.detach().clone()
    others = trainer.reasoner.codec.write.weight.detach().clone()
    trainer.update()
    moved = (trainer.reasoner.codec.puzzle - before).abs().unique()
    torch.testing.assert_close(moved[moved > 0], torch.tensor([0.25]))
    assert 0 < (trainer.reasoner.codec.write.weight - others).abs().max() < 0.01
    shared, _ = trainer.state()
    assert trainer.reasoner.parameter_count == sum(
        value.numel() for name, value in shared.items() if name.startswith("average.")
    )


def test_rows_draw_the_same_noise_however_they_are_shared(sudokus):
    trainer = trainer_of(config_of(sudokus, batch=8))
    (whole,) = trainer.rows
    # The second of two processes carries rows 4 to 7.
    part = Rows(whole.bucket, trainer.reasoner, whole.seed, 4, 4, torch.device("cpu"))
    assert torch.equal(part.carry.z_H, whole.carry.z_H[4:])
    when = torch.full((4,), 17)
    own, same = (
        part.draws(Purpose.NOISE, range(4), when),
        whole.draws(Purpose.NOISE, range(4, 8), when),
    )
    assert torch.equal(own.normal((3, 5), 4), same.normal((3, 5), 4))
    later = part.draws(Purpose.NOISE, range(4), when + 1)
    assert not torch.equal(own.normal((3, 5), 4), later.normal((3, 5), 4))


def test_states_of_older_runs_have_their_names_of_today(sudokus):
    trainer, other = (trainer_of(config_of(sudokus)) for _ in range(2))
    trainer.update()
    now, rows = trainer.state()
    before = {
        name.replace("codec.q_head", "surface.judge").replace("codec", "surface"): tensor.clone()
        for name, tensor in now.items()
    }
    before["lanes"] = before.pop("buckets")
    assert "weights.surface.judge.weight" in before
    other.load(Saved(1, 0.0, before, rows, {}))
    for name, tensor in other.state()[0].items():
        assert torch.equal(tensor, now[name]), name


def test_options_of_older_runs_have_their_names_of_today():
    asked = TrainConfig().to_json()
    saved = {**asked, "hears": "nothing", "guess": 0.0, "guess_horizon": 8, "commit_horizon": 6}
    del saved["advice"]
    assert differing_option(saved, asked) is None
    pruning = differing_option({**saved, "hears": "pruning"}, asked)
    assert "--advice was 'propagation' and is now 'none'" in str(pruning)
    assert "no longer an option" in str(differing_option({**saved, "guess": 0.5}, asked))


def test_options_that_a_saved_run_is_older_than_had_their_defaults():
    saved = TrainConfig().to_json()
    del saved["puzzle_lr"], saved["ema_warmup"]
    assert differing_option(saved, TrainConfig().to_json()) is None
    changed = replace(TrainConfig(), optim=OptimOptions(ema_warmup=False)).to_json()
    assert "--ema-warmup was True and is now False" in str(differing_option(saved, changed))
