"""`python -m erm`, which torchrun needs."""

import sys

from erm.cli.main import main

sys.exit(main())
