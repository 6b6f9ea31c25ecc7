"""Metrics: what TensorBoard gets is what stands in the file."""

import pytest

from erm.train.metrics import CURVE_POINTS, MetricsFile, learning_curve, read_metrics


def test_tensorboard_gets_the_same_numbers(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    file = MetricsFile(tmp_path, 0, tensorboard=True)
    file.write(5, {"loss": 0.25})
    file.close()
    events = EventAccumulator(str(next(tmp_path.rglob("events*")).parent))
    events.Reload()
    (scalar,) = events.Scalars("loss")
    assert (scalar.step, scalar.value) == (5, 0.25)
    (line,) = read_metrics(tmp_path / "metrics.jsonl")
    assert line == {"step": 5, "loss": 0.25}


def test_a_curve_averages_equal_stretches_and_skips_what_was_not_measured():
    lines = [{"step": 10 * k, "seconds": float(k), "cells": k / 100} for k in range(1, 97)]
    lines[3]["exact"] = 0.5
    lines.insert(5, {"step": 50, "validation": {}})
    curve = learning_curve(lines)
    assert len(curve) == CURVE_POINTS == 24
    assert curve[0] == {"seconds": 4.0, "cells": pytest.approx(0.025), "exact": 0.5}
    assert curve[-1] == {"seconds": 96.0, "cells": pytest.approx(0.945)}
    assert learning_curve([]) == []
