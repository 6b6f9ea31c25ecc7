"""Who may ask, how much may be sent, and that no inside shows."""

from __future__ import annotations

import asyncio
import shutil
import threading

import httpx
import pytest
from fastapi.testclient import TestClient

from erm.errors import InputError
from erm.web import schema
from erm.web.app import create_app
from erm.web.jobs import Busy, Jobs
from erm.web.settings import Settings

SUDOKU = ".2.4.3..31...4.."


@pytest.fixture(scope="module")
def app(sudoku_checkpoints):
    return create_app(Settings(checkpoints=sudoku_checkpoints))


@pytest.fixture(scope="module")
def client(app):
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/main.js", "/api/tasks", "/nothing"])
def test_every_response_is_guarded(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example"])
def test_other_names_are_refused(client, host):
    response = client.get("/api/tasks", headers={"Host": host})
    assert response.status_code == 400 and "--allow-host" in response.json()["error"]


@pytest.mark.parametrize("host", ["localhost", "localhost:8765", "127.0.0.1:1", "[::1]:8765"])
def test_own_names_are_served(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


def test_open_servers_know_addresses_but_no_names(sudoku_checkpoints):
    settings = Settings(checkpoints=sudoku_checkpoints, any_address=True)
    client = TestClient(create_app(settings), base_url="http://192.168.1.7:8765")
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400


def test_other_pages_are_refused(client):
    body = {"text": SUDOKU}
    foreign = client.post("/api/puzzle", json=body, headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403
    assert client.post("/api/puzzle", json=body, headers={"Origin": "null"}).status_code == 403
    own = client.post("/api/puzzle", json=body, headers={"Origin": "http://localhost"})
    assert own.status_code == 200
    plain = client.post(
        "/api/puzzle", content='{"text": "x"}', headers={"Content-Type": "text/plain"}
    )
    assert plain.status_code == 422


def test_large_requests_are_refused(client):
    assert client.post("/api/puzzle", content=b"x" * (1 << 19)).status_code == 413

    def endless():
        for _ in range(600):
            yield b"x" * 1024

    assert client.post("/api/puzzle", content=endless()).status_code == 413


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b'{"text": 5}', b'{"text": NaN}', b"\xff\xfe", b"null", b'"x"'],
)
def test_garbage_is_no_server_error(client, content):
    response = client.post(
        "/api/puzzle", content=content, headers={"Content-Type": "application/json"}
    )
    assert 400 <= response.status_code < 500
    assert "\n" not in response.json()["error"]


@pytest.mark.parametrize(
    "path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/api/nothing", "/docs", "/redoc"]
)
def test_nothing_else_is_served(client, path):
    assert client.get(path).status_code == 404


def test_no_traceback_reaches_the_client(sudoku_checkpoints):
    app = create_app(Settings(checkpoints=sudoku_checkpoints))
    app.router.routes.insert(0, _broken_route())
    client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    response = client.get("/broken")
    assert response.status_code == 500
    assert response.json() == {"error": "the server failed here; its log says why"}


def _broken_route():
    from starlette.routing import Route

    def broken(_):
        raise KeyError("a secret")

    return Route("/broken", broken)


def test_a_full_queue_says_busy_and_serves_again(sudoku_checkpoints):
    app = create_app(Settings(checkpoints=sudoku_checkpoints, workers=1, waiting=1))
    jobs: Jobs = app.state.service.jobs
    release = threading.Event()

    def wait(_):
        release.wait(60)
        raise InputError("released")

    async def scenario():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            held = [jobs.submit(wait), jobs.submit(wait)]
            with pytest.raises(Busy):
                jobs.submit(wait)
            for path in ("/api/solve", "/api/search"):
                busy = await client.post(path, json={"text": SUDOKU})
                assert busy.status_code == 503 and int(busy.headers["Retry-After"]) > 0
                assert "busy" in busy.json()["error"]
            held[1].cancel()  # one that waits gives its place up before the other ends
            while len(jobs) > 1:
                await asyncio.sleep(0.01)
            queued = asyncio.create_task(client.post("/api/search", json={"text": SUDOKU}))
            while len(jobs) < 2:
                await asyncio.sleep(0.01)
            release.set()
            answer = await queued
            assert answer.text.startswith("event: queued")
            assert "event: done" in answer.text
            messages = [message async for message in held[0].messages() if message is not None]
            assert messages == [schema.Failure(error="released", status=422)]

    asyncio.run(scenario())


def test_a_failing_search_tells_no_inside():
    def fail(_):
        raise RuntimeError("a secret")

    async def scenario():
        jobs = Jobs(1, 1)
        job = jobs.submit(fail)
        messages = [message async for message in job.messages() if message is not None]
        jobs.close()
        return messages

    (failure,) = asyncio.run(scenario())
    assert "secret" not in failure.error


def test_an_origin_that_is_no_address_is_refused(client):
    answer = client.post("/api/puzzle", json={"text": "1" * 16}, headers={"origin": "http://["})
    assert answer.status_code == 403


def test_a_bad_folder_among_the_checkpoints_leaves_the_others(sudoku_checkpoints, tmp_path):
    shutil.copytree(sudoku_checkpoints / "sudoku", tmp_path / "sudoku")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "card.json").write_text("{")
    client = TestClient(create_app(Settings(checkpoints=tmp_path)), base_url="http://localhost")
    tasks = {task["name"]: task for task in client.get("/api/tasks").json()["tasks"]}
    assert [one["name"] for one in tasks["sudoku"]["checkpoints"]] == ["sudoku"]


def test_half_a_character_is_refused(client):
    body = b'{"text": "\\ud800"}'
    answer = client.post("/api/puzzle", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422 and answer.json()["error"]
