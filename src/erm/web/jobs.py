"""One queue of searches before a few workers; a search ends when its reader leaves."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor

from erm.errors import InputError
from erm.progress import counted
from erm.web import schema

log = logging.getLogger("erm.web")
FAILED = "the search failed; the server's log says why"

BACKLOG = 256
"""Frames that may wait for a slow reader; further ones are left out."""
TICK = 1.0
"""Seconds after which a reader gets a tick where there is no news."""


class Busy(Exception):
    """The queue is full, or this client's part of it."""


class Cancelled(Exception):
    """The reader of this job left."""


End = schema.Outcome | schema.Hint | schema.Walk
"""The result of a job."""
Message = schema.Frame | End | schema.Failure | None
"""What a job sends; None is a tick without news."""
Work = Callable[["Job"], End]
"""Calls the job with every frame, and checks inside long steps whether it is `gone`."""


class Job:
    """One search: a worker's thread sends messages, the event loop reads them."""

    def __init__(self, jobs: Jobs, client: str) -> None:
        self.client = client
        self.started = False
        self._jobs, self._loop = jobs, asyncio.get_running_loop()
        self._stopped = threading.Event()
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._future: Future[End] | None = None

    def __call__(self, frame: schema.Frame) -> None:
        """A frame, after every step."""
        if self.gone():
            raise Cancelled
        if self._messages.qsize() < BACKLOG:
            self._send(frame)

    def gone(self) -> bool:
        """Whether the reader left."""
        return self._stopped.is_set()

    def help(self, one: Callable[[], bool]) -> Future[None] | None:
        """A free worker repeats one piece of work, until it is done or another job waits."""
        return self._jobs.help(one)

    def run(self, work: Work) -> End:
        """The whole of it, in a worker's thread."""
        if self.gone():
            raise Cancelled
        self.started = True
        return work(self)

    def cancel(self) -> None:
        self._stopped.set()
        if self._future is not None:
            self._future.cancel()

    async def messages(self) -> AsyncIterator[Message]:
        """All messages up to the result or failure, with ticks in between."""
        while True:
            try:
                message = await asyncio.wait_for(self._messages.get(), TICK)
            except TimeoutError:
                yield None
                continue
            yield message
            if isinstance(message, End | schema.Failure):
                return

    def follow(self, future: Future[End]) -> None:
        self._future = future
        future.add_done_callback(self._finish)

    def _finish(self, future: Future[End]) -> None:
        self._call(self._jobs.leave, self)
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._send(future.result())
        elif isinstance(error, InputError):
            self._send(schema.Failure(error=str(error), status=422))
        elif not isinstance(error, Cancelled):
            log.error("a search failed", exc_info=error)
            self._send(schema.Failure(error=FAILED, status=500))

    def _send(self, message: Message) -> None:
        self._call(self._messages.put_nowait, message)

    def _call(self, function: Callable[..., None], argument: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, argument)


class Jobs:
    """The queue, first come, first served; used from the event loop, `help` from any thread."""

    def __init__(self, workers: int, waiting: int, per_client: int | None = None) -> None:
        self._workers, self._places = workers, workers + waiting
        self._per_client = per_client or self._places
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="search")
        self._lock = threading.Lock()
        self._open: list[Job] = []
        self._helpers = 0

    def __len__(self) -> int:
        """Jobs that run or wait."""
        return len(self._open)

    def submit(self, work: Work, client: str = "") -> Job:
        """A job that runs when a worker is free; Busy where the queue is full."""
        if len(self._open) >= self._places:
            raise Busy("the server is busy with other searches")
        if sum(one.client == client for one in self._open) >= self._per_client:
            open_already = counted(self._per_client, "search", "searches")
            raise Busy(f"this client has {open_already} open already")
        job = Job(self, client)
        with self._lock:
            self._open.append(job)
            future = self._executor.submit(job.run, work)
        job.follow(future)
        return job

    def leave(self, job: Job) -> None:
        self._open.remove(job)

    def ahead(self, job: Job) -> int:
        """Jobs that wait before this one."""
        waiting = [one for one in self._open if not one.started or one is job]
        return waiting.index(job) if job in waiting else 0

    def help(self, one: Callable[[], bool]) -> Future[None] | None:
        """A free worker repeats one piece of work; None where there is none."""

        def work() -> None:
            try:
                while len(self._open) + self._helpers <= self._workers and one():
                    pass
            finally:
                with self._lock:
                    self._helpers -= 1

        # Under the lock, so that no job enters the executor's queue before the helper.
        with self._lock:
            if len(self._open) + self._helpers >= self._workers:
                return None
            self._helpers += 1
            return self._executor.submit(work)

    def close(self) -> None:
        """Every search stops after its present step."""
        for job in list(self._open):
            job.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)
