"""Metrics: what TensorBoard and wandb get is what stands in the file."""

import sys

import pytest

from erm.errors import InputError
from erm.train.metrics import CURVE_POINTS, MetricsFile, learning_curve, read_metrics
from erm.train.trackers import TensorBoard, Wandb, check_installed


def test_tensorboard_gets_the_same_numbers(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    file = MetricsFile(tmp_path, 0, [TensorBoard(tmp_path, 0)])
    file.write(5, {"loss": 0.25, "validation": {"a.csv": {"exact": 0.5, "how": "D 16"}}})
    file.close()
    events = EventAccumulator(str(next(tmp_path.rglob("events*")).parent))
    events.Reload()
    (scalar,) = events.Scalars("loss")
    assert (scalar.step, scalar.value) == (5, 0.25)
    assert events.Scalars("validation/a.csv/exact")[0].value == 0.5
    (line,) = read_metrics(tmp_path / "metrics.jsonl")
    assert (line["step"], line["loss"]) == (5, 0.25)


def test_wandb_gets_them_without_a_connection(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="pip install 'erm-reasoner[wandb]'")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    file = MetricsFile(tmp_path, 0, [Wandb(tmp_path, {"steps": 7})])
    file.write(5, {"loss": 0.28125, "validation": {"a.csv": {"exact": 0.53125}}})
    file.close()
    wandb.teardown()  # Its own process writes; at the end of this one it would be waited for.
    (kept,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    data = kept.read_bytes()
    for part in (b"loss", b"0.28125", b"validation/a.csv/exact", b"0.53125", b"steps"):
        assert part in data, part


def test_what_is_not_installed_is_told_before_training(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    check_installed(tensorboard=True, wandb=False)
    with pytest.raises(InputError, match=r"pip install 'erm-reasoner\[wandb\]'"):
        check_installed(tensorboard=False, wandb=True)


def test_a_curve_averages_equal_stretches_and_skips_what_was_not_measured():
    lines = [{"step": 10 * k, "seconds": float(k), "cells": k / 100} for k in range(1, 97)]
    lines[3]["exact"] = 0.5
    lines.insert(5, {"step": 50, "validation": {}})
    curve = learning_curve(lines)
    assert len(curve) == CURVE_POINTS == 24
    assert curve[0] == {"seconds": 4.0, "cells": pytest.approx(0.025), "exact": 0.5}
    assert curve[-1] == {"seconds": 96.0, "cells": pytest.approx(0.945)}
    assert learning_curve([]) == []
