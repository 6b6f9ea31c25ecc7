"""What a task author needs, from one place: `from erm.rulebook import Task, Factor, Exactly`."""

from erm.errors import InputError
from erm.grid import adjacent_pairs, cell_ids, neighbours, segments, windows
from erm.look import Look
from erm.rulebook.among import Among
from erm.rulebook.counting import AtLeast, AtMost, Between, Exactly
from erm.rulebook.energy import EnergySettings, EnergyTerms
from erm.rulebook.factor import Factor, group_scopes
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.memory import Enumerated, Memory
from erm.rulebook.mined import Mined
from erm.rulebook.permanent import Permutations
from erm.rulebook.potential import Potential, Pruner
from erm.rulebook.preference import Preference
from erm.rulebook.registry import include, load_task, register
from erm.rulebook.rules import Rules, Violation
from erm.rulebook.symmetry import SQUARE, Symmetry
from erm.rulebook.task import Task, energy
from erm.types import Puzzle

__all__ = [
    "SQUARE",
    "Among",
    "AtLeast",
    "AtMost",
    "Between",
    "EnergySettings",
    "EnergyTerms",
    "Enumerated",
    "Exactly",
    "Factor",
    "Generator",
    "Given",
    "InputError",
    "Look",
    "Memory",
    "Mined",
    "Permutations",
    "Potential",
    "Preference",
    "Pruner",
    "Puzzle",
    "Rules",
    "Symmetry",
    "Task",
    "Violation",
    "adjacent_pairs",
    "cell_ids",
    "energy",
    "group_scopes",
    "include",
    "load_task",
    "neighbours",
    "register",
    "segments",
    "windows",
]
