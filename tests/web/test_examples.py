"""The gallery: every puzzle of it has one answer."""

from __future__ import annotations

import pytest

from erm.rulebook.registry import load_task


@pytest.mark.parametrize("kind", ["sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa"])
def test_examples_are_canonical_different_and_unique(gallery, kind):
    task = load_task(kind)
    texts = [example["text"] for example in gallery[kind]]
    assert len(texts) >= 4 and len(set(texts)) == len(texts)
    for text in texts:
        puzzle = task.parse(text)
        assert task.format(puzzle) == text
        assert list(task.count_solutions([puzzle])) == [1]
