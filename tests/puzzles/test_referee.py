"""An outside referee: pzpr.js, as the PyPI package `ppbench` carries it, judges like we do."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import linked
import numpy as np
import pytest
from boards import PENCIL, every_state, solved_pencil, solved_sudoku

from erm.formats.read import tell
from erm.puzzles.pencil import PPBENCH
from erm.rulebook.registry import load_task
from erm.types import Puzzle

SHARED = Path(__file__).parents[3] / "shared" / "data"
GOLDEN = SHARED / "ppbench" / "golden_300_five_types.jsonl"
JANKO = SHARED / "wild" / "janko-half.jsonl.gz"
LARGEST_SIDE = 40
SMALL_SHAPES = ((3, 3), (3, 4), (2, 5), (1, 6), (7, 1), (2, 2))
ANSWERS_A_BOARD = 1500
CORRUPTIONS = 320

Board = tuple[Puzzle, np.ndarray]
"""A puzzle and answers [k, n] to be judged."""


def pzpr_verdicts(boards: Iterable[Board]) -> list[list[bool]]:
    """What pzpr.js says to every answer: one node process for all boards."""
    node = shutil.which("node")
    assert node, "the referee needs node: apt-get install nodejs, or https://nodejs.org"
    package = importlib.util.find_spec("ppbench")
    assert package and package.origin, "the referee needs: pip install --no-deps ppbench"
    pzpr = Path(package.origin).parent / "vendor" / "pzprjs" / "dist" / "js" / "pzpr.js"
    requests = "".join(
        json.dumps({"puzzle": link(puzzle), "answers": answers.tolist()}) + "\n"
        for puzzle, answers in boards
    )
    judge = [node, str(Path(__file__).with_name("referee.js")), str(pzpr)]
    run = subprocess.run(judge, input=requests, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def link(puzzle: Puzzle) -> str:
    """The puzzle as pzpr.js opens it: as we found it, else as we write it."""
    url = puzzle.meta.get("url") or linked.link(puzzle)
    return url.partition("?")[2]


def our_verdicts(boards: Iterable[Board]) -> list[list[bool]]:
    verdicts = []
    for puzzle, answers in boards:
        task = load_task(puzzle.task)
        verdicts.append(task.rules(puzzle).is_valid(task.to_states(puzzle, answers)).tolist())
    return verdicts


def assert_same_verdicts(boards: list[Board]) -> np.ndarray:
    """Both judge alike; returns the verdicts of all answers."""
    ours, theirs = our_verdicts(boards), pzpr_verdicts(boards)
    assert len(ours) == len(theirs)
    for (puzzle, answers), our, their in zip(boards, ours, theirs, strict=True):
        for answer, one, other in zip(answers, our, their, strict=True):
            broken = load_task(puzzle.task).violations(puzzle, answer) if one != other else []
            assert one == other, f"{link(puzzle)} {answer.tolist()}: pzpr {other}, we {broken}"
    return np.concatenate([np.array(verdict) for verdict in ours])


def golden() -> Iterator[Puzzle]:
    """The 75 puzzles of Pencil Puzzle Bench with their solutions, where they are at hand."""
    for line in GOLDEN.read_text().splitlines() if GOLDEN.exists() else ():
        row = json.loads(line)
        task = tell(row["puzzle_url"])
        puzzle = task.parse(row["puzzle_url"])
        answer = np.zeros(puzzle.shape, np.int8)
        if task.name == "sudoku":
            answer[:] = puzzle.givens["digits"]
        for move in decoded(row["solution_enc"])["moves_required"]:
            x, y, digit = re.fullmatch(r"mouse,left,(\d+),(\d+)(?:;key,(\d+))?", move).groups()
            answer[int(y) // 2, int(x) // 2] = int(digit or 1)
        yield puzzle.with_answer(answer).with_meta(url=row["puzzle_url"])


def decoded(solution: str) -> dict:
    key = b"ppbench"
    raw = base64.b64decode(solution)
    return json.loads(bytes(byte ^ key[i % len(key)] for i, byte in enumerate(raw)))


def janko() -> Iterator[Puzzle]:
    """Solved boards of many sizes, where they are at hand."""
    if JANKO.exists():
        with gzip.open(JANKO, "rt") as lines:
            for row in map(json.loads, lines):
                if max(row["w"], row["h"]) <= LARGEST_SIDE:
                    puzzle = load_task(row["pid"]).parse(row["url"])
                    yield puzzle.with_answer(np.array(row["solution"])).with_meta(url=row["url"])


def made(kind: str, rng: np.random.Generator) -> list[Puzzle]:
    """Solved boards that need no file."""
    if kind == "sudoku":
        return [solved_sudoku(side, rng) for side in (4, 6, 9, 16) for _ in range(4)]
    return [solved_pencil(kind, shape, rng) for shape in SMALL_SHAPES for _ in range(4)]


@pytest.fixture(scope="module")
def solved_boards() -> list[Puzzle]:
    rng = np.random.default_rng(8)
    return [*golden(), *janko(), *(puzzle for kind in PPBENCH for puzzle in made(kind, rng))]


def corrupted(puzzle: Puzzle, rng: np.random.Generator) -> np.ndarray:
    """The answer with one or two cells changed that no clue fixes."""
    task = load_task(puzzle.task)
    domain = task.domain(puzzle)
    answer = puzzle.answer.copy()
    free = np.flatnonzero(domain.sum(1) > 1)
    for cell in rng.choice(free, min(len(free), rng.integers(1, 3)), replace=False):
        states = task.to_answer(np.flatnonzero(domain[cell]))
        answer[cell] = rng.choice(states[states != answer[cell]])
    return answer


@pytest.mark.parametrize("path", [GOLDEN, JANKO], ids=["golden", "janko"])
def test_boards_of_the_field_take_part(solved_boards, path):
    if not path.exists():
        pytest.skip(f"{path.name} is not here, and its boards are not held against pzpr.js")
    assert sum("url" in puzzle.meta for puzzle in solved_boards) >= 75


def test_solved_boards_are_valid(solved_boards):
    boards = [(puzzle, puzzle.answer[None]) for puzzle in solved_boards]
    assert {puzzle.task for puzzle in solved_boards} == set(PPBENCH)
    assert assert_same_verdicts(boards).all()


@pytest.mark.parametrize("kind", PPBENCH)
def test_corrupted_boards(solved_boards, kind):
    rng = np.random.default_rng(1)
    puzzles = [p for p in solved_boards if p.task == kind and max(p.shape) <= 16]
    puzzles = [puzzles[i] for i in rng.permutation(len(puzzles))[:40]]
    each = -(-CORRUPTIONS // len(puzzles))
    boards = [(p, np.stack([corrupted(p, rng) for _ in range(each)])) for p in puzzles]
    verdicts = assert_same_verdicts(boards)
    assert len(verdicts) >= CORRUPTIONS
    assert not verdicts.all()


@pytest.mark.parametrize("kind", PENCIL)
def test_every_answer_of_small_boards(kind):
    """Thin boards, dangling borders, "?" clues and boards with many answers."""
    rng = np.random.default_rng(2)
    boards = []
    for puzzle in made(kind, rng):
        allowed = load_task(kind).domain(puzzle)[:, 1]
        states = every_state(puzzle.cells)
        states = states[(states <= allowed).all(1)]
        tried = rng.permutation(len(states))[:ANSWERS_A_BOARD]
        boards.append((puzzle, np.concatenate([puzzle.answer[None], states[tried]])))
    verdicts = assert_same_verdicts(boards)
    assert verdicts.any() and not verdicts.all()
