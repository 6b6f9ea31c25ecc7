"""Checkpoint folders: strict, whole or not there, and listed by `erm ls`."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from model_boards import STRUCTURED, TOKENS

from erm import zoo
from erm.cli.main import main
from erm.errors import InputError
from erm.model import card as card_module
from erm.model import checkpoint
from erm.model.card import read_card, read_config
from erm.model.checkpoint import load_checkpoint, read_seen, save_checkpoint
from erm.model.reasoner import Reasoner

CARD = {
    "task": "maze",
    "data": {"command": "erm data maze --seed 1", "sha256": "00"},
    "steps": 10,
    "seconds": 1.5,
    "seed": 1,
    "accuracy": [{"data": "Maze-Unique", "how": "energy", "correct": 993, "total": 1000}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_checkpoint(tmp_path / "maze", Reasoner(STRUCTURED), CARD)


@pytest.mark.parametrize(
    "config",
    [
        STRUCTURED,
        TOKENS,
        replace(TOKENS, mixer="attention", rope="2d", board=(3, 4)),
        replace(TOKENS, random_start=False, prefix=2, identifiers=4, puzzle_width=20),
        replace(
            TOKENS,
            random_start=False,
            h_layers=2,
            learned_positions=True,
            prefix=1,
            identifiers=4,
            identifier=3,
        ),
    ],
    ids=lambda config: config.mixer,
)
def test_what_is_saved_is_loaded(tmp_path: Path, config) -> None:
    reasoner = Reasoner(config)
    save_checkpoint(tmp_path / "one", reasoner, CARD)
    state = torch.random.get_rng_state()
    loaded, card = load_checkpoint(tmp_path / "one")
    assert torch.equal(state, torch.random.get_rng_state()), "loading leaves randomness alone"
    assert loaded.config == config
    assert card.items() >= CARD.items()
    assert card["parameters"] == reasoner.parameter_count
    for key, tensor in reasoner.state_dict().items():
        assert torch.equal(loaded.state_dict()[key], tensor), key
    for file in checkpoint.FILES:
        assert load_checkpoint(tmp_path / "one" / file)[0].config == config


def test_a_config_of_before_hrm_is_that_of_one_network(tmp_path: Path) -> None:
    config = replace(TOKENS, random_start=False, prefix=2, identifiers=4)
    reasoner = Reasoner(config)
    file = save_checkpoint(tmp_path / "old", reasoner, CARD) / "config.json"
    values = json.loads(file.read_text())
    for key in ("h_layers", "learned_positions", "identifier"):
        del values[key]
    file.write_text(json.dumps(values))
    loaded, _ = load_checkpoint(tmp_path / "old")
    assert loaded.config == config
    assert loaded.state_dict().keys() == reasoner.state_dict().keys()


def test_other_weights_can_be_saved_and_replace_the_old(folder: Path) -> None:
    reasoner = Reasoner(STRUCTURED)
    averaged = {key: torch.full_like(t, 0.5) for key, t in reasoner.state_dict().items()}
    save_checkpoint(folder, reasoner, {**CARD, "steps": 20}, averaged)
    loaded, card = load_checkpoint(folder)
    assert card["steps"] == 20
    assert all((tensor == 0.5).all() for tensor in loaded.state_dict().values())
    assert [path.name for path in folder.parent.iterdir()] == ["maze"]


def test_a_failed_save_leaves_the_old_checkpoint(folder: Path, monkeypatch) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full_disk(*_) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safetensors.torch, "save", full_disk)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(folder, Reasoner(STRUCTURED), CARD)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == ["maze"]


def rewrite(folder: Path, change) -> None:
    """Change the tensors of a checkpoint behind its back."""
    tensors = safetensors.torch.load_file(folder / checkpoint.WEIGHTS)
    change(tensors)
    safetensors.torch.save_file(tensors, folder / checkpoint.WEIGHTS)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.pop("codec.read.bias"), "lacks 1 of its tensors, such as codec.read.bias"),
        (lambda t: t.update(extra=torch.ones(1)), "has 1 tensors too many, such as extra"),
        (lambda t: t.update({"codec.read.bias": torch.ones(3)}), r"has shape \(3,\), but"),
        (lambda t: t.update({"codec.read.bias": torch.ones(12).int()}), "floating point"),
    ],
)
def test_weights_that_do_not_fit_are_refused(folder: Path, change, sentence: str) -> None:
    rewrite(folder, change)
    with pytest.raises(InputError, match=sentence):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("config.json", "{", "is no JSON"),
        ("config.json", "[]", "must hold a JSON object"),
        ("config.json", '{"hiden": 3}', "unknown key 'hiden'"),
        ("config.json", '{"hidden": "3"}', "hidden must be int"),
        ("config.json", '{"hidden": true}', "hidden must be int"),
        ("config.json", '{"mixer": "mamba"}', "mixer must be one of"),
        ("config.json", '{"hidden": 13}', "has shape"),
        ("config.json", '{"layers": 1000000000}', "layers must be 1 to 64"),
        ("config.json", '{"board": [3, "x"]}', "board must be"),
        ("card.json", "{}", "must name its task"),
        ("model.safetensors", "junk", "torn or not a safetensors file"),
    ],
)
def test_damaged_files_are_refused(folder: Path, file: str, text: str, sentence: str) -> None:
    if file == "config.json" and text.startswith('{"'):
        known = json.loads((folder / file).read_text())
        text = json.dumps({**known, **json.loads(text)})
    (folder / file).write_text(text)
    with pytest.raises(InputError, match=sentence):
        load_checkpoint(folder)


def test_torn_absent_and_oversized_files_are_refused(folder: Path, monkeypatch) -> None:
    weights = folder / checkpoint.WEIGHTS
    data = weights.read_bytes()
    for size in (0, 7, 100, len(data) - 1):
        weights.write_bytes(data[:size])
        with pytest.raises(InputError, match="torn"):
            load_checkpoint(folder)
    weights.write_bytes(data)
    limits = replace(card_module.LIMITS, bytes=len(data) - 1)
    monkeypatch.setattr(card_module, "LIMITS", limits)
    with pytest.raises(InputError, match="ERM_MAX_BYTES"):
        load_checkpoint(folder)
    weights.unlink()
    with pytest.raises(InputError, match=r"is not a checkpoint, it has no model\.safetensors"):
        load_checkpoint(folder)


def test_the_folder_of_a_training_says_where_its_checkpoint_is(folder: Path) -> None:
    run = folder.parent / "run"
    run.mkdir()
    folder.rename(run / "checkpoint")
    with pytest.raises(InputError, match=r"that of the training is .*run/checkpoint"):
        zoo.find(run)


def test_a_card_without_task_or_plain_values_is_refused(tmp_path: Path) -> None:
    for card in ({}, {"task": "maze", "data": object()}):
        with pytest.raises(InputError, match="card"):
            save_checkpoint(tmp_path / "x", Reasoner(STRUCTURED), card)
    assert not list(tmp_path.iterdir())


def test_ls_lists_tasks_and_shipped_checkpoints(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(zoo, "_HERE", folder.parent)
    assert main(["ls", "--json"]) == 0
    listing = json.loads(capsys.readouterr().out)
    assert "sudoku" in listing["tasks"]
    (entry,) = listing["checkpoints"]
    assert entry["name"] == "maze"
    assert entry["accuracy"][0]["correct"] == 993
    assert main(["ls"]) == 0
    assert "993/1000" in capsys.readouterr().out
    assert zoo.find("maze").folder == folder
    assert zoo.find(folder).folder == folder
    with pytest.raises(InputError, match="known: maze"):
        zoo.find("sudoko")


def test_ls_names_every_task_of_a_network_within_80_columns(capsys) -> None:
    assert main(["ls"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "ppbench: heyawake, lightup, nurikabe, sudoku, tapa" in lines
    assert any("advice none, trained" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_ls_works_with_an_empty_zoo(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(zoo, "_HERE", tmp_path)
    assert main(["ls"]) == 0
    assert "none" in capsys.readouterr().out


def test_every_shipped_checkpoint_loads() -> None:
    for name in zoo.names():
        reasoner, card = load_checkpoint(zoo.find(name).folder)
        assert card["parameters"] == reasoner.parameter_count


def test_fingerprints_travel_with_the_weights_and_torn_ones_are_an_error(tmp_path):
    reasoner = Reasoner(STRUCTURED)
    seen = np.array([3, 5], np.uint64)
    folder = save_checkpoint(tmp_path / "net", reasoner, {"task": "sudoku"}, seen=seen)
    assert read_seen(folder) is not None and (read_seen(folder) == seen).all()
    assert read_seen(save_checkpoint(tmp_path / "net", reasoner, {"task": "sudoku"})) is None
    np.save(folder / "seen_v2.npy", np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(InputError, match=r"seen_v2\.npy"):
        read_seen(folder)
    np.save(folder / "seen_v2.npy", np.array([1.5]))
    with pytest.raises(InputError, match="unsigned"):
        read_seen(folder)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_neither_saved_nor_loaded(folder: Path, value) -> None:
    reasoner = Reasoner(STRUCTURED)
    before = (folder / checkpoint.WEIGHTS).read_bytes()
    broken = {key: torch.full_like(t, value) for key, t in reasoner.state_dict().items()}
    with pytest.raises(InputError, match="not finite"):
        save_checkpoint(folder, reasoner, CARD, broken)
    assert (folder / checkpoint.WEIGHTS).read_bytes() == before
    rewrite(folder, lambda tensors: tensors["codec.read.bias"].fill_(value))
    with pytest.raises(InputError, match=r"codec\.read\.bias holds values that are not finite"):
        load_checkpoint(folder)


def test_advice_and_probabilities_are_stated_on_the_card(folder: Path) -> None:
    card = read_card(folder)
    assert (card["advice"], card["probabilities"]) == ("none", "softmax")
    save_checkpoint(folder, Reasoner(STRUCTURED), {**CARD, "advice": "energy"})
    found = zoo.find(folder)
    assert found.card["advice"] == "energy"
    assert found.tasks == ["maze"] and found.folder == folder


@pytest.mark.parametrize(
    ("config", "old", "advice", "probabilities"),
    [
        (STRUCTURED, {"hears": "pruning", "hints": True}, "propagation", "softmax"),
        (STRUCTURED, {"options": {"loss": "stablemax"}}, "none", "stablemax"),
        (TOKENS, {"hears": "nothing"}, "none", "stablemax"),
        (TOKENS, {"options": {"loss": "softmax"}}, "none", "softmax"),
        (TOKENS, {"capabilities": {"probabilities": "softmax"}}, "none", "softmax"),
    ],
)
def test_cards_from_before_are_converted(
    tmp_path: Path, config, old, advice, probabilities
) -> None:
    folder = save_checkpoint(tmp_path / "old", Reasoner(config), CARD)
    card = json.loads((folder / "card.json").read_text())
    del card["advice"], card["probabilities"]
    (folder / "card.json").write_text(json.dumps({**card, **old}))
    for found in (zoo.find(folder).card, load_checkpoint(folder)[1]):
        assert (found["advice"], found["probabilities"]) == (advice, probabilities)
        assert not {"hears", "hints", "capabilities"} & found.keys()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"capabilities": 2}, "capabilities are an object"),
        ({"advice": "all"}, "advice is one of none, energy, propagation"),
        ({"probabilities": "max"}, "probabilities is one of softmax, stablemax"),
        ({"options": 2}, "options must be dict"),
        ({"tasks": [["x"]]}, "tasks must be a list of names"),
        ({"accuracy": [3]}, "each accuracy"),
        ({"parameters": 1.5}, "parameters must be int"),
        ({"parameters": 1e400}, "not finite"),
        ({"seconds": -1}, "seconds must be a number"),
    ],
)
def test_cards_of_other_types_are_refused(folder: Path, change, sentence: str) -> None:
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, **change}))
    with pytest.raises(InputError, match=sentence):
        read_card(folder)


def test_the_shipped_cards_state_what_their_networks_are() -> None:
    for name, found in zoo.shelf().items():
        stated = json.loads((found.folder / "card.json").read_text())
        config = read_config(found.folder)
        assert (stated["advice"], stated["probabilities"]) == (
            found.card["advice"], found.card["probabilities"],
        ), name  # fmt: skip
        assert stated["advice"] == config.advice
        assert (config.advice != "none") == name.endswith("-advised")


def test_checkpoints_are_listed_without_loading_torch() -> None:
    """Listing answers at once, so nothing heavy may be imported on the way."""
    code = (
        "import sys; from erm.cli.main import main; main(['ls']); "
        "print([name for name in ('torch', 'numba', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
