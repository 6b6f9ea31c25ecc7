"""The HTTP API: read a puzzle, check an answer, search, watch a search."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar

from fastapi import APIRouter, HTTPException
from fastapi import Request as HttpRequest
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from erm import __version__
from erm.rulebook.registry import load_task, task_names
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.types import MAX_SIDE
from erm.web import schema
from erm.web.board import read_puzzle, task_json, to_json
from erm.web.checkpoints import Checkpoints
from erm.web.frames import Selectors
from erm.web.jobs import Job, Jobs, Work
from erm.web.reasons import next_hint, whole_walk
from erm.web.requests import CheckRequest, PuzzleRequest, SearchRequest
from erm.web.search import WatchedSearch, check_bounds
from erm.web.settings import Settings
from erm.web.verdict import verdict

T = TypeVar("T", schema.Outcome, schema.Hint, schema.Walk)
LOOPBACK = ("127.0.0.1", "::1", "localhost")
GONE = 499
"""Nginx's number for a client that did not wait for its answer."""
ERRORS: dict[int | str, dict[str, Any]] = {
    422: {"model": schema.Failure, "description": "Something in the request is wrong."},
}
BUSY: dict[int | str, dict[str, Any]] = {
    503: {"model": schema.Failure, "description": "All workers are busy; see Retry-After."},
}
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": (
            "Server-sent events: `queued` (Queued) while it waits, `frame` (Frame) after every "
            "step, then one `done` (Outcome) or `error` (Failure)."
        ),
        "content": {
            "text/event-stream": {
                "schema": {
                    "oneOf": [
                        {"$ref": f"#/components/schemas/{model.__name__}"}
                        for model in (schema.Queued, schema.Frame, schema.Outcome, schema.Failure)
                    ]
                }
            }
        },
    }
}


class Service:
    """What the routes share: nothing of it belongs to one user."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.checkpoints = Checkpoints(settings.checkpoints)
        self.selectors = Selectors()
        self.jobs = Jobs(settings.workers, settings.waiting, settings.per_client)

    def overview(self) -> schema.Overview:
        tasks = []
        for name in task_names():
            found = self.checkpoints.of_task(name)
            missing = None if found else self.checkpoints.missing(name)
            tasks.append(task_json(load_task(name), found, missing))
        bounds = schema.Bounds(
            width=self.settings.width,
            depth=self.settings.depth,
            seconds=self.settings.seconds,
            side=MAX_SIDE,
        )
        return schema.Overview(
            version=__version__,
            tasks=tasks,
            selectors=self.selectors.names,
            bounds=bounds,
            opening=opening(tasks),
        )

    def prepare(self, request: SearchRequest) -> WatchedSearch:
        """Everything that can be wrong with a request is found before it is queued."""
        puzzle = read_puzzle(request)
        self.selectors.check(request.selector)
        check_bounds(self.settings, Problem(load_task(puzzle.task), puzzle), request)
        name, solver = self.checkpoints.solver(puzzle.task, request.checkpoint)
        adaptive = SearchOptions() if request.mode == "adaptive" else None
        problem = solver.problem(puzzle, adaptive)
        seconds = self.settings.seconds
        return WatchedSearch(request, problem, solver, name, self.selectors, seconds)

    async def submit(self, request: SearchRequest, http: HttpRequest) -> Job:
        search = await run_in_threadpool(self.prepare, request)
        return self.jobs.submit(search.run, client_of(http))

    async def answer(self, work: Work, http: HttpRequest, kind: type[T]) -> T:
        """The result of some work, which waits in the queue of searches."""
        return await _end(self.jobs.submit(work, client_of(http)), http, kind)


def client_of(http: HttpRequest) -> str:
    """An address; on this machine itself, each connection."""
    if http.client is None:
        return ""
    host, port = http.client
    return f"{host}:{port}" if host in LOOPBACK else host


def opening(tasks: Sequence[schema.Task]) -> schema.Opening | None:
    """The first puzzle that some task recommends and that can be searched here."""
    for task in tasks:
        for example in load_task(task.name).look.gallery():
            if example.opening and task.checkpoints:
                return schema.Opening(task=task.name, text=example.text)
    return None


def routes(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api", responses=ERRORS)

    @router.get("/tasks", summary="What this server can do")
    def tasks() -> schema.Overview:
        return service.overview()

    @router.post("/puzzle", summary="Read a puzzle")
    def puzzle(request: PuzzleRequest) -> schema.Puzzle:
        """Any text of a puzzle, or edited givens, as board and canonical text."""
        return to_json(read_puzzle(request))

    @router.post("/check", summary="Check an answer")
    def check(request: CheckRequest) -> schema.Verdict:
        """Which rules an answer breaks and where; no network is involved."""
        return verdict(_problem(request), request.answer)

    @router.post("/hint", summary="The next cell, and why", responses=BUSY)
    async def hint(request: CheckRequest, http: HttpRequest) -> schema.Hint:
        """What follows next from an answer that is not finished; no network is involved."""

        def work(job: Job) -> schema.Hint:
            return next_hint(_problem(request), request.answer, job.gone)

        return await service.answer(work, http, schema.Hint)

    @router.post("/explain", summary="Every step to the answer, and why", responses=BUSY)
    async def explain(request: PuzzleRequest, http: HttpRequest) -> schema.Walk:
        """The whole chain of reasons, simplest steps first; no network is involved."""

        def work(job: Job) -> schema.Walk:
            return whole_walk(_problem(request), job.gone)

        return await service.answer(work, http, schema.Walk)

    @router.post("/solve", summary="Solve a puzzle", responses=BUSY)
    async def solve(request: SearchRequest, http: HttpRequest) -> schema.Outcome:
        """Search until a certificate, K x D or the time limit, then answer once."""
        return await _end(await service.submit(request, http), http, schema.Outcome)

    @router.post(
        "/search",
        summary="Watch a search",
        response_class=StreamingResponse,
        responses={**EVENTS, **BUSY},
    )
    async def search(request: SearchRequest, http: HttpRequest) -> StreamingResponse:
        """The same search as a stream of events; it ends when the connection does."""
        job = await service.submit(request, http)
        # Asked for at once: when the stream begins, the job may have left the queue.
        ahead = None if job.started else service.jobs.ahead(job)
        return StreamingResponse(
            _events(service, job, ahead, http),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no"},
        )

    return router


def _problem(request: PuzzleRequest) -> Problem:
    puzzle = read_puzzle(request)
    return Problem(load_task(puzzle.task), puzzle)


async def _end(job: Job, http: HttpRequest, kind: type[T]) -> T:
    """What a job comes to, for an answer that is no stream."""
    try:
        async for message in job.messages():
            if isinstance(message, kind):
                return message
            if isinstance(message, schema.Failure):
                raise HTTPException(message.status, message.error)
            if await http.is_disconnected():
                break
    finally:
        job.cancel()
    raise HTTPException(GONE, "the client did not wait for its answer")


async def _events(
    service: Service, job: Job, ahead: int | None, http: HttpRequest
) -> AsyncIterator[str]:
    try:
        if ahead is not None:
            yield _event("queued", schema.Queued(ahead=ahead))
        async for message in job.messages():
            if isinstance(message, schema.Frame):
                yield _event("frame", message)
            elif isinstance(message, schema.Outcome):
                yield _event("done", message)
            elif isinstance(message, schema.Failure):
                yield _event("error", message)
            elif not job.started and service.jobs.ahead(job) != ahead:
                ahead = service.jobs.ahead(job)
                yield _event("queued", schema.Queued(ahead=ahead))
            else:
                yield ": still here\n\n"
            if await http.is_disconnected():
                return
    finally:
        job.cancel()


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n"
