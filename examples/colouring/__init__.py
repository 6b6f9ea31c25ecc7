"""Graph colouring, on boards that are no grid: `--include examples/colouring`."""

from .rules import Colouring as Colouring
