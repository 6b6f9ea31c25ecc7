"""What every request passes first: who may ask, how much may be sent, what browsers may load."""

from __future__ import annotations

import asyncio
import ipaddress
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erm.web.settings import Settings

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        if refusal is None and scope["method"] not in ("GET", "HEAD"):
            body = await self._body(receive)
            if isinstance(body, JSONResponse):
                refusal = body
            else:
                receive = _replay(body, receive)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "")
        if not self._knows((_parts(f"//{host}").hostname or "").lower()):
            return _refuse(400, "this server is not asked for under that name; see --allow-host")
        origin = headers.get("origin")
        if origin is not None and _parts(origin).netloc != host:
            return _refuse(403, "requests from other web pages are refused")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.settings.body:
            return self._too_large()
        return None

    def _knows(self, name: str) -> bool:
        """A name that an attacker's DNS could point here is never a numeric address.

        Starlette's TrustedHostMiddleware knows listed names only, no address whatever it be, and
        refuses without saying how to be let in.
        """
        if name in self.settings.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.settings.any_address

    def _too_large(self) -> JSONResponse:
        return _refuse(413, f"a request may have {self.settings.body} bytes at most")

    async def _body(self, receive: Receive) -> bytes | JSONResponse:
        body = b""
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                while True:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > self.settings.body:
                        return self._too_large()
                    if not message.get("more_body", False):
                        return body
        except TimeoutError:
            return _refuse(408, "the request took too long to arrive")


def _parts(address: str) -> SplitResult:
    """What cannot be read as an address has no parts."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A body that has been read, then what else comes, such as the end of the connection."""
    told = False

    async def replayed() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
