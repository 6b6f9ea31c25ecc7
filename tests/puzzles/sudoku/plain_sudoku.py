"""A second opinion on Sudoku: sets and recursion, nothing shared with the solvers under test."""

from __future__ import annotations

SIDE = 9
CELLS = [(row, column) for row in range(SIDE) for column in range(SIDE)]
UNITS = (
    [[(row, column) for column in range(SIDE)] for row in range(SIDE)]
    + [[(row, column) for row in range(SIDE)] for column in range(SIDE)]
    + [[(3 * (box // 3) + k // 3, 3 * (box % 3) + k % 3) for k in range(9)] for box in range(9)]
)
PEERS = {
    cell: {other for unit in UNITS if cell in unit for other in unit} - {cell} for cell in CELLS
}


class Search:
    """Every solution of a board, with the cells branched at and the digits guessed."""

    def __init__(self, clues) -> None:
        self.solutions: list[list[int]] = []
        self.branchings = 0
        self.guesses = 0
        digits = {cell: int(clue) for cell, clue in zip(CELLS, clues, strict=True)}
        self._go({cell: {d} if d else set(range(1, 10)) for cell, d in digits.items()})

    def _go(self, left) -> None:
        if not _propagate(left):
            return
        open_cells = [cell for cell in CELLS if len(left[cell]) > 1]
        if not open_cells:
            self.solutions.append([next(iter(left[cell])) for cell in CELLS])
            return
        self.branchings += 1
        at = min(open_cells, key=lambda cell: len(left[cell]))
        for digit in sorted(left[at]):
            if len(self.solutions) < 2:
                self.guesses += 1
                self._go({**{cell: set(digits) for cell, digits in left.items()}, at: {digit}})


def _propagate(left) -> bool:
    changed = True
    while changed:
        changed = False
        for cell in CELLS:
            taken = set().union(*(left[peer] for peer in PEERS[cell] if len(left[peer]) == 1))
            if left[cell] & taken:
                left[cell] -= taken
                changed = True
            if not left[cell]:
                return False
        for unit in UNITS:
            for digit in range(1, 10):
                places = [cell for cell in unit if digit in left[cell]]
                if not places:
                    return False
                if len(places) == 1 and len(left[places[0]]) > 1:
                    left[places[0]] = {digit}
                    changed = True
    return True
