"""Parquet and Arrow: data sets of the Hugging Face Hub, and of `datasets.save_to_disk`."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from codec_boards import ANY, assert_same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from erm.cli.main import USAGE, main
from erm.errors import InputError
from erm.formats import columnar, parquet
from erm.formats.dataset import load_dataset, save_dataset
from erm.puzzles.sudoku.text import format_sudoku
from erm.types import Puzzle

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
ZEROS = LINE.replace(".", "0")
ANSWER = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
META = st.dictionaries(st.text(max_size=5), st.one_of(st.integers(-9, 9), st.text(max_size=5)))


@settings(max_examples=10, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(st.lists(st.tuples(ANY, META), min_size=1, max_size=5), st.integers(1, 3))
def test_what_is_saved_is_loaded_again_with_all_that_is_known(
    boards: list[tuple[Puzzle, dict]], group: int
):
    puzzles = [puzzle.with_meta(**meta) for puzzle, meta in boards]
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "ROW_GROUP", group)
        for path in (Path(scratch) / "a.parquet", Path(scratch) / "folder"):
            save_dataset(puzzles, path, "parquet")
            loaded = load_dataset(path)
            assert loaded.format == "parquet"
            for puzzle, again in zip(puzzles, loaded, strict=True):
                assert_same(puzzle, again)
                assert dict(again.meta) == dict(puzzle.meta)


@pytest.mark.parametrize("packing", ["snappy", "zstd", "gzip", "none"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_files_of_any_writer_are_read(packing: str, version: str, tmp_path: Path):
    questions = [LINE if n % 3 else ZEROS for n in range(300)]
    table = pa.table({"question": questions, "rating": range(300)})
    path = tmp_path / "a.parquet"
    options = {"data_page_size": 64, "data_page_version": version, "write_page_index": True}
    pq.write_table(table, path, 100, compression=packing, use_dictionary=False, **options)
    assert [one.meta["rating"] for one in load_dataset(path)] == [*range(300)]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(InputError, match="ERM_MAX_BYTES"):
        patch.setattr(columnar, "LIMITS", replace(columnar.LIMITS, bytes=60))
        load_dataset(path)


def test_a_repository_of_the_hub(tmp_path: Path):
    table = pa.table({"question": [ZEROS] * 2, "answer": [ANSWER, None], "rating": [7, 8]})
    (tmp_path / "data").mkdir()
    for name in ("train-00000-of-00002", "train-00001-of-00002-0123456789abcdef"):
        pq.write_table(table, tmp_path / "data" / f"{name}.parquet")
    pq.write_table(table.slice(0, 1), tmp_path / "data" / "test-00000-of-00001.parquet")
    assert load_dataset(tmp_path).split == "test" and len(load_dataset(tmp_path)) == 1
    train = load_dataset(tmp_path, split="train")
    assert len(train) == 4 and [one.meta["rating"] for one in train] == [7, 8, 7, 8]
    assert train[0].answer is not None and train[1].answer is None
    assert train.sha256 != load_dataset(tmp_path).sha256
    with pytest.raises(InputError, match="no split 'dev', only test, train"):
        load_dataset(tmp_path, split="dev")


def test_folders_say_the_split_where_files_do_not_and_two_data_sets_are_not_mixed(tmp_path: Path):
    table = pa.table({"puzzle": [LINE]})
    for name in ("train/0000", "test/0000"):
        (tmp_path / name).parent.mkdir()
        pq.write_table(table, tmp_path / f"{name}.parquet")
    assert load_dataset(tmp_path, split="train").count == 1
    for name in ("easy", "hard"):
        (tmp_path / "both" / name).mkdir(parents=True)
        pq.write_table(table, tmp_path / "both" / name / "train.parquet")
    with pytest.raises(InputError, match=r"several data sets with a split 'train'.*easy, hard"):
        load_dataset(tmp_path / "both")
    assert load_dataset(tmp_path / "both" / "hard").count == 1


def saved_to_disk(folder: Path, table: pa.Table, options: pa.ipc.IpcWriteOptions | None = None):
    """The files of `datasets.Dataset.save_to_disk`."""
    folder.mkdir(parents=True)
    name = "data-00000-of-00001.arrow"
    with pa.ipc.new_stream(folder / name, table.schema, options=options) as writer:
        writer.write_table(table, 2)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
    return folder


def test_what_save_to_disk_leaves(tmp_path: Path):
    table = pa.table({"question": [ZEROS] * 3, "answer": [ANSWER] * 3, "tags": [["a"], [], None]})
    one = load_dataset(saved_to_disk(tmp_path / "one", table))
    assert [format_sudoku(puzzle) for puzzle in one] == [LINE] * 3
    for split in ("train", "test"):
        saved_to_disk(tmp_path / "both" / split, table)
    (tmp_path / "both" / "train" / "cache-0123.arrow").write_bytes(b"of another map")
    assert load_dataset(tmp_path / "both", split="train").count == 3
    (tmp_path / "one" / "state.json").write_text('{"_data_files": [{"filename": "../x.arrow"}]}')
    with pytest.raises(InputError, match=r"names '../x.arrow', which is no .arrow file"):
        load_dataset(tmp_path / "one")


def test_packed_batches_are_read_up_to_the_limit(tmp_path: Path, monkeypatch):
    table = pa.table({"question": [ZEROS] * 1000})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    folder = saved_to_disk(tmp_path / "packed", table, options)
    assert load_dataset(folder).count == 1000
    table = pa.table({"question": ["1" * 1_000_000]})
    folder = saved_to_disk(tmp_path / "large", table, options)
    monkeypatch.setattr(columnar, "LIMITS", replace(columnar.LIMITS, bytes=100_000))
    with pytest.raises(InputError, match=r"unpacks to more than is read .*ERM_MAX_BYTES"):
        load_dataset(folder)


def test_one_bad_row_is_told_with_its_number(tmp_path: Path):
    path = tmp_path / "a.parquet"
    rows = pa.array([LINE.encode(), b"12\xff4", None, LINE.encode()])
    pq.write_table(pa.table({"question": rows.view(pa.string())}), path)
    wrong: list[InputError] = []
    assert load_dataset(path, complain=wrong.append).count == 2
    assert [str(one) for one in wrong] == [
        f"{path}, row 2: its question is no UTF-8 text at byte 3",
        f"{path}, row 3: it has no puzzle",
    ]


def test_answers_go_into_the_columns_that_were_there(tmp_path: Path, capsys):
    table = pa.table({"puzzle": [ZEROS, ZEROS], "rating": [1.5, None], "source": ["a", None]})
    pq.write_table(table, tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    arguments = [str(tmp_path / "in.parquet"), "--checkpoint", "none", "--draw", "none"]
    assert main(["solve", *arguments, "--out", str(out)]) == 0
    capsys.readouterr()
    written = pq.read_table(out)
    assert written.to_pylist() == [
        {"puzzle": ZEROS, "rating": 1.5, "source": "a", "answer": ANSWER},
        {"puzzle": ZEROS, "rating": None, "source": None, "answer": ANSWER},
    ]
    assert written.schema.field("rating").type == pa.float64()


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (pa.table({"a": [LINE]}), "no column of text is called question"),
        (pa.table({"question": [[1, 2]]}), "no column of text is called question"),
        (pa.table({"question": [3]}), "its column 'question' must be text, not int64"),
        (pa.table({"question": [LINE], "Question": [LINE]}), "two columns of the same name"),
        (pa.table({f"c{n}": [1] for n in range(300)}), "it has 300 columns"),
        (pa.table({"question": pa.array([], pa.string())}), "holds no puzzle"),
        (pa.table({"question": [LINE], "task": ["sudoku"], "meta": ["[]"]}), "meta must be"),
        (pa.table({"question": ["x"]}), "row 1: 'x' is no puzzle"),
    ],
)
def test_what_is_no_data_set_is_one_sentence(tmp_path: Path, table: pa.Table, complaint: str):
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match=complaint):
        load_dataset(tmp_path / "a.parquet")


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch, capsys):
    pq.write_table(pa.table({"question": [LINE]}), tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["data", "convert", str(tmp_path / "a.parquet"), str(tmp_path / "b.csv")]) == USAGE
    assert "pip install 'erm-reasoner[parquet]'" in capsys.readouterr().err
    out = str(tmp_path / "new.parquet")
    assert main(["data", "maze", "--count", "1", "--size", "7x7", "--out", out]) == USAGE
    assert "pip install 'erm-reasoner[parquet]'" in capsys.readouterr().err
    assert not list(tmp_path.glob("new*"))
