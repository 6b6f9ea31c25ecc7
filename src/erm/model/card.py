"""A checkpoint's card: what the weights are, what they can do, and how to get them again.

    task          name of the task
    tasks         all of them, where there are several
    architecture  such as "EqR token-mlp", filled in from the config where absent
    parameters    filled in from the model
    capabilities  {"guesses", "hears", "probabilities"}, see `Capabilities`
    data          {"command", "sha256", ...} of the training data
    steps, seconds, seed
    accuracy      [{"data", "how", "correct", "total"}, ...]

Reading one needs no torch, so that checkpoints can be listed at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from erm.errors import InputError
from erm.json_file import read_object
from erm.limits import LIMITS, raised_by
from erm.model.config import ReasonerConfig

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.json"
FILES = (WEIGHTS, CONFIG, CARD)
"""What a checkpoint consists of, with the names of their limits."""
TRAINED = "checkpoint"
"""Where a training run's folder holds its checkpoint."""

NOTHING = "nothing"
"""What a network hears of the rulebook that is not told anything."""

Probabilities = Literal["softmax", "stablemax"]
"""How logits become probabilities: stablemax is what HRM, TRM and EqR are trained with."""


@dataclass(frozen=True)
class Capabilities:
    """What a checkpoint can do, as its card says it."""

    guesses: bool = False
    """Whether its value was trained on guesses, so that a guided search can trust it."""
    hears: tuple[str, ...] = ()
    """What the rulebook tells it at every step."""
    probabilities: Probabilities = "softmax"
    """How its losses made probabilities of its logits."""

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> Capabilities:
        """Those of a card that states them, see `with_capabilities`."""
        stated = card["capabilities"]
        if not isinstance(stated, dict):
            raise InputError(f"a card's capabilities are an object, got {stated!r}")
        if unknown := sorted(stated.keys() - {"guesses", "hears", "probabilities"}):
            raise InputError(f"a card states the unknown capability {unknown[0]!r}")
        guesses, hears = stated.get("guesses", False), stated.get("hears", [])
        probabilities = stated.get("probabilities", "softmax")
        if not isinstance(guesses, bool):
            raise InputError(f"the capability guesses is true or false, got {guesses!r}")
        if not isinstance(hears, list) or not all(isinstance(one, str) for one in hears):
            raise InputError(f"the capability hears is a list of names, got {hears!r}")
        if probabilities not in get_args(Probabilities):
            raise InputError(
                f"the capability probabilities is softmax or stablemax, got {probabilities!r}"
            )
        return cls(guesses, tuple(hears), cast(Probabilities, probabilities))

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "hears": list(self.hears)}


def with_capabilities(card: Mapping[str, Any], structured: bool) -> dict[str, Any]:
    """The card with its capabilities stated.

    Cards from before they were stated are converted here and nowhere else, from the options of
    the training run; official checkpoints, which have none, were trained with stablemax.
    """
    if "capabilities" in card:
        Capabilities.of(card)
        return dict(card)
    options = card.get("options") or {}
    loss: Probabilities = "softmax" if structured else "stablemax"
    if options.get("loss") in list(get_args(Probabilities)):
        loss = options["loss"]
    guesses = any(options.get(name) for name in ("guess", "commit_wrong", "hints"))
    heard = card.get("hears") or NOTHING
    hears = () if heard == NOTHING else (str(heard),)
    return {**card, "capabilities": Capabilities(guesses, hears, loss).to_json()}


def tasks_of(card: Mapping[str, Any]) -> list[str]:
    """Names of the tasks that a checkpoint serves."""
    return card.get("tasks") or [card["task"]]


def checkpoint_folder(path: str | Path) -> Path:
    """The folder meant by a path to it or to one of its files."""
    path = Path(path)
    folder = path.parent if path.name in FILES else path
    for name in FILES:
        file = folder / name
        if not file.is_file():
            trained = folder / TRAINED
            advice = (
                f"that of the training is {trained}"
                if (trained / name).is_file()
                else "official .pth files are converted with erm import"
            )
            raise InputError(f"{folder} is not a checkpoint, it has no {name}; {advice}")
        if (size := file.stat().st_size) > LIMITS.bytes:
            raise InputError(f"{file} has {size} bytes ({raised_by()})")
    return folder


def read_config(folder: str | Path) -> ReasonerConfig:
    folder = checkpoint_folder(folder)
    try:
        return ReasonerConfig.from_json(read_object(folder / CONFIG, finite=True))
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error


def read_card(folder: str | Path) -> dict[str, Any]:
    """The card of a checkpoint, checked, with its capabilities stated."""
    folder = checkpoint_folder(folder)
    card = read_object(folder / CARD, finite=True)
    check_card(str(folder), card)
    try:
        return with_capabilities(card, read_config(folder).structured)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error


def check_card(where: str, card: Mapping[str, Any]) -> None:
    """A card of other types than these is an InputError, before anybody relies on them."""
    if not isinstance(card.get("task"), str):
        raise InputError(f"{where}: the card must name its task, got {card.get('task')!r}")
    tasks = card.get("tasks") or []
    if not isinstance(tasks, list) or not all(isinstance(task, str) for task in tasks):
        raise InputError(f"{where}: the card's tasks must be a list of names")
    kinds = {"options": dict, "accuracy": list, "stages": list, "parameters": int}
    for name, kind in kinds.items():
        value = card.get(name)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise InputError(f"{where}: the card's {name} must be {kind.__name__}, got {value!r}")
    if not all(isinstance(entry, dict) for entry in card.get("accuracy") or []):
        raise InputError(f"{where}: each accuracy of the card must be an object")
    seconds = card.get("seconds")
    if seconds is not None and not (
        isinstance(seconds, int | float) and math.isfinite(seconds) and seconds >= 0
    ):
        raise InputError(f"{where}: the card's seconds must be a number from 0, got {seconds!r}")
    try:
        json.dumps(card, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: the card is not plain JSON: {error}") from error
