"""Metrics: what TensorBoard gets is what stands in the file."""

from erm.train.metrics import MetricsFile, read_metrics


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
