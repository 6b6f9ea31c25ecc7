"""Changed energies, saved pools judged again, and runs compared; no network where none is said."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tiny

import erm
from erm.cli.main import main
from erm.errors import InputError
from erm.evaluate.compare import compare
from erm.evaluate.energies import changed, choose, named_energies, rescored
from erm.evaluate.intervals import mcnemar
from erm.evaluate.rescore import rescore
from erm.evaluate.run import evaluate, temper_all
from erm.formats.dataset import load_dataset, save_dataset
from erm.model.reasoner import Reasoner
from erm.rulebook.energy import EnergySettings
from erm.run_folder import RunFolder
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.temper import TemperOptions

OPTIONS = SearchOptions(depth=3, width=6, mode="full")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "small.jsonl"
    save_dataset(tiny.puzzles(8, seed=5, clues=(4, 5)), path)
    return load_dataset(path)


@pytest.fixture(scope="module")
def run(tiny_checkpoint, data, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "run"
    selectors = ["first", "energy"]
    evaluate(tiny_checkpoint, data, OPTIONS, out, selectors, save_pools=True, quiet=True)
    return out


def forbid_the_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(Reasoner, "step", refuse)


def test_an_energy_is_named_by_what_it_changes():
    own = EnergySettings(tau=1.0, beta=128.0, soft=True)
    asked = changed(own, "energy:tau=0.5,gamma=2")
    assert asked == replace(own, tau=0.5, gamma=2.0)
    assert not changed(own, "energy:soft=0").soft
    assert named_energies(["tau=2", "energy:tau=2", "mu=0"]) == ["energy:tau=2", "energy:mu=0"]
    for wrong in ("tau", "tau=", "tau=x", "tau=nan", "tau=0", "soft=2", "colour=1", "mu=1,mu=2"):
        with pytest.raises(InputError):
            named_energies([wrong])


def test_a_pool_scored_again_with_its_own_settings_is_the_same(run, data):
    task = erm.load_task("sudoku")
    pool = CandidatePool.load(run / "pools" / "000000.npz")
    problem = Problem(task, data[0])
    again = rescored(problem, pool, task.settings)
    np.testing.assert_allclose(again.energy.total, pool.energy.total, rtol=1e-6)
    mixed = rescored(problem, pool, replace(task.settings, gamma=3.0))
    np.testing.assert_allclose(
        mixed.energy.total, pool.energy.total - 3 * pool.confidence, rtol=1e-6
    )
    decoded = erm.energy(task, data[0], pool.answers)
    chosen = choose(problem, pool, "energy:soft=0")
    assert chosen.score == pytest.approx(float(decoded.total.min()))
    with pytest.raises(InputError, match="--save-pools"):
        rescored(problem, replace(pool, log_probs=None), task.settings)


def test_rescoring_agrees_with_the_run_and_adds_energies(run, monkeypatch):
    forbid_the_network(monkeypatch)
    results = rescore(run, ["first", "energy", "energy:tau=2", "energy:soft=0"], quiet=True)
    before = json.loads((run / "results.json").read_text())
    for name in ("first", "energy", "oracle"):
        assert results["selectors"][name] == before["selectors"][name]
    assert results["selectors"]["energy:tau=2"]["total"] == 8
    assert results["diagnosis"] == before["diagnosis"]


def test_a_selector_that_is_added_to_a_finished_run_asks_no_network(
    tiny_checkpoint, data, tmp_path, monkeypatch
):
    evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, ["energy"], quiet=True)
    forbid_the_network(monkeypatch)
    more = ["qhead", "energy:soft=0"]
    results = evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, more, quiet=True)
    assert results is not None
    assert set(results["selectors"]) == {"energy", "qhead", "energy:soft=0", "oracle"}
    assert len(RunFolder(tmp_path).read_samples()) == 8
    # Log-probabilities were not kept, so that an energy of them needs the network again.
    with pytest.raises(AssertionError, match="network"):
        evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, ["energy:tau=2"], quiet=True)


def test_tempering_takes_changed_energies(tiny_checkpoint, data, tmp_path):
    options = TemperOptions(depth=3, ladders=1, rungs=3)
    few = replace(data, puzzles=data.puzzles[:2])
    own = erm.load_task("sudoku").settings.tau
    energies = ["energy", f"energy:tau={own}", "energy:soft=0"]
    results = temper_all(tiny_checkpoint, few, options, energies, tmp_path, quiet=True)
    rows = results["energies"]
    assert rows["energy"] == rows[f"energy:tau={own}"]
    scores = [
        {name: row["selected"]["score"] for name, row in sample["energies"].items()}
        for sample in RunFolder(tmp_path).read_samples()
    ]
    assert all(score["energy"] != score["energy:soft=0"] for score in scores)


def test_an_energy_without_probabilities_tells_right_from_wrong():
    task = erm.load_task("sudoku")
    puzzle = tiny.puzzles(1, seed=1)[0]
    wrong = puzzle.answer.copy()
    free = np.flatnonzero(puzzle.givens["digits"].ravel() == 0)[0]
    wrong[free] = wrong[free] % 4 + 1
    right, worse = erm.energy(task, puzzle, np.stack([puzzle.answer, wrong])).total
    # One wrong digit breaks a row, a column and a box, each for beta over its cells, less what
    # the other memories nearby make up for.
    assert worse - right > 3 * task.settings.beta / 4 - 10


def test_mcnemar_is_exact():
    # Of 10 discordant pairs 1 or fewer, or 9 or more: 2 * (1 + 10) / 1024.
    assert mcnemar(9, 1) == pytest.approx(22 / 1024)
    assert mcnemar(0, 0) == mcnemar(5, 5) == 1.0


def test_runs_are_compared_puzzle_by_puzzle(run, tiny_checkpoint, data, tmp_path):
    found = compare(run, run, ("first", "energy"))
    samples = RunFolder(run).read_samples()
    pairs = [tuple(s["choices"][n]["correct"] for n in ("first", "energy")) for s in samples]
    assert found.total == 8
    assert found.only_second == sum(b and not a for a, b in pairs)
    assert found.second.correct - found.first.correct == found.only_second - found.only_first
    assert found.p == mcnemar(found.only_first, found.only_second)
    half = replace(data, puzzles=data.puzzles[:4])
    evaluate(tiny_checkpoint, half, OPTIONS, tmp_path / "half", ["energy"], quiet=True)
    assert compare(run, tmp_path / "half").total == 4
    with pytest.raises(InputError, match="no selector 'qhead'"):
        compare(run, run, ("qhead", "energy"))
    save_dataset(tiny.puzzles(4, seed=6), tmp_path / "other.jsonl")
    other = load_dataset(tmp_path / "other.jsonl")
    evaluate(tiny_checkpoint, other, OPTIONS, tmp_path / "other", ["energy"], quiet=True)
    with pytest.raises(InputError, match="same data"):
        compare(run, tmp_path / "other")


def test_the_commands(run, data, tmp_path, capsys):
    assert main(["rescore", str(run / "pools"), "--select", "energy", "--energy", "tau=2", "mu=0",
                 "--out", str(tmp_path / "again"), "--quiet"]) == 0  # fmt: skip
    assert (tmp_path / "again" / "report.html").exists()
    assert (tmp_path / "again" / "tables" / "selectors.csv").exists()
    assert main(["compare", str(run), str(tmp_path / "again"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["p"] == 1.0 and found["total"] == 8 and "No difference" in found["verdict"]
    assert main(["compare", str(run), str(run), "--select", "first", "energy"]) == 0
    shown = capsys.readouterr().out
    assert "chance" in shown and max(map(len, shown.splitlines())) <= 80
    assert main(["rescore", str(tmp_path)]) == 2
    assert main(["rescore", str(run), "--energy", "tau=-1"]) == 2
    assert "tau" in capsys.readouterr().err
