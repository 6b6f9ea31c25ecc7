"""The names and words by which people know a task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Example:
    """A puzzle to try."""

    title: str
    text: str
    opening: bool = False
    """Whether the page may open with it: one on which candidates disagree."""


@dataclass(frozen=True)
class Look:
    """Names, words and files of a task; each may be left out."""

    title: str = ""
    """The puzzle's name as people write it; the task's own where it is left out."""
    about: str = ""
    """The rules in one sentence."""
    words: Mapping[str, str] = field(default_factory=dict)
    """A rule in a few words, by the rule's name, where the name is too short."""
    page: Path | None = None
    """A JavaScript module that draws its boards on the page; docs/new-task.md describes it."""
    examples: Path | None = None
    """A JSON file of puzzles to try: a list of {"title", "text"}."""

    @classmethod
    def beside(cls, file: str, title: str, about: str, words: Mapping[str, str]) -> Look:
        """With `page.js` and `examples.json` of the folder of a module, where they exist."""
        files = [Path(file).with_name(name) for name in ("page.js", "examples.json")]
        return cls(title, about, words, *(path if path.is_file() else None for path in files))

    def gallery(self) -> list[Example]:
        """The puzzles to try."""
        if self.examples is None:
            return []
        return [Example(**one) for one in json.loads(self.examples.read_text("utf-8"))]
