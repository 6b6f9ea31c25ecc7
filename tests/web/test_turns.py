"""Nobody waits for somebody else's long search, and nobody holds a place without asking."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
import uvicorn

from erm.web import connection, turns
from erm.web.jobs import Busy, Cancelled, Jobs
from erm.web.turns import Player, Turns


def in_a_loop_of_its_own(scenario):
    """In a thread: the browser's tests may leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(scenario())).result()


def test_a_long_search_gives_way_to_a_short_one(monkeypatch):
    monkeypatch.setattr(turns, "TURN", 0.0)
    one = Turns(1)
    long, short = Player(0, "a"), Player(1, "b")
    order: list[str] = []
    assert one.take(long)

    def play() -> None:
        assert one.take(short)
        order.append("short")
        one.give(short)

    thread = threading.Thread(target=play)
    thread.start()
    while not one._waiting:
        time.sleep(0.001)
    assert one.give_way(long)
    order.append("long")
    thread.join()
    assert order == ["short", "long"] and long.used > 0


def test_the_client_with_fewer_searches_goes_first():
    some = Turns(2)
    greedy, more, modest = Player(0, "a"), Player(1, "a"), Player(2, "b", used=5.0)
    assert some.take(greedy)
    some._waiting += [more, modest]
    assert some._is_next(modest) and not some._is_next(more)
    some._waiting.remove(modest)
    assert some._is_next(more)


def test_who_is_stopped_or_late_does_not_wait_for_a_turn():
    one = Turns(1)
    busy, gone, late = Player(0, "a"), Player(1, "b"), Player(2, "c", ends=time.monotonic())
    assert one.take(busy)
    one.stop(gone)
    assert not one.take(gone)
    assert one.take(late), "it only has to say what it has found"


def test_one_client_has_so_many_places():
    async def scenario() -> None:
        jobs = Jobs(1, 5, per_client=2)
        free = threading.Event()

        def wait(job):
            free.wait(30)
            raise Cancelled

        try:
            jobs.submit(wait, "a")
            jobs.submit(wait, "a")
            with pytest.raises(Busy, match="this client has 2 searches open"):
                jobs.submit(wait, "a")
            jobs.submit(wait, "b")
        finally:
            free.set()
            jobs.close()

    in_a_loop_of_its_own(scenario)


async def hello(scope, receive, send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def served(limit: int | None = None):
    """The port of a server that greets whoever asks."""
    config = uvicorn.Config(
        hello,
        port=0,
        http=connection.Connection,
        log_level="error",
        lifespan="off",
        limit_concurrency=limit,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await serving


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return await asyncio.wait_for(reader.read(), 30)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: loc"])
def test_who_never_finishes_asking_is_sent_away(monkeypatch, sent):
    monkeypatch.setattr(connection, "ASKING_SECONDS", 0.05)

    async def scenario() -> tuple[bytes, bytes]:
        async with served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            away = await asyncio.wait_for(reader.read(), 30)
            monkeypatch.setattr(connection, "ASKING_SECONDS", 30)
            return away, await ask(port)

    away, answer = in_a_loop_of_its_own(scenario)
    assert away == b"" and answer.startswith(b"HTTP/1.1 200")


def test_many_who_do_not_ask_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(connection, "ASKING_SECONDS", 300)
    monkeypatch.setattr(connection, "MOST_SILENT", 8)

    async def scenario() -> tuple[bytes, bytes]:
        async with served(limit=12) as port:
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
            first = await asyncio.wait_for(silent[0][0].read(), 30)
            answer = await ask(port)
            for _, writer in silent:
                writer.close()
            return first, answer

    first, answer = in_a_loop_of_its_own(scenario)
    assert first == b"" and answer.startswith(b"HTTP/1.1 200")


def test_a_worker_that_nobody_waits_for_helps():
    some = Turns(2)
    alone, other = Player(0, "a"), Player(1, "b")
    assert some.take(alone) and some.lend()
    assert not some.lend(), "the two workers are at work"
    some._waiting.append(other)
    assert some.wanted and not some._is_next(other)
    some.give_back()
    assert some._is_next(other) and not some.lend()


def test_help_ends_when_somebody_else_wants_the_worker():
    async def scenario() -> tuple[list[int], Turns]:
        jobs, done, ended = Jobs(2, 2), [], threading.Event()

        def one() -> bool:
            done.append(len(done))
            if len(done) == 3:
                jobs._turns._waiting.append(Player(9, "b"))
            return True

        def work(job):
            future = job.help(one)
            assert future is not None
            future.result(60)
            ended.set()
            raise Cancelled

        jobs.submit(work, "a")
        assert await asyncio.to_thread(ended.wait, 60)
        jobs._turns._waiting.clear()
        jobs.close()
        return done, jobs._turns

    done, after = in_a_loop_of_its_own(scenario)
    assert done == [0, 1, 2] and after._lent == 0
