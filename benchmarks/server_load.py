"""Many clients of one `erm serve` on this machine; every answer is checked by the rules.

python benchmarks/server_load.py --clients 30 --seconds 30
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

import httpx
import tyro

from erm.formats.read import read_text
from erm.rulebook.answers import parse_answer
from erm.rulebook.registry import load_task, task_names


@dataclass
class Load:
    clients: int = 30
    """How many ask at the same time."""
    seconds: float = 20.0
    """How long."""
    width: int = 16
    """K of each search."""
    depth: int = 16
    """D of each search."""
    large: int = 2
    """Clients among them that search empty 64x64 boards all the time."""


class Client:
    """Asks again and again and checks what it is told."""

    def __init__(self, address: str, options: Load, text: str | None, ends: float) -> None:
        self.address, self.options, self.text, self.ends = address, options, text, ends
        self.times: list[float] = []
        self.wrong: list[str] = []
        self.busy = 0

    def run(self, texts: list[str]) -> None:
        number = threading.get_ident()
        while time.monotonic() < self.ends:
            number += 1
            text = self.text or texts[number % len(texts)]
            body = {"text": text, "width": self.options.width, "depth": self.options.depth}
            began = time.monotonic()
            answer = httpx.post(f"{self.address}/api/solve", json=body, timeout=120)
            if answer.status_code == 503:
                self.busy += 1
                time.sleep(0.5)
            elif answer.status_code != 200:
                self.wrong.append(f"{answer.status_code} {answer.text[:200]}")
            else:
                self.times.append(time.monotonic() - began)
                self._check(text, answer.json())

    def _check(self, text: str, told: dict) -> None:
        if not told["certified"]:
            return
        puzzle = read_text(text)
        states = parse_answer(told["answer"], puzzle.cells)
        if not load_task(puzzle.task).is_valid(puzzle, states):
            self.wrong.append(f"{text} was answered with {told['answer']}")


def main(options: Load) -> int:
    command = [sys.executable, "-m", "erm", "serve", "--port", "0", "--seconds", "10"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split("page is at ")[1].split()[0].rstrip("/")
        texts = [one.text for name in task_names() for one in load_task(name).look.gallery()]
        large = "https://puzz.link/p?nurikabe/64/64/" + "1" + "z" * 204 + "u"
        ends = time.monotonic() + options.seconds
        clients = [
            Client(address, options, large if number < options.large else None, ends)
            for number in range(options.clients)
        ]
        with ThreadPoolExecutor(options.clients) as pool:
            for done in [pool.submit(client.run, texts) for client in clients]:
                done.result()
    finally:
        server.terminate()
        server.wait(30)
    small = sorted(t for client in clients[options.large :] for t in client.times)
    wrong = [one for client in clients for one in client.wrong]
    rate = sum(len(client.times) for client in clients) / options.seconds
    print(f"{rate:.1f} answers a second, {sum(client.busy for client in clients)} times busy")
    if small:
        print(f"usual boards: median {median(small):.2f} s, slowest {small[-1]:.2f} s")
    print(f"{len(wrong)} wrong answers or errors")
    for one in wrong[:10]:
        print(" ", one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Load)))
