"""A network of one's own: 4x4 Sudokus, trained in plain PyTorch, searched and evaluated by erm.

    python examples/my_reasoner.py

`MyNetwork` has the three methods that `erm.Solver(network, task)` asks for. A carry is a tensor,
or a tuple of tensors, with the batch first. `draw(*shape)` gives standard normal numbers
[batch, *shape]: the random start is what makes K candidates differ.
"""

import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import erm
from erm.evaluate.run import evaluate
from erm.formats.dataset import load_dataset, save_dataset


class MyNetwork(nn.Module):
    """One transformer layer, applied again at every step."""

    def __init__(self, cells: int, tokens: int, states: int, width: int = 64) -> None:
        super().__init__()
        self.cells, self.tokens, self.width = cells, tokens, width
        self.read = nn.Embedding(tokens, width)
        self.place = nn.Parameter(0.1 * torch.randn(cells, width))
        self.layer = nn.TransformerEncoderLayer(width, 4, 2 * width, 0.0, batch_first=True)
        self.write, self.q = nn.Linear(width, states), nn.Linear(width, 1)

    def sizes(self):
        return self.cells, self.tokens

    def start(self, tokens, draw):
        return draw(tokens.shape[1], self.width)

    def step(self, carry, tokens, draw):
        z = self.layer(carry + self.read(tokens) + self.place[: tokens.shape[1]])
        return z, self.write(z), self.q(z.mean(1))[:, 0]


def boards(count: int, seed: int, hidden: int = 10) -> list[erm.Puzzle]:
    """4x4 Sudokus with one answer: a solved grid with its rows, columns and digits exchanged, of
    which some cells are hidden."""
    rng = np.random.default_rng(seed)
    solved = np.array([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]])
    lines = [np.array(one) for one in ([0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1])]
    task, found = erm.load_task("sudoku"), []
    while len(found) < count:
        grid = solved
        for _ in range(4):
            grid = grid[lines[rng.integers(4)]][:, lines[rng.integers(4)]]
        grid = (1 + rng.permutation(4))[(grid.T if rng.integers(2) else grid) - 1]
        digits = grid.copy()
        digits.flat[rng.permutation(16)[:hidden]] = 0
        puzzle = task.parse("".join(map(str, digits.flat)))
        if next(task.count_solutions([puzzle])) == 1:
            found.append(puzzle.with_answer(grid))
    return found


def train(puzzles: list[erm.Puzzle], updates: int = 600, seed: int = 0) -> MyNetwork:
    """Four steps a board, with a loss after each."""
    torch.manual_seed(seed)
    task = erm.load_task("sudoku")
    tokens = torch.tensor(np.stack([task.tokens(puzzle) for puzzle in puzzles]))
    answers = torch.tensor(np.stack([task.to_states(one, one.answer) for one in puzzles]))
    network = MyNetwork(cells=16, tokens=task.vocabulary, states=4)
    optimiser = torch.optim.AdamW(network.parameters(), 2e-3)
    for _ in range(updates):
        rows = torch.randint(len(tokens), (64,))
        board, right = tokens[rows], answers[rows]

        def draw(*shape):
            return torch.randn(64, *shape)

        carry, loss = network.start(board, draw), torch.zeros(())
        for _ in range(4):
            carry, logits, q = network.step(carry, board, draw)
            exact = (logits.argmax(-1) == right).all(-1).float()
            loss = loss + F.cross_entropy(logits.flatten(0, 1), right.flatten())
            loss = loss + 0.1 * F.binary_cross_entropy_with_logits(q, exact)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network


def main(updates: int = 600, count: int = 64, out: str | None = None) -> dict:
    """Train, then evaluate on boards that were not trained on, though their mirror images or other
    digits may have been."""
    task = erm.load_task("sudoku")
    held_out = boards(count, seed=1)
    texts = {task.format(puzzle) for puzzle in held_out}
    trained_on = [one for one in boards(2000, seed=2) if task.format(one) not in texts]
    solver = erm.Solver(train(trained_on, updates), task)
    folder = out or tempfile.mkdtemp()
    save_dataset(held_out, f"{folder}/boards.jsonl")
    options = erm.SearchOptions(depth=8, width=8, mode="full")
    data = load_dataset(f"{folder}/boards.jsonl")
    results = evaluate(solver, data, options, f"{folder}/run", quiet=True)
    assert results is not None
    print(results["checkpoint"])
    for name, row in results["selectors"].items():
        print(f"{name:14} {row['correct']:3} of {row['total']}")
    print(results["diagnosis"])
    return results


if __name__ == "__main__":
    main()
