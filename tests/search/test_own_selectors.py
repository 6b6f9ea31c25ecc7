"""Selectors and energies of one's own: named in the commands, and mistakes told in one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny
from pools import make_pool

from erm.cli.main import USAGE, main
from erm.errors import InputError
from erm.formats.dataset import save_dataset
from erm.rulebook.registry import load_task
from erm.search import select as selectors
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.select import Selector, register, select

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_energy.py"


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr(selectors, "_registry", dict(selectors._registry))


@pytest.fixture
def places(tmp_path):
    """The example under a name that no other test has included."""
    return shutil.copy(EXAMPLE, tmp_path / "places.py")


@pytest.fixture
def data(tmp_path):
    save_dataset(tiny.puzzles(2, seed=5, clues=(4, 5)), tmp_path / "small.jsonl")
    return tmp_path / "small.jsonl"


def test_a_selector_sees_the_puzzle_and_the_rules(tmp_path):
    puzzle = tiny.puzzles(1, seed=5, clues=(4, 5))[0]
    problem = Problem(load_task("sudoku"), puzzle)
    wrong = puzzle.answer.copy()
    wrong[0] = wrong[0] % 4 + 1
    pool = make_pool([wrong, puzzle.answer])

    class Sighted(Selector):
        name = "sighted"

        def score(self, pool: CandidatePool) -> np.ndarray:
            assert pool.puzzle is puzzle
            return ~pool.rules.is_valid(pool.states)

    assert select(pool.of(problem), Sighted()).index == 1
    assert select(pool.of(problem)[:1], Sighted()).index == 0
    with pytest.raises(InputError, match="does not know its puzzle"):
        select(pool, Sighted())
    pool.of(problem).save(tmp_path / "pool.npz")
    assert CandidatePool.load(tmp_path / "pool.npz").problem is None


def test_an_own_energy_is_named_in_evaluate_rescore_and_temper(
    tiny_checkpoint, data, places, tmp_path, capsys
):
    own = ["--include", str(places), "--quiet"]
    run = ["evaluate", str(tiny_checkpoint), str(data), "--out", str(tmp_path / "run")]
    small = ["--depth", "2", "--width", "3", "--mode", "full"]
    assert main([*run, *small, "--select", "first", "--energy", "places", *own]) == 0
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert list(results["selectors"]) == ["first", "places", "oracle"]
    assert main(["rescore", str(tmp_path / "run"), "--energy", "places", "--json", *own]) == 0
    temper = ["temper", str(tiny_checkpoint), str(data), "--out", str(tmp_path / "hot")]
    few = ["--depth", "2", "--ladders", "1", "--rungs", "2"]
    assert main([*temper, *few, "--energy", "places", *own]) == 0
    assert list(json.loads((tmp_path / "hot" / "results.json").read_text())["energies"]) == [
        "places"
    ]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        ("return pool.energy.total[:1]", "must give one number per candidate, 3 of them"),
        ("return pool.nothing", "selector 'mine' fails with AttributeError: 'CandidatePool'"),
        ("return ['a', 'b', 'c']", "selector 'mine' fails with ValueError: could not convert"),
    ],
)
def test_a_mistake_in_a_selector_is_one_sentence(
    score, sentence, tiny_checkpoint, data, tmp_path, capsys
):
    file = tmp_path / "mine.py"
    file.write_text(
        "from erm.search.select import Selector, register\n"
        "@register\nclass Mine(Selector):\n    name = 'mine'\n"
        f"    def score(self, pool):\n        {score}\n"
    )
    command = ["evaluate", str(tiny_checkpoint), str(data), "--out", str(tmp_path / "run")]
    options = ["--depth", "1", "--width", "3", "--select", "mine", "--include", str(file)]
    assert main([*command, *options, "--quiet"]) == USAGE
    error = capsys.readouterr().err
    assert sentence in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import nothing_of_that_name", "fails with ModuleNotFoundError: No module named"),
        ("def (", "line 1: invalid syntax"),
        ("1 / 0", "fails with ZeroDivisionError: division by zero"),
    ],
)
def test_a_mistake_in_an_included_file_is_one_sentence(code, sentence, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(code)
    assert main(["ls", "--include", str(tmp_path / "mine.py")]) == USAGE
    error = capsys.readouterr().err
    assert sentence in error and "mine.py" in error and len(error.splitlines()) == 1


def test_names_of_selectors_are_checked():
    class Nameless(Selector):
        def score(self, pool):
            return pool.q

    with pytest.raises(InputError, match="needs a name"):
        register(Nameless)

    class Imposter(Nameless):
        name = "energy"

    with pytest.raises(InputError, match="is erm's own"):
        register(Imposter)
    with pytest.raises(InputError, match="fails with TypeError: Can't instantiate"):
        register(type("Lazy", (Selector,), {"name": "lazy", "__module__": "mine"}))
        select(make_pool([[1, 1, 1]]), "lazy")


def test_a_run_is_made_again_with_what_it_included(
    places, data, tiny_checkpoint, tmp_path, capsys, monkeypatch
):
    shelf = dict(selectors._registry)
    one, two = tmp_path / "one", tmp_path / "two"
    asked = ["--select", "first", "places", "--depth", "2", "--width", "2", "--quiet"]
    command = ["evaluate", str(tiny_checkpoint), str(data), "--include", str(places), *asked]
    assert main([*command, "--out", str(one)]) == 0
    # Somebody else's file of that name, in a process that has not included it yet.
    monkeypatch.setattr(selectors, "_registry", shelf)
    text = (one / "run.yaml").read_text()
    moved = shutil.copy(EXAMPLE, tmp_path / "moved.py")
    (tmp_path / "run.yaml").write_text(text.replace(str(places), str(moved)))
    assert main(["evaluate", "--config", str(tmp_path / "run.yaml"), "--out", str(two)]) == 0
    judged = [json.loads((run / "results.json").read_text())["selectors"] for run in (one, two)]
    assert judged[0] == judged[1] and "places" in judged[0]
    capsys.readouterr()
