"""`--include FILE_OR_FOLDER`: tasks and selectors of one's own, the same for every command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from erm.errors import InputError

OPTION = "--include"
HELP = "Your own tasks and selectors: --include FILE.py, or a folder with __init__.py."


def take_out(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files behind every `--include`, and the arguments without them.

    One that is named takes along what stands behind it as long as that can be included too, so
    that a puzzle behind a file is not taken for another file.
    """
    files: list[str] = []
    rest: list[str] = []
    waiting = listed = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if option == OPTION:
            _check(waiting)
            waiting = listed = not equals
            files += [value] if equals else []
        elif waiting and not argument.startswith("--"):
            files.append(argument)
            waiting = False
        elif listed and can_include(argument):
            files.append(argument)
        else:
            _check(waiting)
            listed = False
            rest.append(argument)
    _check(waiting)
    return files, rest


def can_include(name: str) -> bool:
    path = Path(name)
    return path.suffix == ".py" if path.is_file() else (path / "__init__.py").is_file()


def _check(waiting: bool) -> None:
    if waiting:
        raise InputError(f"{OPTION} takes a Python file or a folder with __init__.py, got none")
