"""Learning curves from cards, shipped and given."""

import csv

import pytest

from erm import zoo
from erm.cli.main import USAGE, main
from erm.model.checkpoint import read_card


def test_every_shipped_curve_is_drawn(tmp_path):
    assert main(["curves", "--out", str(tmp_path / "all")]) == 0
    assert (tmp_path / "all.png").stat().st_size > 10_000
    assert (tmp_path / "all.svg").read_text().startswith("<?xml")
    with open(tmp_path / "all.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["checkpoint"] for row in rows} == set(zoo.names())
    for name in zoo.names():
        own = [float(row["minutes"]) for row in rows if row["checkpoint"] == name]
        assert own == sorted(own)
        assert own[-1] == pytest.approx(read_card(zoo.find(name).folder)["seconds"] / 60, rel=0.1)


def test_a_card_without_a_curve_is_named(tiny_checkpoint, tmp_path, capsys):
    assert main(["curves", str(tiny_checkpoint), "--out", str(tmp_path / "x")]) == USAGE
    assert str(tiny_checkpoint) in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
