"""Weights of rules: fitted on labelled pools, judged on pools that were not fitted on."""

import json

import numpy as np
import pytest

from erm.cli.main import USAGE, main
from erm.errors import InputError
from erm.evaluate.energies import changed
from erm.evaluate.weights import LabelledPool, fit_weights
from erm.rulebook.energy import EnergySettings, EnergyTerms, rules_energy
from erm.rulebook.registry import load_task
from erm.search.pool import CandidatePool
from erm.types import Puzzle

PUZZLE = Puzzle("sudoku", 1, 1, {})


def pools(count, misleading):
    """Pools of eight with one right candidate: one rule tells it, the other prefers some at
    random, `misleading` times as loudly."""
    draw, made = np.random.default_rng(0), []
    for _ in range(count):
        right = np.arange(8) == draw.integers(8)
        good = np.where(right, 0.0, 1 + draw.random(8))
        bad = misleading * draw.random(8)
        terms = EnergyTerms(good + bad, {"good": good}, {"bad": bad})
        zeros = np.zeros(8)
        pool = CandidatePool(
            "sudoku", np.arange(8)[:, None], *[zeros] * 3, right, np.ones(8, int), terms
        )
        made.append(LabelledPool(PUZZLE, pool, terms, right))
    return made


def test_a_rule_that_misleads_loses_its_weight():
    fitted = fit_weights(pools(40, misleading=6.0))
    assert fitted.weights["good"] > 3 * fitted.weights["bad"]
    assert fitted.equal < fitted.held_out <= fitted.oracle == fitted.pools == 40


def test_what_is_good_as_it_stands_stays():
    fitted = fit_weights(pools(20, misleading=0.0))
    assert fitted.equal == fitted.held_out == fitted.oracle
    assert fitted.weights["bad"] == pytest.approx(1.0, abs=0.1)
    with pytest.raises(InputError, match="at least 2 folds"):
        fit_weights(pools(2, 0.0), folds=1)


def test_the_energy_takes_weights_by_the_rule_s_name():
    task = load_task("nurikabe")
    puzzle = task.parse("https://puzz.link/p?nurikabe/4/5/z")
    states, settings = np.ones((1, puzzle.cells), np.int64), task.settings
    plain = rules_energy(task.rules(puzzle), states, settings)
    other = EnergySettings(settings.tau, settings.beta, settings.mu, weights={"no 2x2 of sea": 0.5})
    halved = rules_energy(task.rules(puzzle), states, other)
    lost = plain.factors["no 2x2 of sea"] / 2
    np.testing.assert_allclose(halved.total, plain.total - lost)


def test_weights_come_from_a_file(tmp_path, capsys):
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"weights": {"row": 2.0}}))
    assert changed(EnergySettings(), f"energy:mu=0,weights={file}").weights == {"row": 2.0}
    with pytest.raises(InputError, match="no file of erm fit-weights"):
        changed(EnergySettings(), f"energy:weights={tmp_path}")
    assert main(["fit-weights", str(tmp_path)]) == USAGE
