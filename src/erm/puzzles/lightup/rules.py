"""Lightup (akari): bulbs light their row and column up to the next black cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.drawing.board import cell_table
from erm.drawing.lattice import CLUE, FULL, Cell, Lattice, frame
from erm.grid import members, neighbours, segments
from erm.look import Look
from erm.puzzles import pzprv3
from erm.puzzles.combinators import FirstOf, Gap, Literal, NumberAndGap
from erm.puzzles.links import clue_alphabet
from erm.puzzles.pencil import Pencil, one_hot, stack_features
from erm.rulebook.counting import AtMost, Exactly
from erm.rulebook.factor import Factor, group_scopes
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import COUNT, Part, Scopes
from erm.types import Puzzle

WHITE, BLACK, MOST_BULBS = -2, -1, 4
LIGHT_STYLE = "yellow"


class Lightup(Pencil):
    """Givens: `clues` int8 [H, W]: -2 white, -1 black, 0 to 4 black with a number; 1 is a bulb."""

    name = "lightup"
    state_words = ("empty", "a bulb")
    givens: ClassVar = {
        "clues": Given(np.int8, WHITE, MOST_BULBS, blank=WHITE, names={"black": BLACK})
    }
    look = Look.beside(
        __file__,
        "Light Up",
        "Bulbs light every white cell, none sees another, numbers count the bulbs beside them.",
        {
            "clue": "bulbs on white cells only",
            "one bulb a line of sight": "no bulb sees another",
            "number of bulbs beside a clue": "numbers count bulbs",
            "unlit cells": "every white cell is lit",
        },
    )
    alphabet = clue_alphabet(
        ("akari", name, "bijutsukan"),
        FirstOf((Literal(".", BLACK), NumberAndGap(WHITE), Gap(WHITE))),
        pzprv3.ClueFile(name, WHITE, {"-": BLACK}, 0, MOST_BULBS, np.int8),
    )
    encodings = ("grid.lp", "lightup/encoding.lp")
    printed_tokens = range(13, 20)

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return puzzle.givens["clues"].ravel() == WHITE

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        numbers = [
            Factor(
                "number of bulbs beside a clue",
                scopes,
                Exactly(count, scopes.shape[1]),
                np.array(cells),
            )
            for count, scopes, cells in _beside_clues(puzzle)
        ]
        lines = [line for ids in self.partitions(puzzle) for line in members(ids) if len(line) > 1]
        sight = [
            Factor("one bulb a line of sight", scopes, AtMost(1, scopes.shape[1]))
            for scopes in group_scopes(lines)
        ]
        return *sight, *numbers

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        return (self._unlit(puzzle),)

    def _unlit(self, puzzle: Puzzle) -> Unlit:
        return Unlit(self.markable(puzzle), self.partitions(puzzle))

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "2 n"]:
        """Horizontal and vertical lines of sight; a black cell stands alone."""
        return np.stack(segments(puzzle.givens["clues"] != WHITE))

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 8"]:
        """White, black without number, black with 0 to 4."""
        return stack_features(one_hot(puzzle.givens["clues"].ravel(), range(WHITE, MOST_BULBS + 1)))

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """White, black without number, black with 0 to 4."""
        clues = puzzle.givens["clues"].ravel().astype(np.int64)
        return self.printed_tokens.start + clues - WHITE

    def generator(self) -> type[Generator]:
        from erm.puzzles.lightup.generate import LightupGenerator

        return LightupGenerator

    def drawing(
        self,
        puzzle: Puzzle,
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Lattice:
        """Black cells filled, bulbs and their light."""
        clues, labels, (height, width) = puzzle.givens["clues"], self.labels(puzzle), puzzle.shape
        bulbs = np.zeros(puzzle.shape, np.int64) if answer is None else answer
        unlit = self._unlit(puzzle).blame(bulbs.ravel()).reshape(puzzle.shape)

        def cell(r: int, c: int) -> Cell:
            mark = bool(marked[r, c])
            if clues[r, c] != WHITE:
                return Cell(labels[r * width + c] or FULL, CLUE, FULL, mark)
            if bulbs[r, c]:
                return Cell("●", f"bold {LIGHT_STYLE}", mark=mark)
            return Cell("" if unlit[r, c] else "·", LIGHT_STYLE, mark=mark)

        return Lattice(cell_table(puzzle.shape, cell), *frame(height, width))


def _beside_clues(puzzle: Puzzle) -> Iterator[tuple[int, Int[np.ndarray, "j s"], list[int]]]:
    """A number, the white neighbours of cells with it, equally many of each, and these cells."""
    clues, around = puzzle.givens["clues"].ravel(), neighbours(*puzzle.shape)
    white = np.append(clues, 0)[around] == WHITE
    for count in dict.fromkeys(clues[clues >= 0].tolist()):
        beside: dict[int, dict[int, np.ndarray]] = {}
        for cell in np.flatnonzero(clues == count).tolist():
            # A walled-in clue counts on itself, in vain: no bulb ever stands there.
            scope = around[cell][white[cell]] if white[cell].any() else np.array([cell])
            beside.setdefault(len(scope), {})[cell] = scope
        for _, alike in sorted(beside.items()):
            yield count, np.stack(list(alike.values())), list(alike)


class Unlit(Potential):
    """White cells that no bulb lights, per cell of the board."""

    name = "unlit cells"

    def __init__(self, white: Bool[np.ndarray, " n"], lines: Int[np.ndarray, "2 n"]) -> None:
        self.white = white
        self.lines = lines
        self.by_line = np.argsort(lines, axis=1, kind="stable")
        self.starts = [np.append(0, np.cumsum(np.bincount(ids))[:-1]) for ids in lines]

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return self._dark(states).sum(1) / states.shape[1]

    def parts(self) -> tuple[Part, ...]:
        """Of the places that a cell sees, itself among them, one has a bulb."""
        cells = np.flatnonzero(self.white)
        rows, columns = self.lines
        seen = (rows[cells, None] == rows) | (columns[cells, None] == columns)
        lengths = seen.sum(1)
        fewest, most = np.ones_like(lengths), lengths
        return (Scopes(np.full(len(cells), COUNT), lengths, seen.nonzero()[1], fewest, most),)

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self._dark(states[None])[0]

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "unlit"

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        lines = np.stack([one.lines for one in potentials])
        lines += states.shape[1] * np.arange(len(lines))[:, None, None]
        dark = np.stack([one.white for one in potentials])
        for ids in lines.swapaxes(0, 1):
            dark &= np.bincount(ids.ravel(), states.ravel())[ids] == 0
        return dark

    def _dark(self, states: Int[np.ndarray, "k n"]) -> Bool[np.ndarray, "k n"]:
        return self.white & (self._in_sight(states) == 0)

    def _in_sight(self, marks: np.ndarray) -> Int[np.ndarray, "k n"]:
        """How many marks stand in each cell's two lines, its own counted twice."""
        counts = np.zeros(marks.shape, np.int64)
        for ids, order, starts in zip(self.lines, self.by_line, self.starts, strict=True):
            in_line = np.add.reduceat(marks[:, order], starts, axis=1, dtype=np.int64)
            counts += in_line[:, ids]
        return counts
