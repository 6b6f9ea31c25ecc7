"""`erm serve`: the page and its HTTP API."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from erm.errors import InputError, install_command

if TYPE_CHECKING:
    from erm.web.settings import Settings

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass
class Serve:
    """Open the page where one sees candidates, energies and why; docs/http-api.md has the API.

    Example: erm serve --open
    """

    host: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 lets other machines in."""
    port: int = 8765
    """Port to listen on; 0 picks a free one."""
    open: bool = False
    """Open the page in the browser."""
    checkpoints: Path | None = None
    """Folder of checkpoint folders; the shipped ones if not given."""
    workers: int = 2
    """Searches that run at a time, one core each; one alone may use them all."""
    waiting: int = 32
    """Searches that may wait; more are refused as busy."""
    per_client: int = 4
    """Searches that one client (an address) may have open at a time."""
    seconds: float = 60.0
    """Time limit of a search."""
    width: int = 256
    """Largest K that may be asked for."""
    depth: int = 256
    """Largest D that may be asked for."""
    allow_host: tuple[str, ...] = ()
    """Further names under which the server may be asked for, such as that of a proxy."""

    def run(self) -> int:
        from erm.web.settings import Settings

        settings = Settings(
            checkpoints=self.checkpoints,
            workers=self.workers,
            waiting=self.waiting,
            per_client=self.per_client,
            seconds=self.seconds,
            width=self.width,
            depth=self.depth,
            hosts=tuple({*LOOPBACK, self.host.lower(), *map(str.lower, self.allow_host)}),
            any_address=self.host not in LOOPBACK,
        )
        with self._listen() as listener:
            # What can be wrong is found before torch is loaded, which takes seconds.
            self._serve(settings, listener)
        return 0

    def _serve(self, settings: Settings, listener: socket.socket) -> None:
        try:
            import uvicorn

            from erm.web.app import create_app
            from erm.web.warm import warm_up_aside
        except ModuleNotFoundError as error:
            raise InputError(f"the page needs {error.name}: {install_command('serve')}") from error
        app = create_app(settings)
        config = uvicorn.Config(
            app,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=2,
            timeout_keep_alive=5,
            limit_concurrency=512,
        )
        address = f"http://{self._shown_host()}:{listener.getsockname()[1]}/"
        print(f"erm: the page is at {address} (Ctrl-C ends it)", flush=True)
        if self.open:
            import webbrowser

            webbrowser.open(address)
        warm_up_aside(app.state.service.checkpoints)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])

    def _shown_host(self) -> str:
        if self.host in ("0.0.0.0", "::"):
            return "localhost"
        return f"[{self.host}]" if ":" in self.host else self.host

    def _listen(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
            # A client that connects as soon as the address is printed waits.
            listener.listen(128)
        except (OSError, OverflowError) as error:
            listener.close()
            raise InputError(
                f"cannot listen on {self.host} port {self.port} ({error}); choose another --port"
            ) from None
        return listener


COMMAND = Serve
