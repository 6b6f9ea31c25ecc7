"""The paper's parameter and compute table, recounted on real models."""

import json

import pytest

from erm.cli.main import main
from erm.evaluate.accounting import NOTES, account, paper_accounts
from erm.model.reasoner import Reasoner
from erm.model.sizes import EQR_MAZE, EQR_SUDOKU, PPBENCH_VOCABULARY, SIZES, TRM_SUDOKU
from erm.puzzles import pencil


def test_parameters_are_those_of_the_published_models() -> None:
    assert Reasoner(EQR_MAZE).parameter_count == 263_938
    rows = {row.model: row for row in paper_accounts()}
    millions = {name: row.parameters / 1e6 for name, row in rows.items()}
    assert millions["EqR Sudoku"] == pytest.approx(5.03, abs=0.005)
    assert millions["ERM Maze"] == pytest.approx(0.264, abs=0.0005)
    assert millions["ERM PPBench"] == pytest.approx(7.12, abs=0.06)
    assert millions["TRM attention"] == pytest.approx(7.0, abs=0.2)


def test_compute_is_the_papers_but_for_the_noted_rows() -> None:
    for row in paper_accounts():
        assert row.evaluations == row.depth * row.width
        assert set(row.notes) <= NOTES.keys()
        if row.model not in ("PTRM Maze", "EqR+ET Sudoku"):
            assert row.layers == row.paper_layers, row.model
    assert {EQR_SUDOKU.layers_per_step, EQR_MAZE.layers_per_step} == {42, 15}


def test_counting_on_the_meta_device_counts_real_parameters() -> None:
    for config in (TRM_SUDOKU, SIZES["eqr-et-sudoku"]):
        counted = account("x", config, 1, 1, "none").parameters
        assert counted == Reasoner(config).parameter_count


def test_the_ppbench_size_fits_our_tasks() -> None:
    assert pencil.VOCABULARY == PPBENCH_VOCABULARY


def test_the_command_prints_ours_beside_the_papers(capsys, monkeypatch) -> None:
    assert main(["accounting", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    maze = next(row for row in table["paper"] if row["model"] == "ERM Maze")
    assert (maze["parameters"], maze["paper_millions"], maze["layers"]) == (263_938, 2.64, 122_880)
    assert main(["accounting"]) == 0
    assert "2.64 M" in " ".join(capsys.readouterr().out.split())
