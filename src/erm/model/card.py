"""A checkpoint's card: what the weights are, what they can do, and how to get them again.

    task          name of the task
    tasks         all of them, where there are several
    architecture  such as "EqR token-mlp", filled in from the config where absent
    parameters    filled in from the model
    advice        what the rulebook adds to the input of each step: none, energy, propagation
    probabilities softmax or stablemax: how its losses made probabilities of its logits
    data          {"command", "sha256", ...} of the training data
    steps, seconds, seed
    accuracy      [{"data", "how", "correct", "total"}, ...]

Reading one needs no torch, so that checkpoints can be listed at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from erm.errors import InputError
from erm.json_file import read_object
from erm.limits import LIMITS, raised_by
from erm.model.config import Advice, ReasonerConfig, current_advice

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.json"
FILES = (WEIGHTS, CONFIG, CARD)
"""What a checkpoint consists of, with the names of their limits."""
GONE = ("capabilities", "hears", "hints")
"""Keys of cards from before 2026-11-18."""
TRAINED = "checkpoint"
"""Where a training run's folder holds its checkpoint."""

Probabilities = Literal["softmax", "stablemax"]
"""How logits become probabilities: stablemax is what HRM, TRM and EqR are trained with."""


def current_card(card: Mapping[str, Any], structured: bool) -> dict[str, Any]:
    """The card with `advice` and `probabilities` stated.

    Older cards hold them under other names. Official checkpoints, which have no card, were trained
    with stablemax.
    """
    old = card.get("capabilities") or {}
    if not isinstance(old, dict):
        raise InputError(f"a card's capabilities are an object, got {old!r}")
    options = card.get("options") or {}
    before = card.get("hears") or "nothing"
    loss = options.get("loss") or ("softmax" if structured else "stablemax")
    current = {
        "advice": current_advice(before),
        "probabilities": old.get("probabilities", loss),
        **{name: value for name, value in card.items() if name not in GONE},
    }
    for name, kind in (("advice", Advice), ("probabilities", Probabilities)):
        if current[name] not in get_args(kind):
            known = ", ".join(get_args(kind))
            raise InputError(f"a card's {name} is one of {known}, got {current[name]!r}")
    return current


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
    """The card of a checkpoint, checked, with `advice` and `probabilities` stated."""
    folder = checkpoint_folder(folder)
    card = read_object(folder / CARD, finite=True)
    check_card(str(folder), card)
    try:
        return current_card(card, read_config(folder).structured)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error


def check_card(where: str, card: Mapping[str, Any]) -> None:
    """A card of other types than these is an InputError, before it is used."""
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
