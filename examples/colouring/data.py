"""Graphs to colour: `python examples/colouring/data.py 4000 graphs.jsonl --seed 1`.

A random graph of 16 to 40 vertices around a hidden colouring; clues are taken away one by one as
long as the colouring stays the only one, which our own complete search proves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from erm.formats.dataset import save_dataset
from erm.progress import progress_bar
from erm.rulebook import Puzzle, Task, include, load_task
from erm.rulebook.complete import enumerate_answers

HERE = Path(__file__).parent
NODES = 2_000
"""Guesses after which a graph counts as not proved, and a clue stays."""


@dataclass
class Make:
    """Write graphs with exactly one colouring each."""

    count: Annotated[int, tyro.conf.Positional]
    out: Annotated[Path, tyro.conf.Positional]
    seed: int = 0
    sizes: tuple[int, ...] = (16, 20, 24, 28, 32, 36, 40)
    """Numbers of vertices, in turn."""
    edges: float = 2.2
    """Edges per vertex; around 2.3 is where most random graphs stop having three colours."""


def drawn(task: Task, vertices: int, edges: float, rng: np.random.Generator) -> Puzzle:
    """A graph whose colouring is unique, with no clue that it could do without."""
    colours = rng.integers(0, task.states, vertices)
    pairs = np.argwhere(np.triu(colours[:, None] != colours, 1))
    chosen = rng.permutation(pairs)[: round(edges * vertices)]
    clues = colours.astype(np.int8)
    for vertex in rng.permutation(vertices).tolist():
        fewer = clues.copy()
        fewer[vertex] = -1
        puzzle = Puzzle(task.name, 1, vertices, {"clues": fewer, "edges": chosen.astype(np.int16)})
        found = enumerate_answers(task.rules(puzzle), nodes=NODES)
        if found.exhausted and len(found.answers) == 1:
            clues = fewer
    givens = {"clues": clues, "edges": chosen.astype(np.int16)}
    return Puzzle(task.name, 1, vertices, givens).with_answer(colours)


def graphs(make: Make) -> Iterator[Puzzle]:
    include(HERE / "rules.py")
    task, rng = load_task("colouring"), np.random.default_rng(make.seed)
    with progress_bar() as bar:
        line = bar.add_task("graphs", total=make.count, note="")
        for number in range(make.count):
            vertices = make.sizes[number % len(make.sizes)]
            yield drawn(task, vertices, make.edges, rng).with_meta(seed=make.seed)
            bar.update(line, advance=1)


if __name__ == "__main__":
    options = tyro.cli(Make)
    save_dataset(graphs(options), options.out)
