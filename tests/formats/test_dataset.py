from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from codec_boards import ANY, LINKED, assert_same, mazes, mutations, sudokus
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linked import link

from erm.errors import InputError
from erm.formats import lines, reading, size
from erm.formats.dataset import Dataset, load_dataset, save_dataset
from erm.formats.read import read_text
from erm.puzzles.maze.text import parse_maze
from erm.puzzles.sudoku.text import parse_sudoku
from erm.types import Puzzle

SHARED = Path(__file__).parents[3] / "shared" / "data"
SUDOKU = "1234341221434321"
EASY = "1" + "." * 14 + "1"


def files_of(puzzles: list[Puzzle]) -> list[tuple[str, str | None]]:
    """Names and formats that can hold these puzzles."""
    files: list[tuple[str, str | None]] = [("a.jsonl", None), ("a.jsonl.gz", None), ("a.csv", None)]
    tasks = {puzzle.task for puzzle in puzzles}
    if tasks == {"maze"} or "maze" not in tasks:
        files += [("a.txt", None), ("b.txt.gz", None)]
    if "maze" not in tasks:
        files += [("p.jsonl", "ppbench"), ("j.jsonl.gz", "janko")]
    return files


@settings(max_examples=25, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(
    st.one_of(
        st.lists(ANY, min_size=1, max_size=4),
        st.lists(LINKED, min_size=1, max_size=4),
        st.lists(mazes(), min_size=1, max_size=3),
    )
)
def test_what_is_saved_is_loaded_again(puzzles: list[Puzzle]):
    with tempfile.TemporaryDirectory() as scratch:
        for name, format in files_of(puzzles):
            path = Path(scratch) / name
            save_dataset(puzzles, path, format)
            loaded = load_dataset(path)
            assert loaded.count == len(puzzles)
            for puzzle, again in zip(puzzles, loaded, strict=True):
                assert_same(puzzle, again)


@settings(max_examples=15)
@given(st.lists(sudokus((9,)), min_size=2, max_size=4))
def test_token_arrays_are_loaded_by_split(puzzles: list[Puzzle]):
    answered = [puzzle.with_answer(np.ones(81, np.int8)) for puzzle in puzzles]
    with tempfile.TemporaryDirectory() as scratch:
        for path in (Path(scratch) / "folder", Path(scratch) / "file.npz"):
            save_dataset(answered[:1], path, split="train")
            save_dataset(answered[1:], path, split="test")
            assert load_dataset(path, "sudoku").split == "test"
            assert load_dataset(path, "sudoku", split="train").count == 1
            assert load_dataset(path, "sudoku", "test", limit=1).count == 1
            for puzzle, again in zip(answered[1:], load_dataset(path, "sudoku"), strict=True):
                assert_same(puzzle, again)
            with pytest.raises(InputError, match="no split 'dev', only test, train"):
                load_dataset(path, split="dev")
        assert load_dataset(Path(scratch) / "folder" / "train", "sudoku").count == 1


def test_meta_survives_and_equal_data_is_equal_bytes(tmp_path: Path):
    puzzle = parse_sudoku(EASY).with_meta(source="généré", guesses=3)
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        save_dataset([puzzle], tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert dict(load_dataset(tmp_path / "a.jsonl.gz")[0].meta) == dict(puzzle.meta)


def test_a_data_set_says_what_it_is(tmp_path: Path):
    path = tmp_path / "some.txt"
    path.write_text(f"{EASY}\n\n{EASY} {SUDOKU}\n")
    data = load_dataset(path)
    assert data.describe() == {
        "path": str(path),
        "format": "text",
        "count": 2,
        "tasks": {"sudoku": 2},
        "sha256": sha256(path.read_bytes()).hexdigest(),
    }
    assert data[0].answer is None
    assert data[1].answer is not None


def test_a_mixed_file_gives_the_task_that_is_asked_for(tmp_path: Path):
    path = tmp_path / "mixed.txt"
    path.write_text(f"nurikabe/2/2/2i\ntapa/2/2/j\nnurikabe/1/1/1\n{EASY}\n")
    assert load_dataset(path).count == 4
    assert load_dataset(path, "nurikabe").count == 2
    assert load_dataset(path, "nurikabe", limit=1).count == 1
    with pytest.raises(InputError, match="holds no heyawake"):
        load_dataset(path, "heyawake")


def test_boards_with_empty_lines_between_them(tmp_path: Path):
    path = tmp_path / "boards.txt"
    path.write_text("\nSoG\n###\n\n\nS #\n#G \n")
    first, second = load_dataset(path)
    assert_same(first, parse_maze("SoG\n###"))
    assert_same(second, parse_maze("S #\n#G "))
    path.write_text("1 . | . .\n. . | . .\n----+----\n. . | . .\n. . | . 1\n\n" + EASY)
    for puzzle in load_dataset(path):
        assert_same(puzzle, parse_sudoku(EASY))


def test_pzpr_files_are_read(tmp_path: Path):
    path = tmp_path / "saved.txt"
    path.write_text("pzprv3\nnurikabe\n2\n2\n2 . \n# # \n")
    (puzzle,) = load_dataset(path)
    assert link(puzzle) == "https://puzz.link/p?nurikabe/2/2/2i"
    assert puzzle.answer is not None and puzzle.answer.tolist() == [0, 0, 1, 1]


def test_standard_input(monkeypatch: pytest.MonkeyPatch):
    data = gzip.compress(f"question,answer\n{EASY},{SUDOKU}\n".encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    loaded = load_dataset("-")
    assert (loaded.path, loaded.format, loaded.count) == ("-", "csv", 1)
    assert loaded.sha256 == sha256(data).hexdigest()


RECORD = json.dumps({"task": "sudoku", "puzzle": EASY, "answer": SUDOKU, "meta": {}})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"{]", "line 1: this is no JSON at character 2"),
        (b"{}", "line 1: a record has a field puzzle, puzzlink_url or url, this one has none"),
        (f"{RECORD}\n\n[]".encode(), "line 3: a JSON object"),
        (
            f'{RECORD}\n{{"task": "chess", "puzzle": ""}}'.encode(),
            "line 2: there is no task 'chess'",
        ),
        (f'{RECORD}\n{{"task": "sudoku"}}'.encode(), "line 2: its field 'puzzle' is missing"),
        (RECORD.replace("2143", "2193").encode(), "line 1: sudoku answers hold states 1 to 4"),
        (RECORD.replace('"meta": {}', '"meta": 3').encode(), "'meta' must be an object"),
        (f"{EASY}\n{EASY[1:]}\n".encode(), "line 2: the Sudoku has 15 cells"),
        (f"{EASY}\n\xff".encode("latin-1"), "line 2: it is no UTF-8 text at byte 1"),
        (f"question,answer\n{EASY}\n".encode(), "line 2: it has 1 fields, not 2"),
        (f'question,answer\n"{EASY}'.encode() + b"9" * 200_000, "is no CSV"),
        (b"nurikabe/2/2/2i\nnurikabe/2/2/2!\n", "line 2: the nurikabe link cannot be read: '!'"),
        (b"S G\n###\n\nS G\n##\n", "line 4: row 2 of the maze has 2 cells"),
        (b"S G\n" * 300, "no board goes on"),
        (b"\x1f\x8b\x08 not packed", "cannot be read"),
        (gzip.compress(b"nurikabe/2/2/2i\n" * 99, mtime=0)[:-20], "cannot be read"),
        (gzip.compress(b"{" * (1 << 23)), "line 1 has more than 4194304 bytes"),
        (b"{" * (1 << 23), "line 1 has more than 4194304 bytes"),
    ],
)
def test_malformed_files_are_explained(tmp_path: Path, content: bytes, complaint: str):
    path = tmp_path / "data"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_dataset(path)
    message = str(caught.value)
    assert complaint in message
    assert message.startswith(str(path))
    assert "\n" not in message


def test_missing_and_wrong_paths_are_explained(tmp_path: Path):
    with pytest.raises(InputError, match="no such file"):
        load_dataset(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="no such file"):
        load_dataset(tmp_path / "none.npz")
    with pytest.raises(InputError, match="holds no data set"):
        load_dataset(tmp_path)
    (tmp_path / "a.txt").write_text(EASY)
    with pytest.raises(InputError, match="has no splits"):
        load_dataset(tmp_path / "a.txt", split="train")
    with pytest.raises(InputError, match="not be negative"):
        load_dataset(tmp_path / "a.txt", limit=-1)
    with pytest.raises(InputError, match="no format is known"):
        save_dataset([], tmp_path / "a.xyz")


def test_a_failed_write_leaves_what_was_there(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    save_dataset([parse_sudoku(EASY)], path)
    before = path.read_bytes()
    maze = parse_maze("SG\n##")
    with pytest.raises(InputError, match="no links of maze"):
        save_dataset([read_text("tapa/2/2/j"), maze], path, "ppbench")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def text_of(puzzles: list[Puzzle], name: str) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        save_dataset(puzzles, Path(scratch) / name)
        return (Path(scratch) / name).read_text()


FILES = st.builds(
    text_of,
    st.lists(LINKED, min_size=1, max_size=2),
    st.sampled_from(["a.jsonl", "a.csv", "a.txt"]),
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(st.one_of(mutations(FILES).map(str.encode), st.text().map(str.encode), st.binary()))
def test_no_file_does_worse_than_an_input_error(content: bytes):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "data"
        path.write_bytes(content)
        try:
            loaded = load_dataset(path)
        except InputError as error:
            assert len(str(error)) < 600
        else:
            assert isinstance(loaded, Dataset) and loaded.count > 0


@pytest.mark.parametrize(
    ("name", "count", "task"),
    [
        ("sudoku/sudoku-extreme-train.csv", 1000, "sudoku"),
        ("maze/maze-unique-30x30.npz", 500, "maze"),
        ("ppbench/golden_300_five_types.jsonl", 75, None),
        ("wild/janko-half.jsonl.gz", 1423, None),
    ],
)
def test_the_field_s_files_are_read(tmp_path: Path, name: str, count: int, task: str | None):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    data = load_dataset(path, task)
    assert data.count == count
    assert all(puzzle.answer is not None for puzzle in data)
    save_dataset(data, tmp_path / "again.jsonl.gz")
    for puzzle, again in zip(data, load_dataset(tmp_path / "again.jsonl.gz"), strict=True):
        assert_same(puzzle, again)


def test_a_pzprv3_file_without_end_is_refused(tmp_path):
    (tmp_path / "bomb.txt").write_text("pzprv3\n" + f"{'. ' * 500}\n" * 2_000)
    with pytest.raises(InputError, match="longer than a pzprv3 file"):
        load_dataset(tmp_path / "bomb.txt")


def test_a_description_names_the_tasks_that_were_kept(tmp_path):
    puzzles = [parse_sudoku("." * 16), parse_maze("S G")]
    save_dataset(puzzles, tmp_path / "both.jsonl")
    kept = [load_dataset(tmp_path / "both.jsonl", task).describe() for task in ("sudoku", "maze")]
    assert [one["tasks"] for one in kept] == [{"sudoku": 1}, {"maze": 1}]


def test_boards_that_are_too_large_are_left_out_with_a_count(tmp_path, capsys):
    path = tmp_path / "some.txt"
    path.write_text("nurikabe/65/2/2\nnurikabe/2/2/2i\nnurikabe/2/70/2\n")
    data = load_dataset(path)
    assert len(data) == 1 and data.too_large == 2 and data.describe()["too_large"] == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "line 1: the nurikabe link is 2x65" in said and "and 1 more" in said
    path.write_text("nurikabe/65/2/2\n")
    with pytest.raises(InputError, match="sides must be 1 to 64"):
        load_dataset(path)


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl.gz", "a.npz", "a"])
def test_no_more_puzzles_are_held_than_memory_allows(tmp_path, monkeypatch, name):
    boards = [parse_sudoku(EASY).with_answer(parse_sudoku(SUDOKU).givens["digits"])] * 5
    save_dataset(boards, tmp_path / name, None if "." in name else "npy")
    allowed = 4 * size.LEAST_CELLS
    monkeypatch.setattr(size, "LIMITS", replace(size.LIMITS, bytes=16 * allowed))
    with pytest.raises(InputError, match=f"{name}.*more puzzles.*ERM_MAX_BYTES.*--limit"):
        load_dataset(tmp_path / name)
    assert len(load_dataset(tmp_path / name, "sudoku", limit=4)) == 4


def test_packed_text_is_read_up_to_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(f"{EASY}\n".encode() * 10_000))
    monkeypatch.setattr(lines, "LIMITS", replace(lines.LIMITS, bytes=50_000))
    with pytest.raises(InputError, match=r"more text than is read .*ERM_MAX_BYTES"):
        load_dataset(path)


def test_unreadable_records_are_outweighed_by_those_that_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_UNREADABLE", 3)
    path, heard = tmp_path / "a.txt", []
    path.write_text(f"{EASY}\nx\nx\n" * 3)
    assert len(load_dataset(path, complain=heard.append)) == 3 and len(heard) == 6
    path.write_text(f"{EASY}\nx\nx\n" * 4)
    with pytest.raises(InputError, match=r"line 12: .*most records before it"):
        load_dataset(path, complain=heard.append)
