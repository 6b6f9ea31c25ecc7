"""`erm COMMAND`: finds the command, parses its options strictly, turns errors into exit codes."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from erm.errors import InputError

COMMANDS = {
    "solve": ("erm.cli.solve", "solve puzzles with a shipped or given checkpoint"),
    "serve": ("erm.cli.serve", "open the page where one sees candidates and energies"),
    "train": ("erm.cli.train", "train a reasoner from a preset"),
    "evaluate": ("erm.cli.evaluate", "compare selectors on a data set"),
    "temper": ("erm.cli.temper", "parallel tempering on a data set"),
    "reproduce": ("erm.cli.reproduce", "every table and figure of the paper"),
    "data": ("erm.cli.data", "generate, convert and validate puzzles"),
    "import": ("erm.cli.import_", "convert an official EqR or TRM checkpoint"),
    "curves": ("erm.cli.curves", "draw how checkpoints learned"),
    "accounting": ("erm.cli.accounting", "parameters and compute, ours beside the paper's"),
    "ls": ("erm.cli.ls", "list tasks and shipped checkpoints"),
}

USAGE, UNSOLVED, WRONG = 2, 1, 1
"""Exit codes: malformed input or options; a puzzle left unsolved; data found to be wrong."""

RESUMABLE = frozenset({"train", "evaluate", "temper", "reproduce", "data"})
"""Commands that go on where Ctrl-C stopped them."""

COMPLETION = "--tyro-print-completion"


class Command(Protocol):
    """A command is a dataclass whose fields are its options and whose `run` is its work."""

    def run(self) -> int: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of `erm` and `python -m erm`; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_overview())
        return 0 if arguments else USAGE
    name, *rest = arguments
    if name == "--version":
        from importlib.metadata import version

        print(f"erm {version('erm')}")
        return 0
    if COMPLETION in arguments:
        return _print_completion(arguments)
    if name not in COMMANDS:
        print(f"erm: there is no command {name!r}; see erm --help", file=sys.stderr)
        return USAGE
    try:
        return _parse(name, rest).run()
    except InputError as error:
        print(f"erm {name}: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        hint = "; the same command continues" if name in RESUMABLE else ""
        print(f"\nerm {name}: interrupted{hint}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"erm {name}: {error}", file=sys.stderr)
        return USAGE


def _parse(name: str, arguments: list[str]) -> Command:
    import tyro

    module = importlib.import_module(COMMANDS[name][0])
    return tyro.cli(
        module.COMMAND,
        args=arguments,
        prog=f"erm {name}",
        # Given as it stands: tyro leaves out what follows a line such as "Examples:".
        description=inspect.cleandoc(getattr(module, "ABOUT", None) or module.COMMAND.__doc__),
        config=_look(),
    )


def _look() -> tuple[Any, ...]:
    """How all commands look alike: positional arguments by name, flags without a negative."""
    from tyro import conf

    return conf.PositionalMetavarFromFieldName, conf.FlagCreatePairsOff, conf.DisallowNone


def _print_completion(arguments: list[str]) -> int:
    """One script that completes all commands, whichever of them was asked for it."""
    import tyro

    commands = {
        name: importlib.import_module(module).COMMAND for name, (module, _) in COMMANDS.items()
    }
    shell = arguments[arguments.index(COMPLETION) :]
    tyro.extras.subcommand_cli_from_dict(commands, prog="erm", args=shell, config=_look())
    return 0


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: erm COMMAND [options]      erm COMMAND --help for each",
            "",
            *lines,
            "",
            f"shell completion: erm {COMPLETION} {{bash,zsh,tcsh}}, as in",
            f'  eval "$(erm {COMPLETION} bash)"',
        ]
    )
