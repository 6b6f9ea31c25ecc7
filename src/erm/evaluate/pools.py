"""The candidate pools of a run, one file per puzzle, by the puzzle's index."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from erm.search.pool import CandidatePool


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

    def load(self, index: int) -> CandidatePool | None:
        """None where it was not kept."""
        return CandidatePool.load(self.file(index)) if self.file(index).exists() else None
