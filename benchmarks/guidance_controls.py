"""What guidance is worth, beside its controls: `python benchmarks/guidance_controls.py CHECKPOINT
DATA --limit 64 --depth 8 --width 8 --eta 0.2`.

Controls: an untrained network with guidance, descent of the energy without a network, and guidance
by the energy of a wrong rulebook, whose scopes are those of a board with permuted cells.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
import torch
import tyro
from rich.console import Console
from rich.table import Table

import erm
from erm.errors import InputError
from erm.evaluate.intervals import wilson
from erm.formats.dataset import load_dataset
from erm.model.decode import state_log_probs
from erm.model.reasoner import Reasoner
from erm.rulebook.energy import rules_energy
from erm.rulebook.rules import Rules
from erm.search.guidance import Guidance, Guide, logit_gradient
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.search import Search
from erm.search.solver import Solver, without_network

Kind = Literal["controls", "variants"]
VARIANTS = {
    "falling": {"schedule": "falling"},
    "by confidence": {"schedule": "confidence"},
    "where stalled": {"schedule": "stalled"},
    "half of the candidates": {"share": 0.5},
    "on z_L": {"on": "L"},
    "on both": {"on": "both"},
    "potentials": {"potentials": True},
}


@dataclass
class Options:
    """One rollout, energy and oracle with and without guidance."""

    checkpoint: tyro.conf.Positional[str]
    data: tyro.conf.Positional[Path]
    limit: int = 64
    """Puzzles."""
    depth: int = 8
    width: int = 8
    eta: tuple[float, ...] = (0.2,)
    """Strengths to try; controls use the first."""
    seed: int = 0
    rows: tuple[Kind, ...] = ("controls",)
    """The controls, the variants of guidance, or both."""
    steps: int = 200
    """Steps of Adam on the logits, without a network."""
    lr: float = 0.1
    device: str = "cpu"


@dataclass
class Counts:
    """Over puzzles: the share of right candidates, and what is right of energy and oracle."""

    rollout: float = 0.0
    energy: int = 0
    oracle: int = 0
    total: int = 0

    def add(self, right: np.ndarray, energies: np.ndarray) -> None:
        self.rollout += float(right.mean())
        self.energy += bool(right[energies.argmin()])
        self.oracle += bool(right.any())
        self.total += 1


def searched(
    solver: Solver,
    problems: Sequence[Problem],
    options: Options,
    guidance: Guidance | None = None,
    reasoner: Reasoner | None = None,
    rulebook: Callable[[Rules], Rules] | None = None,
) -> Counts:
    """Every candidate to depth D, as `erm evaluate --mode full` runs them."""
    network = reasoner or solver.reasoner
    plain = SearchOptions(options.depth, options.width, "full", options.seed)
    search = Search(network, plain, solver.probabilities)
    if guidance is not None:
        assert search.batch is not None
        own = {} if rulebook is None else {"rulebook": rulebook}
        search.batch.guide = Guide(guidance, network, options.depth, solver.probabilities, **own)
    counts = Counts()
    for one in search.run(problems):
        pool, label = one.pool(), one.problem.puzzle.answer
        counts.add((pool.answers == label).all(-1), np.asarray(pool.energy.total))
    return counts


def descended(problems: Sequence[Problem], options: Options) -> Counts:
    """Adam on the logits of K random starts: the energy without a network."""
    counts = Counts()
    for problem in problems:
        rules, width = problem.rules, options.width
        draw = torch.Generator().manual_seed(options.seed)
        shape = (width, *rules.domain.shape)
        logits = torch.randn(shape, generator=draw, dtype=torch.float64)
        domain = torch.from_numpy(rules.domain).expand(shape)
        adam = torch.optim.Adam([logits], options.lr)
        for _ in range(options.steps):
            log_probs = state_log_probs(logits, domain, None)
            logits.grad = logit_gradient([rules] * width, log_probs, domain)
            adam.step()
        log_probs = state_log_probs(logits, domain, None)
        states = log_probs.argmax(-1).numpy()
        energies = rules_energy(rules, states, problem.task.settings, log_probs).total
        answers = problem.task.to_answer(states)
        counts.add((answers == problem.puzzle.answer).all(-1), np.asarray(energies))
    return counts


class Permuted:
    """A rulebook with the scopes of another board: every cell plays the part of another one."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._known: WeakKeyDictionary[Rules, Rules] = WeakKeyDictionary()

    def __call__(self, rules: Rules) -> Rules:
        if rules not in self._known:
            order = np.random.default_rng(self.seed).permutation(len(rules.domain))
            factors = [replace(one, scopes=order[one.scopes]) for one in rules.factors]
            self._known[rules] = Rules(rules.domain, factors, (), task=rules.task)
        return self._known[rules]


def untrained(solver: Solver, seed: int) -> Reasoner:
    torch.manual_seed(seed)
    return Reasoner(solver.reasoner.config).to(next(solver.reasoner.parameters()).device).eval()


def by_rules(problems: Sequence[Problem]) -> Counts:
    """The rule solver: propagation and guesses, no network."""
    counts = Counts()
    for problem in problems:
        result = without_network(problem.task).solve(problem.puzzle)
        right = result.answer is not None and (result.answer == problem.puzzle.answer).all()
        counts.add(np.array([right]), np.zeros(1))
    return counts


def lines(
    solver: Solver, problems: Sequence[Problem], options: Options
) -> Iterator[tuple[str, Counts]]:
    yield "network alone", searched(solver, problems, options)
    for eta in options.eta:
        yield f"guided, eta {eta:g}", searched(solver, problems, options, Guidance(eta))
    guidance = Guidance(options.eta[0])
    if "variants" in options.rows:
        for name, changes in VARIANTS.items():
            variant = replace(guidance, **changes)
            yield f"guided, {name}", searched(solver, problems, options, variant)
    if "controls" in options.rows:
        wrong = Permuted(options.seed)
        yield "wrong rulebook", searched(solver, problems, options, guidance, rulebook=wrong)
        fresh = untrained(solver, options.seed)
        yield "untrained, guided", searched(solver, problems, options, guidance, fresh)
        yield "energy, no network", descended(problems, options)
        yield "rule solver", by_rules(problems)


def main(options: Options) -> None:
    torch.set_num_threads(1)
    solver = erm.load(options.checkpoint, options.device)
    data = load_dataset(options.data, limit=options.limit)
    problems = [solver.problem(puzzle) for puzzle in data if puzzle.answer is not None]
    if not problems:
        raise InputError("the controls need puzzles with answers")
    title = f"{options.checkpoint}, {options.data.name}, D = {options.depth}, K = {options.width}"
    columns = "one rollout", "energy", "95%", "oracle", "95%", "seconds"
    table = Table("run", *columns, title=title, title_justify="left")
    began = time.monotonic()
    for name, found in lines(solver, problems, options):
        row = [f"{found.rollout / found.total:.1%}"]
        for count in (found.energy, found.oracle):
            low, high = wilson(count, found.total)
            row += [f"{count}/{found.total}", f"{100 * low:.0f} to {100 * high:.0f}"]
        table.add_row(name, *row, f"{time.monotonic() - began:.0f}")
        began = time.monotonic()
    Console().print(table)


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
