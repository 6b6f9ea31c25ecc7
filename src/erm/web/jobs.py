"""A few workers, a short queue before them, and jobs that end when nobody waits for them."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from erm.errors import InputError
from erm.progress import counted
from erm.web import schema
from erm.web.turns import Player, Turns

log = logging.getLogger("erm.web")
FAILED = "the search failed; the server's log says why"

BACKLOG = 256
"""Frames that may wait for a slow reader; further ones are left out."""
TICK = 1.0
"""Seconds after which a reader that has heard nothing is told so."""


class Busy(Exception):
    """There is no place in the queue, for anybody or for this client."""


class Cancelled(Exception):
    """Nobody waits for this job any more."""


End = schema.Outcome | schema.Hint | schema.Walk
"""What a job comes to."""
Message = schema.Frame | End | schema.Failure | None
"""What a job tells; None is a tick without news."""
Work = Callable[["Job"], End]
"""Calls the job with every frame, and asks inside long steps whether it is `gone`."""


class Job:
    """One search: a worker's thread tells, the event loop reads."""

    def __init__(
        self, player: Player, turns: Turns, helpers: Executor, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.player, self.turns, self._helpers = player, turns, helpers
        self.number = player.number
        self.started = False
        self._loop = loop
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._future: Future[End] | None = None

    def __call__(self, frame: schema.Frame) -> None:
        """A frame, after every step."""
        if self.gone():
            raise Cancelled
        if self._messages.qsize() < BACKLOG:
            self._tell(frame)

    def gone(self) -> bool:
        """Whether nobody waits any more; gives way to others where its turn is over."""
        return not self.turns.give_way(self.player)

    def help(self, one: Callable[[], bool]) -> Future[None] | None:
        """A worker that nobody waits for does one piece after the other, until somebody does."""
        if not self.turns.lend():
            return None

        def work() -> None:
            try:
                while not self.turns.wanted and one():
                    pass
            finally:
                self.turns.give_back()

        return self._helpers.submit(work)

    def run(self, work: Work) -> End:
        """The whole of it, in a thread of its own."""
        if not self.turns.take(self.player):
            raise Cancelled
        self.started = True
        try:
            return work(self)
        finally:
            self.turns.give(self.player)

    def cancel(self) -> None:
        self.turns.stop(self.player)
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
            if isinstance(message, End | schema.Failure):
                return

    def start(self, future: Future[End]) -> None:
        self._future = future
        future.add_done_callback(self._finish)

    def _finish(self, future: Future[End]) -> None:
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

    def __init__(self, workers: int, waiting: int, per_client: int | None = None) -> None:
        self._places = workers + waiting
        self._per_client = per_client or self._places
        self._executor = ThreadPoolExecutor(self._places, thread_name_prefix="search")
        # Apart from those who wait, so that help that is promised comes at once.
        self._helpers = ThreadPoolExecutor(workers, thread_name_prefix="help")
        self._turns = Turns(workers)
        self._numbers = itertools.count()
        self._open: dict[int, Job] = {}

    def submit(self, work: Work, client: str = "", seconds: float | None = None) -> Job:
        """A job that runs, by turns, when a worker is free; Busy where there is no place to wait.

        `seconds` is the time that the work takes at most.
        """
        if len(self._open) >= self._places:
            raise Busy("the server is busy with other searches")
        if sum(one.player.client == client for one in self._open.values()) >= self._per_client:
            open_already = counted(self._per_client, "search", "searches")
            raise Busy(f"this client has {open_already} open already")
        loop = asyncio.get_running_loop()
        player = Player(next(self._numbers), client, seconds)
        job = Job(player, self._turns, self._helpers, loop)
        self._open[job.number] = job
        future = self._executor.submit(job.run, work)

        def leave(_: Future[Any]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._open.pop, job.number, None)

        # Before its outcome is told: whoever has heard it may ask again at once.
        future.add_done_callback(leave)
        job.start(future)
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
        self._helpers.shutdown(wait=False)
