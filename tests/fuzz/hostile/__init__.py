"""Files made to exhaust or to confuse whoever reads them, and the commands that read them.

Every case is a function of an empty folder that gives the arguments of `erm`; all must end with
exit code 2 and one sentence, soon and in little memory.
"""

from hostile import arrays, checkpoints, columnar, official, runs, text
from hostile.cases import CASES, make

__all__ = ["CASES", "arrays", "checkpoints", "columnar", "make", "official", "runs", "text"]
