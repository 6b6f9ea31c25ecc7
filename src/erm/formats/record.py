"""One line of JSON as a record whose fields are checked when they are taken."""

from __future__ import annotations

from typing import Any

from erm.errors import InputError
from erm.json_file import parse_json


def parse(line: str) -> dict[str, Any]:
    """The JSON object on a line."""
    record = parse_json(line)
    if not isinstance(record, dict):
        raise InputError(f"a JSON object in {{…}} is wanted, not a {type(record).__name__}")
    return record


def text_field(record: dict[str, Any], *names: str) -> str:
    """The first of these fields that is there; it must be text."""
    for name in names:
        value = record.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise InputError(f"its field {name!r} must be text, not {type(value).__name__}")
            return value
    raise InputError(f"its field {names[0]!r} is missing")
