"""What a reader should know of the printed numbers: footnotes, by the key that tables name."""

from __future__ import annotations

NOTES: dict[str, str] = {
    "verifier": (
        "All three tasks have unique solutions, so a complete rule energy is a verifier and "
        '"ERM = oracle" is close to automatic. The rows "rule checker" (any candidate that breaks '
        'no rule) and "ERM, mu = 0" (local memories alone) show what the energy adds.'
    ),
    "maze-parameters": (
        "The paper prints 2.64 M parameters for the Maze backbone; hidden 128 with one block, "
        "as published, has 0.264 M."
    ),
    "pt-name": (
        'The paper\'s text calls 75.93 "PT-ERM", its appendix "PT-confidence"; both are run here.'
    ),
    "eqr-selector": (
        "The paper pairs EqR with majority voting; EqR's own selector is top-1 convergence, the "
        "smallest change of the logits over the last three steps. EqR's published Sudoku figures "
        "are at a path noise of 0.5 instead of the 0.01 that it trains with."
    ),
    "sudoku-data": (
        'The paper tests on "Sudoku-Lite" (2,048 puzzles), which is not published; ours are the '
        "data named in the row."
    ),
    "ppbench-data": (
        "The paper tests on 301 held-out puzzles of five types, which are not published; ours are "
        "the data named in the row, so the two columns are not about the same puzzles."
    ),
    "maze-data": "The paper's 1,000 mazes are EqR's Maze-Unique test split.",
    "depth": (
        "With breadth the paper's Maze accuracy falls with depth: 99.90 at D = 16, 99.30 at D = 64."
    ),
    "oracle-token": (
        "The paper's q-head has a higher token accuracy at D = 16 (100.00) than its oracle (99.99) "
        "although fewer of its mazes are exact; its oracle's tokens are then not the best of the "
        "pool, as ours are."
    ),
    "stopping": (
        "The printed least depth, 6, is the least that the rule allows: two checks after four "
        "steps."
    ),
    "ladder": (
        "The paper does not say how the 128 replicas form ladders, how temperatures follow the "
        "energy's scale or what a replica's move is; ours are in docs/reproduce.md."
    ),
    "ladder-rows": (
        "Rows below the three energies temper with ERM alone: with the absolute temperatures that "
        "the appendix prints (0.001 to 1.0), and with Metropolis; see docs/reproduce.md."
    ),
    "transformer": (
        "The paper does not state the sizes of EqR+ET nor its training data; ours is the "
        "checkpoint named in the caption."
    ),
    "ptrm-maze": "PTRM's Maze figures are on Maze-Hard, other mazes than Maze-Unique.",
    "fixed-start": (
        "TRM and PTRM rows use the weights of our own backbone, which was trained from random "
        "starts, with one start for all cells and no path noise, as TRM has; no retraining."
    ),
    "ptrm-runs": "PTRM's percentages are means over several runs, so they are no counts.",
    "two-readings": (
        "The paper scores Sudokus by the network's log-probabilities (Eq. 6) and lets the Sudokus "
        "of PPBench reuse that memory, while Eq. 7 measures decoded answers. Eq. 6 is the default "
        "here, as its text says; the row on decoded answers is Eq. 7 with beta = 128 on the same "
        "candidates."
    ),
    "adaptive": (
        "Adaptive search stops at the first candidate that breaks no rule, so its answer is "
        "certified; where it finds none, the lowest energy counts."
    ),
    "rules": (
        "The rules search first, without a network; most boards need no model evaluation. This is "
        "the solver's number, not a network's."
    ),
}
