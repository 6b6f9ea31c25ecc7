"""`erm COMMAND`: finds the command, parses its options strictly, turns errors into exit codes."""

from __future__ import annotations

import atexit
import gc
import importlib
import inspect
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

from erm import __version__
from erm.cli import including, renamed, settings
from erm.errors import InputError
from erm.signals import TERMINATED, interrupts_unwrapped, terminated_as_exit

COMMANDS = {
    "solve": ("erm.cli.solve", "solve puzzles: the rules first, then a network"),
    "hint": ("erm.cli.hint", "the next step of a puzzle, and why"),
    "serve": ("erm.cli.serve", "open the page where one sees candidates and energies"),
    "train": ("erm.cli.train", "train a reasoner from a preset"),
    "evaluate": ("erm.cli.evaluate", "compare selectors on a data set"),
    "temper": ("erm.cli.temper", "parallel tempering on a data set"),
    "rescore": ("erm.cli.rescore", "judge a run's saved candidates again, without the network"),
    "compare": ("erm.cli.compare", "compare two runs on the same puzzles, with a paired test"),
    "reproduce": ("erm.cli.reproduce", "every table and figure of the paper"),
    "data": ("erm.cli.data", "generate, convert and validate puzzles"),
    "mine": ("erm.cli.mine", "find rules in solved boards"),
    "fit-weights": ("erm.cli.fit_weights", "fit what each kind of rule counts in the energy"),
    "new-task": ("erm.cli.new_task", "write a folder for a task of your own"),
    "import": ("erm.cli.import_", "convert an official EqR, TRM or HRM checkpoint"),
    "push": ("erm.cli.push", "send a checkpoint to the Hugging Face Hub"),
    "curves": ("erm.cli.curves", "draw how checkpoints learned"),
    "accounting": ("erm.cli.accounting", "parameters and compute, ours beside the paper's"),
    "ls": ("erm.cli.ls", "list tasks and shipped checkpoints"),
}

USAGE, UNSOLVED, WRONG = 2, 1, 1
"""Exit codes: malformed input or options; a puzzle left unsolved; data found to be wrong."""

RESUMABLE = frozenset({"train", "evaluate", "temper", "reproduce", "data"})
"""Commands that go on where Ctrl-C stopped them."""

COMPLETION = "--tyro-print-completion"

# At its end Python looks through all of torch and numba for cycles, most of a second, for nothing.
atexit.register(gc.freeze)


@runtime_checkable
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
        print(f"erm {__version__}")
        return 0
    if COMPLETION in arguments:
        return _print_completion(arguments)
    if name not in COMMANDS:
        alike = get_close_matches(name, COMMANDS, 1)
        advice = f"did you mean erm {alike[0]}?" if alike else "see erm --help"
        print(f"erm: there is no command {name!r}; {advice}", file=sys.stderr)
        return USAGE
    hint = "; the same command continues" if name in RESUMABLE else ""
    try:
        with terminated_as_exit(), interrupts_unwrapped():
            files, rest = including.take_out(rest)
            files = list(dict.fromkeys([*files, *settings.includes(name, rest)]))
            _include(files)
            rest = renamed.current(settings.expand(name, rest))
            return _run(name, _parse(name, rest), rest, files)
    except InputError as error:
        print(f"erm {name}: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(f"\nerm {name}: interrupted{hint}", file=sys.stderr)
        return 130
    except SystemExit as ended:
        if ended.code == TERMINATED:
            print(f"erm {name}: terminated{hint}", file=sys.stderr)
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"erm {name}: {error}", file=sys.stderr)
        return USAGE


def _include(files: Sequence[str]) -> None:
    """Run the files behind --include before options are parsed: they may add tasks and with them
    commands and options."""
    if files:
        from erm.rulebook.registry import include

        for file in files:
            include(file)


def _run(name: str, command: Command, arguments: Sequence[str], files: Sequence[str]) -> int:
    """The command's work; where it leaves a folder of results, what was asked for lies in it."""
    try:
        code = command.run()
    except InputError:
        # Refused: what lies in the folder may be of another run.
        raise
    except BaseException:
        _keep_settings(name, command, arguments, files)
        raise
    _keep_settings(name, command, arguments, files)
    return code


def _keep_settings(name: str, command: Any, arguments: Sequence[str], files: Sequence[str]) -> None:
    if name in settings.PLACES:
        folder = command.out or command.default_out()
        if (folder / "config.json").exists():
            settings.write(name, arguments, folder, files)


def _parse(name: str, arguments: list[str]) -> Command:
    import tyro

    from erm.cli.help import described, readable

    module = importlib.import_module(COMMANDS[name][0])
    command = _command(module, arguments)
    about = inspect.cleandoc(getattr(module, "ABOUT", None) or command.__doc__)
    return tyro.cli(
        command,
        args=arguments,
        prog=f"erm {name}",
        # Given as it stands: tyro leaves out what follows a line such as "Examples:".
        description=described(
            [
                *about.split("\n\n"),
                including.HELP,
                *([settings.HELP] if name in settings.PLACES else []),
            ]
        ),
        config=_look(),
        registry=readable(),
    )


def _command(module: ModuleType, arguments: Sequence[str] = ()) -> Any:
    """What a module offers, where it depends on the tasks that are known made for the arguments."""
    return module.command(arguments) if hasattr(module, "command") else module.COMMAND


def _look() -> tuple[Any, ...]:
    """How all commands look alike: positional arguments by name, no value None."""
    from tyro import conf

    return conf.PositionalMetavarFromFieldName, conf.DisallowNone


def _print_completion(arguments: list[str]) -> int:
    """One script that completes all commands, whichever of them was asked for it."""
    import tyro

    from erm.cli.help import readable

    commands = {
        name: _command(importlib.import_module(module)) for name, (module, _) in COMMANDS.items()
    }
    shell = arguments[arguments.index(COMPLETION) :]
    with readable():
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
            "exit codes: 0 done, 1 a puzzle unsolved or data at fault,",
            "  2 something given is wrong, 130 stopped by Ctrl-C, 143 by SIGTERM",
            f"tasks of your own, in any command: {including.OPTION} FILE.py, or a folder",
            f"shell completion: erm {COMPLETION} {{bash,zsh,tcsh}}, as in",
            f'  eval "$(erm {COMPLETION} bash)"',
        ]
    )
