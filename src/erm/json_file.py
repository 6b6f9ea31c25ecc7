"""JSON from elsewhere: of bounded size, and with values that can be written again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.limits import MOST_DIGITS, read_bytes


def parse_json(text: str | bytes, finite: bool = True) -> Any:
    """The value of a JSON text, or an InputError with what is wrong.

    Refused are numbers beyond floats, halves of characters (lone surrogates), nesting without end
    and, with `finite`, NaN and infinities.
    """
    try:
        value = json.loads(
            text,
            parse_int=_whole,
            parse_float=_finite if finite else None,
            parse_constant=_finite if finite else None,
        )
        if (b"\\ud" if isinstance(text, bytes) else "\\ud") in text.lower():  # pyright: ignore
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise InputError(f"this is no JSON at character {error.pos + 1}") from None
    except UnicodeError:
        raise InputError("this is no JSON of whole UTF-8 characters") from None
    except RecursionError:
        raise InputError("this JSON is nested too deep to be read") from None
    except ValueError as error:
        raise InputError(f"this JSON has {error}") from None
    return value


def read_object(path: Path, finite: bool = False) -> dict[str, Any]:
    """The JSON object of a file."""
    raw = read_bytes(path)
    try:
        value = parse_json(raw, finite)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path} must hold a JSON object")
    return value


Spec = type | tuple[type, ...] | list[Any] | dict[Any, Any]
"""What a value must be: one of some types; `[spec]`, a list of such; `{"a": spec, "b?": spec}`, an
object with these keys, of which those with ? may be absent; `{str: spec}`, one with any keys."""
NUMBER = (int, float)


def mismatch(value: Any, spec: Spec, where: str = "it") -> str | None:
    """What is wrong with a value, in words; None where it is as the spec says."""
    if isinstance(spec, list):
        if not isinstance(value, list):
            return f"{where} must be a list"
        parts = [(f"{where}[{place}]", one, spec[0]) for place, one in enumerate(value)]
    elif isinstance(spec, dict):
        if not isinstance(value, dict):
            return f"{where} must be an object"
        if str in spec:
            parts = [(f"{where}.{key}", one, spec[str]) for key, one in value.items()]
        else:
            parts = []
            for key, wanted in spec.items():
                name = key.removesuffix("?")
                if name in value:
                    parts.append((f"{where}.{name}", value[name], wanted))
                elif name == key:
                    return f"{where} lacks {name}"
    else:
        types = spec if isinstance(spec, tuple) else (spec,)
        # True is 1 to Python, but no number of puzzles.
        if isinstance(value, types) and (not isinstance(value, bool) or {bool, object} & {*types}):
            return None
        return f"{where} must be {' or '.join(one.__name__ for one in types)}"
    found = (mismatch(one, wanted, place) for place, one, wanted in parts)
    return next((wrong for wrong in found if wrong is not None), None)


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a whole number of {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]}, which is not finite")
    return number
