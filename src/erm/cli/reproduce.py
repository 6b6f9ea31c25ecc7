"""`erm reproduce`: every table and figure of the paper, ours beside the printed ones."""

from __future__ import annotations

from dataclasses import dataclass

from erm.reproduce.request import Request


@dataclass(frozen=True)
class Reproduce(Request):
    __doc__ = Request.__doc__

    def run(self) -> int:
        from erm.progress import console
        from erm.reproduce.command import reproduce_with

        page = reproduce_with(self)
        if page is not None:
            console.print(f"written to {page}", soft_wrap=True, highlight=False)
        return 0


COMMAND = Reproduce
