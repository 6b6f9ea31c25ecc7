"""Sudoku files as they are found: columns, headers, comments, frames and blanks of all kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from erm.errors import InputError
from erm.formats.dataset import load_dataset, save_dataset
from erm.formats.read import read_text
from erm.puzzles.sudoku.text import format_sudoku, parse_sudoku
from erm.rulebook.registry import load_task

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
ANSWER = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
ROWS = [LINE[at : at + 9] for at in range(0, 81, 9)]
BLANK_ROWS = [row.replace(".", " ") for row in ROWS]
NUMBERS = [[int(cell) for cell in row.replace(".", "0")] for row in ROWS]


def framed(rows: list[str], edge: str, between: str, apart: bool = False) -> str:
    lines = [edge]
    for number, row in enumerate(rows):
        boxes = [row[at : at + 3] for at in (0, 3, 6)]
        boxes = [f" {' '.join(box)} " for box in boxes] if apart else boxes
        lines += [f"|{'|'.join(boxes)}|"] + ([between] if number in (2, 5) else [])
    return "\n".join([*lines, edge])


PRINTED = {
    "commas": ",".join(LINE.replace(".", "0")),
    "commas and nothing between": "\n".join(",".join(row).replace(".", "") for row in ROWS),
    "commas and spaces": ", ".join(LINE.replace(".", "0")),
    "cells of a table": "\n".join("\t".join(row).replace(".", "") for row in ROWS),
    "blanks": "\n".join(BLANK_ROWS),
    "blanks cut off": "\n".join(row.rstrip() for row in BLANK_ROWS),
    "blanks between blanks": "\n".join(" ".join(row) for row in BLANK_ROWS),
    "SimpleSudoku": framed(ROWS, "*-----------*", "|---+---+---|"),
    "HoDoKu": framed(ROWS, ".-------.-------.-------.", ":-------+-------+-------:", True),
    "a frame with blanks": framed(BLANK_ROWS, "+---+---+---+", "+---+---+---+"),
    "a wide frame with blanks": framed(BLANK_ROWS, "+-------+-------+-------+", "+---+", True),
    "a list": str(NUMBERS),
    "a list in rows": f"[{','.join(f'{row},' for row in NUMBERS)}]".replace("],,", "],\n"),
    "a list of texts": str([list(row) for row in ROWS]).replace("'", '"'),
    "SadMan's tags": "#ARuud\n#DA random puzzle\n#LEasy\n#C\n" + "\n".join(ROWS),
    "dashes": "\n".join(ROWS).replace(".", "-"),
}


@pytest.mark.parametrize("how", PRINTED)
def test_a_board_is_read_however_it_is_printed(how: str, tmp_path: Path):
    assert format_sudoku(parse_sudoku(PRINTED[how])) == LINE
    path = tmp_path / "board.txt"
    path.write_text(PRINTED[how] + "\n")
    assert [format_sudoku(puzzle) for puzzle in load_dataset(path)] == [LINE]


def test_blanks_do_not_fill_up_a_board_that_has_a_sign_for_empty_cells():
    with pytest.raises(InputError, match="80 cells"):
        parse_sudoku("\n".join([*ROWS[:-1], ROWS[-1][:-1]]))
    with pytest.raises(InputError, match="80 cells"):
        parse_sudoku("\n".join([ANSWER[at : at + 9] for at in range(0, 81, 9)])[:-1])


@pytest.mark.parametrize("open_cells", [(), (0,), (80,), (0, 1, 79, 80)])
@pytest.mark.parametrize("boards", [1, 3])
def test_blanks_on_one_line_are_empty_cells(open_cells, boards: int, tmp_path: Path):
    line = "".join("." if at in open_cells else cell for at, cell in enumerate(LINE))
    path = tmp_path / "blanks.txt"
    path.write_text((line.replace(".", " ") + "\n") * boards)
    assert [format_sudoku(puzzle) for puzzle in load_dataset(path)] == [line] * boards
    with pytest.raises(InputError, match="cells; 16, 36, 81"):
        parse_sudoku(line.replace(".", " ")[1:-1])


SIXTEEN = "".join(
    "123456789ABCDEFG"[(4 * (row % 4) + row // 4 + c) % 16] for row in range(16) for c in range(16)
)


@pytest.mark.parametrize("alphabet", ["123456789ABCDEFG", "0123456789ABCDEF", "ABCDEFGHIJKLMNOP"])
def test_boards_of_sixteen_rows_in_any_alphabet(alphabet: str, tmp_path: Path):
    cells = SIXTEEN.translate(str.maketrans("123456789ABCDEFG", alphabet))
    cells = "." * 16 + cells[16:]
    path = tmp_path / "large.txt"
    path.write_text("\n".join(cells[at : at + 16] for at in range(0, 256, 16)))
    (puzzle,) = load_dataset(path)
    assert format_sudoku(puzzle) == "." * 16 + SIXTEEN[16:]


def test_sixteen_lines_of_small_boards_are_sixteen_boards(tmp_path: Path):
    path = tmp_path / "small.txt"
    path.write_text(("1" + "." * 15 + "\n") * 16)
    assert [puzzle.shape for puzzle in load_dataset(path)] == [(4, 4)] * 16


@pytest.mark.parametrize(
    ("content", "answered"),
    [
        (f"quizzes,solutions\n{LINE.replace('.', '0')},{ANSWER}\n", True),
        (f"id,puzzle,solution,clues,difficulty\n1,{LINE},{ANSWER},30,2.2\n", True),
        (f'"Puzzle";"Rating"\n"{LINE}";3\n', False),
        (f"# from somewhere\nquestion\n{LINE}\n", False),
        (f"{LINE},{ANSWER}\n", True),
        (f"{LINE} {ANSWER}\n", True),
        (f"# a comment\n\n{LINE}   # easy\n", False),
        ("Grid 01\n" + "\n".join(ROWS).replace(".", "0") + "\n", False),
        ("[Puzzle]\n" + "\n".join(ROWS) + "\n[State]\n" + "\n".join(ROWS) + "\n", False),
    ],
)
def test_files_of_other_programs(content: str, answered: bool, tmp_path: Path):
    path = tmp_path / "found"
    first, *rest = content.splitlines(keepends=True)
    again = content if first.startswith(("Grid", "[")) else rest[-1] if rest else first
    path.write_text(content + again)
    one, other = load_dataset(path)
    assert format_sudoku(one) == format_sudoku(other) == LINE
    assert (one.answer is not None) == answered


@pytest.mark.parametrize("name", ["a.csv", "a.sdk", "a.links", "a.txt"])
def test_answers_travel_with_boards(name: str, tmp_path: Path):
    sudoku = load_task("sudoku")
    puzzle = sudoku.read_answer(sudoku.parse(LINE), ANSWER)
    save_dataset([puzzle, puzzle.with_answer(None)], tmp_path / name)
    solved, unsolved = load_dataset(tmp_path / name)
    assert sudoku.format_row(solved) == (LINE, ANSWER)
    assert sudoku.format_row(unsolved) == (LINE, "")


def test_a_table_is_written_in_the_columns_it_came_in(tmp_path: Path):
    path = tmp_path / "kaggle.csv"
    path.write_text(f"id;quizzes;Difficulty\n7;{LINE};2.2\n")
    data = load_dataset(path)
    assert data.columns is not None
    solved = [load_task("sudoku").read_answer(data[0], ANSWER)]
    save_dataset(solved, path, columns=data.columns.answered)
    assert path.read_text() == f"id;quizzes;Difficulty;answer\n7;{LINE};2.2;{ANSWER}\n"


def test_a_bad_record_is_told_by_its_line_and_the_others_are_read(tmp_path: Path):
    files = {
        "a.csv": f"puzzle,solution\n{LINE},{ANSWER}\n{LINE[1:]},\nshort\n{LINE},\n",
        "a.txt": f"{LINE}\n# comment\n{LINE[1:]}\nhello\n{LINE}\n",
        "b.txt": "\n".join(ROWS) + "\n\n\n53..7....\n\nhello\n\n" + "\n".join(ROWS),
        "a.jsonl": f'{{"task": "sudoku", "puzzle": "{LINE}"}}\n{{}}\n{{]\n'
        f'{{"task": "sudoku", "puzzle": "{LINE}"}}\n',
    }
    lines = {"a.csv": (3, 4), "a.txt": (3, 4), "b.txt": (12, 14), "a.jsonl": (2, 3)}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        wrong: list[InputError] = []
        assert load_dataset(tmp_path / name, complain=wrong.append).count == 2
        for at, error in zip(lines[name], wrong, strict=True):
            assert f"{name}, line {at}: " in str(error)
        with pytest.raises(InputError, match=f"{name}, line {lines[name][0]}: "):
            load_dataset(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("https://tinyurl.com/abc", "paste the long address"),
        ("https://swaroopg92.github.io/penpa-edit/#m=solve&p=7VTLj", "this is a penpa address"),
        ("https://www.janko.at/Raetsel/Nurikabe/001.a.htm", "puzzle's own address"),
        ("[begin]\npuzzle nurikabe\nsize 2\n[problem]\n- 2\n- -\n[end]", "text of a janko.at page"),
        ("https://sudokupad.app/abc", "paste the 81 characters"),
    ],
)
def test_what_cannot_be_read_says_what_to_paste(text: str, advice: str, tmp_path: Path):
    (tmp_path / "a.txt").write_text(text)
    for read in (read_text, load_task("tapa").parse, lambda _: load_dataset(tmp_path / "a.txt")):
        with pytest.raises(InputError, match=advice):
            read(text)


@pytest.mark.parametrize(
    "lines",
    [
        [b"caf\xe9", LINE.encode(), b"1\xff", LINE.encode()],
        [b"question,answer", f"{LINE},".encode(), b"caf\xe9,", f"{LINE},{ANSWER}".encode()],
        [b'{"task": "sudoku", "puzzle": "%s"}' % text for text in (LINE.encode(), b"\xff")] * 2,
        [b"[Puzzle]", b"1\xff", b"[Puzzle]", LINE.encode(), b"[Puzzle]", LINE.encode()],
    ],
)
def test_a_line_that_is_no_text_leaves_the_others(lines: list[bytes], tmp_path: Path):
    path = tmp_path / "found"
    path.write_bytes(b"\n".join(lines))
    wrong: list[InputError] = []
    read = load_dataset(path, complain=wrong.append)
    assert [format_sudoku(puzzle) for puzzle in read] == [LINE, LINE]
    assert wrong and all("no UTF-8 text at byte" in str(one) for one in wrong)
    assert "line " in str(wrong[0])


def test_a_file_without_any_text_is_one_sentence(tmp_path: Path):
    (tmp_path / "a.csv").write_bytes(b"\x89PNG\r\n\x1a\xff\n\xff\xfe\n")
    with pytest.raises(InputError, match=r"a.csv, line 1: it is no UTF-8 text at byte 1"):
        load_dataset(tmp_path / "a.csv")


@pytest.mark.parametrize("sign", ".0_*-")
@pytest.mark.parametrize("name", ["a.csv", "a.sdm", "a.sdk", "a.txt"])
def test_answers_keep_the_sign_for_empty_cells(sign: str, name: str, tmp_path: Path, capsys):
    board = "1" + "." * 14 + "1"
    text = board.replace(".", sign)
    rows = "\n".join(text[at : at + 4] for at in range(0, 16, 4))
    layout = {"a.csv": f"quizzes\n{text}\n", "a.sdk": f"[Puzzle]\n{rows}\n"}
    path, out = tmp_path / name, tmp_path / f"out_{name}"
    path.write_text(layout.get(name, f"{text}\n{text}\n"))
    data = load_dataset(path)
    save_dataset(data, out, data.format, columns=data.columns, signs=data.signs)
    written = out.read_text()
    assert (rows if name == "a.sdk" else text) in written
    assert format_sudoku(load_dataset(out)[0]) == board
