"""Links of puzz.link and pzv.jp, both ways; the board in them is each puzzle's own alphabet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from erm.errors import InputError
from erm.puzzles import pzprv3
from erm.puzzles.combinators import Cells, Part
from erm.rulebook.task import Task
from erm.types import Puzzle, check_sides

MAX_TEXT = 400_000
"""A longer link is refused unread; the longest board with its answer takes less."""
SITE = "https://puzz.link/p?"

Givens = Mapping[str, np.ndarray]
_PASTE = "paste the puzzle's own address from puzz.link or pzv.jp, or the digits of a Sudoku"
_SITES = {
    r"tinyurl\.com|bit\.ly|t\.co|is\.gd|goo\.gl|shorturl\.at|rb\.gy|cutt\.ly|ow\.ly|buff\.ly": (
        "a shortened address, which says nothing about the board and is not followed; open it in "
        "a browser and paste the long address that it leads to"
    ),
    r"[\w.-]*penpa[\w.-]*|[\w.-]+\.github\.io/penpa-edit": (
        f"a penpa address, which is not read; {_PASTE}"
    ),
    r"(?:[\w-]+\.)*(?:sudokupad\.app|crackingthecryptic\.com|f-puzzles\.com)": (
        "an address of a Sudoku editor, which is not read; paste the 81 characters of the board "
        "instead, with . for every empty cell"
    ),
    r"(?:www\.)?janko\.at": f"an address of a janko.at page, which is not fetched; {_PASTE}",
}
_JANKO_TEXT = re.compile(r"^\s*\[(?:begin|problem)\]\s*$", re.IGNORECASE | re.MULTILINE)
MAX_LOOKED_AT = 4000


@dataclass(frozen=True)
class Alphabet:
    """How links and files write one kind of puzzle."""

    names: tuple[str, ...]
    """The names that links use; the first is the one written."""
    decode: Callable[[str, int, int], tuple[Givens, int]]
    """Givens from the board part of a link, its height and width; and where the board ends."""
    encode: Callable[[Puzzle], str]
    file: pzprv3.Layout


class Linked(Task):
    """A task that puzz.link has, too."""

    alphabet: ClassVar[Alphabet]
    """How its links are written."""

    def recognises(self, text: str) -> bool:
        """By the name in a link, so that a damaged one is still of its kind."""
        return name_of(text) in self.alphabet.names

    def parse(self, text: str) -> Puzzle:
        return parse(text, self.name, self.alphabet)

    def format(self, puzzle: Puzzle) -> str:
        return format(puzzle, self.alphabet)

    def link(self, puzzle: Puzzle, answer: np.ndarray | None = None) -> str:
        """The puzzle's address, or one that opens with an answer filled in.

        The latter is pzpr's own file in the query of a link. Files know rooms but no borders
        inside one, so that Heyawake's dangling borders are not shown.
        """
        if answer is None:
            return format(puzzle, self.alphabet)
        return SITE + pzprv3.quote_lines(pzprv3.format(puzzle, self.alphabet.file, answer))


def is_address(text: str) -> bool:
    """Whether a text has the scheme or query of a web address, or at least NAME/WIDTH/HEIGHT."""
    return bool(re.match(r"https?://|[\w./-]*\?[\w.=&]+/|[a-z]\w*/\d+/\d+/", text.strip()))


def name_of(text: str) -> str | None:
    """The kind of puzzle that a link or a pzprv3 file names; None for any other text."""
    if len(text) > MAX_TEXT:
        return None
    if pzprv3.is_file(text):
        return pzprv3.name_of(text)
    if "/" not in text:
        return None
    name, *rest = _query(text).split("/")
    if pzprv3.HEADER.fullmatch(name):
        return rest[0] if rest else None
    return re.sub(r"_(edit|play)$", "", name)


def parse(text: str, task: str, alphabet: Alphabet) -> Puzzle:
    """The puzzle of a link or a pzprv3 file; scheme and host may be left out."""
    if len(text) > MAX_TEXT:
        raise InputError(f"a link of {len(text)} characters is too long, {MAX_TEXT} are the most")
    name = name_of(text)
    if name not in alphabet.names:
        refuse_elsewhere(text)
        what = f"this is a {name[:40]} link" if name else f"{_shown(text)} is no link"
        raise InputError(
            f"{what} where a {task} puzzle is wanted, as in {SITE}{alphabet.names[0]}/5/5/…"
        )
    if pzprv3.is_file(text):
        return pzprv3.parse(text, alphabet.file)
    query = _query(text)
    if pzprv3.HEADER.fullmatch(query.partition("/")[0]):
        return pzprv3.parse(pzprv3.unquote_lines(query), alphabet.file)
    rest = query.split("/")[1:]
    if len(rest) < 2 or not all(re.fullmatch(r"[0-9]{1,4}", side) for side in rest[:2]):
        raise InputError(
            f"behind {name}/ a link has WIDTH/HEIGHT/BOARD, got {'/'.join(rest)[:40]!r}"
        )
    width, height = map(int, rest[:2])
    check_sides(f"the {task} link", height, width)
    body = "/".join(rest[2:]).rstrip("/")
    if not body:
        raise InputError(f"the {task} link has no board behind its size {width}/{height}")
    try:
        givens, end = alphabet.decode(body, height, width)
    except InputError as error:
        raise InputError(f"the {task} link cannot be read: {error}") from None
    if end < len(body):
        raise InputError(
            f"the {task} link goes on behind its last cell with {body[end : end + 10]!r}, "
            f"character {end + 1} of the board"
        )
    return Puzzle(task, height, width, givens)


def format(puzzle: Puzzle, alphabet: Alphabet) -> str:
    """The link as pzpr.js itself writes it, under puzz.link."""
    body = alphabet.encode(puzzle)
    # A slash behind a last character such as "." keeps other sites from dropping it.
    end = "" if re.fullmatch(r"[0-9a-zA-Z]", body[-1]) else "/"
    return f"{SITE}{alphabet.names[0]}/{puzzle.width}/{puzzle.height}/{body}{end}"


def on_board(part: Part, height: int, width: int) -> Cells:
    """One part after the other over all cells."""
    return Cells(part, height * width, lambda i: f"row {i // width + 1}, column {i % width + 1}")


def clue_alphabet(names: tuple[str, ...], part: Part, file: pzprv3.ClueFile) -> Alphabet:
    """The alphabets in which every cell has a clue, one number or several, or none."""

    def decode(body: str, height: int, width: int) -> tuple[Givens, int]:
        items, end = on_board(part, height, width).decode(body)
        clues = np.array(items, file.dtype)
        return {"clues": clues.reshape(height, width, *clues.shape[1:])}, end

    def encode(puzzle: Puzzle) -> str:
        clues = puzzle.givens["clues"]
        items = clues.reshape(puzzle.cells, *clues.shape[2:]).tolist()
        plain = [tuple(item) if isinstance(item, list) else item for item in items]
        return on_board(part, *puzzle.shape).encode(plain)

    return Alphabet(names, decode, encode, file)


def _query(text: str) -> str:
    """The part of an address with kind, size and board."""
    query = re.sub(r"[\r\n]", "", text.strip()).partition("#")[0]
    return re.sub(r"^(\w+=\w+&)*", "", query[query.find("?") + 1 :])


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def refuse_elsewhere(text: str) -> None:
    """An InputError where a text is of a site or an editor that we know but cannot read."""
    start = text[:MAX_LOOKED_AT].strip()
    for site, what in _SITES.items():
        if re.match(rf"(?:https?://)?(?:{site})(?:[/?#]|$)", start, re.IGNORECASE):
            raise InputError(f"this is {what}")
    if _JANKO_TEXT.search(start):
        raise InputError(f"this is the text of a janko.at page, which is not read; {_PASTE}")
