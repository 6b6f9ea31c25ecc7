"""Generation on all cores: the same file for a seed, however many processes, machines or
interruptions.

Work comes in numbered units, each with randomness of its own. Finished units go, in order,
to a journal beside the output, from which an interrupted run continues.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count as numbers_from
from pathlib import Path
from typing import Any

from erm.data.recipe import Recipe
from erm.data.rounds import Rounds, agree, joined
from erm.data.symmetry import canonical
from erm.errors import InputError
from erm.formats import columnar, hrm, native
from erm.formats.dataset import save_dataset
from erm.formats.names import SUFFIXES
from erm.json_file import parse_json
from erm.progress import progress_bar
from erm.rulebook.registry import include, included_files
from erm.run_folder import JsonLines, Share, lock
from erm.signals import follow_parent

FRUITLESS_UNITS = 200
"""So many units in a row without a new puzzle mean that there are hardly any more."""
QUEUED_A_PROCESS = 4


@dataclass(frozen=True)
class Generated:
    """What a run of the generator made."""

    path: Path
    count: int
    duplicates: int
    """Puzzles left out because a symmetric form of them was there already."""


def generate(
    recipe: Recipe,
    count: int,
    out: str | Path,
    processes: int | None = None,
    quiet: bool = False,
    share: Share | None = None,
) -> Generated:
    """Write `count` puzzles, no two symmetric to each other, in any format that `out` names.

    What is finished is kept in `out`.part: the same call continues after any interruption. Under
    torchrun all processes make them and the first one writes.
    """
    out, share = Path(out), share or Share.from_environment()
    if count < 1:
        raise InputError(f"the number of puzzles must be 1 or more, got {count}")
    if processes is not None and processes < 1:
        raise InputError(f"the number of processes must be 1 or more, got {processes}")
    if not out.parent.is_dir():
        raise InputError(f"there is no folder {out.parent} to write {out.name} to")
    check_writable(out, recipe)
    journal = Journal(out.with_name(out.name + ".part"), recipe, count)
    if out.exists() and not journal.path.exists():
        raise InputError(f"{out} exists already; delete it or give another --out")
    processes = processes or _cores()
    with joined(share):
        if share.rank == 0:
            made = _write_all(recipe, out, journal, processes, share, quiet)
        else:
            made = None
            with _shared(recipe, processes, share) as rounds:
                rounds.follow()
        made = agree(made) if share.world > 1 else made
    assert made is not None, "the first process has said what it wrote"
    return made


def _cores() -> int:
    """This process's part of the machine."""
    return max(1, (os.cpu_count() or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def _write_all(
    recipe: Recipe, out: Path, journal: Journal, processes: int, share: Share, quiet: bool
) -> Generated:
    count = journal.count
    with journal.open(), progress_bar(quiet) as bar:
        shown = bar.add_task(str(recipe), total=count, note="")
        bar.update(shown, completed=len(journal.records))
        with _results(recipe, journal.next_unit, processes, share) as results:
            while not journal.is_complete:
                journal.add(next(results))
                note = f"{journal.duplicates} duplicates left out"
                bar.update(shown, completed=len(journal.records), note=note)
        save_dataset((native.parse(record) for record in journal.records), out)
        journal.path.unlink()
    return Generated(out, len(journal.records), journal.duplicates)


def check_writable(out: Path, recipe: Recipe) -> None:
    """Refuse a name whose format cannot hold the puzzles before the work rather than after it."""
    format = SUFFIXES.get(Path(out.name.removesuffix(".gz")).suffix)
    if format is None:
        known = ", ".join(filter(None, SUFFIXES))
        raise InputError(f"the name {out.name} tells no format; end it in one of {known}")
    if format == "parquet":
        columnar.library("pyarrow")
    if format in ("sdm", "sdk", "links"):
        raise InputError(
            f"{out.name} would not say where its puzzles come from; end the name in .jsonl "
            "and make the other file with erm data convert"
        )
    if format in ("npz", "npy") and not hrm.can_hold(recipe.task, (recipe.height, recipe.width)):
        raise InputError(
            f"{out.name} would hold token arrays, of which there are none of {recipe}; "
            "end the name in .jsonl"
        )


Made = list[tuple[str, dict[str, Any]]]
"""The puzzles of one unit: a hash of the canonical form, and the record."""


def make_unit(recipe: Recipe, unit: int) -> Made:
    puzzles = recipe.make(unit)
    return [(fingerprint(canonical(puzzle)), native.format(puzzle)) for puzzle in puzzles]


def fingerprint(form: bytes) -> str:
    return hashlib.blake2b(form, digest_size=16).hexdigest()


class Journal:
    """The units finished so far, a line of JSON each under a line that names the recipe."""

    def __init__(self, path: Path, recipe: Recipe, count: int) -> None:
        self.path = path
        self.count = count
        self.header = json.loads(json.dumps(recipe.describe()))
        self.recipe = recipe
        self.next_unit = 0
        self.duplicates = 0
        self.records: list[dict[str, Any]] = []
        self._seen: set[str] = set()
        self._fruitless = 0
        self._is_own = False
        """Whether what lies there belongs to this recipe."""

    @property
    def is_complete(self) -> bool:
        return len(self.records) >= self.count

    @contextmanager
    def open(self) -> Iterator[None]:
        """For this process alone, with all that was finished before."""
        with lock(self.path, "data set") as file:
            self._lines = JsonLines(file)
            try:
                if not self._replay():
                    self._lines.append(self.header)
                yield
            finally:
                if self.next_unit == 0 and self._is_own:
                    self.path.unlink()

    def add(self, made: Made) -> None:
        """Keep a finished unit, on the disk first."""
        self._lines.append(made)
        self._take(made)
        if self._fruitless >= FRUITLESS_UNITS and not self.is_complete:
            raise InputError(
                f"only {len(self.records)} different {self.recipe} were found before "
                f"{FRUITLESS_UNITS} units of work brought no new one; the same command with "
                f"--count {len(self.records)} writes those, other options may give more"
            )

    def _take(self, made: Made) -> None:
        self.next_unit += 1
        before = len(self.records)
        for key, record in made:
            if self.is_complete:
                break
            if key in self._seen:
                self.duplicates += 1
            else:
                self._seen.add(key)
                self.records.append(record)
        self._fruitless = 0 if len(self.records) > before else self._fruitless + 1

    def _replay(self) -> int:
        """Take what an earlier run finished; how many lines that are, with that of the recipe."""
        number = 0
        for number, line in enumerate(self._lines.read(), 1):
            if number > 1:
                self._take(self._parse(line, number))
            elif not self._is_header(line):
                raise InputError(
                    f"{self.path} belongs to a run with other options; "
                    "delete it or give another --out"
                )
        self._is_own = True
        return number

    def _is_header(self, line: bytes) -> bool:
        try:
            return parse_json(line) == self.header
        except InputError:
            return False

    def _parse(self, line: bytes, number: int) -> Made:
        try:
            return [(key, record) for key, record in parse_json(line)]
        except (ValueError, TypeError):
            raise InputError(f"{self.path} is damaged in line {number}; delete it") from None


@contextmanager
def _results(recipe: Recipe, first: int, processes: int, share: Share) -> Iterator[Iterator[Made]]:
    """The units from `first` on, without end and in order, made by so many processes."""
    if share.world > 1:
        with _shared(recipe, processes, share) as rounds:
            yield rounds.lead(first)
            rounds.stop()
    elif processes == 1:
        yield (make_unit(recipe, unit) for unit in numbers_from(first))
    else:
        with _workers(processes) as pool:
            yield _in_order(pool, recipe, first, QUEUED_A_PROCESS * processes)


@contextmanager
def _shared(recipe: Recipe, processes: int, share: Share) -> Iterator[Rounds[Made]]:
    """Rounds of all processes that torchrun started, each with workers of its own."""
    size = QUEUED_A_PROCESS * processes
    make = partial(make_unit, recipe)
    if processes == 1:
        yield Rounds(share, size, lambda units: [make(unit) for unit in units])
        return
    with _workers(processes) as pool:
        yield Rounds(share, size, lambda units: list(pool.map(make, units)))


@contextmanager
def _workers(processes: int) -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _become_worker, (included_files(),))
    try:
        yield pool
    except (KeyboardInterrupt, SystemExit):
        # What they are at would be thrown away.
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    except BrokenProcessPool:
        raise InputError(
            "a worker process ended before its time, perhaps for lack of memory; "
            "the same command continues, with fewer --processes if need be"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, recipe: Recipe, first: int, queued: int) -> Iterator[Made]:
    waiting: deque[Future[Made]] = deque()
    for unit in numbers_from(first):
        with _interrupts_wait():
            waiting.append(pool.submit(make_unit, recipe, unit))
        if len(waiting) == queued:
            yield waiting.popleft().result()


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C works after this; processes that start meanwhile ignore it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _become_worker(files: Sequence[Path]) -> None:
    """Know the tasks that the parent has included, and end when it ends."""
    follow_parent()
    for file in files:
        include(file)
