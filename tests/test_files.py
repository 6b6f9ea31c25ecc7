import os

import pytest

from erm.files import atomic, atomic_folder, write_json


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"a": 1})
    before = path.read_bytes()
    with pytest.raises(RuntimeError), atomic(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_leftovers_of_killed_writers_go_and_those_of_living_ones_stay(tmp_path):
    path = tmp_path / "a.json"
    (tmp_path / ".a.json.1.part").write_text("process 1 of another container")
    (tmp_path / ".b.json.1.part").write_text("of another file")
    with atomic(path) as first:
        first.write_text("first")
        with atomic(path) as second:
            assert first != second
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert sorted(os.listdir(tmp_path)) == [".b.json.1.part", "a.json"]


def test_new_files_have_the_rights_that_the_user_gives(tmp_path):
    before = os.umask(0o027)
    try:
        write_json(tmp_path / "a.json", 1)
    finally:
        os.umask(before)
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o640


def test_a_folder_takes_the_place_of_an_older_one_and_of_what_the_dead_left(tmp_path):
    folder = tmp_path / "checkpoint"
    for text in ("one", "two"):
        for left in (".checkpoint.1.old", ".checkpoint.1.part"):
            (tmp_path / left).mkdir()
        with atomic_folder(folder) as temporary:
            (temporary / "file").write_text(text)
        assert (folder / "file").read_text() == text
        assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]
    with pytest.raises(ZeroDivisionError), atomic_folder(folder) as temporary:
        (temporary / "file").write_text("three")
        raise ZeroDivisionError
    assert (folder / "file").read_text() == "two" and len(list(tmp_path.iterdir())) == 1


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    with atomic_folder(tmp_path / "a") as mine, atomic_folder(tmp_path / "a") as other:
        assert mine.is_dir() and other.is_dir() and mine != other
