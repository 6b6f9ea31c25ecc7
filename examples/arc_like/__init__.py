"""A small task in the manner of ARC: `--include examples/arc_like`."""

from .rules import ArcLike as ArcLike
