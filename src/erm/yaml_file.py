"""Settings from YAML files made elsewhere: PyYAML's safe loader, without aliases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from erm.errors import InputError
from erm.limits import MOST_DIGITS, read_bytes


def read_yaml(path: str | Path) -> Any:
    """The values of a YAML (or JSON) file; an InputError where they are not plain."""
    path = Path(path)
    try:
        return yaml.load(read_bytes(path), _Loader)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise InputError(f"{path}{line} is no YAML: {error.problem}") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deep to be read") from None
    except (ValueError, TypeError, LookupError, OverflowError, yaml.YAMLError) as error:
        if isinstance(error, InputError):
            raise
        first = str(error).splitlines()[0][:160]
        raise InputError(f"{path} is no YAML that can be read: {first}") from None


class _Loader(yaml.SafeLoader):
    """The safe loader; aliases are refused, as few of them can stand for gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_yaml_int(self, node: Any) -> int:
        if len(node.value) > MOST_DIGITS:
            raise ValueError(f"a whole number has {len(node.value)} digits")
        return super().construct_yaml_int(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
