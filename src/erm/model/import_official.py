"""Official EqR, TRM and HRM checkpoints as ours: weights only, strictly; no pickle is executed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from erm.errors import InputError
from erm.files import sha256
from erm.model.card import Probabilities
from erm.model.checkpoint import (
    architecture,
    check_replaceable,
    expected_shapes,
    save_checkpoint,
)
from erm.model.config import ReasonerConfig, Rope
from erm.model.reasoner import Reasoner
from erm.model.torch_file import Made, TensorRecord, TorchFile, printable
from erm.yaml_file import read_yaml

T = TypeVar("T")

CONFIG_FILES = ("all_config.yaml", "config.yaml", "config.json")
"""What the official programs leave beside their weights."""
PUBLISHED_FILE = "checkpoint"
"""The weights' name in HRM's repositories on the Hub."""

EQR_DAMPING, EQR_PATH_NOISE = 0.95, 0.01
"""lambda and beta where EqR's config does not say otherwise."""
READ = {
    *("H_cycles", "L_cycles", "H_layers", "L_layers", "hidden_size", "expansion", "num_heads"),
    *("pos_encodings", "board_height", "board_width", "seq_len", "vocab_size", "puzzle_emb_len"),
    *("mlp_t", "noise_scale", "lambda_"),
}
"""Keys of an official architecture that become ours."""
WITHOUT_EFFECT = {
    *("name", "short_name", "loss", "batch_size", "forward_dtype"),
    *("halt_max_steps", "halt_exploration_prob", "no_ACT_continue"),
    *("puzzle_emb_ndim", "num_puzzle_identifiers"),
}
"""Keys that say how it was trained, that the official code ignores, or that shapes tell."""
FIXED: dict[str, float] = {
    "rms_norm_eps": 1e-5,
    "rope_theta": 10_000.0,
    "H_init_std": 1.0,
    "L_init_std": 1.0,
    "init_std": 1.0,
}
"""Keys with one value that our networks compute with; another one is refused."""


@dataclass(frozen=True)
class Published:
    """What the official networks for one task have in common."""

    tokens: int
    """Sizes that identify a file which names no data set."""
    length: int
    settings: dict[str, int]
    """What shapes cannot tell, for a file without any config whose --task is given."""


PUBLISHED = {
    "sudoku": Published(11, 81, {"H_cycles": 3, "L_cycles": 6, "num_heads": 8, "expansion": 4}),
    "maze": Published(6, 900, {"H_cycles": 3, "L_cycles": 4, "num_heads": 8, "expansion": 4}),
}
HRM_CLASS = "HierarchicalReasoningModel"
"""By which the name of an architecture tells HRM."""
HRM_CYCLES = {"H_cycles": 2, "L_cycles": 2}
"""What HRM publishes instead, for each task."""
ROPES: dict[str, Rope] = {"rope": "1d", "rope2d": "2d", "none": "none", "learned": "none"}

NAMES = {
    "embed_tokens.embedding_weight": "codec.read.weight",
    "embed_pos.embedding_weight": "codec.positions",
    "puzzle_emb.weights": "codec.puzzle",
    "lm_head.weight": "codec.write.weight",
    "q_head.weight": "codec.q_head.weight",
    "q_head.bias": "codec.q_head.bias",
    "H_init": "H_init",
    "L_init": "L_init",
}
STACKS = {"L_level": "blocks", "H_level": "h_blocks"}
PARTS = {
    "mlp_t.gate_up_proj.weight": "positions.gate_up.weight",
    "mlp_t.down_proj.weight": "positions.down.weight",
    "mlp.gate_up_proj.weight": "channels.gate_up.weight",
    "mlp.down_proj.weight": "channels.down.weight",
    "self_attn.qkv_proj.weight": "attention.qkv.weight",
    "self_attn.o_proj.weight": "attention.out.weight",
}


@dataclass(frozen=True)
class Found:
    """Where the settings of a checkpoint come from."""

    settings: Mapping[str, Any]
    where: str


def import_official(
    source: str | Path,
    out: str | Path,
    config: str | Path | None = None,
    task: str | None = None,
    identifier: int = 0,
) -> dict[str, Any]:
    """Convert a checkpoint file or run folder into a checkpoint folder; gives its card.

    All rows of a puzzle embedding are kept; the one of `identifier` is used.
    """
    source, out = _weights_file(Path(source)), Path(out)
    check_replaceable(out)
    with TorchFile(source) as file:
        records, which = _weights(file)
        found = _settings(file, Path(config) if config else None, task, records)
        task = task or _task(found.settings, records, source)
        arch = _architecture(found.settings)
        reasoner_config = official_config(arch, records, task, identifier)
        _check(source, records, reasoner_config)
        weights = {key: file.tensor(record) for key, record in records.items()}
        root = file.root
    for key, tensor in weights.items():
        if not tensor.isfinite().all():
            raise InputError(f"{source}: {official_name(key)} holds numbers that are not finite")
    with torch.random.fork_rng(devices=[]):
        reasoner = Reasoner(reasoner_config)
    reasoner.load_state_dict(weights)
    card = {
        "task": task,
        "architecture": architecture(reasoner_config),
        "probabilities": _probabilities(arch),
        "origin": {
            "file": source.name,
            "sha256": sha256(source),
            "weights": which,
            "config": found.where,
        },
        "data": {"path": _data_path(found.settings)},
        "steps": _steps(root, source),
        "seed": seed if type(seed := found.settings.get("seed")) is int else None,
        "accuracy": [],
    }
    save_checkpoint(out, reasoner, card)
    return card


def rename(state: Mapping[str, T], where: str = "the state dict") -> dict[str, T]:
    """Official tensor names as ours; an unknown name is an error."""
    renamed: dict[str, T] = {}
    for key, value in state.items():
        ours = our_name(key)
        if ours is None:
            raise InputError(
                f"{where} has the unexpected tensor {printable(key)}; "
                "it is no EqR, TRM or HRM model"
            )
        if ours in renamed:
            raise InputError(
                f"{where} has the tensor {printable(key)} twice under different prefixes"
            )
        renamed[ours] = value
    return renamed


def our_name(official: str) -> str | None:
    bare = re.sub(r"^(?:(?:_orig_mod|module|model|inner)\.)*", "", official)
    if layer := re.fullmatch(r"([LH]_level)\.layers\.(\d{1,3})\.(.+)", bare):
        part = PARTS.get(layer[3])
        return part and f"{STACKS[layer[1]]}.{int(layer[2])}.{part}"
    return NAMES.get(bare)


def official_name(ours: str) -> str:
    """The name that the official code gives a tensor, for messages about its files."""
    if layer := re.fullmatch(r"((?:h_)?blocks)\.(\d+)\.(.+)", ours):
        back = {mine: theirs for theirs, mine in (STACKS | PARTS).items()}
        return f"{back[layer[1]]}.layers.{layer[2]}.{back[layer[3]]}"
    return {mine: theirs for theirs, mine in NAMES.items()}[ours]


def official_config(
    arch: Mapping[str, Any],
    weights: Mapping[str, TensorRecord | Tensor],
    task: str | None = None,
    identifier: int = 0,
) -> ReasonerConfig:
    """Our config from the official settings; what they leave out comes from the shapes."""
    _check_keys(arch)
    shapes = {key: tuple(value.shape) for key, value in weights.items()}
    read = shapes.get("codec.read.weight", ())
    if len(read) != 2:
        raise InputError("the checkpoint has no token embedding; it is no EqR, TRM or HRM model")
    vocabulary, hidden = read
    hrm = _has_H_level(shapes) or HRM_CLASS in _setting(arch, "name", "")
    fixed_start, puzzle = hrm or "H_init" in shapes, shapes.get("codec.puzzle")
    mlp_t = _setting(arch, "mlp_t", "blocks.0.positions.down.weight" in shapes)
    prefix = 0
    if puzzle is not None and len(puzzle) == 2:
        prefix = _setting(arch, "puzzle_emb_len", 0 if hrm else 16) or -(-puzzle[1] // hidden)
    sides = _setting(arch, "board_height", 0), _setting(arch, "board_width", 0)
    across = shapes.get("blocks.0.positions.down.weight", (0,))[0]
    length = (
        _setting(arch, "seq_len", 0)
        or (across - prefix if mlp_t else 0)
        or sides[0] * sides[1]
        or (PUBLISHED[task].length if task in PUBLISHED else 0)
    )
    rope = _setting(arch, "pos_encodings", "rope")
    kinds = [kind for kind in ROPES if fixed_start or kind != "learned"]
    if rope not in kinds:
        raise InputError(f"positions of the kind {printable(rope)} are not supported, only {kinds}")
    return ReasonerConfig(
        mixer="token-mlp" if mlp_t else "attention",
        hidden=_setting(arch, "hidden_size", hidden),
        layers=_setting(arch, "L_layers", _depth(shapes, "blocks.")),
        h_layers=_setting(arch, "H_layers", _depth(shapes, "h_blocks.")) if hrm else 0,
        h_cycles=_setting(arch, "H_cycles", None, int),
        l_cycles=_setting(arch, "L_cycles", None, int),
        damping=_setting(arch, "lambda_", 1.0 if fixed_start else EQR_DAMPING),
        path_noise=0.0 if fixed_start else _setting(arch, "noise_scale", EQR_PATH_NOISE),
        random_start=not fixed_start,
        vocabulary=_setting(arch, "vocab_size", vocabulary),
        length=length,
        expansion=_setting(arch, "expansion", 4.0),
        heads=_setting(arch, "num_heads", 8),
        rope="none" if mlp_t else ROPES[rope],
        learned_positions=rope == "learned",
        board=sides if all(sides) else None,
        prefix=prefix,
        identifiers=puzzle[0] if puzzle else 0,
        identifier=identifier,
        puzzle_width=puzzle[-1] if puzzle else 0,
    )


def _has_H_level(names: Iterable[str]) -> bool:
    """Whether z_H has a network of its own: HRM."""
    return any(name.startswith("h_blocks.") for name in names)


def _depth(names: Iterable[str], stack: str) -> int:
    """Layers of a stack by the names of its tensors."""
    return max((int(name.split(".")[1]) for name in names if name.startswith(stack)), default=0) + 1


def _check_keys(arch: Mapping[str, Any]) -> None:
    """Every key is read, known to have no effect, or refused: none is passed over in silence."""
    for key, value in arch.items():
        if key in FIXED:
            if type(value) not in (int, float) or value != FIXED[key]:
                raise InputError(
                    f"the checkpoint's config asks for {key} {_shown(value)}, but only "
                    f"{FIXED[key]:g} can be imported"
                )
        elif key not in READ | WITHOUT_EFFECT:
            raise InputError(
                f"the checkpoint's config has the key {printable(key)}, which this importer does "
                "not know; if it changes nothing, pass --config with a copy that leaves it out"
            )


def _shown(value: Any) -> str:
    """A stranger's setting for a message: its text where that is short by nature, else its type."""
    return printable(value) if isinstance(value, str | int | float) else type(value).__name__


def _setting(arch: Mapping[str, Any], key: str, default: Any, kind: type | None = None) -> Any:
    """A setting of the right type: configs of strangers are checked like all other input."""
    kind = kind or type(default)
    value = arch.get(key)
    if value is None:
        value = default
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise InputError(
            f"the checkpoint's config must give {key} as {kind.__name__}, got {_shown(value)}; "
            "pass the right one with --config"
        )
    return value


def _weights_file(source: Path) -> Path:
    """The file itself, or a run folder's latest step."""
    if not source.exists():
        raise InputError(f"no such file: {source}")
    if not source.is_dir():
        return source
    steps = [path for path in source.glob("step_*") if re.fullmatch(r"step_\d+", path.name)]
    if steps:
        return max(steps, key=lambda path: int(path.name.removeprefix("step_")))
    files = [*source.glob("*.pth"), *source.glob("*.pt"), *source.glob(PUBLISHED_FILE)]
    if len(files) != 1:
        raise InputError(f"{source} has no step_N file and not exactly one .pth; name the file")
    return files[0]


def _weights(file: TorchFile) -> tuple[dict[str, TensorRecord], str]:
    """The tensors of the model, averaged ones (EMA) where the file has them."""
    root = _mapping(file.root)
    where = str(file.path)
    if root and all(isinstance(value, TensorRecord) for value in root.values()):
        return rename(_tensors(root, where), where), "as saved"
    raw = rename(_tensors(root.get("model", root.get("state_dict")), where), where)
    ema = root.get("ema")
    shadow = _mapping(ema).get("shadow") if ema is not None else None
    if not shadow:
        return raw, "raw"
    averaged = rename(_tensors(shadow, where), f"{where}: ema.shadow")
    if extra := averaged.keys() - raw.keys():
        raise InputError(f"{where}: ema.shadow has {official_name(min(extra))}, the model has not")
    # Averages cover trained tensors only; buffers such as H_init come from the model.
    return {**raw, **averaged}, "ema"


def _tensors(value: Any, where: str) -> dict[str, TensorRecord]:
    tensors = _mapping(value)
    if not tensors:
        raise InputError(f"{where} holds no model: neither a state dict nor a training checkpoint")
    for key, tensor in tensors.items():
        if not isinstance(key, str):
            raise InputError(f"{where} has a state dict whose keys are not names of tensors")
        if not isinstance(tensor, TensorRecord):
            raise InputError(f"{where}: {printable(key)} in the state dict is not a tensor")
    return tensors


def _mapping(value: Any) -> dict[Any, Any]:
    """A dict, or the fields of an object that was pickled."""
    if isinstance(value, Made) and not value:
        value = value.state
    if isinstance(value, dict):
        inner = value.get("__dict__")
        return inner if isinstance(inner, dict) else value
    return {}


def _settings(
    file: TorchFile, given: Path | None, task: str | None, records: Iterable[str]
) -> Found:
    """Settings from --config, from inside the file, from beside it, or published for the task."""
    if given is not None:
        return Found(_read_settings(given), given.name)
    inside = _mapping(_mapping(file.root).get("config"))
    if inside:
        return Found(inside, "inside the file")
    for name in CONFIG_FILES:
        beside = file.path.with_name(name)
        if beside.is_file():
            return Found(_read_settings(beside), name)
    if task in PUBLISHED:
        settings = PUBLISHED[task].settings | (HRM_CYCLES if _has_H_level(records) else {})
        return Found(settings, f"the published settings for {task}, as the file has none")
    raise InputError(
        f"{file.path} has no config inside and no {CONFIG_FILES[0]} beside it; pass --config FILE, "
        f"or --task {' or '.join(PUBLISHED)} for the published settings"
    )


def _read_settings(file: Path) -> dict[str, Any]:
    value = read_yaml(file)
    if not isinstance(value, dict):
        raise InputError(f"{file} must hold settings, got {type(value).__name__}")
    return value


def _architecture(settings: Mapping[str, Any]) -> dict[Any, Any]:
    """The part that describes the network; a flat file mixes it with the training's settings."""
    arch = settings.get("arch")
    if arch is not None:
        return _mapping(arch)
    return {key: value for key, value in settings.items() if key in READ | FIXED.keys()}


def _data_path(settings: Mapping[str, Any]) -> str | None:
    """The data set that the official config names, under any of its keys."""
    paths = settings.get("data_paths")
    first = paths[0] if isinstance(paths, list) and paths else None
    for value in (first, settings.get("data_path"), settings.get("dataset")):
        if isinstance(value, str):
            return value
    return None


def _probabilities(arch: Mapping[str, Any]) -> Probabilities:
    """Those of the loss it was trained with; HRM's full Sudoku run has softmax."""
    kind = _mapping(arch.get("loss")).get("loss_type")
    return "softmax" if kind == "softmax_cross_entropy" else "stablemax"


def _task(settings: Mapping[str, Any], records: Mapping[str, TensorRecord], source: Path) -> str:
    path = (_data_path(settings) or "").lower()
    named = [task for task in PUBLISHED if task in path]
    if len(named) == 1:
        return named[0]
    vocabulary = records["codec.read.weight"].shape[0] if "codec.read.weight" in records else 0
    by_tokens = [task for task, known in PUBLISHED.items() if known.tokens == vocabulary]
    if not by_tokens:
        raise InputError(f"{source} does not say which task it is for; pass --task")
    return by_tokens[0]


def _steps(root: Any, source: Path) -> int | None:
    """Training steps from the checkpoint, or from the file name of TRM and HRM."""
    mapping = _mapping(root)
    for key in ("step", "global_step"):
        if type(mapping.get(key)) is int:
            return mapping[key]
    name = re.fullmatch(r"step_(\d{1,12})", source.name)
    return int(name[1]) if name else None


def _check(source: Path, records: Mapping[str, TensorRecord], config: ReasonerConfig) -> None:
    """Shapes against the config, before any number is read."""
    wanted = expected_shapes(config)
    if missing := sorted(wanted.keys() - records.keys()):
        raise InputError(f"{source} lacks the tensor {official_name(missing[0])}")
    if extra := sorted(records.keys() - wanted.keys()):
        raise InputError(
            f"{source} has the tensor {official_name(extra[0])}, which its config has no use for"
        )
    for key, shape in wanted.items():
        if records[key].shape != tuple(shape):
            raise InputError(
                f"{source}: {official_name(key)} has shape {records[key].shape}, "
                f"but its config asks for {tuple(shape)}"
            )
