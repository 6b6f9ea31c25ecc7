"""What all commands have in common: help with an example, strict options, completion."""

import contextlib
import io
import subprocess
import sys

import pytest

from erm.cli.main import COMMANDS, USAGE, main


def printed(capsys, *arguments):
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    captured = capsys.readouterr()
    return stopped.value.code, captured.out, captured.err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example(name, capsys):
    code, out, _ = printed(capsys, name, "--help")
    assert code == 0
    assert f"usage: erm {name}" in out
    assert "Example" in out and f"erm {name} " in out.split("Example", 1)[1]
    assert "None" not in out and "(default: )" not in out and "(default: False)" not in out


@pytest.mark.parametrize("name", [*COMMANDS, "data sudoku", "data tapa", "train cpu/sudoku"])
def test_help_fits_80_columns(name, capsys, monkeypatch):
    """All but the usage, which tyro writes, and a command with a whole Sudoku, to be copied."""
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = printed(capsys, *name.split(), "--help")
    long = [line for line in out.splitlines() if len(line) > 80]
    assert not [line for line in long if not line.startswith(("usage:", f"erm {name} 53..7"))]


def test_what_is_on_by_default_can_be_switched_off_by_name(capsys):
    _, out, _ = printed(capsys, "train", "cpu/sudoku", "--help")
    assert "--compile, --no-compile" in out and "(default: on)" in out
    assert "--no-tensorboard" not in out


@pytest.mark.parametrize("name", COMMANDS)
def test_unknown_options_are_errors(name, capsys):
    needed = {
        "train": ["cpu/sudoku"],
        "evaluate": ["sudoku", "puzzles.csv"],
        "temper": ["sudoku", "puzzles.csv"],
        "rescore": ["run"],
        "compare": ["run", "other"],
        "reproduce": ["--out", "study"],
        "data": ["sudoku", "--count", "1", "--out", "x.jsonl"],
        "import": ["in.pth", "out"],
        "push": ["sudoku", "hf://owner/name"],
        "new-task": ["stars"],
        "mine": ["sudoku", "--solved", "x.jsonl"],
        "fit-weights": ["run"],
        "hint": ["1234" + "." * 12],
    }
    code, _, err = printed(capsys, name, *needed.get(name, []), "--no-such-option")
    assert code == USAGE and "--no-such-option" in err


def test_the_overview_lists_every_command(capsys):
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    assert all(f"\n  {name}" in overview for name in COMMANDS)
    assert main([]) == USAGE
    assert main(["sovle"]) == USAGE
    assert "no command 'sovle'" in capsys.readouterr().err
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("erm ")


COMPLETED = {
    "erm so": "solve",
    "erm solve --ex": "--explain",
    "erm solve --mode ad": "adaptive",
    "erm train cpu/nuri": "cpu/nurikabe",
    "erm data hey": "heyawake",
}


def test_bash_completes_commands_and_options(tmp_path):
    script = tmp_path / "erm.bash"
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.suppress(SystemExit):
        main(["solve", "--tyro-print-completion", "bash"])
    script.write_text(written.getvalue())
    tries = [
        f"COMP_WORDS=({typed}); COMP_CWORD={typed.count(' ')}; _tyro_erm; echo ${{COMPREPLY[*]}}"
        for typed in COMPLETED
    ]
    done = subprocess.run(
        ["bash", "-c", "\n".join([f"source {script}", *tries])], capture_output=True, text=True
    )
    assert done.stdout.splitlines() == list(COMPLETED.values()), done.stderr


def test_a_place_that_cannot_be_written_is_an_error(tmp_path, capsys):
    (tmp_path / "file").write_text("1" + "." * 15 + "\n")
    code = main(["data", "convert", str(tmp_path / "file"), str(tmp_path / "file" / "x.jsonl")])
    assert code == USAGE and "file" in capsys.readouterr().err


def test_an_interrupted_import_exits_with_130_too(tmp_path):
    """Imports run code from strings, and Python remembers an interrupt that came up through it."""
    (tmp_path / "interrupted.py").write_text("exec('raise KeyboardInterrupt')")
    command = ["-m", "erm", "ls", "--include", str(tmp_path / "interrupted.py")]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "\nerm ls: interrupted\n")
