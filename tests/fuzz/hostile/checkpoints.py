"""Checkpoint folders: cards, configs, fingerprints, weights."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from hostile.arrays import npy_header
from hostile.cases import CASES, SUDOKU, case

MODEL: dict[str, Any] = {
    "hidden": 4,
    "inner": 4,
    "states": 9,
    "partitions": 3,
    "interchangeable": True,
    "lattice": False,
}
CARD: dict[str, Any] = {"task": "sudoku", "data": {}, "accuracy": []}


def checkpoint(folder: Path, card: Any = None, config: Any = None) -> Path:
    """A checkpoint of a network that nobody trained; `card` and `config` are text or values."""
    from erm.model.checkpoint import save_checkpoint
    from erm.model.config import ReasonerConfig
    from erm.model.reasoner import Reasoner

    path = save_checkpoint(folder / "checkpoint", Reasoner(ReasonerConfig(**MODEL)), CARD)
    for name, value in (("card.json", card), ("config.json", config)):
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            (path / name).write_text(text)
    return path


def solve_with(path: Path) -> list[str]:
    return ["solve", SUDOKU, "--checkpoint", str(path), "--depth", "1", "--width", "1"]


WRONG_CARDS: dict[str, Any] = {
    "options_that_are_a_number": {**CARD, "options": 2},
    "tasks_in_a_list": {**CARD, "tasks": [["x"]]},
    "seconds_of_400_digits": json.dumps(CARD)[:-1] + f', "seconds": 1{"0" * 400}}}',
    "seconds_beyond_floats": json.dumps(CARD)[:-1] + ', "seconds": 1e400}',
    "a_number_that_takes_minutes": json.dumps(CARD)[:-1] + f', "steps": {"9" * 900_000}}}',
    "a_task_of_surrogates": '{"task": "\\ud800", "data": {}, "accuracy": []}',
    "nested_without_end": '{"task":' * 100_000,
    "accuracy_of_lists": {**CARD, "accuracy": [[1]]},
    "stages_that_are_text": {**CARD, "stages": "none"},
    "capabilities_in_a_list": {**CARD, "capabilities": [1]},
    "hears_a_dict": {**CARD, "hears": {"a": 1}},
    "probabilities_in_a_list": {**CARD, "capabilities": {"probabilities": [1]}},
    "a_task_that_nobody_knows": {**CARD, "task": "x", "tasks": ["y"]},
}
WRONG_CONFIGS: dict[str, Any] = {
    "a_float_of_400_digits": json.dumps(MODEL)[:-1] + f', "damping": 1{"0" * 400}}}',
    "a_mixer_in_a_list": {**MODEL, "mixer": ["structured"]},
    "a_board_of_text": {**MODEL, "board": "ab"},
    "factors_that_are_numbers": {**MODEL, "factors": [1]},
    "a_hidden_of_nan": json.dumps(MODEL)[:-1] + ', "damping": NaN}',
    "a_network_of_terabytes": {**MODEL, "hidden": 16384, "inner": 65536, "layers": 64},
    "an_embedding_of_terabytes": {
        "mixer": "attention", "vocabulary": 1 << 20, "length": 1 << 16, "hidden": 1 << 14,
        "identifiers": 1 << 22, "prefix": 1,
    },
    "positions_of_terabytes": {
        "mixer": "token-mlp", "vocabulary": 2, "length": 1 << 16, "hidden": 8, "layers": 64,
    },
    "an_unknown_key": {**MODEL, "x": 1},
    "a_list": [],
}  # fmt: skip

for _name, _card in WRONG_CARDS.items():
    CASES[f"card_with_{_name}"] = lambda folder, card=_card: solve_with(checkpoint(folder, card))
for _name, _config in WRONG_CONFIGS.items():
    CASES[f"config_with_{_name}"] = lambda folder, config=_config: solve_with(
        checkpoint(folder, None, config)
    )


@case
def a_learning_curve_that_is_damaged(folder: Path) -> list[str]:
    card = {**CARD, "stages": [{"curve": [{"seconds": "x"}], "seconds": 1}]}
    return ["curves", str(checkpoint(folder, card)), "--out", str(folder / "curves")]


def _seen(folder: Path, data: bytes) -> list[str]:
    path = checkpoint(folder)
    (path / "seen_v2.npy").write_bytes(data)
    (folder / "p.txt").write_text(SUDOKU + "\n")
    options = ["--depth", "1", "--width", "1", "--quiet", "--out", str(folder / "run")]
    return ["evaluate", str(path), str(folder / "p.txt"), *options]


BROKEN_ARRAYS = {
    "that_is_empty": b"",
    "of_nothing": b"\x93NUMPY",
    "of_the_future": b"\x93NUMPY\x09\x00" + b"x" * 100,
    "with_an_odd_header": b"\x93NUMPY\x01\x00\x10\x00{'descr': (((((\n",
    "that_claims_too_much": npy_header((1 << 40,), "<u8"),
    "that_is_a_zip": b"PK\x03\x04" + b"\0" * 40,
    "of_floats": npy_header((2,), "<f8") + b"\0" * 16,
}
for _name, _data in BROKEN_ARRAYS.items():
    CASES[f"seen_{_name}"] = lambda folder, data=_data: _seen(folder, data)


@case
def weights_that_are_not_finite(folder: Path) -> list[str]:
    path = checkpoint(folder)
    weights = safetensors.numpy.load_file(path / "model.safetensors")
    next(iter(weights.values())).flat[0] = np.nan
    safetensors.numpy.save_file(weights, path / "model.safetensors")
    return solve_with(path)


@case
def weights_whose_header_claims_much(folder: Path) -> list[str]:
    path = checkpoint(folder)
    (path / "model.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
    return solve_with(path)
