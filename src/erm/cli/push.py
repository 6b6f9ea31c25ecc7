"""`erm push`: a checkpoint to the Hugging Face Hub."""

from __future__ import annotations

from dataclasses import dataclass

import tyro


@dataclass
class Push:
    """Send a checkpoint to the Hugging Face Hub; erm.load("hf://owner/name") reads it there.

    Who you are is known from `hf auth login` or HF_TOKEN.

    Example: erm push runs/sudoku/checkpoint hf://owner/sudoku-erm --private
    """

    checkpoint: tyro.conf.Positional[str]
    """A checkpoint folder, or the name of a shipped one."""
    to: tyro.conf.Positional[str]
    """hf://owner/name, or hf://owner/name@branch; made where it is not there yet."""
    private: bool = False
    """Make a new repository that others cannot see."""
    message: str | None = None
    """What the commit says."""

    def run(self) -> int:
        from erm import zoo
        from erm.model.checkpoint import load_checkpoint
        from erm.progress import console
        from erm.zoo import hub

        hub.Address.of(self.to)
        folder = zoo.find(self.checkpoint).folder
        _, card = load_checkpoint(folder)  # What cannot be loaded is not sent.
        address = hub.upload(folder, self.to, card, self.private, self.message)
        console.print(f"{address}", highlight=False, soft_wrap=True)
        return 0


COMMAND = Push
