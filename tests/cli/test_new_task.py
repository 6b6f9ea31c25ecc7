"""`erm new-task`: what it writes works at once, with every command, and passes its own test."""

import json
import subprocess
import sys

import pytest

from erm.cli.main import USAGE, main
from erm.formats.dataset import load_dataset
from erm.plugins import installed
from erm.rulebook import registry
from erm.rulebook.registry import task_names


@pytest.fixture
def stars(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-task", "stars"]) == 0
    assert "erm solve 'stars:" in capsys.readouterr().out
    return tmp_path / "stars"


def test_its_own_test_passes(stars):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(stars)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
    assert not any("emplate" in file.read_text() for file in stars.glob("*.py"))


def test_every_command_takes_it_as_it_stands(stars, tmp_path, capsys):
    def erm(*arguments):
        code = main([*map(str, arguments), "--include", str(stars)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    text = "stars:*..../...*./...../...../....."
    solved = json.loads(erm("solve", text, "--json"))
    assert (solved["task"], solved["status"]) == ("stars", "unique")
    assert "r1c2 is empty: no two touch" in erm("hint", text)
    data, run = tmp_path / "stars.jsonl", tmp_path / "run"
    erm("data", "stars", "--count", 6, "--size", "5x5", "--processes", 1, "--out", data, "--quiet")
    assert "exactly one solution" in erm("data", "validate", data, "--uniqueness", "all")
    erm("data", "convert", data, tmp_path / "lines.txt")
    assert len(load_dataset(tmp_path / "lines.txt")) == 6
    sides = ("--out-train", tmp_path / "a.jsonl", "--out-test", tmp_path / "b.jsonl")
    erm("data", "split", data, *sides, "--test-fraction", 0.5, "--quiet")
    sizes = ("--hidden", 8, "--inner", 8, "--batch", 4, "--no-compile")
    erm("train", "cpu/stars", "--data", data, "--out", run, "--steps", 2, *sizes)
    checkpoint, search = run / "checkpoint", ("--depth", 2, "--quiet", "--json")
    made = tmp_path / "evaluated"
    results = erm("evaluate", checkpoint, data, "--width", 2, *search, "--out", made)
    assert json.loads(results)["puzzles"]["total"] == 6
    assert "mu=0" in erm("rescore", made, "--energy", "mu=0", "--json")
    assert "verdict" in erm("compare", made, made, "--json")
    ladders = ("--ladders", 1, "--rungs", 2, "--out", tmp_path / "tempered")
    assert "swap_rate" in erm("temper", checkpoint, data, *ladders, *search)


def test_the_page_knows_it(stars):
    from fastapi.testclient import TestClient

    from erm.rulebook.registry import include
    from erm.web.app import create_app
    from erm.web.settings import Settings

    include(stars)
    with TestClient(create_app(Settings()), base_url="http://localhost") as client:
        named = {task["name"]: task for task in client.get("/api/tasks").json()["tasks"]}
        assert named["stars"]["title"] == "Stars"
        asked = {"text": "stars:*..../...../...../...../....."}
        assert client.post("/api/puzzle", json=asked).json()["task"] == "stars"


@pytest.mark.parametrize("name", ["Stars", "2stars", "class", "sudoku", "a-b", ""])
def test_other_names_are_refused(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-task", name]) == USAGE
    assert "name" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_over(stars, capsys):
    (stars / "rules.py").write_text("mine")
    assert main(["new-task", "stars"]) == USAGE
    assert "exists already" in capsys.readouterr().err
    assert (stars / "rules.py").read_text() == "mine"
    assert main(["new-task", "moons", "--folder", "nowhere"]) == USAGE


def test_an_installed_package_offers_it_by_an_entry_point(stars, tmp_path, monkeypatch, capsys):
    """As pip would leave it: a package on the path, and what its metadata says."""
    about = tmp_path / "stars-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stars\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[erm.tasks]\nstars = stars.rules:Stars\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))
    installed.cache_clear()
    try:
        assert "stars" in task_names()
        assert main(["solve", "stars:*..../...*./...../...../.....", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["status"] == "unique"
    finally:
        installed.cache_clear()
        registry.task_of.cache_clear()
