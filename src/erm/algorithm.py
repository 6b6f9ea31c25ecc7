"""Algorithm 1 of the paper on one page: K starts, D steps, decode, energy, argmin.

Everything else in this package must equal it; `erm evaluate --mode full` does, candidate by
candidate (tests/test_algorithm.py). The network sees the board and no rule. The energy sees the
rules and chooses at the end.
"""

from __future__ import annotations

import torch

import erm
from erm.model.decode import decode, default_decoding
from erm.model.inputs import collate
from erm.model.noise import Stream, key_of
from erm.search.problem import Problem


@torch.inference_mode()
def energy_guided_selection(solver: erm.Solver, puzzle: erm.Puzzle, depth=64, width=128, seed=0):
    """The answer of lowest energy among `width` = K candidates of `depth` = D steps, with all
    answers [K, n] and their energies [K]."""
    network, task = solver.reasoner, solver.tasks[puzzle.task]
    board = task.encode(puzzle)
    rules = task.rules(puzzle)
    x = collate([board] * width, rules=[rules] * width)

    # For k = 1..K: initialise the carry independently (EqR: random z_H, z_L; TRM: a learned start).
    draws = [Stream(key_of(Problem(task, puzzle).key, seed), k) for k in range(width)]
    z = network.start(x, Stream.next(draws, torch.device("cpu")))

    # For t = 1..D: update the carry with the same small network, conditioned on x.
    for _ in range(depth):
        z, prediction = network.step(z, x, Stream.next(draws, torch.device("cpu")))

    # Decode the final candidate y_k: the likeliest state of each cell, and log p of every state.
    structured = network.config.structured
    clues = x.domain.sum(-1) == 1
    tokens = None if structured else x.answer_tokens
    how = solver.probabilities, default_decoding(structured)
    y = decode(prediction.logits, x.domain, tokens, clues, *how)
    answers = task.to_answer(y.states.numpy())

    # E(y_k; x) = mu G(y_k, x) + w sum_j F_j(y_k), Eq. 3: G counts what global rules are broken, F_j
    # is the log-sum-exp over the memory M_j(x) of legal local patterns.
    energies = erm.energy(task, puzzle, answers, y.log_probs).total

    # The lowest energy is the answer.
    return answers[energies.argmin()], answers, energies
