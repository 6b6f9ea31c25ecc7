from __future__ import annotations

import io
import json
import pickle
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from codec_boards import ANY, assert_same, mazes, mutations, sudokus
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.errors import InputError
from erm.formats import hrm
from erm.formats.csv_row import COLUMNS, format_row, parse_row
from erm.formats.dataset import load_dataset
from erm.types import Puzzle

SHARED = Path(__file__).parents[3] / "shared" / "data"
ANSWERED = st.one_of(
    st.lists(sudokus((9,)), min_size=1, max_size=4),
    st.lists(mazes(square=True), min_size=1, max_size=1),
).filter(lambda puzzles: all(puzzle.answer is not None for puzzle in puzzles))


@settings(max_examples=40)
@given(ANSWERED)
def test_folders_and_npz_round_trip(puzzles: list[Puzzle]):
    task = puzzles[0].task
    with tempfile.TemporaryDirectory() as scratch:
        folder, file = Path(scratch) / "data" / "test", Path(scratch) / "data.npz"
        hrm.write_folder(puzzles, folder)
        hrm.write_npz(puzzles, file, "test")
        hrm.write_npz(puzzles[:1], file, "train")
        assert hrm.splits_of(folder.parent) == ["test"]
        assert hrm.splits_of(file) == ["test", "train"]
        assert len(hrm.read_npz(file, "train", task)) == 1
        for read in (hrm.read_folder(folder, task), hrm.read_npz(file, "test", task)):
            for puzzle, again in zip(puzzles, read, strict=True):
                assert_same(puzzle, again)


def test_folders_are_laid_out_as_the_official_loaders_expect(tmp_path: Path):
    line = "123434122143432" + "1"
    puzzle = parse_row({"question": "1" + "." * 15, "answer": line})
    hrm.write_folder([puzzle] * 3, tmp_path / "train")
    facts = json.loads((tmp_path / "train" / "dataset.json").read_text())
    assert (facts["seq_len"], facts["vocab_size"], facts["sets"]) == (16, 11, ["all"])
    assert facts["total_groups"] == 3
    assert json.loads((tmp_path / "identifiers.json").read_text()) == ["<blank>"]
    arrays = {path.stem[5:]: np.load(path) for path in (tmp_path / "train").glob("all__*.npy")}
    assert arrays["inputs"].tolist() == [[2] + [1] * 15] * 3
    assert arrays["labels"][0].tolist() == [int(digit) + 1 for digit in line]
    assert arrays["puzzle_indices"].tolist() == arrays["group_indices"].tolist() == [0, 1, 2, 3]
    assert arrays["puzzle_identifiers"].tolist() == [0, 0, 0]
    assert sorted(path.name for path in (tmp_path / "train").iterdir()) == [
        "all__group_indices.npy",
        "all__inputs.npy",
        "all__labels.npy",
        "all__puzzle_identifiers.npy",
        "all__puzzle_indices.npy",
        "dataset.json",
    ]


@given(ANY)
def test_csv_rows_round_trip(puzzle: Puzzle):
    row = {name: str(value) for name, value in format_row(puzzle).items()}
    assert tuple(row) == COLUMNS
    assert_same(parse_row(row), puzzle)


def test_csv_rows_keep_source_and_rating():
    row = {"source": "s", "question": "1" + "." * 15, "answer": "", "rating": "67"}
    puzzle = parse_row(row)
    assert dict(puzzle.meta) == {"source": "s", "rating": 67}
    assert {name: str(value) for name, value in format_row(puzzle).items()} == row


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"question": "1" + "." * 15, "answer": "0" * 16}, "states 1 to 4"),
        ({"question": "1" + "." * 15, "answer": "1"}, "1 characters"),
        ({"question": "nurikabe/2/2/2i", "answer": "0002"}, "states 0 to 1"),
        ({"question": "S G#", "answer": "SoGo"}, "not the same maze"),
        ({"question": "S#?G", "answer": ""}, "'?' at row 2, column 1"),
    ],
)
def test_malformed_rows_are_explained(row: dict[str, str], complaint: str):
    with pytest.raises(InputError) as caught:
        parse_row(row)
    assert complaint in str(caught.value)


def _folder(path: Path, inputs: object, labels: object) -> Path:
    path.mkdir()
    for name, array in (("inputs", inputs), ("labels", labels)):
        file = path / f"all__{name}.npy"
        if isinstance(array, bytes):
            file.write_bytes(array)
        else:
            np.save(file, np.asarray(array), allow_pickle=True)
    return path


def _claims(shape: tuple[int, ...]) -> bytes:
    """An array file whose header promises far more than there is."""
    file = io.BytesIO()
    header = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + b"\1" * 100


class Bomb:
    """Pickle would call this; nothing here may."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was executed",)


@pytest.mark.parametrize(
    ("inputs", "labels", "complaint"),
    [
        (np.ones((2, 80), int), np.ones((2, 80), int), "no square board"),
        (np.ones((2, 81), int), np.ones((2, 16), int), "labels have shape (2, 16)"),
        (np.ones((2, 81)), np.ones((2, 81)), "whole numbers"),
        (np.full((2, 81), 11), np.full((2, 81), 2), "token 11 at cell 1"),
        (np.ones((2, 81), int), np.ones((2, 81), int), "row 1 of labels has token 1"),
        (np.ones((2, 100), int), np.ones((2, 100), int), "0 S; exactly one"),
        (np.array([Bomb()], object), np.ones((1, 81), int), "cannot be read"),
        (b"", b"", "cannot be read"),
        (b"\x93NUMPY\1\0v\0{'descr': ((((", b"", "cannot be read"),
        (pickle.dumps(Bomb()), b"", "cannot be read"),
        (_claims((1 << 40, 81)), b"", "cannot be read"),
        (_claims((-5, 81)), b"", "cannot be read"),
    ],
)
def test_hostile_folders_are_refused(
    tmp_path: Path, inputs: object, labels: object, complaint: str
):
    with pytest.raises(InputError) as caught:
        hrm.read_folder(_folder(tmp_path / "test", inputs, labels))
    assert complaint in str(caught.value)


def test_hostile_npz_files_are_refused(tmp_path: Path):
    path = tmp_path / "data.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("test_inputs.npy", _claims((1 << 50, 81)))
        archive.writestr("short_inputs.npy", _claims((1 << 20, 81)))
        archive.writestr(
            "object_inputs.npy",
            _folder(tmp_path / "o", [Bomb()], []).joinpath("all__inputs.npy").read_bytes(),
        )
    for split, complaint in (
        ("test", "allocate|too (big|large)"),
        ("short", "EOF|cannot reshape"),
        ("object", "allow_pickle"),
    ):
        with pytest.raises(InputError, match=complaint):
            hrm.read_npz(path, split)
    with pytest.raises(InputError, match="no array no_inputs"):
        hrm.read_npz(path, "no")
    path.write_bytes(b"PK\3\4 nothing")
    with pytest.raises(InputError, match="cannot be read as an"):
        hrm.splits_of(path)


def test_what_token_arrays_cannot_hold_is_refused(tmp_path: Path):
    sudoku = parse_row({"question": "." * 16})
    for puzzles, complaint in (
        ([], "no puzzles"),
        ([sudoku], "1 has no answer"),
        ([parse_row({"question": "nurikabe/2/2/2i", "answer": "0111"})], "2x2 nurikabe"),
        ([parse_row({"question": "S G\n###", "answer": "SoG\n###"})], "1 is not square"),
    ):
        with pytest.raises(InputError, match=complaint):
            hrm.write_folder(puzzles, tmp_path / "x")
    assert not (tmp_path / "x").exists()


@settings(max_examples=60)
@given(mutations(st.just(_claims((1, 81)).decode("latin-1"))))
def test_no_array_file_does_worse_than_an_input_error(text: str):
    with tempfile.TemporaryDirectory() as scratch:
        data = text.encode("utf-8", "replace")
        try:
            puzzles = hrm.read_folder(_folder(Path(scratch) / "test", data, [[2] * 81]))
        except InputError as error:
            assert len(str(error)) < 500
        else:
            assert len(puzzles) <= 1


def test_the_field_s_mazes_are_read():
    path = SHARED / "maze" / "maze-unique-30x30.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    puzzles = hrm.read_npz(path, "test", limit=20)
    assert len(puzzles) == 20
    for puzzle in puzzles:
        assert puzzle.task == "maze" and puzzle.answer is not None
        assert puzzle.shape == (30, 30) and 99 <= puzzle.answer.sum() <= 139


@pytest.mark.parametrize("labels", [np.full((1, 16), 2.7), np.full((1, 16), "a")])
def test_labels_are_whole_numbers(labels):
    with pytest.raises(InputError, match="labels must be whole numbers"):
        hrm.puzzles_of(np.ones((1, 16), np.uint8), labels)


def test_an_npz_of_inputs_and_labels_is_one_split(tmp_path):
    rows = np.full((3, 16), 1, np.uint8)
    labels = np.tile(np.array([2, 3, 4, 5, 4, 5, 2, 3, 3, 2, 5, 4, 5, 4, 3, 2], np.uint8), (3, 1))
    np.savez(tmp_path / "plain.npz", inputs=rows, labels=labels)
    data = load_dataset(tmp_path / "plain.npz", "sudoku")
    assert len(data) == 3 and data.split == "all" and data[0].answer is not None
    np.savez(tmp_path / "both.npz", inputs=rows, test_inputs=rows[:1])
    assert len(load_dataset(tmp_path / "both.npz", "sudoku")) == 1
    assert len(load_dataset(tmp_path / "both.npz", "sudoku", "all")) == 3
