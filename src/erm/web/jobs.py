"""A few workers, a short queue before them, and jobs that end when nobody waits for them."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from erm.errors import InputError
from erm.web import schema

log = logging.getLogger("erm.web")
FAILED = "the search failed; the server's log says why"

BACKLOG = 256
"""Frames that may wait for a slow reader; further ones are left out."""
TICK = 1.0
"""Seconds after which a reader that has heard nothing is told so."""


class Busy(Exception):
    """All workers and all places in the queue are taken."""


class Cancelled(Exception):
    """Nobody waits for this job any more."""


Message = schema.Frame | schema.Outcome | schema.Failure | None
"""What a job tells; None is a tick without news."""
Work = Callable[[Callable[[schema.Frame], None]], schema.Outcome]


class Job:
    """One search: a worker's thread tells, the event loop reads."""

    def __init__(self, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        self.started = False
        self._loop = loop
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._stop = threading.Event()
        self._future: Future[schema.Outcome] | None = None

    def frame(self, frame: schema.Frame) -> None:
        """Called by the worker after every step."""
        if self._stop.is_set():
            raise Cancelled
        if self._messages.qsize() < BACKLOG:
            self._tell(frame)

    def run(self, work: Work) -> schema.Outcome:
        """The worker's whole task."""
        if self._stop.is_set():
            raise Cancelled
        self.started = True
        return work(self.frame)

    def cancel(self) -> None:
        self._stop.set()
        if self._future is not None:
            self._future.cancel()

    async def messages(self) -> AsyncIterator[Message]:
        """All that the job tells, up to its outcome or failure, with ticks in between."""
        while True:
            try:
                message = await asyncio.wait_for(self._messages.get(), TICK)
            except TimeoutError:
                yield None
                continue
            yield message
            if isinstance(message, schema.Outcome | schema.Failure):
                return

    def start(self, future: Future[schema.Outcome]) -> None:
        self._future = future
        future.add_done_callback(self._finish)

    def _finish(self, future: Future[schema.Outcome]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._tell(future.result())
        elif isinstance(error, InputError):
            self._tell(schema.Failure(error=str(error), status=422))
        elif not isinstance(error, Cancelled):
            log.error("a search failed", exc_info=error)
            self._tell(schema.Failure(error=FAILED, status=500))

    def _tell(self, message: Message) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._messages.put_nowait, message)


class Jobs:
    """The queue; used from the event loop only."""

    def __init__(self, workers: int, waiting: int) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="search")
        self._places = workers + waiting
        self._numbers = itertools.count()
        self._open: dict[int, Job] = {}

    def submit(self, work: Work) -> Job:
        """A job that runs when a worker is free; Busy where there is no place to wait."""
        if len(self._open) >= self._places:
            raise Busy
        loop = asyncio.get_running_loop()
        job = Job(next(self._numbers), loop)
        self._open[job.number] = job
        future = self._executor.submit(job.run, work)
        job.start(future)

        def leave(_: Future[Any]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._open.pop, job.number, None)

        future.add_done_callback(leave)
        return job

    def ahead(self, job: Job) -> int:
        """How many wait before this one."""
        waiting = [one.number for one in self._open.values() if not one.started]
        return sum(number < job.number for number in waiting)

    @property
    def running(self) -> int:
        return sum(job.started for job in self._open.values())

    def close(self) -> None:
        """Every search stops after its present step."""
        for job in list(self._open.values()):
            job.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)
