"""Settings from YAML files that nobody vouches for: plain values only, bounded before read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from erm.errors import InputError
from erm.limits import LIMITS, raised_by


def read_yaml(path: str | Path) -> Any:
    """What a YAML (or JSON) file says: dicts, lists, text, numbers; an InputError otherwise.

    Anchors, aliases, merge keys and tags are refused: a few hundred bytes of them can stand for
    gigabytes.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            raw = file.read(LIMITS.config_bytes + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(raw) > LIMITS.config_bytes:
        raise InputError(f"{path} is too large for settings ({raised_by('config_bytes')})")
    try:
        text = raw.decode("utf-8")
        _check(text, path)
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise InputError(f"{path}{line} is no YAML: {error.problem}") from None
    except (ValueError, TypeError, OverflowError, yaml.YAMLError) as error:
        if isinstance(error, InputError):
            raise
        first = str(error).splitlines()[0][:160]
        raise InputError(f"{path} is no YAML that can be read: {first}") from None


def _check(text: str, path: Path) -> None:
    """Go through the file once without building anything."""
    depth = 0
    for values, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        where = f"{path}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > LIMITS.yaml_depth or values > LIMITS.yaml_values:
            raise InputError(f"{where}: settings are nested too deep or too many to be settings")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise InputError(f"{where}: anchors and aliases are not read; write the value out")
        if (tag := getattr(event, "tag", None)) is not None:
            raise InputError(f"{where}: tags such as {tag[:40]} are not read")
        if isinstance(event, yaml.ScalarEvent) and event.style is None:
            if event.value == "<<":
                raise InputError(f"{where}: merge keys are not read; write the keys out")
            if len(event.value) > LIMITS.yaml_plain:
                raise InputError(
                    f"{where}: a value without quotes is too long ({raised_by('yaml_plain')})"
                )
