"""`erm serve` as a process: many users at a time, users who leave, a port that is taken."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import tiny
from server_process import serving

from erm.puzzles.sudoku.text import format_sudoku
from erm.rulebook.answers import format_answer

CLIENTS = 20


def watch(address: str, puzzle) -> tuple[str, list[dict], dict]:
    """One client: the whole stream of one search."""
    text = format_sudoku(puzzle)
    body = {"text": text, "width": 128, "depth": 16}
    frames, done = [], {}
    with httpx.stream("POST", f"{address}/api/search", json=body, timeout=120) as response:
        assert response.status_code == 200
        event = ""
        for line in response.iter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data = json.loads(line.removeprefix("data: "))
                if event == "frame":
                    frames.append(data)
                elif event != "queued":
                    done = data
    return text, frames, done


def test_twenty_clients_each_get_their_own_answer(server):
    puzzles = tiny.puzzles(CLIENTS, seed=3, clues=(7, 8))
    assert len({format_sudoku(puzzle) for puzzle in puzzles}) == CLIENTS
    with ThreadPoolExecutor(CLIENTS) as clients:
        watched = list(clients.map(lambda puzzle: watch(server, puzzle), puzzles))
    for puzzle, (text, frames, done) in zip(puzzles, watched, strict=True):
        assert done["puzzle"] == text
        assert done["certified"] and done["answer"] == format_answer(puzzle.answer)
        assert [frame["step"] for frame in frames] == list(range(1, len(frames) + 1))
        clues = [(cell, digit) for cell, digit in enumerate(text) if digit != "."]
        for frame in frames:
            for candidate in frame["candidates"]:
                assert all(candidate["answer"][cell] == digit for cell, digit in clues)


def test_a_search_ends_when_its_reader_leaves(sudoku_checkpoints):
    text = format_sudoku(tiny.puzzles(1, seed=4, clues=(7, 7))[0])
    endless = {"text": text, "mode": "full", "width": 256, "depth": 65536}
    options = ["--workers", "1", "--waiting", "1", "--seconds", "6000", "--depth", "65536"]
    with serving(sudoku_checkpoints, *options) as address:
        with httpx.stream("POST", f"{address}/api/search", json=endless, timeout=60) as response:
            assert any(line == "event: frame" for line in response.iter_lines())
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{address}/api/solve", json=endless, timeout=2)
        # The one worker would be taken for hours, were it not for those who left.
        body = {"text": text, "width": 16, "depth": 16}
        answer = httpx.post(f"{address}/api/solve", json=body, timeout=120)
        assert answer.status_code == 200 and answer.json()["certified"]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "erm", "serve", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_taken_port_is_told_in_a_sentence(sudoku_checkpoints):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("--port", port, "--checkpoints", str(sudoku_checkpoints))
    assert done.returncode == 2
    assert "choose another --port" in done.stderr and "Traceback" not in done.stderr


def test_a_folder_that_is_none_is_told_in_a_sentence(tmp_path):
    done = run("--checkpoints", str(tmp_path / "nothing"))
    assert done.returncode == 2
    assert "takes a folder of checkpoints" in done.stderr
