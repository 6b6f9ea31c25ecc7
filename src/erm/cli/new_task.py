"""`erm new-task`: the beginning of a task of one's own, which works as it stands."""

from __future__ import annotations

import keyword
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import tyro

from erm.errors import InputError

STAND_IN = "template"
NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass
class NewTask:
    """Write a folder with a small task that works at once: rules and their test.

    Example: erm new-task stars

    docs/new-task.md goes on from there.
    """

    name: tyro.conf.Positional[str]
    """Of the task: small letters, digits and _."""
    folder: Path = Path(".")
    """Where to write the task's folder, which has its name."""

    def run(self) -> int:
        from erm.progress import console

        written = write_task(self.name, self.folder)
        name, include = self.name, f"--include {written}"
        run, short = f"runs/{name}", "--steps 500 --no-compile"
        board = f"'{name}:*..../...../...../...../.....'"
        for line in (
            f"{written} is written: rules.py and a test. It works as it stands:",
            "",
            f"  pytest {written}",
            f"  erm solve {board} {include}",
            f"  erm data {name} {include} --count 2000 --out {name}.jsonl",
            f"  erm train cpu/{name} {include} --data {name}.jsonl --out {run} {short}",
            f"  erm evaluate {run}/checkpoint {name}.jsonl {include} --limit 64",
            f"  erm serve {include} --checkpoints {run}",
            "",
            "Change rules.py into your own, step by step; docs/new-task.md is the guide.",
        ):
            console.print(line, soft_wrap=True, highlight=False, markup=False)
        return 0


def write_task(name: str, folder: Path) -> Path:
    """The template under another name; all of it or nothing."""
    from erm.rulebook.registry import task_names

    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise InputError(
            f"a task's name has small letters, digits and _, as in stars, not {name!r}"
        )
    if name in (*task_names(), STAND_IN):
        raise InputError(f"there is a task {name} already; give another name")
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder} to write {name} to")
    out = folder / name
    if out.exists():
        raise InputError(f"{out} exists already, and nothing is written over it; give another name")
    title = "".join(part.capitalize() for part in name.split("_"))
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}-") as temporary:
        made = Path(temporary) / name
        made.mkdir()
        for file in sorted(_template().glob("*.py")):
            text = file.read_text("utf-8").replace(STAND_IN, name).replace("Template", title)
            (made / file.name.replace(STAND_IN, name)).write_text(text, "utf-8")
        made.rename(out)
    return out


def _template() -> Path:
    import erm.rulebook

    return Path(erm.rulebook.__path__[0]) / STAND_IN


COMMAND = NewTask
