"""`--config run.yaml` beside options, and back into a file beside the results."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny
import yaml

from erm.cli.main import USAGE, main
from erm.cli.settings import FILE, expand, write
from erm.errors import InputError
from erm.formats.dataset import save_dataset


@pytest.fixture
def config(tmp_path: Path):
    def made(text: str) -> str:
        (tmp_path / "settings.yaml").write_text(text)
        return str(tmp_path / "settings.yaml")

    return made


def test_what_a_file_says_stands_where_it_would_be_typed(config):
    path = config("checkpoint: sudoku\ndata: a.csv\ndepth: 8\nselect: [energy, qhead]\ncurve: true")
    assert expand("evaluate", ["--config", path]) == [
        *("sudoku", "a.csv", "--depth", "8", "--select", "energy", "qhead", "--curve")
    ]
    typed = ["tapa", "b.csv", f"--config={path}", "--depth", "4", "--select=first"]
    assert expand("evaluate", typed) == [
        *("tapa", "b.csv", "--curve", "--depth", "4", "--select=first")
    ]
    assert expand("evaluate", ["sudoku", "a.csv"]) == ["sudoku", "a.csv"]
    assert expand("import", ["--config", path]) == ["--config", path]


def test_what_is_switched_off_is_typed_only_where_it_is_on(config):
    path = config("preset: cpu/sudoku\naugment: false\ntensorboard: false\nsteps: 5\ninit: null")
    assert expand("train", ["--config", path]) == ["cpu/sudoku", "--no-augment", "--steps", "5"]
    assert expand("evaluate", ["a", "b", "--config", config("curve: false")]) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- a\n- b\n", "must hold lines of NAME: VALUE"),
        ("depth: {a: 1}", "depth must be a word, a number, a list"),
        ("select: [[a]]", "select must be a plain list"),
        ("a: &x 1\nb: *x", "anchors"),
    ],
)
def test_what_is_no_settings_is_one_sentence(config, text, complaint):
    with pytest.raises(InputError, match=complaint):
        expand("evaluate", ["a", "b", "--config", config(text)])


def test_mistakes_of_the_command_line_are_one_sentence(config, tmp_path, capsys):
    for arguments in (["--config"], ["--config", "none.yaml"]):
        assert main(["evaluate", "a", "b", *arguments]) == USAGE
    assert "no such file: none.yaml" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "a", "b", "--config", config("no_such_option: 3")])
    assert stopped.value.code == USAGE and "--no-such-option" in capsys.readouterr().err


def test_options_are_written_as_they_were_asked_for(tmp_path):
    typed = ["cpu/sudoku", "--no-compile", "--steps", "5", "--data", "a b", "c", "--sigma=-1.5"]
    write("train", [*typed, "--out", str(tmp_path), "--quiet"], tmp_path)
    assert yaml.safe_load((tmp_path / FILE).read_text()) == {
        "preset": "cpu/sudoku",
        "compile": False,
        "steps": 5,
        "data": ["a b", "c"],
        "sigma": -1.5,
    }


def test_a_run_is_made_again_from_what_it_wrote(tiny_checkpoint, tmp_path, capsys):
    save_dataset(tiny.puzzles(2, seed=5, clues=(4, 5)), tmp_path / "small.jsonl")
    command = ["evaluate", str(tiny_checkpoint), str(tmp_path / "small.jsonl"), "--quiet"]
    small = ["--depth", "2", "--width", "2", "--select", "first", "energy"]
    assert main([*command, *small, "--out", str(tmp_path / "one")]) == 0
    again = ["evaluate", "--config", str(tmp_path / "one" / FILE), "--quiet"]
    assert main([*again, "--out", str(tmp_path / "two")]) == 0
    one, two = (yaml.safe_load((tmp_path / run / FILE).read_text()) for run in ("one", "two"))
    assert one == two and one["select"] == ["first", "energy"]
    written = [(tmp_path / run / "config.json").read_text() for run in ("one", "two")]
    assert written[0] == written[1]
    capsys.readouterr()
