"""Importing files shaped as the official programs write them, and files made to do harm."""

import json
import os
import pickle
import random
import sys
import types
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from erm.cli.main import main
from erm.errors import InputError
from erm.model.checkpoint import load_checkpoint
from erm.model.config import ReasonerConfig
from erm.model.import_official import (
    import_official,
    official_config,
    official_name,
    our_name,
    rename,
)
from erm.model.reasoner import Reasoner
from erm.model.torch_file import TorchFile, read_pickle

REFERENCE = Path(__file__).parents[2].parent / "shared" / "reference"

EQR = ReasonerConfig(
    mixer="token-mlp",
    hidden=16,
    layers=2,
    h_cycles=2,
    l_cycles=2,
    damping=0.95,
    path_noise=0.01,
    vocabulary=11,
    length=81,
    expansion=1.0,
    heads=4,
    rope="none",
    board=(9, 9),
)
ARCH = {
    "name": "eqr@EqRModel",
    "H_cycles": 2,
    "L_cycles": 2,
    "L_layers": 2,
    "hidden_size": 16,
    "expansion": 1,
    "num_heads": 4,
    "pos_encodings": "rope",
    "board_height": 9,
    "board_width": 9,
    "mlp_t": True,
    "noise_scale": 0.01,
}


HRM = ReasonerConfig(
    mixer="attention",
    hidden=16,
    layers=1,
    h_layers=2,
    h_cycles=2,
    l_cycles=2,
    random_start=False,
    vocabulary=11,
    length=81,
    expansion=1.0,
    heads=2,
    rope="none",
    learned_positions=True,
    prefix=2,
    identifiers=3,
    puzzle_width=24,
)
HRM_ARCH = {
    "name": "hrm.hrm_act_v1@HierarchicalReasoningModel_ACTV1",
    "H_cycles": 2,
    "L_cycles": 2,
    "H_layers": 2,
    "L_layers": 1,
    "hidden_size": 16,
    "expansion": 1,
    "num_heads": 2,
    "pos_encodings": "learned",
    "puzzle_emb_ndim": 24,
    "halt_max_steps": 16,
    "halt_exploration_prob": 0.1,
    "loss": {"name": "losses@ACTLossHead", "loss_type": "stablemax_cross_entropy"},
}


def official_state(reasoner: Reasoner, prefix: str = "model.inner.") -> dict[str, torch.Tensor]:
    return {prefix + official_name(key): t for key, t in reasoner.state_dict().items()}


def training_checkpoint(path: Path) -> tuple[Reasoner, Reasoner]:
    """A full EqR training checkpoint with a pickled object of a module that is gone."""
    raw, averaged = Reasoner(EQR), Reasoner(EQR)
    module = types.ModuleType("vanished_models")
    exec("class Carry:\n    pass", module.__dict__)
    module.Carry.__module__ = "vanished_models"
    sys.modules["vanished_models"] = module
    carry = module.Carry()
    carry.z_H, carry.steps = torch.zeros(2, 81, 16), torch.tensor([3, 4])
    generator = np.random.default_rng(0)
    torch.save(
        {
            "step": 50_000,
            "model": official_state(raw),
            "optimizers": [{"state": {}, "param_groups": [{"lr": 1e-4, "betas": (0.9, 0.95)}]}],
            "carry": carry,
            "rng": {
                "python": random.Random(0).getstate(),
                "numpy": ("MT19937", generator.integers(0, 9, 4)),
                "torch": torch.random.get_rng_state(),
            },
            "config": {"arch": ARCH, "data_path": "data/sudoku-extreme", "seed": 7},
            "ema": {"mu": 0.999, "shadow": official_state(averaged)},
        },
        path,
    )
    del sys.modules["vanished_models"]
    return raw, averaged


def assert_weights(folder: Path, wanted: Reasoner) -> None:
    loaded, _ = load_checkpoint(folder)
    assert loaded.config == wanted.config
    for key, tensor in wanted.state_dict().items():
        assert torch.equal(loaded.state_dict()[key], tensor), key


def test_the_averaged_weights_of_a_training_checkpoint_are_taken(tmp_path: Path) -> None:
    raw, averaged = training_checkpoint(tmp_path / "full.pth")
    card = import_official(tmp_path / "full.pth", tmp_path / "out")
    assert_weights(tmp_path / "out", averaged)
    assert not torch.equal(raw.codec.read.weight, averaged.codec.read.weight)
    assert (card["task"], card["steps"], card["seed"]) == ("sudoku", 50_000, 7)
    assert card["origin"]["weights"] == "ema"


def test_a_trm_run_folder_keeps_puzzle_embedding_and_start(tmp_path: Path) -> None:
    config = ReasonerConfig(
        mixer="attention",
        hidden=16,
        layers=1,
        h_cycles=3,
        l_cycles=4,
        random_start=False,
        vocabulary=6,
        length=900,
        expansion=1.0,
        heads=2,
        prefix=2,
        identifiers=3,
        puzzle_width=24,
    )
    reasoner = Reasoner(config)
    torch.nn.init.normal_(reasoner.codec.puzzle)
    run = tmp_path / "run"
    run.mkdir()
    arch = {"H_cycles": 3, "L_cycles": 4, "expansion": 1, "num_heads": 2, "puzzle_emb_len": 0}
    settings = {"arch": {**arch, "puzzle_emb_ndim": 24}, "data_paths": ["data/maze-30x30"]}
    (run / "all_config.yaml").write_text(yaml.safe_dump(settings))
    state = official_state(reasoner, "_orig_mod.model.inner.")
    torch.save({}, run / "step_99")
    torch.save(state, run / "step_1000")
    card = import_official(run, tmp_path / "out")
    assert_weights(tmp_path / "out", reasoner)
    assert (card["task"], card["steps"], card["architecture"]) == ("maze", 1000, "TRM attention")


def hrm_folder(folder: Path, state: dict[str, torch.Tensor], **arch) -> Path:
    """A folder as HRM publishes it."""
    folder.mkdir()
    settings = {"arch": {**HRM_ARCH, **arch}, "data_path": "data/sudoku-extreme-1k-aug-1000"}
    (folder / "all_config.yaml").write_text(yaml.safe_dump(settings))
    torch.save(state, folder / "checkpoint")
    return folder


def test_an_hrm_folder_keeps_both_stacks_and_all_identifiers(tmp_path: Path) -> None:
    reasoner = Reasoner(replace(HRM, identifier=2))
    torch.nn.init.normal_(reasoner.codec.puzzle)
    folder = hrm_folder(tmp_path / "hrm", official_state(reasoner, "_orig_mod.model.inner."))
    card = import_official(folder, tmp_path / "out", identifier=2)
    assert_weights(tmp_path / "out", reasoner)
    assert (card["task"], card["architecture"]) == ("sudoku", "HRM attention")
    with pytest.raises(InputError, match="identifier must be below the 3 puzzle identifiers"):
        import_official(folder, tmp_path / "other", identifier=3)
    with pytest.raises(InputError, match="identifier must be 0 to"):
        import_official(folder, tmp_path / "other", identifier=-1)


@pytest.mark.parametrize("kind", ["softmax", "stablemax"])
def test_probabilities_are_those_of_the_loss(tmp_path: Path, kind: str) -> None:
    loss = {"loss_type": f"{kind}_cross_entropy"}
    import_official(
        hrm_folder(tmp_path / "hrm", official_state(Reasoner(HRM)), loss=loss), tmp_path / "out"
    )
    assert load_checkpoint(tmp_path / "out")[1]["probabilities"] == kind


def test_the_published_settings_of_hrm_are_its_own(tmp_path: Path) -> None:
    config = replace(
        HRM, hidden=64, heads=8, expansion=4.0, rope="1d", learned_positions=False, prefix=1
    )
    reasoner = Reasoner(config)
    torch.save(official_state(reasoner), tmp_path / "bare.pth")
    import_official(tmp_path / "bare.pth", tmp_path / "out", task="sudoku")
    assert_weights(tmp_path / "out", reasoner)


@pytest.mark.parametrize(
    ("without", "extra", "arch", "sentence"),
    [
        ("H_init", {}, {}, "lacks the tensor H_init"),
        ("_init", {}, {}, "lacks the tensor H_init"),
        ("H_level.", {}, {}, "lacks the tensor H_level.layers.0"),
        ("H_level.layers.1.mlp.down_proj", {}, {}, "lacks the tensor H_level.layers.1.mlp.down"),
        ("L_level.", {}, {}, "lacks the tensor L_level.layers.0"),
        ("embed_pos", {}, {}, "lacks the tensor embed_pos.embedding_weight"),
        ("-", {}, {"pos_encodings": "rope"}, "has the tensor embed_pos.embedding_weight, which"),
        ("-", {}, {"H_layers": 1}, "has the tensor H_level.layers.1"),
        ("-", {}, {"H_layers": 3}, "lacks the tensor H_level.layers.2"),
        ("-", {}, {"L_layers": 2}, "lacks the tensor L_level.layers.1"),
        ("-", {"H_level.norm": torch.ones(2)}, {}, "has the unexpected tensor H_level.norm"),
        ("embed_pos", {"embed_pos.embedding_weight": torch.ones(81, 16)}, {}, "has shape"),
    ],
)
def test_what_does_not_fit_hrm_is_named(tmp_path, capsys, without, extra, arch, sentence) -> None:
    state = official_state(Reasoner(HRM))
    kept = {key: tensor for key, tensor in state.items() if without not in key} | extra
    folder = hrm_folder(tmp_path / "hrm", kept, **arch)
    assert sentence in refused(capsys, folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_any_config_the_published_settings_need_a_task(tmp_path: Path) -> None:
    config = ReasonerConfig(
        mixer="token-mlp", hidden=16, layers=1, h_cycles=3, l_cycles=6, damping=0.95,
        path_noise=0.01, vocabulary=11, length=81, rope="none",
    )  # fmt: skip
    reasoner = Reasoner(config)
    torch.save(official_state(reasoner), tmp_path / "bare.pth")
    with pytest.raises(InputError, match=r"no config inside .* pass --config"):
        import_official(tmp_path / "bare.pth", tmp_path / "out")
    card = import_official(tmp_path / "bare.pth", tmp_path / "out", task="sudoku")
    assert_weights(tmp_path / "out", reasoner)
    assert "published settings" in card["origin"]["config"]


class Evil:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.system, (f"touch {self.marker}",)


class Sneaky(Evil):
    """Reaches a function through getattr, whose name looks like a class."""

    def __reduce__(self):
        return self.marker.touch, ()


def refused(capsys: pytest.CaptureFixture, *arguments: str | Path) -> str:
    """The one sentence with which `erm import` refuses."""
    assert main(["import", *map(str, arguments)]) == 2
    sentence = capsys.readouterr().err.strip()
    assert len(sentence.splitlines()) == 1
    return sentence


@pytest.mark.parametrize("kind", [Evil, Sneaky])
@pytest.mark.parametrize("place", ["carry", "model", "config"])
def test_a_hostile_pickle_is_refused_and_not_executed(tmp_path, capsys, kind, place) -> None:
    marker, file = tmp_path / "executed", tmp_path / "evil.pth"
    good = {"model": official_state(Reasoner(EQR)), "config": {"arch": ARCH}}
    torch.save({**good, place: kind(marker)}, file)
    assert "asks to call" in refused(capsys, file, tmp_path / "out")
    assert not marker.exists()
    assert not (tmp_path / "out").exists()
    torch.load(file, weights_only=False)
    assert marker.exists(), "the test's file is hostile: a plain load runs it"


def test_damaged_and_foreign_files_are_refused_in_one_sentence(tmp_path, capsys) -> None:
    whole = tmp_path / "whole.pth"
    _, averaged = training_checkpoint(whole)
    data, out = whole.read_bytes(), tmp_path / "out"
    for size in (0, 1, 100, len(data) // 2, len(data) - 30):
        (tmp_path / "torn.pth").write_bytes(data[:size])
        assert "torn.pth is truncated" in refused(capsys, tmp_path / "torn.pth", out)
    flipped = bytearray(data)
    flipped[data.index(averaged.codec.read.weight.detach().numpy().tobytes())] ^= 0xFF
    (tmp_path / "flipped.pth").write_bytes(flipped)
    assert "missing or damaged" in refused(capsys, tmp_path / "flipped.pth", out)
    assert "no such file" in refused(capsys, tmp_path / "absent.pth", out)
    (tmp_path / "plain.pkl").write_bytes(pickle.dumps({"model": 1}))
    assert "not written by torch.save" in refused(capsys, tmp_path / "plain.pkl", out)
    torch.save([1, 2], tmp_path / "list.pth")
    assert "holds no model" in refused(capsys, tmp_path / "list.pth", out)
    with zipfile.ZipFile(tmp_path / "bomb.pth", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb/data.pkl", b"\0" * 10_000_000)
    assert "compressed" in refused(capsys, tmp_path / "bomb.pth", out)
    with zipfile.ZipFile(tmp_path / "short.pth", "w") as archive:
        archive.writestr("short/data.pkl", pickle.dumps({"model": 1})[:-2])
    assert "damaged pickle" in refused(capsys, tmp_path / "short.pth", out)
    assert not out.exists()


def changed(**changes) -> dict[str, torch.Tensor]:
    """The state dict with tensors replaced, or removed where None."""
    state = official_state(Reasoner(EQR)) | changes
    return {key: tensor for key, tensor in state.items() if tensor is not None}


HEAD = "model.inner.lm_head.weight"
DEEP = "model.inner.L_level.layers.1.mlp.down_proj.weight"


def test_damping_is_what_the_config_says(tmp_path: Path) -> None:
    config = {"arch": {**ARCH, "lambda_": 0.5}, "data_path": "sudoku"}
    torch.save({"model": changed(), "config": config}, tmp_path / "file.pth")
    import_official(tmp_path / "file.pth", tmp_path / "out")
    assert load_checkpoint(tmp_path / "out")[0].config.damping == 0.5


@pytest.mark.parametrize(
    ("state", "arch", "sentence"),
    [
        (changed(**{HEAD: None}), {}, "lacks the tensor lm_head.weight"),
        (changed(**{DEEP: None}), {}, "lacks the tensor L_level.layers.1.mlp.down_proj.weight"),
        (changed(extra=torch.ones(2)), {}, "has the unexpected tensor extra"),
        (changed(**{"model.inner.H_init": torch.ones(16)}), {}, "lacks the tensor L_init"),
        (changed(**{HEAD: torch.ones(11, 15)}), {}, r"lm_head.weight has shape \(11, 15\)"),
        (changed(**{HEAD: torch.full((11, 16), torch.nan)}), {}, "not finite"),
        (changed(**{HEAD: torch.ones(11, 16, dtype=torch.int64)}), {}, "floating point"),
        (changed(**{HEAD: "text"}), {}, "is not a tensor"),
        (changed(**{"inner.lm_head.weight": torch.ones(11, 16)}), {}, "twice"),
        (changed(), {"hidden_size": 32}, r"has shape \(11, 16\), but its config asks for"),
        (changed(), {"L_layers": 1}, "has the tensor L_level.layers.1"),
        (changed(), {"H_cycles": "three"}, "must give H_cycles as int, got three"),
        (changed(), {"H_cycles": 0}, "h_cycles must be 1 to"),
        (changed(), {"pos_encodings": "learned"}, "learned are not supported"),
        (changed(), {"surprise": 1}, "has the key surprise, which this importer does not know"),
        (changed(), {"rope_theta": 500.0}, "asks for rope_theta 500.0, but only 10000"),
        (changed(), {"H_init_std": 0.02}, "asks for H_init_std 0.02, but only 1 can"),
        (changed(), {"L_init_std": [1]}, "asks for L_init_std list"),
        (changed(), {"lambda_": 1.5}, "damping"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, state, arch, sentence) -> None:
    config = {"arch": {**ARCH, **arch}, "data_path": "sudoku"}
    torch.save({"model": state, "config": config}, tmp_path / "file.pth")
    with pytest.raises(InputError, match=sentence):
        import_official(tmp_path / "file.pth", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_only_checkpoints_are_written_over(tmp_path: Path, capsys) -> None:
    training_checkpoint(tmp_path / "full.pth")
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    assert "holds other files" in refused(capsys, tmp_path / "full.pth", out)
    (out / "thesis.tex").unlink()
    assert main(["import", str(tmp_path / "full.pth"), str(out)]) == 0
    assert "is there already" in refused(capsys, tmp_path / "full.pth", out)
    assert main(["import", str(tmp_path / "full.pth"), str(out), "--force"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full.pth", "out"]
    assert json.loads((out / "card.json").read_text())["task"] == "sudoku"


def test_tensors_may_share_and_slice_their_bytes(tmp_path: Path) -> None:
    whole = torch.arange(24.0).reshape(4, 6)
    views = {
        "whole": whole,
        "transposed": whole.T,
        "column": whole[:, 2],
        "half": whole.bfloat16(),
        "double": whole.double(),
        "parameter": torch.nn.Parameter(whole[1:]),
    }
    torch.save(views, tmp_path / "views.pt")
    with TorchFile(tmp_path / "views.pt") as file:
        for key, tensor in views.items():
            assert torch.equal(file.tensor(file.root[key]), tensor.detach().float()), key


@pytest.mark.parametrize("protocol", [2, 4])
def test_plain_values_read_as_unpickled(protocol: int) -> None:
    value = {
        "numbers": [0, -1, 255, 65536, 2**40, -(2**70), 1.5, True, None],
        "text": ["", "é", "a" * 300],
        "nested": [[], {}, {"a": {"b": [1]}}],
    }
    assert read_pickle(pickle.dumps(value, protocol)) == value
    assert read_pickle(pickle.dumps([(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], protocol)) == [
        [1], [1, 2], [1, 2, 3], [1, 2, 3, 4],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "program",
    [
        b"\x80\x02})" + b"\x85" * 1_000_000 + b"Ns.",
        b"\x80\x02)" + b"\x85" * 1_000_000 + b")R.",
        b"\x80\x04)" + b"\x85" * 1_000_000 + b"\x8c\x01a\x93.",
        b"\x80\x02cos\nsystem\n}X\x04\x00\x00\x00nameX\x03\x00\x00\x00setsb.",
        b"\x80\x05\x96" + b"\xff" * 7 + b"\x0f.",
        b"\x80\x02N",
        b"\x80\x02r\xff\xff\xff\xff.",
    ],
    ids=["deep key", "deep call", "deep name", "changed name", "bytearray", "no end", "far memo"],
)
def test_a_damaged_pickle_ends_in_one_sentence(program: bytes) -> None:
    with pytest.raises(InputError, match="damaged pickle"):
        read_pickle(program)


def test_messages_show_a_strangers_text_on_one_line(tmp_path: Path, capsys) -> None:
    torch.save({"model.\x1b[31m\nhello": torch.ones(1)}, tmp_path / "odd.pth")
    assert "\x1b" not in refused(capsys, tmp_path / "odd.pth", tmp_path / "out")


def test_names_map_both_ways() -> None:
    for key in [*Reasoner(EQR).state_dict(), *Reasoner(HRM).state_dict()]:
        assert our_name("_orig_mod.model.inner." + official_name(key)) == key
    with pytest.raises(InputError, match=r"M_level\.layers\.0\.mlp"):
        rename({"model.inner.M_level.layers.0.mlp.down_proj.weight": torch.ones(1)})


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference files are not here")
@pytest.mark.parametrize(
    ("file", "tensors", "case"),
    [
        ("eqr_training_checkpoint.pth", "eqr.pt", "sudoku_mlp"),
        ("trm_run", "trm.pt", "sudoku_mlp"),
        ("hrm_run", "hrm.pt", "sudoku_rope"),
    ],
)
def test_the_reference_files_hold_the_reference_weights(tmp_path, file, tensors, case) -> None:
    import_official(REFERENCE / file, tmp_path / "out")
    official = torch.load(REFERENCE / tensors, weights_only=True)[case]
    wanted = rename(official["state_dict"])
    reasoner, card = load_checkpoint(tmp_path / "out")
    assert card["task"] == "sudoku"
    assert reasoner.config == official_config(official["config"], wanted)
    assert reasoner.state_dict().keys() == wanted.keys()
    for key, tensor in reasoner.state_dict().items():
        assert torch.equal(tensor, wanted[key]), key
