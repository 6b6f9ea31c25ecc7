"""`python -m erm`, which torchrun needs."""

import sys

from erm.cli.main import main

code = main()
# Python remembers a Ctrl-C that came up through code made from a string, as imports run some, and
# would end by that signal whatever the exit code; the next such code makes it forget.
exec("")
sys.exit(code)
