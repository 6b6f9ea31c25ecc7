"""Puzzles of other sites that cannot be read, and what to paste instead of them."""

from __future__ import annotations

import re

from erm.errors import InputError

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


def refuse(text: str) -> None:
    """An InputError where a text is of a site or an editor that we know but cannot read."""
    start = text[:MAX_LOOKED_AT].strip()
    for site, what in _SITES.items():
        if re.match(rf"(?:https?://)?(?:{site})(?:[/?#]|$)", start, re.IGNORECASE):
            raise InputError(f"this is {what}")
    if _JANKO_TEXT.search(start):
        raise InputError(f"this is the text of a janko.at page, which is not read; {_PASTE}")
