"""The one exception that users are meant to see."""


class InputError(ValueError):
    """Something given from outside is wrong: one sentence that names the input and the fix.

    The command line prints it and exits with 2; the server answers 422 with it.
    """
