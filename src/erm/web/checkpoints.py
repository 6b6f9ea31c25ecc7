"""The checkpoints that a server solves with, loaded when first asked for."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from erm import zoo
from erm.errors import InputError
from erm.model.card import FILES
from erm.search.solver import Solver, load, without_network
from erm.web import schema

log = logging.getLogger("erm.web")

RULES_ALONE = "none"
"""Asked for instead of a checkpoint, as on the command line."""
Version = tuple[int, ...]
"""When each file of a checkpoint was written."""


class Checkpoints:
    """Shipped checkpoints, or those in a folder; new ones are seen without a restart."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._solvers: dict[Path, tuple[Version, Solver | None]] = {}
        """By folder, the files that were read last and what came of them."""
        self._by_rules: dict[str, Solver] = {}
        self._bad: set[str] = set()
        """Folders that the log has named."""

    def found(self) -> dict[str, zoo.Checkpoint]:
        """By name; those that cannot be read are left out, and the log says why."""
        found: dict[str, zoo.Checkpoint] = {}
        for name, one in zoo.shelf(self._folder).items():
            try:
                _ = one.card
            except (InputError, OSError) as error:
                if name not in self._bad:
                    self._bad.add(name)
                    log.error("checkpoint %s is left out: %s", name, error)
            else:
                self._bad.discard(name)
                found[name] = one
        return found

    def of_task(self, task: str) -> list[schema.Checkpoint]:
        """Those that solve a task, the one with the task's own name first."""
        found = []
        for name, one in self.found().items():
            card = one.card
            if task in one.tasks:
                found.append(
                    schema.Checkpoint(
                        name=name,
                        architecture=str(card.get("architecture", "")),
                        parameters=int(card.get("parameters", 0)),
                        accuracy=card.get("accuracy") or [],
                    )
                )
        return sorted(found, key=lambda checkpoint: checkpoint.name != task)

    def missing(self, task: str) -> str:
        """What to say where no checkpoint solves a task."""
        where = "shipped with erm" if self._folder is None else f"in {self._folder.name}/"
        return f"there is no {task} checkpoint {where} yet; train one with: erm train cpu/{task}"

    def _rules_alone(self, task: str) -> Solver:
        if task not in self._by_rules:
            self._by_rules[task] = without_network(task)
        return self._by_rules[task]

    def solver(self, task: str, name: str | None = None) -> tuple[str, Solver]:
        """The checkpoint of that name, or the task's own, else the first that can be loaded; the
        rulebook where there is none."""
        known = [checkpoint.name for checkpoint in self.of_task(task)]
        if name == RULES_ALONE or (name is None and not known):
            return RULES_ALONE, self._rules_alone(task)
        if name is not None and name not in known:
            named = ", ".join([*known, RULES_ALONE])
            raise InputError(f"{name!r} is no checkpoint for {task}; known: {named}")
        wanted = known if name is None else [name]
        for one in wanted:
            solver = self._loaded(one)
            if solver is not None:
                return one, solver
        # Users of the page need not learn where the server keeps its files.
        raise InputError(
            f"the checkpoint {wanted[0]!r} cannot be loaded; the server's log says why"
        )

    def _loaded(self, name: str) -> Solver | None:
        """None where the folder's files do not fit together, until they are others."""
        folder = self.found()[name].folder
        version = tuple((folder / file).stat().st_mtime_ns for file in FILES)
        with self._lock:
            if folder not in self._solvers or self._solvers[folder][0] != version:
                self._solvers[folder] = version, self._load(name, folder)
            return self._solvers[folder][1]

    @staticmethod
    def _load(name: str, folder: Path) -> Solver | None:
        try:
            return load(folder)
        except InputError as error:
            log.error("checkpoint %s: %s", name, error)
            return None
