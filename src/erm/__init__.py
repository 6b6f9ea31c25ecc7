"""Energy-guided recursive reasoning: rulebooks, energies, reasoners, certified search.

The public names below are imported when first used, so that `erm --help` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from erm.errors import InputError as InputError
    from erm.infer.hunt import SearchOptions as SearchOptions
    from erm.infer.pool import CandidatePool as CandidatePool
    from erm.infer.select import select as select
    from erm.infer.solver import Result as Result
    from erm.infer.solver import Solver as Solver
    from erm.infer.solver import load as load
    from erm.infer.temper import TemperOptions as TemperOptions
    from erm.task import Task as Task
    from erm.task import energy as energy
    from erm.task import load_task as load_task
    from erm.types import Puzzle as Puzzle

_HOME = {
    "InputError": "erm.errors",
    "Puzzle": "erm.types",
    "Task": "erm.task",
    "load_task": "erm.task",
    "energy": "erm.energy",
    "load": "erm.infer.solver",
    "Solver": "erm.infer.solver",
    "Result": "erm.infer.solver",
    "SearchOptions": "erm.infer.hunt",
    "TemperOptions": "erm.infer.temper",
    "CandidatePool": "erm.infer.pool",
    "select": "erm.infer.select",
}
__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'erm' has no attribute {name!r}")
    home = importlib.import_module(_HOME[name])
    # `erm.energy` is both the package of the energy's parts and the function that adds them up.
    value = home if name == "energy" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
