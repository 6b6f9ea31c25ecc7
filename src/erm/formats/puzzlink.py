"""puzz.link and pzv.jp links of Sudoku, Light Up, Nurikabe, Heyawake and Tapa, both ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import pzprv3
from erm.formats.combinators import (
    Bits,
    Cells,
    Choice,
    Gap,
    Literal,
    Number,
    NumberAndGap,
    Part,
    Table,
)
from erm.grid import first_cells, rooms
from erm.types import MAX_SIDE, Puzzle

MAX_TEXT = 400_000
"""A longer link is refused unread; the longest board with its answer takes less."""
SUDOKU_SIDES = (4, 6, 9, 16)
NO_CLUE = (-1, -1, -1, -1)

Givens = Mapping[str, np.ndarray]


def parse(text: str, kind: str | None = None) -> Puzzle:
    """The puzzle of a link, of `kind` where that is given; scheme and host may be left out."""
    if len(text) > MAX_TEXT:
        raise InputError(f"a link of {len(text)} characters is too long, {MAX_TEXT} are the most")
    query = re.sub(r"[\r\n]", "", text.strip()).partition("#")[0]
    query = re.sub(r"^(\w+=\w+&)*", "", query[query.find("?") + 1 :])
    name, *rest = query.split("/")
    if re.fullmatch(r"pzprv3(\.\d+)?", name):
        return _expect(pzprv3.parse(pzprv3.unquote_lines(query)), kind)
    task = NAMES.get(re.sub(r"_(edit|play)$", "", name))
    if task is None:
        shown = name if len(name) <= 40 else name[:40] + "…"
        raise InputError(
            f"{shown!r} names no puzzle of a link; known are {', '.join(sorted(NAMES))}, "
            "as in https://puzz.link/p?nurikabe/5/5/…"
        )
    if len(rest) < 2 or not all(re.fullmatch(r"[0-9]{1,4}", side) for side in rest[:2]):
        raise InputError(
            f"behind {name}/ a link has WIDTH/HEIGHT/BOARD, got {'/'.join(rest)[:40]!r}"
        )
    width, height = map(int, rest[:2])
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise InputError(f"the {task} link is {width}x{height}, but sides must be 1 to {MAX_SIDE}")
    body = "/".join(rest[2:]).rstrip("/")
    if not body:
        raise InputError(f"the {task} link has no board behind its size {width}/{height}")
    try:
        givens, end = KINDS[task].decode(body, height, width)
    except InputError as error:
        raise InputError(f"the {task} link cannot be read: {error}") from None
    if end < len(body):
        raise InputError(
            f"the {task} link goes on behind its last cell with {body[end : end + 10]!r}, "
            f"character {end + 1} of the board"
        )
    return _expect(Puzzle(task, height, width, givens), kind)


def format(puzzle: Puzzle) -> str:
    """The link as pzpr.js itself writes it, under puzz.link."""
    kind = _kind(puzzle)
    body = kind.encode(puzzle)
    # A slash behind a last character such as "." keeps other sites from dropping it.
    end = "" if re.fullmatch(r"[0-9a-zA-Z]", body[-1]) else "/"
    return f"https://puzz.link/p?{kind.name}/{puzzle.width}/{puzzle.height}/{body}{end}"


def format_solution(puzzle: Puzzle, answer: np.ndarray) -> str:
    """A link that opens with the answer filled in: pzpr's own file in the query of the link.

    Its files know rooms but no borders inside one, so Heyawake's dangling borders are not shown.
    """
    _kind(puzzle)
    return "https://puzz.link/p?" + pzprv3.quote_lines(pzprv3.format(puzzle, answer))


def is_link(text: str) -> bool:
    """Whether a text is meant as a link: it has a scheme, a query or the name of a puzzle."""
    text = text.strip()
    return bool(re.match(r"https?://|[\w./-]*\?[\w.=&]+/", text)) or text.partition("/")[0] in {
        *NAMES,
        "pzprv3",
        "puzz.link",
        "pzv.jp",
    }


@dataclass(frozen=True)
class Kind:
    """One alphabet: the name that links use and the two ways between board part and givens."""

    name: str
    decode: Callable[[str, int, int], tuple[Givens, int]]
    encode: Callable[[Puzzle], str]


def _kind(puzzle: Puzzle) -> Kind:
    if puzzle.task not in KINDS:
        raise InputError(f"there are no links of {puzzle.task}, only of {', '.join(KINDS)}")
    return KINDS[puzzle.task]


def _expect(puzzle: Puzzle, kind: str | None) -> Puzzle:
    if kind is not None and puzzle.task != kind:
        raise InputError(f"this is a {puzzle.task} link where a {kind} puzzle is wanted")
    return puzzle


def _on_board(part: Part, height: int, width: int) -> Cells:
    return Cells(part, height * width, lambda i: f"row {i // width + 1}, column {i % width + 1}")


def _clue_kind(name: str, part: Part, dtype: Any) -> Kind:
    """The alphabets in which every cell has a number or none."""

    def decode(body: str, height: int, width: int) -> tuple[Givens, int]:
        items, end = _on_board(part, height, width).decode(body)
        return {"clues": np.array(items, dtype).reshape(height, width)}, end

    def encode(puzzle: Puzzle) -> str:
        return _on_board(part, *puzzle.shape).encode(puzzle.givens["clues"].ravel().tolist())

    return Kind(name, decode, encode)


def _digits(side: int) -> Part:
    return Choice((Number(1, side), Gap(0)))


def _decode_sudoku(body: str, height: int, width: int) -> tuple[Givens, int]:
    if height != width or height not in SUDOKU_SIDES:
        raise InputError(
            f"its board is {width}x{height}, but Sudokus have sides of {SUDOKU_SIDES[0]}, "
            f"{', '.join(map(str, SUDOKU_SIDES[1:-1]))} or {SUDOKU_SIDES[-1]}"
        )
    items, end = _on_board(_digits(width), height, width).decode(body)
    return {"digits": np.array(items, np.int8).reshape(height, width)}, end


def _encode_sudoku(puzzle: Puzzle) -> str:
    cells = _on_board(_digits(puzzle.width), *puzzle.shape)
    return cells.encode(puzzle.givens["digits"].ravel().tolist())


LIGHTS = Choice((Literal(".", -1), NumberAndGap(-2), Gap(-2)))
ISLANDS = Choice((Number(1, MAX_SIDE**2), Literal(".", -1), Gap(0)))
# A room's "?" asks for nothing, so it is read as no clue.
ROOM_CLUES = Choice((Number(0, MAX_SIDE**2), Gap(-1), Literal(".", -1)))


def _room_clues(count: int) -> Cells:
    return Cells(ROOM_CLUES, count, lambda i: f"the clue of room {i + 1}")


def _decode_heyawake(body: str, height: int, width: int) -> tuple[Givens, int]:
    across, at = Bits(height * (width - 1)).decode(body)
    below, at = Bits((height - 1) * width).decode(body, at)
    right = np.array(across, bool).reshape(height, width - 1)
    down = np.array(below, bool).reshape(height - 1, width)
    cells = first_cells(rooms(right, down))
    items, at = _room_clues(len(cells)).decode(body, at)
    clues = np.full(height * width, -1, np.int16)
    clues[cells] = items
    return {"right": right, "down": down, "clues": clues.reshape(height, width)}, at


def _encode_heyawake(puzzle: Puzzle) -> str:
    right, down = puzzle.givens["right"], puzzle.givens["down"]
    cells = first_cells(rooms(right, down))
    clues = puzzle.givens["clues"].ravel()[cells].tolist()
    borders = [Bits(side.size).encode(side.ravel().tolist()) for side in (right, down)]
    return "".join(borders) + _room_clues(len(cells)).encode(clues)


def _tapa_clues() -> dict[str, tuple[int, ...]]:
    """Up to four numbers: 0 to 8 or "?" alone, else packed into two base-36 characters."""
    clues: dict[str, tuple[int, ...]] = {str(number): (number, -1, -1, -1) for number in range(9)}
    clues |= {".": (-2, -1, -1, -1), "9": (1, 1, 1, 1)}
    for start, numbers, radix in ((360, 2, 6), (396, 3, 4), (460, 4, 2)):
        for code, digits in enumerate(product(range(radix), repeat=numbers), start):
            slots = tuple(digit or -2 for digit in digits)
            clues[np.base_repr(code, 36).lower()] = (*slots, *NO_CLUE[numbers:])
    return clues


TAPA = Choice((Table(_tapa_clues()), Gap(NO_CLUE)))


def _decode_tapa(body: str, height: int, width: int) -> tuple[Givens, int]:
    items, end = _on_board(TAPA, height, width).decode(body)
    return {"clues": np.array(items, np.int8).reshape(height, width, 4)}, end


def _encode_tapa(puzzle: Puzzle) -> str:
    clues = puzzle.givens["clues"].reshape(-1, 4).tolist()
    return _on_board(TAPA, *puzzle.shape).encode([tuple(clue) for clue in clues])


KINDS = {
    "sudoku": Kind("sudoku", _decode_sudoku, _encode_sudoku),
    "lightup": _clue_kind("akari", LIGHTS, np.int8),
    "nurikabe": _clue_kind("nurikabe", ISLANDS, np.int16),
    "heyawake": Kind("heyawake", _decode_heyawake, _encode_heyawake),
    "tapa": Kind("tapa", _decode_tapa, _encode_tapa),
}
"""By task, the alphabets that can be read and written."""

NAMES = {**{task: task for task in KINDS}, "akari": "lightup", "bijutsukan": "lightup"}
"""The task behind every name that a link may use."""
