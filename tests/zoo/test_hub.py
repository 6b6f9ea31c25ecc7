"""Checkpoints on the Hub, against a server of our own that speaks the few requests it takes."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch
import yaml
from huggingface_hub.errors import LocalEntryNotFoundError

import erm
from erm import zoo
from erm.cli.main import USAGE, main
from erm.errors import InputError
from erm.model.checkpoint import load_checkpoint
from erm.model.config import ReasonerConfig
from erm.model.import_official import official_name
from erm.model.reasoner import Reasoner
from erm.zoo import hub

COMMIT = "c" * 40


class Handler(BaseHTTPRequestHandler):
    files: dict[str, bytes]
    requests: list[str]

    def log_message(self, *_) -> None:
        """Nothing is printed."""

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _file(self) -> None:
        self.requests.append(f"{self.command} {self.path}")
        body = self.files.get(self.path.rpartition("/")[2])
        if not self.path.startswith("/me/small/resolve/"):
            self._answer(404, X_Error_Code="RepoNotFound")
        elif body is None:
            self._answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        else:
            etag = f'"{hashlib.sha1(body).hexdigest()}"'
            self._answer(200, body, ETag=etag, X_Repo_Commit=COMMIT)

    do_HEAD = do_GET = _file

    def do_POST(self) -> None:
        self.requests.append(f"POST {self.path}")
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        url = f"http://{self.headers['Host']}/me/small"
        reply: dict = {}
        if self.path == "/api/repos/create":
            reply = {"url": url, "id": "me/small"}
        elif "/preupload/" in self.path:
            names = [file["path"] for file in json.loads(sent)["files"]]
            modes = {"uploadMode": "regular", "shouldIgnore": False}
            reply = {"files": [{"path": name, **modes} for name in names]}
        elif "/commit/" in self.path:
            for line in map(json.loads, sent.splitlines()):
                if line["key"] == "file":
                    value = line["value"]
                    self.files[value["path"]] = base64.b64decode(value["content"])
            reply = {"commitUrl": f"{url}/commit/{COMMIT}", "commitOid": COMMIT, "success": True}
        self._answer(200, json.dumps(reply).encode(), Content_Type="application/json")


@pytest.fixture
def server(monkeypatch, tmp_path) -> Iterator[type[Handler]]:
    handler = type("Own", (Handler,), {"files": {}, "requests": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{serving.server_port}")
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("HF_TOKEN", "hf_none")
        yield handler
        serving.shutdown()


def test_what_is_pushed_is_loaded_again(server, tiny_checkpoint, capsys):
    assert main(["push", str(tiny_checkpoint), "hf://me/small", "--private"]) == 0
    assert capsys.readouterr().out.strip().endswith(f"/me/small/commit/{COMMIT}")
    assert {"model.safetensors", "config.json", "card.json", "README.md"} <= {*server.files}
    assert b'erm.load("hf://me/small")' in server.files["README.md"]
    solver, own = erm.load("hf://me/small"), erm.load(tiny_checkpoint)
    assert list(solver.tasks) == ["sudoku"]
    for name, weights in own.reasoner.state_dict().items():
        assert torch.equal(solver.reasoner.state_dict()[name], weights)
    fetched = [one for one in server.requests if one.startswith("GET")]
    erm.load("hf://me/small")
    assert [one for one in server.requests if one.startswith("GET")] == fetched


def test_the_page_of_a_network_for_several_tasks_names_them_all():
    page = hub.page(zoo.find("ppbench").card, hub.Address("me/small"))
    assert "# heyawake, lightup, nurikabe, sudoku, tapa: EqR token-mlp" in page
    assert "- heyawake\n- lightup\n- nurikabe\n- sudoku\n- tapa\n---" in page


def test_what_is_not_there_is_one_sentence(server, capsys):
    for name in ("hf://me/nothing", "hf://me/small", "hf://me", "hf://me/small@a b"):
        assert main(["solve", "." * 16, "--checkpoint", name]) == USAGE
        error = capsys.readouterr().err
        assert name in error and len(error.splitlines()) == 1
    assert main(["push", "nowhere", "hf://me/small"]) == USAGE
    assert not [one for one in server.requests if one.startswith("POST")]


HRM_ARCH = {
    "H_cycles": 2,
    "L_cycles": 2,
    "H_layers": 1,
    "L_layers": 1,
    "hidden_size": 16,
    "expansion": 1,
    "num_heads": 2,
    "pos_encodings": "rope",
    "puzzle_emb_ndim": 16,
}


@pytest.mark.parametrize("name", ["hf://me/small", "hf://me/small/runs/step_7@main"])
def test_an_official_checkpoint_is_imported_from_the_hub(server, tmp_path, capsys, name):
    config = ReasonerConfig(
        mixer="attention", hidden=16, heads=2, layers=1, h_layers=1, h_cycles=2, l_cycles=2,
        random_start=False, vocabulary=11, length=81, expansion=1.0, prefix=1, identifiers=1,
        puzzle_width=16,
    )  # fmt: skip
    reasoner, file, out = Reasoner(config), io.BytesIO(), str(tmp_path / "out")
    assert main(["import", name, out]) == USAGE
    assert "has no file" in capsys.readouterr().err
    state = {f"model.inner.{official_name(key)}": t for key, t in reasoner.state_dict().items()}
    torch.save(state, file)
    server.files["step_7" if "step_7" in name else "checkpoint"] = file.getvalue()
    settings = {"arch": HRM_ARCH, "data_path": "data/sudoku-extreme"}
    server.files["all_config.yaml"] = yaml.safe_dump(settings).encode()
    assert main(["import", name, out]) == 0
    loaded, card = load_checkpoint(out)
    assert loaded.config == config
    assert card["steps"] == (7 if "step_7" in name else None)
    for key, weights in reasoner.state_dict().items():
        assert torch.equal(loaded.state_dict()[key], weights)


def test_without_a_network_it_is_one_sentence(monkeypatch):
    def unreachable(*_, **__):
        raise LocalEntryNotFoundError("no connection")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", unreachable)
    with pytest.raises(InputError, match="hf://me/small cannot be reached"):
        hub.download("hf://me/small")
