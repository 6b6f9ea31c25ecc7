"""What the tests of training share."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from small_sudokus import write_sudokus


@pytest.fixture
def sudokus(tmp_path: Path) -> Path:
    return write_sudokus(tmp_path / "train.jsonl", 4, 60, 8)


@pytest.fixture(autouse=True)
def one_thread():
    """As `OMP_NUM_THREADS=1` does for the processes that these tests start."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
