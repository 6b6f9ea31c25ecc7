"""A training run and its folder: resumable at every saved step."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch

from erm import zoo
from erm.data.fingerprint import Fingerprints, fingerprints
from erm.files import sha256
from erm.formats.dataset import Dataset
from erm.model.card import TRAINED
from erm.model.checkpoint import read_card, read_seen, save_checkpoint
from erm.progress import messages, progress_bar
from erm.rulebook.registry import include
from erm.run_folder import RunFolder, lock
from erm.signals import TERMINATED
from erm.train import state
from erm.train.config import TrainConfig, difference
from erm.train.distributed import Group, processes
from erm.train.metrics import MetricsFile, Window, learning_curve, read_metrics
from erm.train.stream import load_answered
from erm.train.trackers import TensorBoard, Tracker, Wandb, check_installed
from erm.train.trainer import Trainer
from erm.train.validate import Score, Validation

LOCK = "train.lock"
"""Held by the process that writes: two runs in one folder would spoil each other."""
STAGE_OPTIONS = ("batch", "horizon", "advice", "lr", "warmup")
"""What tells one stage of a training from the next, beside its data."""


def train(config: TrainConfig, quiet: bool = False) -> dict[str, Any] | None:
    """Run, or go on with, the training that a command describes.

    Returns the card, but None in processes that do not lead.
    """
    config.check()
    check_installed(config.tensorboard, config.wandb)
    for path in config.include:
        include(path)
    puzzles = _puzzles(config)  # before anything is written
    with (
        _no_denormals(),
        processes(config.device) as (group, device),
        lock(config.out / LOCK, "training run") if group.leads else nullcontext(),
    ):
        card = Run(config, puzzles, group, device, quiet or not group.leads).complete()
        return card if group.leads else None


def _puzzles(config: TrainConfig) -> tuple[list[Dataset], list[Dataset]]:
    """What is learned from, and what is held out."""
    data = config.data
    return (
        [load_answered(p, data.task, data.split, data.limit) for p in data.data],
        [
            load_answered(p, data.task, data.validation_split, config.evaluate_limit)
            for p in data.validation
        ],
    )


class Run:
    """A trainer with a folder: saved states, metrics, validation, checkpoints."""

    def __init__(
        self,
        asked: TrainConfig,
        puzzles: tuple[list[Dataset], list[Dataset]],
        group: Group,
        device: torch.device,
        quiet: bool,
    ) -> None:
        config = asked.shared_by(group.world)
        self.config, self.group, self.quiet = config, group, quiet
        self.datasets, held_out = puzzles
        facts: dict[str, Any] = {dataset.path: dataset.sha256 for dataset in self.datasets}
        facts["rows of all processes"] = group.world * config.rows
        self.origin = None if config.init is None else zoo.find(config.init).folder
        if self.origin is not None:
            facts[str(config.init)] = sha256(self.origin)
        if group.leads:
            folder = RunFolder(config.out, "training run", alone=False)
            folder.claim({"options": asked.to_json(), "facts": facts}, difference=difference)
        group.barrier()
        self.trainer = Trainer(config, self.datasets, group, device, self.origin)
        saved = state.load(config.out, quiet)
        self.before = 0.0
        if saved is not None:
            self.trainer.load(saved)
            self.before = saved.seconds
            if not quiet:
                messages.print(f"Continuing {config.out} at step {saved.step}.")
        self.validations = [
            Validation(dataset, config.batch, group, device, self.trainer.rows[0].bucket.padding)
            for dataset in held_out
        ]
        self.scores: dict[str, Score] = {}
        self.seen = self._fingerprints() if group.leads else None
        self.started = time.perf_counter()

    @property
    def checkpoint(self) -> Path:
        return self.config.out / TRAINED

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - self.started

    def complete(self) -> dict[str, Any]:
        config, trainer = self.config, self.trainer
        if trainer.step == config.steps and self.checkpoint.is_dir():
            return read_card(self.checkpoint)
        with (
            self._metrics() as metrics,
            progress_bar(self.quiet) as bar,
            _asked_to_stop() as asked,
        ):
            line = bar.add_task("training", total=config.steps, completed=trainer.step, note="")
            while trainer.step < config.steps:
                stop = trainer.update(bool(asked))
                step = trainer.step
                bar.update(line, completed=step)
                if step % config.log_every == 0 or step == config.steps:
                    bar.update(line, note=self._log(metrics))
                last = step == config.steps
                if last or (config.evaluate_every and step % config.evaluate_every == 0):
                    self._evaluate(metrics)
                if last or stop or step % config.checkpoint_every == 0:
                    self._save()
                if stop and not last:
                    raise SystemExit(TERMINATED) if signal.SIGTERM in asked else KeyboardInterrupt
        return self._card()

    @contextmanager
    def _metrics(self) -> Iterator[MetricsFile | None]:
        """Where numbers go; however the run ends, what was logged is there."""
        if not self.group.leads:
            yield None
            return
        config, trackers = self.config, list[Tracker]()
        if config.tensorboard:
            trackers.append(TensorBoard(config.out, self.trainer.step))
        if config.wandb:
            trackers.append(Wandb(config.out, config.to_json()))
        with closing(MetricsFile(config.out, self.trainer.step, trackers)) as metrics:
            yield metrics

    def _log(self, metrics: MetricsFile | None) -> str:
        window, self.trainer.window = self.trainer.window, Window()
        means = window.means()
        rate = window.rate("loss") * self.group.world
        if metrics is not None:
            metrics.write(
                self.trainer.step, {**means, "samples_per_second": rate, "seconds": self.seconds}
            )
        exact = means.get("exact", 0.0)
        held = "".join(f" · held out {score.exact:.1%}" for score in self.scores.values())
        return f"{rate:.0f} samples/s · loss {means['loss']:.3f} · exact {exact:.1%}{held}"

    def _evaluate(self, metrics: MetricsFile | None) -> None:
        began = time.perf_counter()
        with self.trainer.average.in_place():
            for one in self.validations:
                score = one.score(
                    self.trainer.reasoner, self.config.evaluate_depth, self.config.seed
                )
                self.scores[one.name] = score
        if metrics is not None and self.scores:
            found = {name: score.to_json() for name, score in self.scores.items()}
            metrics.write(self.trainer.step, {"validation": found})
        self.trainer.window.started += time.perf_counter() - began

    def _save(self) -> None:
        trainer = self.trainer
        # The checkpoint first: what a kill leaves undone behind a state is never done again.
        if self.group.leads:
            with trainer.average.in_place():
                save_checkpoint(self.checkpoint, trainer.reasoner, self._card(), seen=self.seen)
        shared, rows = trainer.state()
        window = trainer.window.state()
        state.save(self.config.out, trainer.step, self.seconds, shared, rows, self.group, window)

    def _fingerprints(self) -> Fingerprints:
        """Of every puzzle that these weights or those they started from were trained on."""
        puzzles = [puzzle for dataset in self.datasets for puzzle in dataset]
        before = None if self.origin is None else read_seen(self.origin)
        own = fingerprints(puzzles, self.quiet)
        return own if before is None else np.union1d(own, before)

    def _card(self) -> dict[str, Any]:
        """What a reader must know of the weights; `stages` are all runs behind them in order."""
        config = self.config
        buckets = [rows.bucket for rows in self.trainer.rows]
        own = {
            "task": buckets[0].tasks[0].name,
            "tasks": sorted({task.name for bucket in buckets for task in bucket.tasks}),
            "boards": sorted({board for bucket in buckets for board in bucket.boards}),
            "parameters": sum(param.numel() for param in self.trainer.reasoner.parameters()),
            "advice": config.model.advice,
            "probabilities": config.loss.loss,
            "steps": self.trainer.step,
            "seconds": round(self.seconds, 1),
            "processes": self.group.world,
            "seed": config.seed,
            "data": [dataset.describe() for dataset in self.datasets],
            "init": str(config.init) if config.init is not None else None,
            "accuracy": [
                {"data": name, "how": f"one rollout, D={config.evaluate_depth}", **score.to_json()}
                for name, score in self.scores.items()
            ],
            "options": config.to_json(),
        }
        before = [] if self.origin is None else read_card(self.origin).get("stages", [])
        stage = {name: own[name] for name in ("steps", "seconds", "processes", "boards", "data")}
        stage["options"] = {name: own["options"][name] for name in STAGE_OPTIONS}
        lines = read_metrics(config.out / "metrics.jsonl")
        stage["curve"] = learning_curve(lines)
        stage["held_out"] = [line for line in lines if "validation" in line]
        stages = [*before, stage]
        totals = {name: sum(one[name] for one in stages) for name in ("steps", "seconds")}
        return own | totals | {"stages": stages}


@contextmanager
def _no_denormals() -> Iterator[None]:
    """Numbers too small to matter count as 0: processors are slow on them."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


@contextmanager
def _asked_to_stop() -> Iterator[list[int]]:
    """Ctrl-C and termination are noted, so that the step at hand ends and its state is saved."""
    asked: list[int] = []
    signals = signal.SIGINT, signal.SIGTERM
    before = {one: signal.getsignal(one) for one in signals}

    def note(number: int, frame: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    for one in signals:
        signal.signal(one, note)
    try:
        yield asked
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
