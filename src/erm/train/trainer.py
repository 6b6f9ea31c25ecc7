"""The training step: deep supervision of carried rows, one segment after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from erm.errors import InputError
from erm.formats.dataset import Dataset
from erm.model.checkpoint import current_names, load_checkpoint
from erm.model.codec import Prediction
from erm.model.device import in_precision
from erm.model.losses import Judgement, judge
from erm.model.optim import MovingAverage, SignSGD, make_optimiser, scheduled_rate
from erm.model.reasoner import Reasoner
from erm.search.guidance import Guide, Segment
from erm.train import state
from erm.train.config import TrainConfig
from erm.train.distributed import Group
from erm.train.metrics import Window
from erm.train.rows import Rows
from erm.train.seeds import Purpose, numpy_draw
from erm.train.stream import Schedule, fit_model, make_buckets

PUZZLE = "codec.puzzle"
"""The puzzle embedding among a reasoner's weights."""


class Trainer:
    """A model, its optimiser and the rows of every bucket; `update` makes one step of all."""

    def __init__(
        self,
        config: TrainConfig,
        datasets: Sequence[Dataset],
        group: Group,
        device: torch.device,
        origin: Path | None = None,
    ) -> None:
        """`origin` is the checkpoint to start from."""
        self.config, self.group, self.device = config, group, device
        structured = config.model.structured
        advised = config.model.advice != "none"
        strongest = config.segments.guidance_max
        with_rules = advised or config.model.scopes or strongest > 0
        buckets = make_buckets(datasets, config.data, structured, with_rules)
        self.step = 0
        self.schedule = Schedule(buckets)
        torch.manual_seed(int(numpy_draw(config.seed, Purpose.WEIGHTS).integers(1 << 62)))
        first = None if origin is None else load_checkpoint(origin)[0]
        model = config.model
        if first is not None and advised:
            # Another stage's boards may lack a rule: the channels of advice stay.
            was = first.config
            model = replace(model, factors=was.factors, potentials=was.potentials)
            model = replace(model, preferences=was.preferences)
        if first is not None and model.scopes:
            model = replace(model, kinds=first.config.kinds)
        self.reasoner = Reasoner(fit_model(model, buckets)).to(device)
        if first is not None:
            state.load_weights(self.reasoner, first.state_dict(), str(origin))
        group.share_weights(self.reasoner)
        self.guide = Guide.of(strongest, self.reasoner, config.segments.horizon, config.loss.loss)
        if self.guide is not None:
            for bucket in buckets:
                self.guide.check(bucket.task.rules(bucket.puzzles[0]))
        if config.compile:
            torch._dynamo.config.recompile_limit = 4 * len(buckets) + 16
            self.reasoner.compile_step()
        optim = config.optim
        puzzle = [one for name, one in self.reasoner.named_parameters() if name == PUZZLE]
        apart = puzzle if optim.puzzle_lr is not None else []
        others = [one for one in self.reasoner.parameters() if not any(one is p for p in apart)]
        self.optimiser = make_optimiser(
            optim.optimiser, others, optim.lr, (optim.beta1, optim.beta2), optim.weight_decay
        )
        self.puzzle_optimiser = None
        if apart:
            self.puzzle_optimiser = SignSGD(apart, weight_decay=optim.puzzle_weight_decay)
        self.average = MovingAverage(self.reasoner, optim.ema, optim.ema_warmup)
        start = group.rank * config.rows
        # Rows that take turns start at all ages, so that every update sees early and late segments.
        ages = config.segments.horizon if config.segments.cohorts > 1 else 1
        self.rows = [
            Rows(bucket, self.reasoner, config.seed, start, config.rows, device, ages)
            for bucket in buckets
        ]
        self.window = Window()

    def update(self, stop: bool = False) -> bool:
        """One update of the weights; returns whether any process asks to stop after it."""
        stop = self.gradients(stop)
        optim = self.config.optim
        norm = float(torch.nn.utils.clip_grad_norm_(self.average.live, optim.clip or torch.inf))
        if not math.isfinite(norm):
            raise InputError(
                f"training diverged at step {self.step}: its gradient is not finite; the last good "
                f"states and checkpoint are in {self.config.out}, and a lower --lr or --clip may "
                "help, with another --out"
            )
        rate = self._step(self.optimiser, optim.lr)
        if self.puzzle_optimiser is not None and optim.puzzle_lr is not None:
            self._step(self.puzzle_optimiser, optim.puzzle_lr)
        self.average.update(self.step)
        self.window.add("gradient", norm)
        self.window.add("lr", rate)
        return stop

    def _step(self, optimiser: torch.optim.Optimizer, lr: float) -> float:
        """One optimiser's step at its scheduled rate."""
        optim = self.config.optim
        rate = scheduled_rate(
            lr, self.step, self.config.steps, optim.warmup, optim.decay, optim.lr_min
        )
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.step()
        optimiser.zero_grad()
        return rate

    def gradients(self, stop: bool = False) -> bool:
        """Every segment of the next step and the gradient of its loss, averaged over all rows."""
        self.step += 1
        config, segments = self.config, self.config.segments.steps_per_update
        bucket = self.schedule.next()
        turn = int(self.schedule.taken[bucket] - 1) % config.segments.cohorts
        for number in range(segments * config.accumulate):
            part = turn * config.accumulate + number % config.accumulate
            span = slice(part * config.batch, (part + 1) * config.batch)
            self._advance(self.rows[bucket], span, segments * config.accumulate, number)
        return self.group.average_gradients(self.reasoner, stop)

    def _advance(self, rows: Rows, span: slice, parts: int, number: int) -> None:
        """One segment of some rows: a step, its loss, its gradient, and fresh puzzles."""
        inputs = rows.inputs[span]
        part = range(span.start, span.stop)
        when = torch.full((len(part),), self.step * parts + number)
        draw = rows.draws(Purpose.NOISE, part, when)
        before = rows.carry[span]
        if self.guide is not None:
            segments = [Segment(depth) for depth in rows.steps[span].tolist()]
            before = self.guide.steer(before, inputs, segments, draw, share=rows.shares(part))
        with in_precision(self.config.precision, self.device):
            carry, prediction = self.reasoner.step(before, inputs, draw)
        loss = self.config.loss
        judgement = judge(
            prediction,
            inputs,
            rows.answers[span],
            self.reasoner.config.structured,
            loss.loss,
            loss.q_weight,
        )
        (judgement.total / parts).backward()
        rows.keep(span, carry.detach())
        done = self._finished(rows, span, prediction, judgement, number)
        self._measure(judgement, prediction, done)
        rows.renew((done.nonzero().flatten() + span.start).tolist())

    def _finished(
        self, rows: Rows, span: slice, prediction: Prediction, judgement: Judgement, number: int
    ) -> Tensor:
        """Which rows leave the batch after this segment."""
        segments = self.config.segments
        rows.steps[span] += 1
        steps = rows.steps[span]
        rows.solved[span] = torch.where(judgement.exact.cpu(), rows.solved[span] + 1, 0)
        done = steps >= segments.horizon
        if segments.halt == "solved":
            done |= rows.solved[span] > segments.linger
        elif segments.halt == "q":
            draw = numpy_draw(self.config.seed, Purpose.EXPLORE, self.step, number)
            everyone = self.group.world * len(rows.numbers)
            explores = torch.from_numpy(draw.random(everyone) < segments.explore)
            least = torch.from_numpy(draw.integers(2, max(3, segments.horizon + 1), everyone))
            own = slice(rows.numbers[span.start], rows.numbers[span.stop - 1] + 1)
            least = torch.where(explores, least, 0)[own]
            done |= (prediction.q.detach().cpu() > 0) & (steps >= least)
        return done

    def _measure(self, judgement: Judgement, prediction: Prediction, done: Tensor) -> None:
        window, exact, rows = self.window, judgement.exact.cpu(), len(done)
        window.add("loss", float(judgement.total.detach()) * rows, rows)
        window.add("answer", float(judgement.answer.sum()), rows)
        window.add("cells", float(judgement.cells.sum()), rows)
        window.add("exact", float((exact & done).sum()), float(done.sum()))
        halts = prediction.q.detach().cpu() > 0
        window.add("q_right", float((halts == exact).sum()), rows)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """What all processes share, and this one's rows."""
        names = [name for name, _ in self.reasoner.named_parameters()]
        shared = {f"weights.{key}": value for key, value in self.reasoner.state_dict().items()}
        shared |= {
            f"average.{name}": value for name, value in zip(names, self.average.shadow, strict=True)
        }
        memory = state.optimiser_tensors(self.optimiser)
        shared |= {f"optimiser.{key}": value for key, value in memory.items()}
        shared["buckets"] = torch.from_numpy(self.schedule.taken)
        rows = {
            f"{bucket}.{key}": value
            for bucket, own in enumerate(self.rows)
            for key, value in own.state().items()
        }
        return shared, rows

    def load(self, saved: state.Saved) -> None:
        self.step = saved.step
        self.window = Window.restored(saved.window)
        shared = saved.shared
        weights = current_names(state.under("weights.", shared))
        state.load_weights(self.reasoner, weights, "the saved state")
        averages = current_names(state.under("average.", shared))
        for (name, _), own in zip(
            self.reasoner.named_parameters(), self.average.shadow, strict=True
        ):
            own.copy_(averages[name])
        state.load_optimiser(self.optimiser, state.under("optimiser.", shared))
        # Older runs called them lanes.
        taken = shared["buckets"] if "buckets" in shared else shared["lanes"]
        self.schedule.taken[:] = taken.numpy()
        for bucket, own in enumerate(self.rows):
            mine = slice(own.numbers[0], own.numbers[-1] + 1)
            parts = state.under(f"{bucket}.", saved.rows)
            own.load({name: value[mine] for name, value in parts.items()})
