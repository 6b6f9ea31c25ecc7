"""The task template: `--include` of this folder makes it known to every command."""

from .rules import Template as Template
