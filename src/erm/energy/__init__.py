"""Explicit energies: memories, factors, potentials, and their sum.

The package is callable: `erm.energy(task, puzzle, answers)` is the energy of Eq. 3.
"""

import importlib
import sys
from types import ModuleType
from typing import Any


class _Energy(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """E(y_k; x) of answers [k, n] with its terms; see `erm.task.energy`."""
        # By name, because tasks stand above energies.
        return importlib.import_module("erm.task").energy(*arguments, **options)


sys.modules[__name__].__class__ = _Energy
