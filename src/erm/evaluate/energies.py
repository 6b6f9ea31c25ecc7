"""Energies other than a task's own, named by what they change: `energy:tau=2,mu=0`.

Such a name stands wherever a selector's does. A pool is scored again with the changed settings;
no network is asked.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from erm.errors import InputError
from erm.rulebook.energy import EnergySettings, rules_energy
from erm.rulebook.task import Task
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.select import Choice, load_selector, select

PREFIX = "energy:"
DECODED = "energy:soft=0"
"""Eq. 7 on decoded answers, whatever the task's own reading: beta times the share of cells that
differ, instead of the network's log-probabilities (Eq. 6)."""
OTHERS = "soft", "weights"
NUMBERS = tuple(field.name for field in fields(EnergySettings) if field.name not in OTHERS)


def is_changed_energy(selector: str) -> bool:
    return selector.startswith(PREFIX)


def check_selector(selector: str) -> None:
    """An InputError unless there is such a selector."""
    if is_changed_energy(selector):
        changed(EnergySettings(), selector)
    else:
        load_selector(selector)


def named_energies(words: Collection[str]) -> list[str]:
    """What `--energy tau=2,mu=0 beta=64 mine` adds to the selectors: the task's own energy under
    other settings, or an energy of one's own by its name."""
    names = [
        PREFIX + word if "=" in word and not is_changed_energy(word) else word for word in words
    ]
    for name in names:
        check_selector(name)
    return list(dict.fromkeys(names))


def changed(settings: EnergySettings, selector: str) -> EnergySettings:
    """The settings that `energy:NAME=VALUE,...` asks for, starting from a task's own."""
    values: dict[str, Any] = {}
    for part in selector.removeprefix(PREFIX).split(","):
        name, equals, text = part.partition("=")
        if not equals or name not in (*NUMBERS, *OTHERS) or name in values:
            raise InputError(
                f"an energy is NAME=VALUE,... with {', '.join(NUMBERS)} (numbers), soft (0, 1) or "
                f"weights (a file of erm fit-weights), each once; got {part!r}"
            )
        values[name] = load_weights(text) if name == "weights" else _number(name, text)
    try:
        return replace(settings, **values)
    except ValueError as error:
        raise InputError(f"{selector}: {error}") from None


def _number(name: str, text: str) -> float | bool:
    if name == "soft":
        if text not in ("0", "1"):
            raise InputError(f"soft is 0 (decoded answers) or 1 (log-probabilities), got {text!r}")
        return text == "1"
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise InputError(f"{name} must be a number, got {text!r}")
    return value


def load_weights(path: str | Path) -> dict[str, float]:
    """The weights of rules that `erm fit-weights` wrote."""
    try:
        weights = json.loads(Path(path).read_text("utf-8"))["weights"]
        return {str(name): float(weight) for name, weight in weights.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no file of erm fit-weights: {error}") from None


def needs_log_probs(task: Task, selector: str) -> bool:
    """Whether a changed energy of that task reads the network's log-probabilities (Eq. 6)."""
    return is_changed_energy(selector) and changed(task.settings, selector).soft


def rescored(problem: Problem, pool: CandidatePool, settings: EnergySettings) -> CandidatePool:
    """The same candidates under another energy."""
    if settings.soft and pool.log_probs is None:
        raise InputError(
            f"this energy of {problem.task.name} reads the network's log-probabilities (Eq. 6), "
            "which this pool does not hold: make it with --save-pools (answers of your own: give "
            "log_probs), or ask for soft=0"
        )
    log_probs = None if pool.log_probs is None else torch.from_numpy(pool.log_probs)
    states = problem.task.to_states(problem.puzzle, pool.answers)
    terms = rules_energy(problem.rules, states, replace(settings, gamma=0.0), log_probs)
    # The pool knows every candidate's confidence, so gamma asks for no log-probabilities.
    total = terms.total - settings.gamma * pool.confidence
    return replace(pool, energy=replace(terms, total=total), trace=None)


def choose(problem: Problem, pool: CandidatePool, selector: str) -> Choice:
    """What a selector, or a changed energy, takes from a pool."""
    pool = pool if pool.problem is not None else pool.of(problem)
    if not is_changed_energy(selector):
        return select(pool, selector)
    settings = changed(problem.task.settings, selector)
    return select(rescored(problem, pool, settings), "energy")
