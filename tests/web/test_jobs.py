"""The queue of searches: its places, and free workers that help."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from erm.web.jobs import Busy, Cancelled, Jobs


def in_a_loop_of_its_own(scenario):
    """In a thread: the browser's tests may leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(scenario())).result()


def test_one_client_has_so_many_places():
    async def scenario() -> None:
        jobs = Jobs(1, 5, per_client=2)
        free = threading.Event()

        def wait(job):
            free.wait(30)
            raise Cancelled

        try:
            jobs.submit(wait, "a")
            second = jobs.submit(wait, "a")
            with pytest.raises(Busy, match="this client has 2 searches open"):
                jobs.submit(wait, "a")
            third = jobs.submit(wait, "b")
            assert jobs.ahead(third) == jobs.ahead(second) + 1
        finally:
            free.set()
            jobs.close()

    in_a_loop_of_its_own(scenario)


def test_a_free_worker_helps_until_another_job_waits():
    async def scenario() -> tuple[int, bool]:
        jobs, loop = Jobs(2, 2), asyncio.get_running_loop()
        pieces, ended, waited = 0, threading.Event(), threading.Event()

        def other(job):
            waited.set()
            raise Cancelled

        def one() -> bool:
            nonlocal pieces
            pieces += 1
            if pieces == 3:
                asyncio.run_coroutine_threadsafe(enter(), loop).result(30)
            return True

        async def enter() -> None:
            jobs.submit(other, "b")

        def work(job):
            future = job.help(one)
            assert future is not None and job.help(one) is None, "both workers are at work"
            future.result(60)
            assert waited.wait(30), "the other job has the worker"
            ended.set()
            raise Cancelled

        jobs.submit(work, "a")
        done = await asyncio.to_thread(ended.wait, 60)
        jobs.close()
        return pieces, done

    assert in_a_loop_of_its_own(scenario) == (3, True)
