"""Every run of the study, with the settings of whoever published it, scaled to the budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from erm.reproduce.budget import Budget
from erm.reproduce.paper import printed
from erm.reproduce.plan import PlannedRun, Runs
from erm.reproduce.suites import MIXERS, SUITES, TRANSFORMERS
from erm.search.options import SearchOptions
from erm.search.temper import TemperOptions

SEED = 0
ENERGIES = ("qhead", "confidence", "energy")
"""What the paper tempers with."""
OWN_SIGMA = 0.1
"""Noise that suits structured backbones."""


def full_search(budget: Budget, suite: str) -> Runs:
    """K candidates to depth D, every selector on the same pool, a look after every step."""
    options = SearchOptions(budget.depth, budget.width, "full", SEED, trace=True)
    return _of_suite(suite, "full", options, 6)


def shallow_search(budget: Budget) -> Runs:
    """The same at the paper's D = 16, for the task that it shows there."""
    options = SearchOptions(budget.shallow, budget.width, "full", SEED)
    return _of_suite(printed.SHALLOW_TASK, "shallow", options, 2)


def tempering(budget: Budget, suite: str) -> Runs:
    """Parallel tempering with each of the three energies, D x K as above."""
    options = _ladders(budget, budget.width, budget.rungs)
    return _of_suite(suite, "temper", options, 6, energies=ENERGIES)


def tempering_variants(budget: Budget, suite: str) -> dict[str, Runs]:
    """The same with ERM alone, by what is different: the ladder, or what is sampled."""
    options = _ladders(budget, budget.width, budget.rungs)
    changed = {
        "T {:g} to {:g}".format(*printed.TEMPERATURES): (
            "temper-absolute",
            replace(options, temperatures=printed.TEMPERATURES),
        ),
        "Metropolis": ("temper-metropolis", replace(options, metropolis=True)),
    }
    return {
        label: _of_suite(suite, kind, other, 1, energies=("energy",))
        for label, (kind, other) in changed.items()
    }


def adaptive_search(budget: Budget, suite: str) -> Runs:
    """Candidates of the network alone, in waves, up to the first that breaks no rule."""
    return _certified(budget, suite, "adaptive", 1, rules=False)


def rules_search(budget: Budget, suite: str) -> Runs:
    """Certified search: the rules first."""
    return _certified(budget, suite, "rules", 1)


def trm(budget: Budget, suite: str) -> Runs:
    """One rollout from a fixed start without noise."""
    options = SearchOptions(min(printed.TRM_DEPTH, budget.depth), 1, "full", SEED)
    return _of_suite(suite, "trm", options, 0.2, fixed_start=True)


def sigmas(budget: Budget, suite: str) -> tuple[float, ...]:
    """PTRM's published noise, and our own where the budget allows."""
    published = printed.PTRM[suite].sigma
    return (published, OWN_SIGMA) if budget.own_sigma else (published,)


def ptrm(budget: Budget, suite: str, sigma: float) -> Runs:
    """K rollouts from one start that differ by the noise before each step."""
    depth = min(printed.PTRM[suite].depth, budget.depth)
    width = min(printed.PTRM_WIDTH, budget.width)
    options = SearchOptions(depth, width, "full", SEED, sigma=sigma)
    return _of_suite(suite, f"ptrm-{sigma:g}", options, 1, fixed_start=True)


def one_network(budget: Budget, suite: str) -> Runs:
    """The full search by one network for all tasks of a suite, where there is one."""
    options = SearchOptions(budget.depth, budget.width, "full", SEED)
    return _of_suite(suite, "one-network", options, 1, role=suite)


def mixers(budget: Budget, suite: str) -> Runs:
    """EqR+ET at its own K, and the other small networks trained on the same data."""
    width = min(printed.TRANSFORMER_WIDTH, budget.width)
    options = SearchOptions(budget.depth, width, "full", SEED)
    return {role: _of_mixer(role, "full", options, suite) for role in MIXERS[suite]}


def transformer_tempering(budget: Budget, suite: str) -> Runs:
    """One ladder of K replicas, with the energy of the appendix and with that of the text."""
    width = min(printed.TRANSFORMER_WIDTH, budget.width)
    options = _ladders(budget, width, width)
    role = TRANSFORMERS[suite]
    run = _of_mixer(role, "temper", options, suite, energies=("confidence", "energy"))
    return {role: run}


def _certified(budget: Budget, suite: str, kind: str, weight: float, rules: bool = True) -> Runs:
    depth, width = budget.adaptive_depth, budget.adaptive_width
    options = SearchOptions(depth, width, "adaptive", SEED, rules=rules)
    return _of_suite(suite, kind, options, weight)


def _ladders(budget: Budget, width: int, rungs: int) -> TemperOptions:
    return TemperOptions(budget.depth, width // rungs, rungs, seed=SEED)


def _of_suite(
    suite: str, kind: str, options: SearchOptions | TemperOptions, weight: float, **more: Any
) -> Runs:
    """The same run for each task of a suite."""
    weight *= SUITES[suite].weight
    return {
        task: PlannedRun(_name(suite, task, kind), suite, task, options, weight=weight, **more)
        for task in SUITES[suite].tasks
    }


def _of_mixer(
    role: str,
    kind: str,
    options: SearchOptions | TemperOptions,
    suite: str,
    **more: Any,
) -> PlannedRun:
    (task,) = SUITES[suite].tasks
    return PlannedRun(_name(suite, role, kind), suite, task, options, role, **more)


def _name(suite: str, which: str, kind: str) -> str:
    return "-".join([*dict.fromkeys((suite, which)), kind])
