"""The one exception that users are meant to see."""

DISTRIBUTION = "erm-reasoner"
"""The name under which pip knows this package; `erm` alone is another package."""


class InputError(ValueError):
    """Something given from outside is wrong: one sentence that names the input and the fix.

    The command line prints it and exits with 2; the server answers 422 with it.
    """


class BoardTooLarge(InputError):
    """A board with longer sides than any that is read: files of many leave it out and say so."""


def install_command(extra: str) -> str:
    """What to type for an optional part of the package that is not there."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
