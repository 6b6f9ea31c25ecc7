"""Fingerprints: the same for symmetric puzzles, different for others; what ships saw no test."""

from pathlib import Path

import numpy as np
import pytest
import tiny

from erm import zoo
from erm.data.fingerprint import count_seen, fingerprints
from erm.data.symmetry import canonical, random_symmetry
from erm.formats.dataset import load_dataset
from erm.model.card import read_card, tasks_of
from erm.model.checkpoint import read_seen

SHARED = Path(__file__).parents[3] / "shared/data"
TESTS = {"maze": ["maze/maze-unique-30x30.npz"]}
PPBENCH = "ppbench/golden_300_five_types.jsonl"
JANKO = "wild/janko-half.jsonl.gz"


def test_symmetric_puzzles_are_seen_and_others_are_not():
    puzzles = tiny.puzzles(20, seed=1)
    known = {canonical(puzzle) for puzzle in puzzles}
    others = [one for one in tiny.puzzles(40, seed=2) if canonical(one) not in known]
    seen = fingerprints(puzzles)
    assert len(others) > 5 and count_seen(others, seen) == 0
    rng = np.random.default_rng(0)
    turned = [random_symmetry(puzzle, rng) for puzzle in puzzles]
    assert count_seen(turned, seen) == 20
    assert count_seen(others, fingerprints(puzzles + others)) == len(others)
    assert len(fingerprints(puzzles + turned)) == len(seen)


@pytest.mark.parametrize("name", zoo.names())
def test_a_shipped_checkpoint_tells_what_it_was_trained_on(name):
    seen, card = read_seen(zoo.find(name).folder), read_card(zoo.find(name).folder)
    if "sudoku" in tasks_of(card):
        assert seen is None, "fingerprints of old Sudoku networks cannot be compared any more"
    else:
        assert seen is not None and len(seen) >= 500
    for data in card["data"]:
        assert data["sha256"] and data["count"] and data["sources"]


@pytest.mark.skipif(not SHARED.exists(), reason="the public test puzzles lie beside the project")
@pytest.mark.parametrize("name", zoo.names())
def test_no_test_puzzle_was_trained_on(name):
    seen, task = read_seen(zoo.find(name).folder), read_card(zoo.find(name).folder)["task"]
    if seen is None:
        pytest.skip("it has no fingerprints")
    for path in (*TESTS.get(task, []), PPBENCH, JANKO):
        split = "test" if path.endswith(".npz") else None
        known = None if path in (PPBENCH, JANKO) else task
        puzzles = [one for one in load_dataset(SHARED / path, known, split) if one.task == task]
        assert count_seen(puzzles, seen) == 0, path
