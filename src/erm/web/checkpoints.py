"""The checkpoints that a server solves with, loaded when first asked for."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from erm import zoo
from erm.errors import InputError
from erm.model.card import CARD
from erm.search.solver import Solver, load, without_network
from erm.web import schema

log = logging.getLogger("erm.web")

RULES_ALONE = "none"
"""Asked for instead of a checkpoint, as on the command line."""


class Checkpoints:
    """Shipped checkpoints, or those in a folder; new ones are seen without a restart."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._solvers: dict[tuple[Path, float], Solver] = {}
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
        """The checkpoint of that name, or the task's own; the rulebook where there is none."""
        known = [checkpoint.name for checkpoint in self.of_task(task)]
        if name == RULES_ALONE or (name is None and not known):
            return RULES_ALONE, self._rules_alone(task)
        if name is not None and name not in known:
            named = ", ".join([*known, RULES_ALONE])
            raise InputError(f"{name!r} is no checkpoint for {task}; known: {named}")
        name = name or known[0]
        folder = self.found()[name].folder
        version = folder, (folder / CARD).stat().st_mtime
        with self._lock:
            if version not in self._solvers:
                try:
                    self._solvers[version] = load(folder)
                except InputError as error:
                    # Users of the page need not learn where the server keeps its files.
                    log.error("checkpoint %s: %s", name, error)
                    raise InputError(
                        f"the checkpoint {name!r} cannot be loaded; the server's log says why"
                    ) from error
            return name, self._solvers[version]
