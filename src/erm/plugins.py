"""Code that is not ours: tasks and selectors of installed packages, by entry point, and of files
that a user includes."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from erm.errors import InputError

TASKS, SELECTORS = "erm.tasks", "erm.selectors"


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, looked up once: it reads every installed package."""
    return {point.name: point for point in entry_points(group=group)}


@contextmanager
def somebodys(what: str) -> Iterator[None]:
    """Run a user's code: a mistake in it is one sentence that names `what` and the line."""
    try:
        yield
    except InputError:
        raise
    except SyntaxError as error:
        raise InputError(f"{what}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = str(error).splitlines()[0] if str(error) else "no message"
        raise InputError(
            f"{what} fails with {type(error).__name__}: {said} ({place.filename}, "
            f"line {place.lineno})"
        ) from error
