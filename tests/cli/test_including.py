"""`--include` is one option of all commands."""

from pathlib import Path

import pytest

from erm.cli.including import take_out
from erm.cli.main import COMMANDS, USAGE, main
from erm.errors import InputError
from erm.rulebook.registry import task_names

BINAIRO = Path(__file__).parents[2] / "examples" / "my_task.py"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "one.py").touch()
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "__init__.py").touch()
    return str(tmp_path / "one.py"), str(tmp_path / "two")


def test_files_are_taken_out_and_all_else_is_left(files):
    one, two = files
    assert take_out(["a", "--include", one, two, "--depth", "3"]) == (
        [*files],
        ["a", "--depth", "3"],
    )
    assert take_out(["--include", one, "a", two]) == ([one], ["a", two])
    assert take_out([f"--include={one}", two]) == ([one], [two])
    assert take_out(["--include", one, "--include", two]) == ([*files], [])
    assert take_out(["--include", "not-there", "a"]) == (["not-there"], ["a"])
    assert take_out(["a", "--included", one]) == ([], ["a", "--included", one])


@pytest.mark.parametrize("arguments", [["--include"], ["--include", "--json"]])
def test_an_include_of_nothing_is_an_error(arguments):
    with pytest.raises(InputError, match="got none"):
        take_out(arguments)


@pytest.mark.parametrize("name", [name for name in COMMANDS])
def test_every_command_includes_before_it_does_anything(name, capsys):
    assert main([name, "--include", "nowhere.py"]) == USAGE
    assert "nowhere.py is neither" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main([name, "--include", str(BINAIRO), "--help"])
    assert ended.value.code == 0
    assert "--include FILE.py" in capsys.readouterr().out
    assert "binairo" in task_names()


def test_the_list_of_tasks_has_it(capsys):
    assert main(["ls", "--include", str(BINAIRO)]) == 0
    assert "tasks: binairo, heyawake" in capsys.readouterr().out
