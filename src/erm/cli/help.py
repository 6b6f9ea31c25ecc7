"""How the help of every command reads: whole sentences, and a default only where it says more."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Annotated, Any

from tyro import conf
from tyro.constructors import (
    ConstructorRegistry,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

WIDTH = 80
"""What every terminal holds."""
INDENT = "  "
"""Before further lines of a paragraph: where a line begins with a letter, tyro joins it again."""


def described(paragraphs: Sequence[str]) -> str:
    """What stands above a command's options; a command to copy stays on one line."""
    return "\n\n".join(
        one
        if one.startswith("erm ")
        else textwrap.fill(
            one,
            WIDTH,
            subsequent_indent=INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for one in paragraphs
    )


def readable() -> ConstructorRegistry:
    """What tyro finds out about a command, with the help of each option made readable."""
    registry = ConstructorRegistry()
    asking = False

    @registry.struct_rule
    def rule(info: StructTypeInfo) -> StructConstructorSpec | None:
        nonlocal asking
        if asking or not is_dataclass(info.type):
            return None
        asking = True
        try:
            spec = ConstructorRegistry.get_struct_spec(info)
        finally:
            asking = False
        if not isinstance(spec, StructConstructorSpec):
            return None
        return replace(spec, fields=tuple(map(_readable, spec.fields)))

    return registry


def _readable(field: StructFieldSpec) -> StructFieldSpec:
    def helptext() -> str | None:
        text = field.helptext() if callable(field.helptext) else field.helptext
        # Docstrings are broken where the source's line ends, paragraphs where a line is empty.
        return text and re.sub(r"(?<=\S)\n[ \t]*(?=\S)", " ", text)

    marks: list[Any] = []
    if field.default is True:
        marks.append(conf.arg(help_behavior_hint="(default: on)"))
    elif field.default is False:
        marks += [conf.arg(help_behavior_hint=""), conf.FlagCreatePairsOff]
    elif field.default is None or field.default in ((), ""):
        marks.append(conf.arg(help_behavior_hint=""))
    kind: Any = field.type
    for mark in marks:
        kind = Annotated[kind, mark]
    return replace(field, type=kind, helptext=helptext)
