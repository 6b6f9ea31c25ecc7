"""Every preset is a command that can be built, and the paper's have the paper's sizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from erm.cli.main import _parse, main
from erm.errors import InputError
from erm.model.checkpoint import blank
from erm.train.presets import presets

PRESETS = presets()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_take_options_on_the_command_line(name):
    parsed = _parse("train", [name, "--data", "a.jsonl", "b.jsonl", "--mix", "1", "2"])
    parsed.check()
    preset = PRESETS[name][1]
    assert parsed.model == preset.model and parsed.optim == preset.optim
    changed = _parse("train", [name, "--data", "a.jsonl", "--lr", "0.5", "--hidden", "64"])
    assert changed.optim.lr == 0.5 and changed.model.hidden == 64


def test_unknown_options_are_refused():
    with pytest.raises(SystemExit) as stopped:
        main(["train", "cpu/sudoku", "--data", "a.jsonl", "--learning-rate", "1"])
    assert stopped.value.code == 2


def test_a_missing_file_is_one_sentence(tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["train", "cpu/sudoku", "--data", "no.jsonl", "--out", str(out)]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("erm train: ") and "no.jsonl" in said and "\n" not in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("paper/eqr-sudoku", 5.03),
        ("paper/eqr-sudoku-released", 4.86),
        ("paper/eqr-maze", 0.264),
        ("paper/ppbench", 7.12),
        ("paper/trm-sudoku", 5.03),
        ("paper/trm-sudoku-attention", 6.83),
    ],
)
def test_paper_presets_have_the_papers_sizes(name, millions):
    parameters = blank(PRESETS[name][1].model).parameter_count
    assert parameters / 1e6 == pytest.approx(millions, rel=0.01)


@pytest.mark.parametrize(
    ("processes", "batch", "accumulate"), [(1, 768, 1), (8, 96, 1), (768, 1, 1)]
)
def test_the_papers_batch_is_that_of_all_processes(processes, batch, accumulate):
    config = PRESETS["paper/eqr-sudoku"][1].shared_by(processes)
    assert (config.batch, config.accumulate) == (batch, accumulate)
    assert config.rows * processes == 768
    assert (
        replace(PRESETS["paper/eqr-sudoku"][1], batch=32).shared_by(4).accumulate == 768 // 4 // 32
    )


def test_a_batch_that_does_not_split_is_refused():
    with pytest.raises(InputError, match="--global-batch 768 does not split"):
        PRESETS["paper/eqr-sudoku"][1].shared_by(7)


def test_steps_are_those_of_the_official_programs():
    steps = {name: PRESETS[name][1].steps for name in PRESETS if name.startswith("paper/")}
    assert steps["paper/eqr-sudoku"] == steps["paper/eqr-sudoku-released"] == 50_000
    assert steps["paper/eqr-maze"] == 100_000
    assert steps["paper/trm-sudoku"] == steps["paper/trm-maze"] == 50_000 * 1000 // 768
