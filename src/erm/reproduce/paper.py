"""Numbers as others print them, and what a reader should know of them.

Counts that a text does not give follow from percentages of its total.
"""

from __future__ import annotations

from erm.evaluate.intervals import wilson
from erm.report.outcome import Tally


def printed(percent: float, total: int, token: float | None = None) -> Tally:
    """A printed accuracy with the count and Wilson's interval that follow from it."""
    correct = round(percent * total / 100)
    return Tally(
        exact=percent / 100,
        interval=wilson(correct, total),
        correct=correct,
        total=total,
        token=None if token is None else token / 100,
    )


TOTALS = {"Sudoku": 2048, "PPBench": 301, "Maze": 1000}
TASKS = {"Sudoku": "Sudoku-Lite", "PPBench": "five types", "Maze": "Maze-Unique"}
"""The paper's three tasks with its data."""

_SHARED = {
    "Sudoku": (89.31, 97.90, 98.54, 98.58, 98.83, 98.83),
    "PPBench": (68.44, 79.07, 83.39, 80.73, 88.04, 88.04),
    "Maze": (89.10, 97.80, 97.30, 97.80, 99.30, 99.30),
}
SHARED: dict[str, dict[str, Tally]] = {
    task: {
        name: printed(value, TOTALS[task])
        for name, value in zip(
            ("base", "majority", "qhead", "confidence", "energy", "oracle"), row, strict=True
        )
    }
    for task, row in _SHARED.items()
}
"""Table 1, shared-candidate selection, by selector."""

TEMPERING: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "Sudoku": {
        "qhead": (98.54, 98.63, 98.68, 0.7964),
        "confidence": (98.58, 98.63, 98.63, 0.9548),
        "energy": (98.83, 98.97, 98.97, 0.9010),
    },
    "PPBench": {
        "qhead": (83.39, 83.39, 87.38, 0.8948),
        "confidence": (80.73, 81.06, 88.04, 0.9939),
        "energy": (88.04, 88.04, 88.04, 0.9378),
    },
    "Maze": {
        "qhead": (97.30, 97.40, 99.20, 0.8669),
        "confidence": (97.80, 97.90, 99.30, 0.9952),
        "energy": (99.30, 99.30, 99.30, 0.9471),
    },
}
"""Table 2: original, selected, oracle (percent), swap rate."""
TEMPERATURES = 0.001, 1.0
"""Appendix, the coldest and the hottest temperature of EqR+ET's tempering."""

SHALLOW: dict[str, Tally] = {
    "base": printed(81.40, 1000, 98.20),
    "qhead": printed(99.40, 1000, 100.00),
    "confidence": printed(99.40, 1000, 99.99),
    "energy": printed(99.90, 1000, 99.99),
    "oracle": printed(99.90, 1000, 99.99),
}
"""Appendix, Maze at D = 16, K = 128."""

STOPPING = printed(99.60, 1000, 99.95)
"""Appendix, Maze with energy stopping from a budget of D = 64."""
STOPPING_DEPTHS = {"depth_mean": 7.60, "depth_min": 6, "depth_max": 11}
"""Where it stopped."""

TRANSFORMER: dict[str, Tally] = {
    "base": printed(65.97, 2048, 87.79),
    "et": printed(76.86, 2048, 91.20),
    "confidence": printed(76.86, 2048, 91.25),
    "majority": printed(65.28, 2048, 88.13),
}
TRANSFORMER_PT = {"confidence": printed(75.93, 2048, 90.99)}
"""Appendix, EqR + Energy Transformer, Sudoku-Lite, D = 64, K = 16."""
TRANSFORMER_WIDTH = 16

PTRM_WIDTH = 100
TRM_DEPTH = 16
NOISE: dict[str, float] = {
    "TRM, Sudoku-Extreme": 87.28,
    "PTRM, Sudoku-Extreme, q-head, sigma = 0.3, D = 64, K = 100": 98.75,
    "PTRM, Sudoku-Extreme, pass@K, sigma = 0.3, D = 64, K = 100": 99.06,
    "TRM, Maze-Hard": 83.80,
    "PTRM, Maze-Hard, q-head, sigma = 1, D = 16, K = 100": 85.17,
    "PTRM, Maze-Hard, pass@K, sigma = 1, D = 16, K = 100": 95.63,
    "TRM, golden PPBench (49), D = 16": 62.6,
    "PTRM, golden PPBench (49), q-head, sigma = 0.2, D = 48, K = 100": 91.2,
    "EqR, Sudoku-Extreme, D = 64, K = 1": 93.0,
    "EqR, Sudoku-Extreme, convergence, D = 64, K = 128": 99.8,
    "EqR, Maze-Unique, D = 64, K = 1": 88.9,
    "EqR, Maze-Unique, convergence, D = 64, K = 128": 93.0,
}
"""Percentages of PTRM (arXiv 2605.19943) and EqR (arXiv 2605.21488) on their own networks."""

VERIFIER = (
    "All three tasks of the paper have unique solutions, so a complete rule energy is a verifier "
    'and "ERM = oracle" is close to automatic. The rule checker (any candidate that breaks no '
    "rule) and mu = 0 (local memories alone) show what the energy adds."
)
DATA = (
    'The paper\'s "Sudoku-Lite" (2,048 puzzles) and its 301 pencil puzzles are not published; its '
    "1,000 mazes are EqR's Maze-Unique test split. Its rows are of other puzzles and of networks "
    "trained for GPU days."
)
EQR_SELECTOR = (
    "The paper pairs EqR with majority voting. EqR's own selector is top-1 convergence, the "
    "smallest change of the logits over the last three steps; its Sudoku figures are at a path "
    "noise of 0.5, it trains with 0.01."
)
DEPTH = (
    "With breadth the paper's Maze accuracy falls with depth: 99.90% at D = 16, 99.30% at D = 64. "
    "At D = 16 its q-head has a higher token accuracy (100.00) than its oracle (99.99)."
)
STOPPING_NOTE = (
    "A puzzle ends when the lowest energy of its pool has changed by less than (<) 1% in two steps "
    "in a row, after at least four steps. The paper's least depth, 6, is the least that this rule "
    "allows. The rule is applied along the traced candidates of Table 1."
)
LADDER = (
    "The paper does not state how 128 replicas form ladders, how temperatures follow the energy's "
    "scale or what a replica's move is. Here a move is one step of the network with noise that "
    "grows with the square root of T, up to 0.1; neighbours swap latent states by Eq. 5; the "
    "hottest T is the standard deviation of the energy in the first pool, the coldest a thousandth "
    "of it. Two more rows temper with ERM at the appendix' absolute temperatures and with "
    "Metropolis acceptance."
)
ET_NOTE = (
    "The paper states neither the sizes of EqR+ET nor its training data. Its text calls 75.93% "
    '"PT-ERM", its appendix "PT-confidence"; both are run here.'
)
PTRM_NOISE = (
    "PTRM adds Gaussian noise of deviation sigma before each outer step. Here it falls on both "
    "latent states, z_H and z_L, at every position, and there is no other noise; all rollouts of a "
    "puzzle share the fixed start. PTRM's Maze figures are on Maze-Hard, other mazes than "
    "Maze-Unique."
)
TWO_READINGS = (
    "The paper scores Sudokus by the network's log-probabilities (Eq. 6) and lets the Sudokus of "
    "PPBench reuse that memory, while Eq. 7 measures decoded answers. Eq. 6 is the default here; "
    '"ERM on decoded answers" is Eq. 7 with beta = 128 on the same candidates.'
)

OPEN = (
    "G is a count of violations. For pencil puzzles it is divided by the number of cells, for "
    "mazes it is the plain count.",
    "The paper does not define the maze's length penalty. Here it is the difference between the "
    "number of steps that marked cells and terminals form and the number that as many cells on "
    "one path have; it is 0 on every path and uses no shortest path. `Maze(shortest=True)` adds "
    "the steps beyond the shortest path.",
    "For heyawake the paper names room counts and adjacency, and connectivity in G. Two rules are "
    "added here: a factor, that a white line crosses at most one border, and a term of G, that "
    "some cell is shaded.",
    "Token networks are read raw, each cell's likeliest state, as EqR and TRM evaluate "
    "themselves; structured networks answer within the clues' domain. Log-probabilities for Eq. 6 "
    "are clamped to the clues.",
    "Confidence and Eq. 6 take the normalisation of training: stablemax for EqR and TRM, softmax "
    "for most of ours.",
    "`Task.implied`, rules that follow from several others and speed up propagation (heyawake, "
    "nurikabe), was designed while looking at golden and janko.at boards. It belongs to the solver "
    "and to advice by propagation; networks alone and energies do not use it.",
)
"""What the paper leaves open, and how it is read here."""
