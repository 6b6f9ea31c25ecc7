"""The puzzles to try: `python -m erm.data.examples` makes them again with our own generators."""

from __future__ import annotations

import numpy as np

from erm.files import write_json
from erm.progress import progress_bar
from erm.rulebook.registry import all_tasks

SEED = 2036


def make() -> None:
    """A few puzzles in the folder of each puzzle that has a place for them."""
    tasks = [task for task in all_tasks() if task.look.examples is not None]
    with progress_bar() as bar:
        row = bar.add_task("examples", total=len(tasks), note="")
        for number, task in enumerate(tasks):
            generator = task.generator()
            if generator is None or task.look.examples is None:
                continue
            examples = generator().examples(np.random.default_rng([SEED, number]))
            found = [{"title": title, "text": task.format(one)} for title, one in examples]
            write_json(task.look.examples, found)
            bar.update(row, advance=1, note=task.name)


if __name__ == "__main__":
    make()
