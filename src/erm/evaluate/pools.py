"""The candidate pools of a run, one file per puzzle, by the puzzle's index."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from erm.errors import InputError
from erm.search.pool import CandidatePool
from erm.search.problem import Problem


@dataclass(frozen=True)
class PoolFolder:
    """Pools on the disk, for selectors that come later."""

    path: Path
    whole: bool = False
    """Keep the log-probabilities and the pool after every step too."""

    def file(self, index: int) -> Path:
        return self.path / f"{index:06d}.npz"

    def save(self, index: int, pool: CandidatePool) -> None:
        kept = pool if self.whole else replace(pool, log_probs=None, trace=None)
        kept.save(self.file(index))

    def load(self, index: int, problem: Problem) -> CandidatePool | None:
        """The candidates for that puzzle; None where they were not kept."""
        file = self.file(index)
        if not file.exists():
            return None
        pool = CandidatePool.load(file)
        if pool.task != problem.task.name:
            raise InputError(f"{file} holds candidates of another puzzle than number {index + 1}")
        try:
            problem.task.to_states(problem.puzzle, pool.answers)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
        return pool
