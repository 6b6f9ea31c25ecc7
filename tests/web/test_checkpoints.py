"""The checkpoints of a server: bad ones are left out, repaired and newer ones are seen."""

import logging
import os

import pytest
import tiny

from erm.errors import InputError
from erm.model.card import WEIGHTS
from erm.web.checkpoints import Checkpoints


@pytest.fixture
def shelf(tmp_path, tiny_reasoner):
    """Two checkpoints; the one that a request without a name gets is torn."""
    for name in ("sudoku", "second"):
        tiny.save(tmp_path / name, tiny_reasoner)
    weights = tmp_path / "sudoku" / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-50])
    return tmp_path


def test_another_network_serves_where_the_usual_one_cannot_be_loaded(shelf, caplog):
    checkpoints = Checkpoints(shelf)
    with caplog.at_level(logging.ERROR, "erm.web"):
        assert [checkpoints.solver("sudoku")[0] for _ in range(2)] == ["second", "second"]
        with pytest.raises(InputError, match="'sudoku' cannot be loaded; the server's log says"):
            checkpoints.solver("sudoku", "sudoku")
    assert len(caplog.records) == 1 and "is torn" in caplog.text


def test_files_that_were_written_since_are_read_again_and_the_old_ones_forgotten(shelf):
    checkpoints = Checkpoints(shelf)
    _, before = checkpoints.solver("sudoku", "second")
    assert checkpoints.solver("sudoku", "second")[1] is before
    os.utime(shelf / "second" / WEIGHTS, ns=(1, 1))
    assert checkpoints.solver("sudoku", "second")[1] is not before
    assert len(checkpoints._solvers) == 1
    (shelf / "sudoku" / WEIGHTS).write_bytes((shelf / "second" / WEIGHTS).read_bytes())
    assert checkpoints.solver("sudoku")[0] == "sudoku"
