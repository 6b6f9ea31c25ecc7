"""Searches over HTTP: what they find, tell step by step, and refuse."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
import tiny
from fastapi.testclient import TestClient

from erm.puzzles.sudoku.text import format_sudoku
from erm.rulebook.answers import format_answer, parse_answer
from erm.rulebook.registry import load_task
from erm.search.select import selector_names
from erm.web.app import create_app
from erm.web.jobs import Cancelled
from erm.web.settings import Settings

SUDOKU = ".2.4.3..31...4.."


def events(text: str) -> list[tuple[str, dict]]:
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


def test_solve_finds_the_answer(client):
    for puzzle in tiny.puzzles(4, seed=11, clues=(7, 8)):
        body = {"text": format_sudoku(puzzle), "width": 32, "depth": 16}
        outcome = client.post("/api/solve", json=body).json()
        assert outcome["certified"] and outcome["status"] in ("unique", "certified")
        assert (outcome["ended"] == "proved") == (outcome["status"] == "unique")
        assert outcome["answer"] == format_answer(puzzle.answer)
        assert outcome["puzzle"] == body["text"]
        assert outcome["checkpoint"] == "sudoku"
        assert outcome["link"].startswith("https://puzz.link/p?pzprv3")
        assert not outcome["violations"]


def test_contradictory_clues_are_told_before_any_search(client):
    body = {"text": "11" + "." * 14}
    outcome = client.post("/api/solve", json=body).json()
    assert (outcome["status"], outcome["by"]) == ("no solution", "rules")
    assert outcome["contradiction"] == "two 1s in row 1" and outcome["answer"] is None
    assert outcome["violations"] == [
        {"rule": "row", "cells": [0, 1], "clue": None, "words": "two 1s in row 1"}
    ]
    told = [name for name, _ in events(client.post("/api/search", json=body).text)]
    assert "frame" not in told and told[-1] == "done"


def test_several_answers_are_a_verdict_of_their_own(client):
    blank = client.post("/api/solve", json={"text": "." * 16}).json()
    assert blank["status"] == "several" and len(blank["other"]) == 16
    assert blank["other"] != blank["answer"]


def test_search_streams_a_frame_a_step(client):
    body = {"text": SUDOKU, "mode": "full", "width": 5, "depth": 3, "selector": "energy"}
    response = client.post("/api/search", json=body)
    assert response.headers["content-type"].startswith("text/event-stream")
    told = [one for one in events(response.text) if one[0] != "queued"]
    assert [name for name, _ in told] == ["frame"] * 3 + ["done"]
    task = load_task("sudoku")
    puzzle = task.parse(SUDOKU)
    for step, (_, frame) in enumerate(told[:3], 1):
        assert (frame["step"], frame["depth"], frame["size"]) == (step, step, 5)
        assert frame["evaluations"] == 5 * step
        energies = [candidate["energy"] for candidate in frame["candidates"]]
        assert energies == sorted(energies) and energies[0] == frame["energy"]
        for candidate in frame["candidates"]:
            assert candidate["energy"] == pytest.approx(sum(candidate["terms"].values()))
            answer = parse_answer(candidate["answer"], 16)
            assert candidate["valid"] == task.is_valid(puzzle, answer)
        chosen = {choice["selector"]: choice for choice in frame["choices"]}
        assert set(chosen) == {*selector_names()} - {"et"}
        assert chosen["first"]["k"] == 0
        assert chosen["energy"]["k"] == frame["candidates"][0]["k"]
        broken = task.violations(puzzle, parse_answer(chosen["energy"]["answer"], 16))
        assert [(one["rule"], tuple(one["cells"])) for one in frame["violations"]] == [
            (one.rule, one.cells) for one in broken
        ]
    outcome = told[-1][1]
    assert outcome["evaluations"] == 15 and outcome["ended"] == "budget"
    assert outcome["answer"] == chosen["energy"]["answer"]


def test_a_certificate_is_not_forgotten(client):
    for puzzle in tiny.puzzles(6, seed=21, clues=(7, 8)):
        body = {"text": format_sudoku(puzzle), "mode": "full", "width": 4, "depth": 12}
        body["selector"] = "certified"
        told = events(client.post("/api/search", json=body).text)
        frames = [frame for name, frame in told if name == "frame"]
        assert told[-1][1]["certified"] == any(frame["valid"] for frame in frames)


def test_tempering_reports_its_swaps(client):
    body = {"text": SUDOKU, "mode": "temper", "depth": 6, "seed": 3}
    body |= {"tempering": {"ladders": 2, "rungs": 4, "noise": 0.3}, "selector": "certified"}
    told = events(client.post("/api/search", json=body).text)
    frames = [frame for name, frame in told if name == "frame"]
    assert [frame["size"] for frame in frames] == [8] * 6
    outcome = told[-1][1]
    assert outcome["evaluations"] == 48 and outcome["mode"] == "temper"
    assert len(outcome["tempering"]["swap_rates"]) == 3
    assert outcome["tempering"]["visited"] >= 1
    if any(frame["valid"] for frame in frames):
        assert outcome["certified"]


@pytest.mark.parametrize("mode", ["full", "temper"])
def test_guidance_changes_the_energies_of_the_candidates(client, mode):
    body = {"text": SUDOKU, "mode": mode, "depth": 4, "width": 8}
    if mode == "temper":
        body["tempering"] = {"ladders": 2, "rungs": 4}
    runs = []
    for guidance in (0, 0.3):
        told = events(client.post("/api/search", json={**body, "guidance": guidance}).text)
        runs.append([frame for name, frame in told if name == "frame"])
    plain, guided = runs
    assert plain[0]["energies"] == guided[0]["energies"], "the first step is unguided"
    assert plain[-1]["energies"] != guided[-1]["energies"]
    for frame in (*plain, *guided):
        assert len(frame["energies"]) == frame["size"]
        assert min(frame["energies"]) == pytest.approx(frame["energy"], abs=1e-4)


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("guidance", -1, "guidance"),
        ("width", 65, "K is 65"),
        ("depth", 65, "D is 65"),
        ("width", 0, "width"),
        ("depth", -1, "depth"),
        ("selector", "oracle", "oracle"),
        ("mode", "magic", "mode"),
        ("seed", -1, "seed"),
        ("seed", 1 << 40, "seed"),
        ("checkpoint", "../../etc", "checkpoint"),
        ("tempering", {"ladders": 2}, "temper"),
        ("colour", "red", "colour"),
    ],
)
@pytest.mark.parametrize("path", ["/api/solve", "/api/search"])
def test_requests_out_of_bounds_are_refused(client, path, field, value, word):
    response = client.post(path, json={"text": SUDOKU, field: value})
    assert response.status_code == 422
    assert word in response.json()["error"]


def test_large_boards_allow_fewer_candidates(sudoku_checkpoints):
    settings = Settings(checkpoints=sudoku_checkpoints, numbers=16 * 4 * 3)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        refused = client.post("/api/solve", json={"text": SUDOKU, "width": 4})
        assert refused.status_code == 422 and "at most 3" in refused.json()["error"]
        assert client.post("/api/solve", json={"text": SUDOKU, "width": 3}).status_code == 200


def test_a_search_ends_when_its_time_is_up(sudoku_checkpoints):
    settings = Settings(checkpoints=sudoku_checkpoints, seconds=1e-9)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        body = {"text": SUDOKU, "mode": "full", "width": 4, "depth": 100}
        outcome = client.post("/api/solve", json=body).json()
        assert outcome["ended"] == "time" and outcome["status"] == "undecided"
        assert outcome["answer"] is None and outcome["evaluations"] == 0
        body |= {"mode": "temper", "tempering": {"ladders": 1, "rungs": 2}}
        outcome = client.post("/api/solve", json=body).json()
        assert outcome["ended"] == "time" and outcome["status"] == "undecided"
        assert outcome["answer"] is None and outcome["evaluations"] == 0


@pytest.mark.parametrize("path", ["/api/hint", "/api/explain"])
def test_hints_wait_in_the_same_queue_as_searches(sudoku_checkpoints, path):
    settings = Settings(checkpoints=sudoku_checkpoints, workers=1, waiting=1, per_client=1)
    app = create_app(settings)
    free, begun = threading.Event(), threading.Event()

    def occupy(job):
        begun.set()
        free.wait(60)
        raise Cancelled

    body = {"text": SUDOKU} | ({"answer": SUDOKU} if path == "/api/hint" else {})
    with TestClient(app, base_url="http://localhost", client=("10.0.0.1", 1)) as client:
        assert client.portal is not None
        jobs = app.state.service.jobs
        client.portal.call(jobs.submit, occupy, "10.0.0.1")
        assert begun.wait(60)
        refused = client.post(path, json=body)
        assert refused.status_code == 503 and "1 search open" in refused.json()["error"]
        client.portal.call(jobs.submit, occupy, "10.0.0.2")
        assert client.post(path, json=body).status_code == 503
        free.set()
        while client.post(path, json=body).status_code == 503:
            time.sleep(0.01)
        assert client.post(path, json=body).json()["steps"]


def test_a_selector_that_the_checkpoint_has_no_score_for_is_the_callers_mistake(client):
    asked = {"text": "." * 16, "selector": "et", "mode": "full", "width": 1, "depth": 1}
    answer = client.post("/api/solve", json=asked)
    assert answer.status_code == 422 and "'et'" in answer.json()["error"]
