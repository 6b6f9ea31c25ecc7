"""Every request: the host and origin it may have, its size, and what browsers may load."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
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

        size = 0

        async def receive_bounded() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.settings.body:
                raise HTTPException(413, f"a request may have {self.settings.body} bytes at most")
            return message

        refusal = self._refusal(Headers(scope=scope))
        await (refusal or self.app)(scope, receive_bounded, send_guarded)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "")
        if not self._knows((_parts(f"//{host}").hostname or "").lower()):
            return _refuse(400, "this server is not asked for under that name; see --allow-host")
        origin = headers.get("origin")
        if origin is not None and _parts(origin).netloc != host:
            return _refuse(403, "requests from other web pages are refused")
        return None

    def _knows(self, name: str) -> bool:
        """A name that an attacker's DNS could point here is never a numeric address.

        Starlette's TrustedHostMiddleware has no IPv6 and no rule for addresses.
        """
        if name in self.settings.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.settings.any_address


def _parts(address: str) -> SplitResult:
    """The parts of an address; empty where it cannot be parsed."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)
