"""Packed and plain text, records, tables, links and options."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

from hostile.cases import MEGABYTE, SUDOKU, case, convert, write


def _gz(path: Path, block: bytes, megabytes: int, head: bytes = b"") -> Path:
    block = block * (MEGABYTE // len(block))
    with gzip.open(path, "wb", 9) as file:
        file.write(head)
        for _ in range(megabytes):
            file.write(block)
    return path


@case
def gz_of_one_puzzle_again_and_again(folder: Path) -> list[str]:
    return convert(_gz(folder / "r.txt.gz", SUDOKU.encode() + b"\n", 20))


@case
def gz_of_half_a_million_valid_sudokus(folder: Path) -> list[str]:
    """40 of them, again and again in any order: 2 MB that would take 14 seconds."""
    draw = random.Random(1)
    digits = "123456789"
    change = [str.maketrans(digits, "".join(draw.sample(digits, 9))) for _ in range(40)]
    boards = [f"{SUDOKU.translate(one)}\n".encode() for one in change]
    with gzip.open(folder / "m.txt.gz", "wb", 6) as file:
        for _ in range(612):
            file.write(b"".join(draw.choices(boards, k=1000)))
    return convert(folder / "m.txt.gz")


@case
def gz_of_rows_most_of_which_cannot_be_read(folder: Path) -> list[str]:
    """Now and then one can, so that the others are told."""
    with gzip.open(folder / "w.txt.gz", "wb", 1) as file:
        for _ in range(100):
            file.write(f"{SUDOKU}\n".encode() + b"x\n" * 9_000)
    return ["solve", str(folder / "w.txt.gz")]


@case
def gz_of_one_record_again_and_again(folder: Path) -> list[str]:
    record = json.dumps({"task": "sudoku", "puzzle": SUDOKU}).encode() + b"\n"
    return convert(_gz(folder / "r.jsonl.gz", record, 20))


@case
def gz_of_one_line(folder: Path) -> list[str]:
    return convert(_gz(folder / "l.txt.gz", b"1", 20))


@case
def gz_of_long_empty_rows(folder: Path) -> list[str]:
    return convert(_gz(folder / "l.csv.gz", b" " * 4000 + b"\n", 20, b"question\n"))


@case
def gz_that_is_cut(folder: Path) -> list[str]:
    path = _gz(folder / "t.txt.gz", SUDOKU.encode() + b"\n", 1)
    path.write_bytes(path.read_bytes()[:-40])
    return convert(path)


@case
def csv_with_odd_columns(folder: Path) -> list[str]:
    return convert(write(folder / "a.csv", "a,question,b\nx,y,z\n"))


@case
def csv_whose_header_only_looks_like_one(folder: Path) -> list[str]:
    return convert(write(folder / "a.csv", 'a,"x,question,y",b\n1,2,3\n'))


@case
def csv_with_two_questions(folder: Path) -> list[str]:
    return convert(write(folder / "a.csv", f"question,question\n{SUDOKU},{SUDOKU}\n"))


@case
def csv_with_an_open_quote(folder: Path) -> list[str]:
    rest = "1\n" * 200_000
    return convert(write(folder / "a.csv", f'question,answer\n"{SUDOKU}\n{rest}'))


@case
def records_with_lone_surrogates(folder: Path) -> list[str]:
    line = '{"task": "sudoku\\ud800", "puzzle": "\\udfff"}\n'
    return convert(write(folder / "a.jsonl", line))


@case
def records_with_lone_surrogates_in_meta(folder: Path) -> list[str]:
    line = f'{{"task": "sudoku", "puzzle": "{SUDOKU}", "meta": {{"source": "\\ud800"}}}}\n'
    return convert(write(folder / "a.jsonl", line))


@case
def records_with_huge_numbers(folder: Path) -> list[str]:
    line = f'{{"task": "sudoku", "puzzle": "{SUDOKU}", "meta": {{"guesses": {"9" * 1_000_000}}}}}\n'
    return convert(write(folder / "a.jsonl", line))


@case
def records_with_numbers_beyond_floats(folder: Path) -> list[str]:
    line = f'{{"task": "sudoku", "puzzle": "{SUDOKU}", "meta": {{"guesses": 1e400}}}}\n'
    return convert(write(folder / "a.jsonl", line))


@case
def records_nested_without_end(folder: Path) -> list[str]:
    return convert(write(folder / "a.jsonl", '{"a":' * 500_000 + "1" + "}" * 500_000 + "\n"))


@case
def a_puzzle_of_lone_surrogates(folder: Path) -> list[str]:
    return ["solve", "\udc80\ud800", "--checkpoint", "none"]


@case
def an_address_of_lone_surrogates(folder: Path) -> list[str]:
    return ["solve", "https://puzz.link/p?nurikabe/\udc80/5/\ud800", "--checkpoint", "none"]


@case
def a_size_of_five_thousand_digits(folder: Path) -> list[str]:
    size = "9" * 5000 + "x9"
    return ["data", "maze", "--count", "1", "--size", size, "--out", str(folder / "m.jsonl")]


@case
def an_address_of_a_huge_board(folder: Path) -> list[str]:
    return ["solve", f"https://puzz.link/p?nurikabe/{'9' * 5000}/5/", "--checkpoint", "none"]


@case
def gz_of_rows_that_cannot_be_read(folder: Path) -> list[str]:
    """Told apart from a file with some bad rows before all of it is unpacked."""
    path = _gz(folder / "e.csv.gz", b",,,\n", 20, b"source,question,answer,rating\n")
    return ["solve", str(path), "--checkpoint", "none"]
