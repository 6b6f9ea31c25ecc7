"""`python -m erm`, which torchrun needs."""

import os
import sys

from erm.cli.main import main

code = main()
# Python remembers a Ctrl-C that came up through code made from a string, as imports run some, and
# would end by that signal whatever the exit code; the next such code makes it forget.
exec("")
if "TORCHELASTIC_RUN_ID" in os.environ:
    # Now and then torch's threads abort the interpreter's shutdown ("terminate called without an
    # active exception"), and torchrun takes a finished process for a failed one.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
sys.exit(code)
