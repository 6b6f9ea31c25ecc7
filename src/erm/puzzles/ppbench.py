"""Pencil Puzzle Bench: what its five types have in common, so that one reasoner can serve all.

The shared vocabulary starts with Sudoku's own eleven tokens, so that a Sudoku reads the same alone
and among the five. Then come two tokens for the answers of the other types, and for what is
printed on their cells a range each, which each of them states (`Pencil.printed_tokens`); together
they fill the vocabulary. Checkpoints rely on these numbers.
"""

from __future__ import annotations

TYPES = ("sudoku", "lightup", "nurikabe", "heyawake", "tapa")
"""The tasks that the paper reports together as PPBench."""

WHITE, MARKED = 11, 12
"""How answers of the four other types write a cell's states 0 and 1."""
VOCABULARY = 347
