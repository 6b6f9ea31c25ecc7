"""`erm rescore`: saved pools, or answers of any program, judged without the network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import tyro


@dataclass
class Rescore:
    """Let other selectors and energies choose from the candidates that a run kept, or from those
    of any program.

    Example: erm rescore runs/mine --select energy qhead --energy tau=0.5 tau=2 soft=0,beta=64

    Example: erm rescore answers.jsonl --data puzzles.csv

    Each --energy changes the task's own settings: tau, beta, mu, gamma, weight, and soft=0 for
    decoded answers (Eq. 7) instead of log-probabilities (Eq. 6). Energies of log-probabilities
    need a run made with --save-pools.

    A file holds a line of JSON for each puzzle, {"puzzle": TEXT, "answers": [TEXT, ...]}: the
    puzzle as text or its place in --data from 0, the answers as erm solve --json prints them or as
    lists of numbers. "answer" is the label, where --data has none; "q", "confidence" and
    "log_probs" are scores of the answers.
    """

    pools: tyro.conf.Positional[Path]
    """Folder of a run of erm evaluate, or its pools; or a file of answers, - for standard input."""
    select: tuple[str, ...] = ()
    """Selectors to compare; all of them if none is named."""
    energy: tuple[str, ...] = ()
    """Energies to compare, such as tau=2,mu=0, or one of your own by its name."""
    data: Path | None = None
    """Where the run's puzzles lie, if they have moved; the puzzles of a file of answers."""
    out: Path | None = None
    """Folder to keep the outcome in, with a report; only printed if not given."""
    json: bool = False
    """Print the results instead of a table."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.cli.evaluate import print_search
        from erm.evaluate.energies import named_energies
        from erm.evaluate.rescore import rescore, rescore_answers
        from erm.evaluate.run import default_selectors
        from erm.evaluate.run_report import write_run_report
        from erm.evaluate.schema import open_run

        energies = named_energies(self.energy)
        if self.pools.is_file() or str(self.pools) == "-" or self.pools.suffix == ".jsonl":
            select = [name for name in self.select if name != "oracle"]
            results = rescore_answers(self.pools, select, self.data, self.out, energies, self.quiet)
        else:
            tasks = list(open_run(self.pools, "evaluate").read_config()["data"]["tasks"])
            names = list(dict.fromkeys([*(self.select or default_selectors(tasks)), *energies]))
            names = [name for name in names if name != "oracle"]
            results = rescore(self.pools, names, self.data, self.out, self.quiet)
        if self.out is not None:
            write_run_report(self.out)
        if self.json:
            print(json.dumps(results))
        else:
            print_search(results, self.out)
        return 0


COMMAND = Rescore
