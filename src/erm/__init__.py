"""Energy-guided recursive reasoning: rulebooks, energies, reasoners, certified search.

The public names below are imported when first used, so that `erm --help` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from erm.errors import InputError as InputError
    from erm.rulebook.registry import load_task as load_task
    from erm.rulebook.task import Task as Task
    from erm.rulebook.task import energy as energy
    from erm.search.options import SearchOptions as SearchOptions
    from erm.search.pool import CandidatePool as CandidatePool
    from erm.search.result import Result as Result
    from erm.search.select import select as select
    from erm.search.solver import Solver as Solver
    from erm.search.solver import load as load
    from erm.search.solver import solve as solve
    from erm.search.temper import TemperOptions as TemperOptions
    from erm.types import Puzzle as Puzzle

__version__ = "0.2.0"

_HOME = {
    "InputError": "erm.errors",
    "Puzzle": "erm.types",
    "Task": "erm.rulebook.task",
    "load_task": "erm.rulebook.registry",
    "energy": "erm.rulebook.task",
    "load": "erm.search.solver",
    "solve": "erm.search.solver",
    "Solver": "erm.search.solver",
    "Result": "erm.search.result",
    "SearchOptions": "erm.search.options",
    "TemperOptions": "erm.search.temper",
    "CandidatePool": "erm.search.pool",
    "select": "erm.search.select",
}
__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'erm' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
