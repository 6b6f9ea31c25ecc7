"""Weights of the rules' terms in the energy, fitted on pools whose labels are known.

A candidate's energy is the sum of its rules' terms, each times a weight of its own. The weights are
fitted so that exp(-energy) puts its mass on the right candidates of each pool, and judged by
choosing from pools that they have not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize

from erm.errors import InputError
from erm.evaluate.pools import PoolFolder
from erm.evaluate.rescore import open_run, puzzles_of
from erm.progress import progress_bar
from erm.rulebook.energy import EnergyTerms
from erm.rulebook.registry import load_task
from erm.search.labels import right_answers
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.select import select
from erm.types import Puzzle

FOLDS = 5
TO_ONE = 0.01
"""How strongly weights are held at 1, in nats a pool for a weight of e or 1/e."""
RANGE = 5.0
"""Weights stay between exp(-RANGE) and exp(RANGE)."""


@dataclass(frozen=True, eq=False)
class LabelledPool:
    """A pool with its energy's terms, and which of its candidates are right."""

    puzzle: Puzzle
    pool: CandidatePool
    terms: EnergyTerms
    right: Bool[np.ndarray, " K"]

    @property
    def tells(self) -> bool:
        """Whether there is something to choose: right candidates beside wrong ones."""
        return bool(self.right.any() and not self.right.all())


@dataclass(frozen=True)
class Fitted:
    """The weights of all pools, and what weights are worth on pools that they have not seen."""

    weights: dict[str, float]
    pools: int
    telling: int
    equal: int
    """Pools of which the energy as it stands chooses a right candidate."""
    held_out: int
    """The same with weights that were fitted without the pool."""
    oracle: int

    def describe(self) -> dict[str, Any]:
        return {
            "weights": {name: round(weight, 4) for name, weight in self.weights.items()},
            "pools": self.pools,
            "telling": self.telling,
            "correct": {"equal": self.equal, "held_out": self.held_out, "oracle": self.oracle},
        }


Terms = Callable[[Puzzle, CandidatePool], EnergyTerms]


def labelled_pools(
    path: str | Path,
    data: str | Path | None = None,
    terms: Terms | None = None,
    quiet: bool = False,
) -> list[LabelledPool]:
    """The pools of a run of `erm evaluate` whose puzzles have answers, with the energy's terms as
    they were kept or as `terms` tells."""
    run = open_run(path, "evaluate")
    puzzles = puzzles_of(run.read_config(), data)
    folder, found = PoolFolder(run.path / "pools"), []
    with progress_bar(quiet) as bar:
        finished = sorted(run.finished())
        shown = bar.add_task("pools", total=len(finished), note="")
        for index in finished:
            puzzle = puzzles[index]
            problem = Problem(load_task(puzzle.task), puzzle)
            pool = folder.load(index, problem)
            bar.advance(shown)
            if pool is None or puzzle.answer is None or not len(pool):
                continue
            own = pool.energy if terms is None else terms(puzzle, pool)
            found.append(LabelledPool(puzzle, pool, own, right_answers(problem, pool.answers)))
    if not found:
        raise InputError(f"{run.path} kept no pool of a puzzle with an answer")
    return found


def fit_weights(pools: Sequence[LabelledPool], folds: int = FOLDS) -> Fitted:
    """Weights from all pools, judged fold by fold on the pools that each fit left out."""
    if folds < 2:
        raise InputError(f"weights are judged on at least 2 folds, got {folds}")
    names = sorted({name for one in pools for name in _named(one.terms)})
    held_out = 0
    for fold in range(folds):
        weights = _fit([one for at, one in enumerate(pools) if at % folds != fold], names)
        held_out += sum(chooses_right(one, weights) for one in pools[fold::folds])
    return Fitted(
        _fit(pools, names),
        len(pools),
        sum(one.tells for one in pools),
        sum(chooses_right(one, {}) for one in pools),
        held_out,
        sum(bool(one.right.any()) for one in pools),
    )


def chooses_right(one: LabelledPool, weights: dict[str, float]) -> bool:
    """Whether the energy with these weights takes a right candidate; ties go as they always do."""
    terms = _named(one.terms)
    parts = [weights.get(name, 1.0) * term for name, term in terms.items()]
    total = sum(parts, np.zeros(len(one.pool)))
    pool = replace(one.pool, energy=EnergyTerms(total, terms), trace=None)
    choice = select(pool, "energy")
    return choice.index is not None and bool(one.right[choice.index])


def _named(terms: EnergyTerms) -> dict[str, np.ndarray]:
    return {**terms.factors, **terms.potentials}


def _fit(pools: Sequence[LabelledPool], names: Sequence[str]) -> dict[str, float]:
    """The weights under which exp(-energy / T) is most on the right candidates, T fitted too."""
    telling = [one for one in pools if one.tells]
    if not telling:
        return {name: 1.0 for name in names}
    tables = [_table(one, names) for one in telling]
    # Only what differs within a pool matters; a common scale keeps the exponents moderate.
    spread = np.mean([table.sum(1).std() for table, _ in tables]) or 1.0
    tables = [((table - table.min(0)) / spread, right) for table, right in tables]

    def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
        weights, heat = np.exp(logs[:-1]), np.exp(logs[-1])
        value = TO_ONE * float((logs[:-1] ** 2).sum())
        slope = np.append(2 * TO_ONE * logs[:-1], 0.0)
        for table, right in tables:
            score = -heat * (table @ weights)
            whole, good = _softmax(score), _softmax(np.where(right, score, -np.inf))
            value += (_log_sum(score) - _log_sum(score[right])) / len(tables)
            pull = (good - whole) @ table / len(tables)
            slope[:-1] += heat * weights * pull
            slope[-1] += heat * float(pull @ weights)
        return value, slope

    start = np.zeros(len(names) + 1)
    bounds = [(-RANGE, RANGE)] * len(start)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return dict(zip(names, np.exp(found.x[:-1]).tolist(), strict=True))


def _table(
    one: LabelledPool, names: Sequence[str]
) -> tuple[Float[np.ndarray, "K T"], Bool[np.ndarray, " K"]]:
    terms = _named(one.terms)
    zero = np.zeros(len(one.pool))
    return np.stack([terms.get(name, zero) for name in names], 1), one.right


def _log_sum(score: np.ndarray) -> float:
    top = score.max()
    return float(top + np.log(np.exp(score - top).sum()))


def _softmax(score: np.ndarray) -> np.ndarray:
    weight = np.exp(score - score.max())
    return weight / weight.sum()
