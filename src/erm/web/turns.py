"""Who may use a worker now: short turns, so that nobody waits for somebody else's long search."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

TURN = 0.5
"""Seconds after which a search gives way, where others wait."""


@dataclass(eq=False)
class Player:
    """One search as the queue sees it."""

    number: int
    client: str
    seconds: float | None = None
    """Wall time that it may take, from its first turn on."""
    used: float = 0.0
    """Seconds of workers that it has had."""
    ends: float | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    """Whether nobody waits for it any more."""


class Turns:
    """So many workers for any number of threads. The client with the fewest running searches goes
    first, then the one that has used least, then the search that has used least."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._change = threading.Condition()
        self._waiting: list[Player] = []
        self._running: dict[Player, float] = {}
        self._lent = 0

    def take(self, player: Player) -> bool:
        """Wait for a worker; False where the player was stopped meanwhile. One whose time is up
        waits no longer: it only has to say what it has found."""
        with self._change:
            self._waiting.append(player)
            left = None if player.ends is None else max(0.0, player.ends - time.monotonic())
            self._change.wait_for(lambda: player.stopped.is_set() or self._is_next(player), left)
            self._waiting.remove(player)
            if player.stopped.is_set():
                self._change.notify_all()
                return False
            now = time.monotonic()
            if player.ends is None and player.seconds is not None:
                player.ends = now + player.seconds
            self._running[player] = now
            self._change.notify_all()
            return True

    def give(self, player: Player) -> None:
        """The worker is free again; nothing happens where the player has none."""
        with self._change:
            began = self._running.pop(player, None)
            if began is not None:
                player.used += time.monotonic() - began
            self._change.notify_all()

    def give_way(self, player: Player) -> bool:
        """Asked often: lets others have the worker once the turn is over; False once stopped."""
        if self._waiting and time.monotonic() - self._running.get(player, 0.0) > TURN:
            self.give(player)
            return self.take(player)
        return not player.stopped.is_set()

    def lend(self) -> bool:
        """Whether there is a worker that nobody waits for: it may help one that runs, until it is
        given back."""
        with self._change:
            if self._waiting or self._free < 1:
                return False
            self._lent += 1
            return True

    def give_back(self) -> None:
        with self._change:
            self._lent -= 1
            self._change.notify_all()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for a worker."""
        return bool(self._waiting)

    @property
    def _free(self) -> int:
        return self._workers - len(self._running) - self._lent

    def stop(self, player: Player) -> None:
        player.stopped.set()
        with self._change:
            self._change.notify_all()

    def _is_next(self, player: Player) -> bool:
        if self._free < 1:
            return False
        return min(self._waiting, key=self._claim) is player

    def _claim(self, player: Player) -> tuple[int, float, float, int]:
        mine = [one for one in self._running if one.client == player.client]
        used = sum(one.used for one in (*mine, *self._waiting) if one.client == player.client)
        return len(mine), used, player.used, player.number
