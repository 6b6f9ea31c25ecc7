"""A run's folder: the command it belongs to, what is finished of it, and who is writing.

    RUN/config.json          what makes two runs the same run; written once
        shards/00000.jsonl   finished samples, one line each, of the process of that rank
        samples.jsonl        all of them in order, once there are no more to do
        results.json         what they add up to
        state/00001000/      a snapshot of a training: files, and manifest.json with their hashes

Every process appends to a shard of its own; a sample belongs to the process whose rank is its
index modulo their number, so a run may be continued by any number of processes. Each line is
whole or, after a kill, cut short at the end of its shard, where it is dropped. `JsonLines` gives
that to other callers; `lock` keeps two owners apart. A snapshot is whole once its
manifest is there, which is written last.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

from erm.errors import InputError
from erm.files import atomic, sha256, write_json
from erm.json_file import Spec, mismatch, parse_json, read_object
from erm.progress import messages

Difference = Callable[[dict[str, Any], dict[str, Any]], str | None]
"""Of what a run was asked for and what is asked for now: how they differ, or None."""
Sample = dict[str, Any]
"""What a run keeps of one piece of its work; `index` says which."""


MANIFEST = "manifest.json"


class Share(NamedTuple):
    """Which part of a run this process does."""

    rank: int = 0
    world: int = 1

    @classmethod
    def from_environment(cls) -> Share:
        """As torchrun says it in RANK and WORLD_SIZE."""
        try:
            rank, world = (
                int(os.environ.get(key, d)) for key, d in (("RANK", 0), ("WORLD_SIZE", 1))
            )
        except ValueError:
            raise InputError("RANK and WORLD_SIZE must be numbers, as torchrun sets them") from None
        if not 0 <= rank < world:
            raise InputError(f"RANK must be 0 to WORLD_SIZE - 1, got {rank} of {world}")
        return cls(rank, world)


@dataclass(frozen=True)
class RunFolder:
    """A folder that one run owns, however many processes work on it."""

    path: Path
    kind: str = "run"
    """What messages call it."""
    sample: Spec = field(default_factory=lambda: {"index": int})
    """What every sample holds."""
    alone: bool = True
    """Whether other files, which no run wrote, may not lie there."""

    @property
    def config(self) -> Path:
        return self.path / "config.json"

    @property
    def samples(self) -> Path:
        return self.path / "samples.jsonl"

    @property
    def results(self) -> Path:
        return self.path / "results.json"

    @property
    def is_done(self) -> bool:
        return self.results.exists()

    def claim(
        self,
        identity: Mapping[str, Any],
        optional: Collection[str] = (),
        difference: Difference | None = None,
    ) -> None:
        """The first process writes what identifies the run; all others must agree with it.

        Keys of `optional` may differ; what else may, and what is said of it, is for `difference`.
        """
        if not self.config.exists():
            # Temporary files are those of another process that claims the same folder just now.
            strange = any(not file.name.endswith(".part") for file in self._entries())
            if not (self.alone and strange):
                write_json(self.config, identity)
                return
            # They may be what that process has written since, its config.json before all else.
            if not self.config.exists():
                raise InputError(
                    f"{self.path} holds other files than a {self.kind}; choose another --out"
                )
        before = self.read_config()
        before, asked = (
            {key: value for key, value in one.items() if key not in optional}
            for one in (before, json.loads(json.dumps(identity)))
        )
        what = (difference or _difference)(before, asked)
        if what is not None:
            raise InputError(
                f"{self.path} holds a {self.kind} with {what}; repeat its command to go on with "
                "it, choose another --out or delete it"
            )

    def read_config(self) -> dict[str, Any]:
        return self._read(self.config)

    def read_results(self) -> dict[str, Any]:
        return self._read(self.results)

    def read_samples(self) -> list[Sample]:
        """Every sample of a finished run, in order."""
        if not self.samples.exists():
            raise InputError(f"{self.path} holds no finished run, it has no {self.samples.name}")
        return [self._checked(sample, self.samples) for sample in _samples(self.samples)]

    def finished(self) -> dict[int, Sample]:
        """Every finished sample by its index, over all processes, past and present.

        A later line about the same sample adds to it.
        """
        samples: dict[int, Sample] = {}
        shards = self.path / "shards"
        for shard in sorted(shards.glob("*.jsonl")):
            for sample in _samples(shard):
                index = sample["index"]
                samples[index] = _merged(samples.get(index, {}), sample)
        return {index: self._checked(sample, shards) for index, sample in samples.items()}

    @contextmanager
    def shard(self, rank: int = 0) -> Iterator[JsonLines]:
        """The shard of that rank, for this process alone."""
        with lock(self.path / "shards" / f"{rank:05d}.jsonl", self.kind) as file:
            yield JsonLines(file)

    def finish(self, samples: Sequence[Sample], results: Mapping[str, Any]) -> None:
        """Write down that there is nothing more to do."""
        with atomic(self.samples) as temporary, open(temporary, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
        write_json(self.results, results)

    def _checked(self, sample: Sample, where: Path) -> Sample:
        wrong = mismatch(sample, self.sample, f"sample {sample['index']}")
        if wrong is not None:
            raise InputError(f"{where}: {wrong}; delete the sample's line to do it again")
        return sample

    def _read(self, path: Path) -> dict[str, Any]:
        if not path.is_file():
            raise InputError(f"{self.path} holds no {self.kind}, it has no {path.name}")
        return read_object(path)

    def _entries(self) -> Iterable[Path]:
        return self.path.iterdir() if self.path.is_dir() else ()


class JsonLines:
    """A locked file to which one process appends a JSON value per line.

    What a kill cut short at its end is not read, and is gone once something is appended.
    """

    def __init__(self, file: BufferedIOBase) -> None:
        self._file = file
        self._is_cut = False

    def read(self) -> Iterator[bytes]:
        """Every line, from the first on."""
        self._file.seek(0)
        return whole_lines(self._file)

    def append(self, value: Any) -> None:
        """On its way to the disk when this returns."""
        if not self._is_cut:
            self._file.truncate(sum(map(len, self.read())))
            self._is_cut = True
        self._file.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")
        self._file.flush()


def whole_lines(file: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file without a last one that was cut short."""
    return (line for line in file if line.endswith(b"\n"))


@dataclass(frozen=True)
class Snapshots:
    """The newest snapshots of a run, each whole or not there, by their step."""

    run: Path
    manifest: Mapping[str, Spec]
    """What is said of a snapshot beside its files."""
    kept: int = 2

    def place(self, step: int) -> Path:
        return self.run / "state" / f"{step:08d}"

    def begin(self, step: int) -> None:
        """An empty folder for the files of that step."""
        shutil.rmtree(self.place(step), ignore_errors=True)
        self.place(step).mkdir(parents=True)

    def seal(self, step: int, said: Mapping[str, Any]) -> None:
        """All files are there; older snapshots than are kept go."""
        place = self.place(step)
        hashes = {file.name: sha256(file) for file in sorted(place.iterdir())}
        write_json(place / MANIFEST, {**said, "files": hashes})
        for old in self._sealed()[: -self.kept]:
            shutil.rmtree(old)

    def newest(self, quiet: bool = False) -> tuple[Path, dict[str, Any]] | None:
        """The newest whole one with its manifest; what is torn is named and passed over."""
        for place in reversed(self._sealed()):
            torn, said = self._check(place)
            if torn is None:
                return place, said
            if not quiet:
                messages.print(f"The state {place} is torn ({torn}); using the one before it.")
        return None

    def _sealed(self) -> list[Path]:
        return sorted(path.parent for path in (self.run / "state").glob(f"*/{MANIFEST}"))

    def _check(self, place: Path) -> tuple[str | None, dict[str, Any]]:
        """What is wrong with a snapshot, or None, and its manifest."""
        try:
            said = read_object(place / MANIFEST)
        except InputError:
            return f"{MANIFEST} cannot be read", {}
        if mismatch(said, {**self.manifest, "files": {str: str}}) is not None:
            return f"{MANIFEST} is not that of a state", {}
        for name, digest in said["files"].items():
            if not (place / name).is_file():
                return f"{name} is missing", {}
            if sha256(place / name) != digest:
                return f"{name} does not match its hash", {}
        return None, said


@contextmanager
def lock(path: Path, kind: str = "run", wait: bool = False) -> Iterator[BufferedIOBase]:
    """A file that one process at a time may write to; the system lets go of it when that ends.

    With `wait`, others sleep until it is free; without, an error names the holder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    holder = path.with_name(f".{path.name}.holder")
    with open(path, "a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            who = holder.read_text("utf-8").strip() if holder.exists() else "another process"
            raise InputError(
                f"{who} is working on the same {kind} and holds {path}; wait for it to end, "
                "stop it, or choose another --out"
            ) from None
        holder.write_text(f"process {os.getpid()} on {socket.gethostname()}\n", "utf-8")
        try:
            yield file
        finally:
            holder.unlink(missing_ok=True)


def run_sharded(
    folder: RunFolder,
    count: int,
    work: Callable[[Sequence[int]], Iterator[Sample]],
    share: Share,
    is_complete: Callable[[Sample], bool] = bool,
) -> Iterator[Sample]:
    """Do what is left of this process's share of `count` samples and keep each as it comes."""
    with folder.shard(share.rank) as shard:
        done = folder.finished()
        own = range(share.rank, count, share.world)
        left = [index for index in own if index not in done or not is_complete(done[index])]
        for sample in work(left):
            shard.append(sample)
            yield sample


def _merged(before: Sample, after: Sample) -> Sample:
    both = {**before, **after}
    for key, value in before.items():
        if isinstance(value, dict) and isinstance(after.get(key), dict):
            both[key] = {**value, **after[key]}
    return both


def _samples(path: Path) -> Iterator[Sample]:
    with open(path, "rb") as file:
        for number, line in enumerate(whole_lines(file), 1):
            try:
                sample = parse_json(line, finite=False)
                wrong = mismatch(sample, {"index": int})
            except InputError as error:
                wrong = str(error)
            if wrong is not None or sample["index"] < 0:
                raise InputError(
                    f"{path}, line {number} is no sample; delete the line to do it again"
                )
            yield sample


def _difference(before: dict[str, Any], asked: dict[str, Any]) -> str | None:
    """The first key in which the two differ, and of what is below it only that."""
    for key in sorted({*before, *asked}):
        old, new = before.get(key), asked.get(key)
        if old != new:
            if isinstance(old, dict) and isinstance(new, dict):
                keys = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
                old, new = ({name: one.get(name) for name in keys} for one in (old, new))
            return f"{key} {old!r}, not {new!r}"
    return None
