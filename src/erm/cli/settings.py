"""`--config run.yaml`: a command's options from a file, and back into one beside its results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from erm.errors import InputError

OPTION = "--config"
HELP = "Options from a file: --config run.yaml; what is typed goes before what it says."
FILE = "run.yaml"
"""What a run's options are written to, in its folder."""
PLACES = {
    "train": ("preset",),
    "evaluate": ("checkpoint", "data"),
    "temper": ("checkpoint", "data"),
    "reproduce": (),
}
"""Commands that read settings, and what they take without an option's name."""
PASSING = ("json", "quiet", "out")
"""Options that are no part of what a run is."""
INCLUDE = "include"
"""What a file says of `erm.cli.including`, whose option is no command's own."""


def includes(command: str, arguments: Sequence[str]) -> list[str]:
    """The files that `--config` wants to be included."""
    path = _take_out(arguments)[0] if command in PLACES else None
    wanted = None if path is None else _read(path).get(INCLUDE)
    if wanted is None:
        return []
    files = wanted if isinstance(wanted, list) else [wanted]
    if not all(isinstance(file, str) for file in files):
        raise InputError(f"{path}: {INCLUDE} must be a file or a list of files")
    return files


def expand(command: str, arguments: Sequence[str]) -> list[str]:
    """The arguments with those of `--config` among them; what is typed wins."""
    if command not in PLACES:
        return list(arguments)
    path, typed = _take_out(arguments)
    if path is None:
        return typed
    settings = _read(path)
    front = list(takewhile(lambda argument: not argument.startswith("-"), typed))
    rest = typed[len(front) :]
    for place in PLACES[command][len(front) :]:
        if place not in settings:
            break
        front.append(str(settings[place]))
    said = {_name(argument) for argument in rest if argument.startswith("--")}
    switched_on = {name for name, value in _defaults(command, front) if value is True}
    words: list[str] = []
    elsewhere = (*PLACES[command], INCLUDE)
    for name, value in settings.items():
        if name not in elsewhere and name not in said:
            words += _words(name, value, name in switched_on, path)
    return [*front, *words, *rest]


def write(
    command: str, arguments: Sequence[str], folder: Path, included: Sequence[str] = ()
) -> None:
    """Beside a run's results, what it was asked for: `--config` makes the same run of it."""
    import yaml

    from erm.files import atomic

    if command not in PLACES or not folder.is_dir() or os.environ.get("RANK", "0") != "0":
        return
    front = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    settings: dict[str, Any] = dict(zip(PLACES[command], front, strict=False))
    for name, values in _options(arguments[len(front) :]):
        if name not in PASSING:
            settings[name] = values
    if included:
        settings[INCLUDE] = list(included)
    told = f"# erm {command} {OPTION} {FILE}\n" + yaml.safe_dump(settings, sort_keys=False)
    with atomic(folder / FILE) as temporary:
        temporary.write_text(told, "utf-8")


def _take_out(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """The file behind `--config`, and the arguments without it."""
    rest = list(arguments)
    for at, argument in enumerate(rest):
        option, equals, value = argument.partition("=")
        if option != OPTION:
            continue
        if not equals and at + 1 == len(rest):
            raise InputError(f"{OPTION} takes a YAML file, got none")
        path = Path(value if equals else rest[at + 1])
        del rest[at : at + (1 if equals else 2)]
        if any(other.partition("=")[0] == OPTION for other in rest):
            raise InputError(f"{OPTION} takes one file; put all settings into it")
        return path, rest
    return None, rest


def _read(path: Path) -> dict[str, Any]:
    from erm.yaml_file import read_yaml

    if not path.is_file():
        raise InputError(f"no such file: {path}")
    settings = read_yaml(path)
    if not isinstance(settings, Mapping) or not all(isinstance(key, str) for key in settings):
        raise InputError(f"{path} must hold lines of NAME: VALUE, such as depth: 64")
    return {key.replace("_", "-"): value for key, value in settings.items()}


def _name(argument: str) -> str:
    name = argument.partition("=")[0].removeprefix("--").replace("_", "-")
    return name.removeprefix("no-")


def _words(name: str, value: Any, switched_on: bool, path: Path) -> list[str]:
    """A setting as it would be typed."""
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"--{name}"] if value else [f"--no-{name}"] * switched_on
    if isinstance(value, (list, tuple)):
        if any(isinstance(one, (list, dict, bool)) or one is None for one in value):
            raise InputError(f"{path}: {name} must be a plain list of words or numbers")
        return [f"--{name}", *map(str, value)] if value else []
    if isinstance(value, dict):
        raise InputError(f"{path}: {name} must be a word, a number, a list or true or false")
    return [f"--{name}", str(value)]


def _options(arguments: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Typed options with their values as a file says them."""
    import yaml

    found: dict[str, list[str]] = {}
    values: list[str] = []
    for argument in arguments:
        if argument.startswith("--"):
            option, equals, value = argument.partition("=")
            values = found[option] = [value] if equals else []
        else:
            values.append(argument)
    for option, words in found.items():
        name = _name(option)
        plain = [yaml.safe_load(word) if _is_number(word) else word for word in words]
        if not plain:
            yield name, not option.startswith("--no-")
        else:
            yield name, plain[0] if len(plain) == 1 else plain


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _defaults(command: str, front: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The options of a training preset with their defaults; other commands switch nothing on."""
    if command == "train":
        from erm.train.presets import presets

        known = presets()
        if front and front[0] in known:
            yield from _flat(known[front[0]][1])


def _flat(options: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(options):
        value = getattr(options, field.name)
        if is_dataclass(value):
            yield from _flat(value)
        else:
            yield field.name.replace("_", "-"), value
