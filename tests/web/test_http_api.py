"""The HTTP API: what it reads, what it says, what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import tiny
from on_the_page import KINDS

from erm.puzzles.sudoku.text import format_sudoku
from erm.rulebook.answers import format_answer
from erm.search.select import selector_names

ROOT = Path(__file__).parents[2]
SUDOKU = ".2.4.3..31...4.."
ANSWER = "1234432131422413"


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


def test_openapi_documents_every_path_and_event(client):
    document = client.get("/openapi.json").json()
    assert set(document["paths"]) == {
        f"/api/{name}"
        for name in ("tasks", "puzzle", "check", "hint", "explain", "solve", "search")
    }
    assert {"Frame", "Queued", "Outcome", "Failure"} <= set(document["components"]["schemas"])
    for reference in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)):
        assert reference in document["components"]["schemas"]


def test_the_documented_requests_work(client):
    page = (ROOT / "docs" / "http-api.md").read_text()
    commands = re.findall(r"curl -s\w* http://\S+?(/api/\w+)(?:.*?\\\n  -d '(.*?)')?\n", page)
    assert len(commands) == 7
    for path, body in commands:
        response = client.post(path, json=json.loads(body)) if body else client.get(path)
        assert response.status_code == 200, response.text


def test_givens_keep_their_shape(client):
    asked = {"task": "sudoku", "givens": {"digits": [[0] * 8, [0] * 8]}}
    answer = client.post("/api/puzzle", json=asked)
    assert answer.status_code == 422 and "2x8" in answer.json()["error"]
