"""How much one server gives to its users."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from erm.errors import InputError


@dataclass(frozen=True)
class Settings:
    """Bounds of everything that a request can ask for."""

    checkpoints: Path | None = None
    """Folder of checkpoint folders; the shipped ones where not given."""
    workers: int = 2
    """Searches that run at a time, one core each; one alone may use them all."""
    waiting: int = 32
    """Searches that may wait for a worker; more get the answer "busy"."""
    per_client: int = 4
    """Searches that one client may have open."""
    seconds: float = 60.0
    """Time after which a search ends with the best it has."""
    width: int = 256
    """Largest K."""
    depth: int = 256
    """Largest D."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1")
    """Names under which the server may be asked for; others are refused (DNS rebinding)."""
    any_address: bool = False
    """Whether any numeric address will do as well, for servers that are open to a network."""
    body: int = 1 << 18
    """Bytes of a request."""
    numbers: int = 1 << 19
    """Most candidates x cells x states of one search, which bounds its memory."""

    def __post_init__(self) -> None:
        if self.checkpoints is not None and not self.checkpoints.is_dir():
            raise InputError(
                f"--checkpoints takes a folder of checkpoints, but {self.checkpoints} is none"
            )
        for name in ("workers", "per_client", "width", "depth", "body"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")
        if self.waiting < 0:
            raise InputError(f"waiting must be 0 or more, got {self.waiting}")
        if not self.seconds > 0:
            raise InputError(f"seconds must be above 0, got {self.seconds}")
