"""The application: the page, the API, and one sentence for every error."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import torch
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import Request

from erm import __version__
from erm.errors import InputError
from erm.rulebook.registry import load_task, task_names
from erm.web import schema
from erm.web.api import Service, routes
from erm.web.guard import Guard
from erm.web.jobs import Busy
from erm.web.settings import Settings

STATIC = Path(__file__).parent / "static"
RETRY_SECONDS = 5


def create_app(settings: Settings | None = None) -> FastAPI:
    """The page and its API; one process serves many users and keeps nothing of them."""
    settings = settings or Settings()
    # Searches run side by side; a free worker helps (`Job.help`).
    torch.set_num_threads(1)
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        service.jobs.close()

    app = FastAPI(
        title="erm",
        version=__version__,
        description="Certified search for puzzles. docs/http-api.md has examples.",
        lifespan=lifespan,
        # Their pages load scripts from elsewhere; /openapi.json is served.
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    app.add_middleware(Guard, settings=settings)
    app.include_router(routes(service))
    app.add_api_route("/puzzles/{name}/page.js", page_module, include_in_schema=False)
    _add_errors(app)
    _document_events(app)
    app.mount("/", StaticFiles(directory=STATIC, html=True), name="page")
    return app


def page_module(name: str) -> FileResponse:
    """The module that draws a task's boards: only files that registered tasks name are served."""
    page = load_task(name).look.page if name in task_names() else None
    if page is None:
        raise HTTPException(404)
    return FileResponse(page, media_type="text/javascript")


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(InputError)
    async def wrong(_: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 422)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return JSONResponse({"error": f"{where or 'the request'}: {first['msg']}"[:300]}, 422)

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(error.detail)}, error.status_code)

    @app.exception_handler(Busy)
    async def busy(_: Request, error: Busy) -> JSONResponse:
        sentence = f"{error}; try again in {RETRY_SECONDS} seconds"
        return JSONResponse({"error": sentence}, 503, {"Retry-After": str(RETRY_SECONDS)})

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> JSONResponse:
        return JSONResponse({"error": "the server failed here; its log says why"}, 500)


def _document_events(app: FastAPI) -> None:
    """Put the stream's messages into the schema, which FastAPI only does for plain answers."""
    make = app.openapi

    def with_events() -> dict[str, Any]:
        document = make()
        schemas = document["components"]["schemas"]
        for model in (schema.Queued, schema.Frame):
            own = model.model_json_schema(ref_template="#/components/schemas/{model}")
            for name, definition in own.pop("$defs", {}).items():
                schemas.setdefault(name, definition)
            schemas.setdefault(model.__name__, own)
        return document

    app.openapi = with_events
