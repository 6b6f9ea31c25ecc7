"""A run's journal: finished samples, one JSON line each, that survive being killed at any moment.

Every process of a run appends to its own shard; a sample belongs to the process whose rank is its
index modulo their number, so a run may be continued by any number of processes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from erm.errors import InputError
from erm.files import atomic, write_json
from erm.progress import messages, progress_bar

Sample = dict[str, Any]


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


class Journal:
    """The finished samples of a run, over all its processes, past and present."""

    def __init__(self, folder: str | Path, rank: int = 0) -> None:
        self.folder = Path(folder) / "shards"
        self.own = self.folder / f"{rank:05d}.jsonl"

    def load(self) -> dict[int, Sample]:
        """Every finished sample by its index; a line that was cut short is left out."""
        samples: dict[int, Sample] = {}
        for shard in sorted(self.folder.glob("*.jsonl")):
            lines = shard.read_bytes().split(b"\n")
            for number, line in enumerate(lines[:-1], 1):
                try:
                    sample = json.loads(line)
                    samples.setdefault(sample["index"], sample)
                except (ValueError, KeyError, TypeError):
                    raise InputError(
                        f"{shard}, line {number} is no sample; delete the line to do it again"
                    ) from None
        return samples

    def extend(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Append samples as they come; each is on its way to the disk before the next begins."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.own, "a+b") as file:
            _drop_torn_line(file)
            for sample in samples:
                file.write(json.dumps(sample, ensure_ascii=False).encode() + b"\n")
                file.flush()
                yield sample


def _drop_torn_line(file) -> None:
    file.seek(0)
    whole = file.read().rfind(b"\n") + 1
    file.truncate(whole)


def check_config(folder: str | Path, config: Sample) -> None:
    """A folder holds one run: the first process writes its settings, all others must agree."""
    path = Path(folder) / "config.json"
    # What ends in .part is another process of the same run that is just writing its settings.
    files = [file for file in Path(folder).glob("*") if not file.name.endswith(".part")]
    if not files:
        write_json(path, config)
        return
    if not path.exists():
        raise InputError(f"{folder} holds other files than a run; choose another --out")
    try:
        before = json.loads(path.read_text("utf-8"))
    except ValueError:
        raise InputError(f"{path} is not JSON; choose another --out") from None
    for key in sorted({*before, *config}):
        if before.get(key) != json.loads(json.dumps(config.get(key))):
            raise InputError(
                f"{folder} holds a run with {key} {before.get(key)!r}, not {config.get(key)!r}; "
                "choose another --out or delete it"
            )


def run_sharded(
    folder: str | Path,
    config: Sample,
    count: int,
    work: Callable[[Sequence[int]], Iterator[Sample]],
    summarise: Callable[[list[Sample]], Sample],
    share: Share,
    label: str,
    quiet: bool = False,
) -> Sample | None:
    """Do what is left of this process's share; whoever finds the run complete sums it up.

    Gives the results, or None while other processes still have samples to do.
    """
    check_config(folder, config)
    journal = Journal(folder, share.rank)
    done = journal.load()
    own = range(share.rank, count, share.world)
    left = [index for index in own if index not in done]
    with progress_bar(quiet or share.rank != 0) as bar:
        task = bar.add_task(label, total=len(own), completed=len(own) - len(left), note="")
        good = 0
        for total, sample in enumerate(journal.extend(work(left)), 1):
            good += bool(sample.get("good"))
            bar.update(task, advance=1, note=f"{100 * good / total:.1f}%")
    done = journal.load()
    if len(done.keys() & set(range(count))) < count:
        if not quiet:
            messages.print(f"rank {share.rank}: done; {count - len(done)} samples are with others")
        return None
    samples = [done[index] for index in range(count)]
    with (
        atomic(Path(folder) / "samples.jsonl") as temporary,
        open(temporary, "w", encoding="utf-8") as file,
    ):
        file.writelines(json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
    results = summarise(samples)
    write_json(Path(folder) / "results.json", results)
    return results
