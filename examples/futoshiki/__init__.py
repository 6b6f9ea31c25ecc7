"""Futoshiki, a puzzle that the library does not know: `--include examples/futoshiki`."""

from .rules import Futoshiki as Futoshiki
