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
EQR_DAMPING, EQR_NOISE = 0.95, 0.01
"""lambda and beta of EqR."""


class Missing(str):
    """Why there is no number; tables print it instead of one."""


def is_eqr(config: ReasonerConfig) -> bool:
    """Token MLP or attention, random start, lambda 0.95, beta 0.01."""
    return config.mixer in ("token-mlp", "attention") and _moves_as_eqr(config)


def is_trm(config: ReasonerConfig) -> bool:
    """Fixed start, lambda 1, no noise on the path or before a step."""
    noise = config.path_noise, config.step_noise
    return not config.random_start and config.damping == 1 and noise == (0, 0)


def is_transformer(config: ReasonerConfig) -> bool:
    return config.mixer == "energy-transformer" and _moves_as_eqr(config)


def _moves_as_eqr(config: ReasonerConfig) -> bool:
    return config.random_start and (config.damping, config.path_noise) == (EQR_DAMPING, EQR_NOISE)


KINDS: dict[str, tuple[Callable[[ReasonerConfig], bool], str]] = {
    "eqr": (is_eqr, "an EqR (random start, lambda 0.95, beta 0.01)"),
    "trm": (is_trm, "a TRM (fixed start, lambda 1, no noise)"),
    "et": (is_transformer, "an EqR whose blocks are energy transformers"),
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
            raise InputError(
                f"{where}: that checkpoint solves {', '.join(sorted(network.tasks))}, "
                f"not {' or '.join(sorted(known[role]))}"
            )
        if is_alone(network) == role.endswith("-advised"):
            advice = network.card["advice"]
            raise InputError(f"{where}: that checkpoint has advice {advice!r}, see its card")
        if role in KINDS and not KINDS[role][0](read_config(network.folder)):
            raise InputError(f"{where}: that checkpoint is not {KINDS[role][1]}")


def network_of(role: Role, suite: Suite, task: str, given: Mapping[str, str]) -> str | Missing:
    """The checkpoint as `erm evaluate` takes it; the user's comes before the shipped."""
    if role == "none":
        return NO_NETWORK
    if role in KINDS:
        return given.get(role) or _of_kind(role, suite, task)
    if role == "advised":
        name = f"{task}-advised"
        return given.get(name) or (
            name if name in zoo.names() else Missing(f"no checkpoint {name}")
        )
    for name in (suite.name, task):
        if name in given and task in zoo.find(given[name]).tasks:
            return given[name]
    return _alone(suite, task)


def _alone(suite: Suite, task: str) -> str | Missing:
    """A shipped network alone that was trained on boards of the suite's size; else that of the
    task's own name."""
    if fitting := _fitting(suite, task):
        return fitting[0]
    own = zoo.shelf().get(task)
    if own is None:
        return Missing("no checkpoint")
    return task if is_alone(own) else Missing("the only checkpoint has advice")


def _fitting(suite: Suite, task: str) -> list[str]:
    """Shipped networks alone that were trained on boards of the suite's size; first the one of the
    suite's or the task's name, last energy transformers."""
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


def _of_kind(role: str, suite: Suite, task: str) -> str | Missing:
    """A shipped network of that kind that was trained on boards of the suite's size."""
    is_kind, words = KINDS[role]
    for name in _fitting(suite, task):
        if is_kind(read_config(zoo.find(name).folder)):
            return name
    board = f"{task} {suite.boards[task].side}x{suite.boards[task].side}"
    return Missing(f"no shipped network for {board} is {words}; --checkpoint {role}=FOLDER")
