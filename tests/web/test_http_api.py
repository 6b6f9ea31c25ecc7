"""The HTTP API: what it reads, what it says, what it refuses."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path

import pytest
import tiny
from fastapi.testclient import TestClient

import erm
from erm.puzzles.sudoku.text import format_sudoku
from erm.rulebook.answers import format_answer, parse_answer
from erm.rulebook.registry import load_task
from erm.search.select import selector_names
from erm.web.app import create_app
from erm.web.jobs import Cancelled
from erm.web.settings import Settings

ROOT = Path(__file__).parents[2]
SUDOKU = ".2.4.3..31...4.."
ANSWER = "1234432131422413"
KINDS = ["sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa"]


@pytest.fixture(scope="module")
def app(sudoku_checkpoints):
    return create_app(Settings(checkpoints=sudoku_checkpoints, width=64, depth=64))


@pytest.fixture(scope="module")
def client(app):
    erm.solve("sudoku", "." * 16, unique=True)  # Compiled before any time limit runs.
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def events(text: str) -> list[tuple[str, dict]]:
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


def test_overview_names_what_is_missing(client):
    overview = client.get("/api/tasks").json()
    tasks = {task["name"]: task for task in overview["tasks"]}
    assert set(KINDS) <= set(tasks)
    assert tasks["sudoku"]["missing"] is None
    assert tasks["sudoku"]["checkpoints"][0]["parameters"] > 0
    assert "erm train cpu/tapa" in tasks["tapa"]["missing"]
    assert overview["selectors"] == selector_names()
    assert overview["bounds"] == {"width": 64, "depth": 64, "seconds": 60.0, "side": 64}


@pytest.mark.parametrize("kind", KINDS)
def test_puzzles_go_round_as_text_and_as_givens(client, gallery, kind):
    for example in gallery[kind]:
        read = client.post("/api/puzzle", json={"text": example["text"]}).json()
        assert read["task"] == kind
        assert read["text"] == example["text"]
        again = client.post("/api/puzzle", json={"task": kind, "givens": read["givens"]}).json()
        assert again == read


@pytest.mark.parametrize(
    "body",
    [
        {"text": "12345"},
        {"text": "hello"},
        {"text": "  "},
        {"text": "https://puzz.link/p?chess/8/8/zz"},
        {"text": "https://puzz.link/p?nurikabe/9999/9999/zz"},
        {"text": "#####\n#S #\n#####"},
        {"task": "chess", "text": SUDOKU},
        {"task": "sudoku"},
        {"task": "sudoku", "text": SUDOKU, "givens": {}},
        {"givens": {"digits": [[0]]}},
        {"text": SUDOKU, "colour": "red"},
        {"task": "sudoku", "givens": {"digits": [[0] * 4] * 3}},
        {"task": "sudoku", "givens": {"digits": [[0, 1, 2, 99]] * 4}},
        {"task": "sudoku", "givens": {"digits": [[0, 1, 2, "x"]] * 4}},
        {"task": "sudoku", "givens": {"digits": [[0.5] * 4] * 4}},
        {"task": "sudoku", "givens": {"digits": "0" * 16}},
        {"task": "sudoku", "givens": {"digits": [[10**30] * 4] * 4}},
        {"task": "nurikabe", "givens": {"clues": [[0] * 65] * 3}},
        {"task": "nurikabe", "givens": {"clues": []}},
        {"task": "tapa", "givens": {"clues": [[[8, 8, -1, -1]]]}},
        {"task": "tapa", "givens": {"clues": [[[1, 1]]]}},
        {"task": "maze", "givens": {"cells": [[2, 2, 2]]}},
        {"task": "heyawake", "givens": {"clues": [[-1, -1]], "right": [[0, 0]], "down": []}},
    ],
)
def test_wrong_puzzles_are_told_in_a_sentence(client, body):
    response = client.post("/api/puzzle", json=body)
    assert response.status_code == 422
    (error,) = response.json().values()
    assert error and "\n" not in error and "Traceback" not in error and len(error) < 400


def test_check_tells_violations_of_full_and_partial_answers(client):
    def check(answer):
        return client.post("/api/check", json={"text": SUDOKU, "answer": answer}).json()

    right = check(ANSWER)
    assert right["certified"]
    wrong = "2134" + ANSWER[4:]
    swapped = check(wrong)
    assert swapped["complete"] and not swapped["certified"]
    assert swapped["energy"] > right["energy"]
    assert [one["rule"] for one in swapped["violations"]] == ["clue", "column", "column"]
    for column, one in enumerate(swapped["violations"][1:]):
        equal = [cell for cell in range(column, 16, 4) if wrong[cell] == wrong[column]]
        assert one["cells"] == equal and len(equal) == 2
        assert one["words"] == f"two {wrong[column]}s in column {column + 1}"
    blank = check("." * 16)
    assert not blank["complete"] and not blank["violations"] and blank["energy"] is None
    # A second 2 in the first row and box; no cell of theirs can make it good.
    twice = check("2" + "." * 15)
    assert {(one["rule"], *one["cells"]) for one in twice["violations"]} == {
        ("row", 0, 1),
        ("box", 0, 1),
    }


def test_hints_lead_to_the_answer_and_tell_mistakes(client):
    def hint(answer):
        return client.post("/api/hint", json={"text": SUDOKU, "answer": answer}).json()

    answer = SUDOKU
    while "." in answer:
        told = hint(answer)
        *earlier, last = told["steps"]
        assert not told["mistaken"] and all(step["settled"] is None for step in earlier)
        assert answer[last["cell"]] == "." and last["settled"] == ANSWER[last["cell"]]
        assert told["words"] == last["words"]
        answer = answer[: last["cell"]] + last["settled"] + answer[last["cell"] + 1 :]
    assert hint(answer) == {"steps": [], "mistaken": False, "words": "every cell is filled in"}
    wrong = hint("3" + SUDOKU[1:])
    assert wrong["mistaken"] and wrong["steps"][-1]["cell"] == 0
    assert wrong["words"].startswith("r1c1 is filled in wrongly: r1c1 is ")
    assert client.post("/api/hint", json={"text": SUDOKU, "answer": "1"}).status_code == 422


def test_a_walk_fills_in_the_whole_answer(client):
    walk = client.post("/api/explain", json={"text": SUDOKU}).json()
    filled = [step for step in walk["steps"] if step["settled"]]
    answer = list(SUDOKU)
    for step in filled:
        answer[step["cell"]] = step["settled"]
    assert walk["solved"] and "".join(answer) == ANSWER and len(filled) == SUDOKU.count(".")
    assert walk["grade"] == 1 and walk["asks_for"] == "one rule at a time"


def test_a_certificate_counts_what_was_checked(client):
    (puzzle,) = tiny.puzzles(1, seed=7)
    answer = format_answer(puzzle.answer)
    verdict = client.post(
        "/api/check", json={"text": format_sudoku(puzzle), "answer": answer}
    ).json()
    assert verdict["certified"] and not verdict["violations"]
    assert verdict["certificate"] == [
        {"rule": "clue", "places": 16, "broken": 0},
        *({"rule": rule, "places": 4, "broken": 0} for rule in ("row", "column", "box")),
    ]


def test_unmarked_cells_are_read_both_ways(client):
    # A lone 1 beside three white cells: one bulb lights all of them.
    givens = {"clues": [[-2, -2, 1]]}
    body = {"task": "lightup", "givens": givens}
    open_board = client.post("/api/check", json={**body, "answer": "..."}).json()
    assert not open_board["violations"] and not open_board["certified"]
    assert {one["rule"] for one in open_board["unfinished"]} == {
        "number of bulbs beside a clue",
        "unlit cells",
    }
    assert client.post("/api/check", json={**body, "answer": ".1."}).json()["certified"]
    crossed = client.post("/api/check", json={**body, "answer": ".0."}).json()
    assert {one["rule"] for one in crossed["violations"]} == {"number of bulbs beside a clue"}
    hopeless = {"task": "lightup", "givens": {"clues": [[-2, 3, -2]]}, "answer": "..."}
    assert client.post("/api/check", json=hopeless).json()["violations"]


@pytest.mark.parametrize("answer", ["", "1", "1" * 17, "5" * 16, "x" * 16, "." * 5000])
def test_wrong_answers_are_told_in_a_sentence(client, answer):
    response = client.post("/api/check", json={"text": SUDOKU, "answer": answer})
    assert response.status_code == 422
    assert "\n" not in response.json()["error"]


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


def test_a_candidate_tells_what_it_heard_and_then_believed(client):
    asked = {"text": SUDOKU, "seed": 3, "k": 2, "depth": 5}
    told = client.post("/api/narrate", json=asked).json()
    assert (told["k"], told["checkpoint"], len(told["moments"])) == (2, "sudoku", 5)
    before = None
    for step, moment in enumerate(told["moments"], 1):
        assert moment["step"] == step
        assert before is None or moment["believed"] == before
        before = moment["believes"]
        turned = [
            cell for cell in range(16) if moment["believed"][cell] != moment["believes"][cell]
        ]
        assert [one["cell"] for one in moment["turned"]] == turned
    # The steps are those of the candidate that a search of the same seed has.
    search = {"text": SUDOKU, "seed": 3, "width": 3, "depth": 5, "mode": "full"}
    frames = [data for name, data in events(client.post("/api/search", json=search).text)][:-1]
    answers = {one["k"]: one["answer"] for one in frames[-1]["candidates"]}
    assert answers.get(2, before) == before
    by_rules = client.post("/api/narrate", json={**asked, "checkpoint": "none"}).json()
    assert by_rules["moments"] == [] and not by_rules["hears"]
    refused = client.post("/api/narrate", json={**asked, "k": 64})
    assert refused.status_code == 422 and "K is 65" in refused.json()["error"]


def test_contradictory_clues_are_told_before_any_search(client):
    body = {"text": "11" + "." * 14}
    outcome = client.post("/api/solve", json=body).json()
    assert (outcome["status"], outcome["by"]) == ("no solution", "rules alone")
    assert outcome["contradiction"] == "two 1s in row 1" and outcome["answer"] is None
    assert outcome["violations"] == [
        {"rule": "row", "cells": [0, 1], "clue": None, "words": "two 1s in row 1"}
    ]
    told = [name for name, _ in events(client.post("/api/search", json=body).text)]
    assert "frame" not in told and told[-1] == "done"


def test_uniqueness_is_proved_or_refuted_on_demand(client):
    blank = client.post("/api/solve", json={"text": "." * 16, "unique": True}).json()
    assert blank["status"] == "certified" and len(blank["other"]) == 16
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
        told = events(client.post("/api/search", json=body).text)
        frames = [frame for name, frame in told if name == "frame"]
        assert told[-1][1]["certified"] == any(frame["valid"] for frame in frames)


def test_tempering_reports_its_swaps(client):
    body = {"text": SUDOKU, "mode": "temper", "depth": 6, "seed": 3}
    body["tempering"] = {"ladders": 2, "rungs": 4, "noise": 0.3}
    told = events(client.post("/api/search", json=body).text)
    frames = [frame for name, frame in told if name == "frame"]
    assert [frame["size"] for frame in frames] == [8] * 6
    outcome = told[-1][1]
    assert outcome["evaluations"] == 48 and outcome["mode"] == "temper"
    assert len(outcome["tempering"]["swap_rates"]) == 3
    assert outcome["tempering"]["visited"] >= 1
    if any(frame["valid"] for frame in frames):
        assert outcome["certified"]


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
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
        asked = {"text": SUDOKU, "depth": 50}
        assert len(client.post("/api/narrate", json=asked).json()["moments"]) == 1


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
        assert refused.status_code == 503 and "1 searches open" in refused.json()["error"]
        client.portal.call(jobs.submit, occupy, "10.0.0.2")
        assert client.post(path, json=body).status_code == 503
        free.set()
        while client.post(path, json=body).status_code == 503:
            time.sleep(0.01)
        assert client.post(path, json=body).json()["steps"]


def test_openapi_documents_every_path_and_event(client):
    document = client.get("/openapi.json").json()
    assert set(document["paths"]) == {
        f"/api/{name}"
        for name in ("tasks", "puzzle", "check", "hint", "explain", "narrate", "solve", "search")
    }
    assert {"Frame", "Queued", "Outcome", "Failure"} <= set(document["components"]["schemas"])
    for reference in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)):
        assert reference in document["components"]["schemas"]


def test_the_documented_requests_work(client):
    page = (ROOT / "docs" / "http-api.md").read_text()
    commands = re.findall(r"curl -s\w* http://\S+?(/api/\w+)(?:.*?\\\n  -d '(.*?)')?\n", page)
    assert len(commands) == 8
    for path, body in commands:
        response = client.post(path, json=json.loads(body)) if body else client.get(path)
        assert response.status_code == 200, response.text


def test_a_selector_that_the_checkpoint_has_no_score_for_is_the_callers_mistake(client):
    asked = {"text": "." * 16, "selector": "et", "width": 1, "depth": 1}
    answer = client.post("/api/solve", json=asked)
    assert answer.status_code == 422 and "'et'" in answer.json()["error"]


def test_givens_keep_their_shape(client):
    asked = {"task": "sudoku", "givens": {"digits": [[0] * 8, [0] * 8]}}
    answer = client.post("/api/puzzle", json=asked)
    assert answer.status_code == 422 and "2x8" in answer.json()["error"]
