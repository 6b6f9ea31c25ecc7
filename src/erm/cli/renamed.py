"""Options of before 2026-11-18: what they are called now, or why they are gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from erm.errors import InputError
from erm.model.config import current_advice
from erm.progress import messages

RENAMED = {"--hears": "--advice", "--energies": "--energy"}
FLAGS = ("--hints", "--no-hints")
VALUED = (
    "--guide", "--guess", "--guess-eliminate", "--guess-horizon", "--prune", "--value-weight",
)  # fmt: skip
"""Options of searches that guess, with a value each."""
OFF = ("none", "0", "0.0")


def current(arguments: Sequence[str]) -> list[str]:
    """The arguments under their present names; each old name is reported once."""
    return list(_current(arguments))


def _current(arguments: Sequence[str]) -> Iterator[str]:
    words = iter(arguments)
    reported: set[str] = set()
    for word in words:
        name, equals, value = word.partition("=")
        if name in RENAMED:
            if name not in reported:
                messages.print(f"{name} is now {RENAMED[name]}", highlight=False)
                reported.add(name)
            yield RENAMED[name]
            if name == "--hears":
                given = value if equals else next(words, "")
                yield current_advice(given)
            elif equals:
                yield value
        elif name in (*VALUED, *FLAGS):
            given = value if equals or name in FLAGS else next(words, "")
            if name == "--hints" or (
                name in ("--guide", "--guess", "--prune") and given not in OFF
            ):
                raise InputError(
                    f"{name} is gone: searches that guess did no better than the rules without a "
                    "network (docs/training.md); leave the option out"
                )
            messages.print(f"{name} is gone and was ignored", highlight=False)
        else:
            yield word
