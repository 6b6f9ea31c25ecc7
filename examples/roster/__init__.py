"""A shift roster with soft wishes: `--include examples/roster`."""

from .rules import Roster as Roster
