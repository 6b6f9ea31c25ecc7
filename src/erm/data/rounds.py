"""Work shared by the processes that torchrun started, on one machine or many, in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from erm.run_folder import Share

Made = TypeVar("Made")
Said = TypeVar("Said")
Make = Callable[[range], Sequence[Made]]
"""What one process makes of some numbered units, in their order."""


class Rounds(Generic[Made]):
    """Every process makes as many units a round; the first of them sees all, in order.

    There is no other state: who leads says what is made next, so a run may be continued by any
    number of processes.
    """

    def __init__(self, share: Share, size: int, make: Make[Made]) -> None:
        self.share, self.size, self.make = share, size, make

    def lead(self, first: int) -> Iterator[Made]:
        """All units from `first` on, without end."""
        while True:
            agree(first)
            for part in self._gather(first):
                yield from part
            first += self.share.world * self.size

    def stop(self) -> None:
        """The first process has enough."""
        agree(None)

    def follow(self) -> None:
        """Make what the first process asks for, until it has enough."""
        while (first := agree(None)) is not None:
            self._gather(first)

    def _gather(self, first: int) -> list[Sequence[Made]]:
        import torch.distributed as dist

        own = first + self.share.rank * self.size
        made = self.make(range(own, own + self.size))
        parts = [None] * self.share.world if self.share.rank == 0 else None
        dist.gather_object(made, parts, 0)
        return parts or []  # pyright: ignore[reportReturnType]


def agree(said: Said) -> Said:
    """What the first process says."""
    import torch.distributed as dist

    words = [said]
    dist.broadcast_object_list(words, 0)
    return words[0]


@contextmanager
def joined(share: Share) -> Iterator[None]:
    """The group that torchrun announces in the environment; nothing where a process is alone."""
    if share.world == 1:
        yield
        return
    import torch.distributed as dist

    dist.init_process_group("gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()
