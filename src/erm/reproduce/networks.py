"""Which network makes a run: by its role, its card and its config, never a stand-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from erm import zoo
from erm.errors import InputError
from erm.model.checkpoint import read_config
from erm.model.config import ReasonerConfig
from erm.reproduce.suites import SUITES, Suite
from erm.search.solver import NO_NETWORK
from erm.zoo import Checkpoint

Role = Literal["alone", "advised", "none", "eqr", "trm", "et"]
"""alone: sees no rule while it runs; advised: the rulebook's answer is an input of each step; none:
the rulebook without a network; eqr, trm, et: alone, and of that published kind."""
EQR = True, 0.95, 0.01
"""Random start, lambda, beta of EqR."""
TRM = False, 1.0, 0.0
"""A fixed start, every step taken whole, no noise on the path."""


class Missing(str):
    """Why there is no number; tables print it instead of one."""


def _moves(config: ReasonerConfig) -> tuple[bool, float, float]:
    return config.random_start, config.damping, config.path_noise


KINDS: dict[str, tuple[Callable[[ReasonerConfig], bool], str]] = {
    "eqr": (
        lambda config: config.mixer in ("token-mlp", "attention") and _moves(config) == EQR,
        "an EqR (token MLP or attention, random start, lambda 0.95, beta 0.01)",
    ),
    "trm": (
        lambda config: _moves(config) == TRM and not config.step_noise,
        "a TRM (fixed start, lambda 1, no noise)",
    ),
    "et": (
        lambda config: config.mixer == "energy-transformer" and _moves(config) == EQR,
        "an EqR whose blocks are energy transformers",
    ),
}


def is_alone(network: Checkpoint) -> bool:
    return network.card["advice"] == "none"


def roles() -> dict[str, set[str]]:
    """Names that `--checkpoint` takes, each with the tasks it may serve."""
    tasks = {task for suite in SUITES.values() for task in suite.tasks}
    suites = {name: {*suite.tasks} for name, suite in SUITES.items()}
    advised = {f"{task}-advised": {task} for task in tasks}
    return {**suites, **{task: {task} for task in tasks}, **advised, **dict.fromkeys(KINDS, tasks)}


def check_given(given: Mapping[str, str]) -> None:
    """An InputError unless every checkpoint can have the role that it is given for."""
    known = roles()
    for role, name in given.items():
        where = f"--checkpoint {role}={name}"
        if role not in known:
            raise InputError(f"{where}: there is no role {role!r}; known: {', '.join(known)}")
        network = zoo.find(name)
        if not known[role] & {*network.tasks}:
            solved, wanted = (sorted(tasks) for tasks in (network.tasks, known[role]))
            raise InputError(
                f"{where}: that checkpoint solves {', '.join(solved)}, not {' or '.join(wanted)}"
            )
        if is_alone(network) == role.endswith("-advised"):
            raise InputError(f"{where}: the advice of that checkpoint is {network.card['advice']}")
        if role in KINDS and not KINDS[role][0](read_config(network.folder)):
            raise InputError(f"{where}: that checkpoint is not {KINDS[role][1]}")


def network_of(role: Role, suite: Suite, task: str, given: Mapping[str, str]) -> str | Missing:
    """The checkpoint as `erm evaluate` takes it: the user's, else a shipped network that was
    trained on boards of the suite's size, else the shipped one of the task's name."""
    if role == "none":
        return NO_NETWORK
    advised = f"{task}-advised"
    names = {"alone": (suite.name, task), "advised": (advised,)}.get(role, (role,))
    for name in names:
        if name in given and task in zoo.find(given[name]).tasks:
            return given[name]
    if role == "advised":
        return advised if advised in zoo.names() else Missing(f"no checkpoint {advised}")
    for name in _trained_on(suite, task):
        if role not in KINDS or KINDS[role][0](read_config(zoo.find(name).folder)):
            return name
    own = zoo.shelf().get(task)
    if role in KINDS:
        return Missing(f"no shipped network for this board is {KINDS[role][1]}")
    if own is None:
        return Missing("no checkpoint")
    return task if is_alone(own) else Missing("the only checkpoint has advice")


def _trained_on(suite: Suite, task: str) -> list[str]:
    """Shipped networks alone for boards of the suite's size; first the one of the suite's or the
    task's name, last energy transformers."""
    side = suite.boards[task].side

    def order(name: str) -> tuple[bool, bool, bool, str]:
        transformer = read_config(zoo.find(name).folder).mixer == "energy-transformer"
        return transformer, name not in (suite.name, task), not name.startswith(suite.name), name

    fitting = [
        name
        for name, network in zoo.shelf().items()
        if task in network.tasks
        and f"{side}x{side}" in network.card.get("boards", ())
        and is_alone(network)
    ]
    return sorted(fitting, key=order)
