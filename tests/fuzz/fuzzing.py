"""Mutated files for every reader: whatever comes, the answer is a value or an InputError."""

from __future__ import annotations

import random
import shutil
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from erm.errors import InputError

SEEDS = Path(__file__).with_name("seeds")
TOKENS = [
    *(b"9" * 5000, b"-1", b"0", b"1e400", b"NaN", b"null", b"true", b"[", b"{", b'"', b"\\ud800"),
    *(b"\n", b"\r\n", b"\0", b"\xff", b"\xed\xa0\x80", b",", b";", b"/", b"question", b" " * 300),
    *(b"(" * 200, b"&a *a", b"<<: *a", b"!!python/name:os.system", b"\x93NUMPY", b"PK\x03\x04"),
]


@dataclass(frozen=True)
class Failure:
    """An input that was answered with anything else."""

    seed: str
    number: int
    data: bytes
    error: str


def mutated(data: bytes, draw: random.Random) -> bytes:
    """A few places changed, cut out, doubled or overwritten with what tends to hurt."""
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(changed) + 1)
        end = min(len(changed), at + draw.choice((1, 1, 2, 8, 64)))
        kind = draw.randrange(6)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del changed[at:end]
        elif kind == 2:
            changed[at:at] = changed[at:end] * draw.choice((1, 2, 50))
        elif kind == 3:
            changed[at:end] = draw.choice(TOKENS)
        elif kind == 4:
            changed[at:at] = draw.choice(TOKENS)
        else:
            changed[at:end] = draw.randbytes(end - at)
    return bytes(changed)


def readers(folder: Path) -> dict[str, Callable[[Path], object]]:
    """What reads each seed: by its name, or by how that ends."""
    from erm import npy_file
    from erm.evaluate.schema import SAMPLES, read_config
    from erm.formats.dataset import load_dataset
    from erm.formats.read import read_text
    from erm.json_file import mismatch, parse_json
    from erm.model.card import check_card, current_card
    from erm.model.config import ReasonerConfig
    from erm.model.torch_file import TorchFile
    from erm.run_folder import RunFolder
    from erm.search.pool import CandidatePool
    from erm.yaml_file import read_yaml

    def data(path: Path) -> object:
        return list(load_dataset(path, limit=20))

    def text(path: Path) -> object:
        return read_text(path.read_bytes().decode(errors="surrogateescape"))

    def card(path: Path) -> object:
        value = parse_json(path.read_bytes())
        if not isinstance(value, dict):
            raise InputError("no object")
        check_card(path.name, value)
        return current_card(value, True)

    def config(path: Path) -> object:
        value = parse_json(path.read_bytes())
        if not isinstance(value, dict):
            raise InputError("no object")
        return ReasonerConfig.from_json(value)

    def pth(path: Path) -> object:
        with TorchFile(path) as file:
            return file.root

    def run(path: Path) -> object:
        shutil.copyfile(path, folder / "config.json")
        return read_config(RunFolder(folder))

    def sample(path: Path) -> object:
        value = parse_json(path.read_bytes(), finite=False)
        return mismatch(value, SAMPLES["evaluate"])

    return {
        "card.json": card, "model.json": config, "run.json": run, "sample.json": sample,
        "pool.npz": CandidatePool.load, "seen.npy": npy_file.load, "weights.pth": pth,
        ".yaml": read_yaml, ".url": text, "": data,
    }  # fmt: skip


def fuzz(folder: Path, seed: int, after: int = 0) -> Iterator[Failure | None]:
    """Without end: one mutated file after the other, and what was wrong with its answer; the first
    ones are passed over."""
    draw = random.Random(seed)
    known = readers(folder)
    seeds = [path for path in sorted(SEEDS.iterdir()) if path.is_file()]
    number = 0
    while True:
        for path in seeds:
            number += 1
            name = path.name if path.name in known else path.suffix
            read = known.get(name, known[""])
            data = mutated(path.read_bytes(), draw)
            if number <= after:
                continue
            file = folder / path.name
            file.write_bytes(data)
            try:
                read(file)
            except InputError as error:
                one_line = "\n" not in str(error)
                yield None if one_line else Failure(path.name, number, data, f"lines: {error!r}")
            except Exception:  # noqa: BLE001 - what escapes is the finding
                yield Failure(path.name, number, data, traceback.format_exc(limit=-4))
            else:
                yield None
