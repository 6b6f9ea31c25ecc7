"""Files made to exhaust or to confuse whoever reads them, and the commands that read them.

Every case is a function of an empty folder that gives the arguments of `erm`; all must end with
exit code 2 and one sentence, soon and in little memory.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

Case = Callable[[Path], list[str]]
CASES: dict[str, Case] = {}
SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
BLOCK = 1 << 20


def case(make: Case) -> Case:
    CASES[make.__name__] = make
    return make


def convert(path: Path) -> list[str]:
    """Reads all of a data set."""
    return ["data", "convert", str(path), str(path.with_name("out.jsonl"))]


def _npy_header(shape: tuple[int, ...], dtype: str = "|u1") -> bytes:
    file = io.BytesIO()
    facts = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, facts)
    return file.getvalue()


def _npz(
    path: Path, members: Mapping[str, np.ndarray], packing: int = zipfile.ZIP_DEFLATED
) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, array in members.items():
            file = io.BytesIO()
            np.save(file, array, allow_pickle=array.dtype.hasobject)
            archive.writestr(f"{name}.npy", file.getvalue())
    return path


# Token arrays


def _bomb(path: Path, name: str, value: int, megabytes: int) -> Path:
    """Rows of 81 equal tokens, a thousand to one."""
    rows = megabytes * BLOCK // 81
    block = bytes([value]) * BLOCK
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(f"{name}.npy", "w", force_zip64=True) as file,
    ):
        file.write(_npy_header((rows, 81)))
        left = rows * 81
        while left:
            left -= file.write(block[: min(left, BLOCK)])
    return path


@case
def npz_of_much_in_little(folder: Path) -> list[str]:
    return convert(_bomb(folder / "bomb.npz", "test_inputs", 1, 96))


@case
def npz_packed_with_lzma(folder: Path) -> list[str]:
    rows = np.ones((2, 81), np.uint8)
    return convert(_npz(folder / "l.npz", {"test_inputs": rows}, zipfile.ZIP_LZMA))


@case
def npz_packed_with_bzip2_and_damaged(folder: Path) -> list[str]:
    path = _npz(folder / "b.npz", {"test_inputs": np.ones((200, 81), np.uint8)}, zipfile.ZIP_BZIP2)
    data = bytearray(path.read_bytes())
    data[70:80] = b"\xff" * 10
    path.write_bytes(data)
    return convert(path)


@case
def npz_that_is_encrypted(folder: Path) -> list[str]:
    path = _npz(folder / "e.npz", {"test_inputs": np.ones((2, 81), np.uint8)})
    data = bytearray(path.read_bytes())
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + at] |= 1
    path.write_bytes(data)
    return convert(path)


@case
def npz_with_a_pickle(folder: Path) -> list[str]:
    return convert(_npz(folder / "p.npz", {"test_inputs": np.array([{}], dtype=object)}))


@case
def npz_whose_header_claims_exabytes(folder: Path) -> list[str]:
    path = folder / "c.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("test_inputs.npy", _npy_header((1 << 50, 81)) + b"\1" * 810)
    return convert(path)


@case
def npz_with_five_thousand_members(folder: Path) -> list[str]:
    path = folder / "m.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(5_000):
            archive.writestr(f"{number}_inputs.npy", b"")
    return convert(path)


@case
def npy_that_claims_810_gigabytes(folder: Path) -> list[str]:
    rows = 10_000_000_000
    (folder / "test").mkdir()
    header = _npy_header((rows, 81))
    with open(folder / "test" / "all__inputs.npy", "wb") as file:
        file.write(header)
        file.truncate(len(header) + rows * 81)
    return convert(folder)


@case
def npy_of_a_gigabyte_of_blank_boards(folder: Path) -> list[str]:
    rows = 12_000_000
    (folder / "test").mkdir()
    header = _npy_header((rows, 81))
    with open(folder / "test" / "all__inputs.npy", "wb") as file:
        file.write(header)
        file.truncate(len(header) + rows * 81)
    return convert(folder)


@case
def npy_with_a_header_that_never_ends(folder: Path) -> list[str]:
    (folder / "test").mkdir()
    (folder / "test" / "all__inputs.npy").write_bytes(
        b"\x93NUMPY\x02\x00" + struct.pack("<I", 9_000_000) + b"(" * 9_000_000
    )
    return convert(folder)


# Text


def _gz(path: Path, block: bytes, megabytes: int, head: bytes = b"") -> Path:
    block = block * (BLOCK // len(block))
    with gzip.open(path, "wb", 9) as file:
        file.write(head)
        for _ in range(megabytes):
            file.write(block)
    return path


@case
def gz_of_empty_lines(folder: Path) -> list[str]:
    return convert(_gz(folder / "n.txt.gz", b"\n", 20))


@case
def gz_of_one_puzzle_again_and_again(folder: Path) -> list[str]:
    return convert(_gz(folder / "r.txt.gz", SUDOKU.encode() + b"\n", 20))


@case
def gz_of_one_record_again_and_again(folder: Path) -> list[str]:
    record = json.dumps({"task": "sudoku", "puzzle": SUDOKU}).encode() + b"\n"
    return convert(_gz(folder / "r.jsonl.gz", record, 20))


@case
def gz_of_one_line(folder: Path) -> list[str]:
    return convert(_gz(folder / "l.txt.gz", b"1", 20))


@case
def gz_of_long_empty_rows(folder: Path) -> list[str]:
    return convert(_gz(folder / "l.csv.gz", b" " * 4000 + b"\n", 20, b"question\n"))


@case
def gz_that_is_cut(folder: Path) -> list[str]:
    path = _gz(folder / "t.txt.gz", SUDOKU.encode() + b"\n", 1)
    path.write_bytes(path.read_bytes()[:-40])
    return convert(path)


def _text(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@case
def csv_with_odd_columns(folder: Path) -> list[str]:
    return convert(_text(folder / "a.csv", "a,question,b\nx,y,z\n"))


@case
def csv_whose_header_only_looks_like_one(folder: Path) -> list[str]:
    return convert(_text(folder / "a.csv", 'a,"x,question,y",b\n1,2,3\n'))


@case
def csv_with_two_questions(folder: Path) -> list[str]:
    return convert(_text(folder / "a.csv", f"question,question\n{SUDOKU},{SUDOKU}\n"))


@case
def csv_with_an_open_quote(folder: Path) -> list[str]:
    rest = "1\n" * 200_000
    return convert(_text(folder / "a.csv", f'question,answer\n"{SUDOKU}\n{rest}'))


@case
def records_with_lone_surrogates(folder: Path) -> list[str]:
    line = '{"task": "sudoku\\ud800", "puzzle": "\\udfff"}\n'
    return convert(_text(folder / "a.jsonl", line))


@case
def records_with_lone_surrogates_in_meta(folder: Path) -> list[str]:
    line = f'{{"task": "sudoku", "puzzle": "{SUDOKU}", "meta": {{"source": "\\ud800"}}}}\n'
    return convert(_text(folder / "a.jsonl", line))


@case
def records_with_huge_numbers(folder: Path) -> list[str]:
    line = f'{{"task": "sudoku", "puzzle": "{SUDOKU}", "meta": {{"guesses": {"9" * 1_000_000}}}}}\n'
    return convert(_text(folder / "a.jsonl", line))


@case
def records_with_numbers_beyond_floats(folder: Path) -> list[str]:
    line = f'{{"task": "sudoku", "puzzle": "{SUDOKU}", "meta": {{"guesses": 1e400}}}}\n'
    return convert(_text(folder / "a.jsonl", line))


@case
def records_nested_without_end(folder: Path) -> list[str]:
    return convert(_text(folder / "a.jsonl", '{"a":' * 500_000 + "1" + "}" * 500_000 + "\n"))


@case
def a_puzzle_of_lone_surrogates(folder: Path) -> list[str]:
    return ["solve", "\udc80\ud800", "--checkpoint", "none"]


@case
def an_address_of_lone_surrogates(folder: Path) -> list[str]:
    return ["solve", "https://puzz.link/p?nurikabe/\udc80/5/\ud800", "--checkpoint", "none"]


@case
def a_size_of_five_thousand_digits(folder: Path) -> list[str]:
    size = "9" * 5000 + "x9"
    return ["data", "maze", "--count", "1", "--size", size, "--out", str(folder / "m.jsonl")]


@case
def an_address_of_a_huge_board(folder: Path) -> list[str]:
    return ["solve", f"https://puzz.link/p?nurikabe/{'9' * 5000}/5/", "--checkpoint", "none"]


# Parquet and Arrow


def parquet(folder: Path, texts: Any, **options: Any) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"question": texts}), folder / "a.parquet", **options)
    return folder / "a.parquet"


@case
def parquet_of_much_in_little(folder: Path) -> list[str]:
    """One text of 96 MB in a few kilobytes."""
    return convert(parquet(folder, ["1" * (96 << 20)], compression="zstd"))


@case
def parquet_whose_footer_plays_it_down(folder: Path) -> list[str]:
    path = parquet(folder, ["1" * (96 << 20)], compression="zstd", use_dictionary=False)
    data = path.read_bytes()
    size = (96 << 20) // 1_000_000

    def varint(number: int, length: int) -> bytes:
        parts = [(number << 1 >> 7 * at) & 127 | 128 for at in range(length)]
        return bytes([*parts[:-1], parts[-1] & 127])

    from pyarrow.parquet import read_metadata

    chunk = read_metadata(path).row_group(0).column(0)
    told = varint(chunk.total_uncompressed_size, 4)
    footer = data.rindex(b"PAR1", 0, -4) if b"PAR1" in data[4:-4] else 4
    path.write_bytes(data[:footer] + data[footer:].replace(told, varint(size, 4)))
    return convert(path)


@case
def parquet_of_one_text_a_million_times(folder: Path) -> list[str]:
    import pyarrow as pa

    indices = pa.array(np.zeros(3_000_000, np.int32))
    return convert(parquet(folder, pa.DictionaryArray.from_arrays(indices, [SUDOKU * 12])))


@case
def parquet_of_long_texts_that_repeat(folder: Path) -> list[str]:
    import pyarrow as pa

    indices = pa.array(np.zeros(500, np.int32))
    texts = pa.DictionaryArray.from_arrays(indices, ["1" * 4_000_000])
    return convert(parquet(folder, texts))


@case
def parquet_that_is_cut_off(folder: Path) -> list[str]:
    path = parquet(folder, [SUDOKU] * 100)
    path.write_bytes(path.read_bytes()[:-20])
    return convert(path)


@case
def parquet_whose_footer_claims_much(folder: Path) -> list[str]:
    path = parquet(folder, [SUDOKU] * 100)
    path.write_bytes(path.read_bytes()[:-8] + struct.pack("<I", 1 << 31) + b"PAR1")
    return convert(path)


@case
def parquet_of_nothing(folder: Path) -> list[str]:
    (folder / "a.parquet").write_bytes(b"")
    return convert(folder / "a.parquet")


@case
def arrow_that_claims_a_terabyte(folder: Path) -> list[str]:
    import pyarrow as pa

    path = folder / "a.arrow"
    table = pa.table({"question": [SUDOKU]})
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)
    _, batch = pa.ipc.MessageReader.open_stream(path.read_bytes())
    size = struct.pack("<q", batch.body.size)
    assert size in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(size, struct.pack("<q", 1 << 40)))
    return convert(path)


@case
def arrow_with_packed_batches(folder: Path) -> list[str]:
    import pyarrow as pa

    path = folder / "a.arrow"
    table = pa.table({"question": ["1" * (96 << 20)]})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(path, table.schema, options=options) as writer:
        writer.write_table(table)
    return convert(path)


@case
def a_folder_of_files_elsewhere(folder: Path) -> list[str]:
    _text(folder / "state.json", '{"_data_files": [{"filename": "/etc/passwd"}]}')
    return convert(folder)


# Checkpoints

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
    "hears_a_dict": {**CARD, "capabilities": {"hears": {"a": 1}}},
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
    (path / "seen.npy").write_bytes(data)
    (folder / "p.txt").write_text(SUDOKU + "\n")
    options = ["--depth", "1", "--width", "1", "--quiet", "--out", str(folder / "run")]
    return ["evaluate", str(path), str(folder / "p.txt"), *options]


BROKEN_ARRAYS = {
    "that_is_empty": b"",
    "of_nothing": b"\x93NUMPY",
    "of_the_future": b"\x93NUMPY\x09\x00" + b"x" * 100,
    "with_an_odd_header": b"\x93NUMPY\x01\x00\x10\x00{'descr': (((((\n",
    "that_claims_too_much": _npy_header((1 << 40,), "<u8"),
    "that_is_a_zip": b"PK\x03\x04" + b"\0" * 40,
    "of_floats": _npy_header((2,), "<f8") + b"\0" * 16,
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


# Official checkpoints


def _pth(path: Path, program: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", program)
        archive.writestr("a/version", "3")
    return path


def _import(folder: Path, program: bytes) -> list[str]:
    return ["import", str(_pth(folder / "x.pth", program)), str(folder / "out")]


@case
def pickle_that_doubles_a_tuple(folder: Path) -> list[str]:
    doubled = b"]" + b"2\x86" * 34
    return _import(folder, b"\x80\x02" + b"}(" + doubled + b"K\x01u.")


@case
def pickle_of_colliding_keys(folder: Path) -> list[str]:
    prime = (1 << 61) - 1
    keys = b"".join(pickle.dumps(number * prime, 2)[2:-1] + b"K\x01" for number in range(30_000))
    return _import(folder, b"\x80\x02}(" + keys + b"u.")


@case
def pickle_of_a_long_integer(folder: Path) -> list[str]:
    return _import(folder, b"\x80\x02}(I" + b"9" * 2_000_000 + b"\nK\x01u.")


@case
def pickle_nested_deep(folder: Path) -> list[str]:
    return _import(folder, b"\x80\x02" + b"]" * 900_000 + b"a" * 899_999 + b".")


@case
def pickle_that_calls(folder: Path) -> list[str]:
    return _import(folder, b"cos\nsystem\n(S'touch /tmp/erm-was-here'\ntR.")


def _yaml(folder: Path, text: str) -> list[str]:
    import torch

    torch.save({"model.inner.H_init": torch.zeros(4)}, folder / "x.pth")
    config = _text(folder / "all_config.yaml", text)
    return ["import", str(folder / "x.pth"), str(folder / "out"), "--config", str(config)]


YAMLS = {
    "of_merge_keys": "a0: &a0 {k: 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 25)),
    "of_aliases": "a0: &a0 [x, x]\n"
    + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)),
    "with_a_tag": "a: !!python/object/apply:os.system [true]\n",
    "nested_deep": "[" * 30_000,
    "of_a_long_integer": "a: 0x" + "f" * 60_000,
    "of_sixty_thousand_keys": "".join(f"{n}: 1\n" for n in range(9_000)),
    "in_base_sixty": "a: " + ":".join(["1"] * 20_000),
    "of_a_timestamp": "a: 2001-99-99\n",
}
for _name, _yaml_text in YAMLS.items():
    CASES[f"yaml_{_name}"] = lambda folder, text=_yaml_text: _yaml(folder, text)


# Runs and their pools


_FINISHED: list[Path] = []


def run_of_evaluate(folder: Path) -> Path:
    """A finished run on one puzzle; made once, then copied."""
    if not _FINISHED:
        _FINISHED.append(_evaluate(folder))
        return _FINISHED[0]
    return Path(shutil.copytree(_FINISHED[0], folder / "run"))


def _evaluate(folder: Path) -> Path:
    from erm.cli.main import main

    path = checkpoint(folder)
    answer = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    (folder / "p.txt").write_text(f"{SUDOKU} {answer}\n")
    options = ["--depth", "2", "--width", "2", "--mode", "full", "--quiet"]
    out = folder / "run"
    code = main(["evaluate", str(path), str(folder / "p.txt"), *options, "--out", str(out)])
    assert code == 0
    return out


def rescore_of(run: Path) -> list[str]:
    return ["rescore", str(run), "--quiet", "--select", "energy"]


def _damaged_pool(change: Callable[[dict[str, np.ndarray]], Any]) -> Case:
    def make(folder: Path) -> list[str]:
        run = run_of_evaluate(folder)
        path = run / "pools" / "000000.npz"
        with np.load(path) as file:
            arrays = dict(file)
        change(arrays)
        np.savez_compressed(path, allow_pickle=True, **arrays)
        return rescore_of(run)

    return make


def _put(name: str, value: Any) -> Callable[[dict[str, np.ndarray]], None]:
    return lambda arrays: arrays.__setitem__(name, np.array(value))


POOLS = {
    "without_answers": lambda arrays: arrays.pop("answers"),
    "with_answers_of_another_size": _put("answers", np.ones((2, 16), int)),
    "with_answers_beyond_states": _put("answers", np.full((2, 81), 77)),
    "with_negative_answers": _put("answers", np.full((2, 81), -3)),
    "with_answers_of_text": _put("answers", [["x"] * 81] * 2),
    "with_answers_of_fractions": _put("answers", np.full((2, 81), 0.5)),
    "with_answers_in_no_rows": _put("answers", 3),
    "of_another_task": _put("task", "nurikabe"),
    "of_a_task_nobody_knows": _put("task", "x"),
    "whose_task_is_a_number": _put("task", 7),
    "with_a_q_of_text": _put("q", ["a", "b"]),
    "with_complex_energies": _put("energy", [1j, 1j]),
    "with_energies_of_nan": _put("energy", [np.nan, np.nan]),
    "with_dates": _put("confidence", np.array(["2020-01-01", "2020-01-02"], "M8[D]")),
    "with_a_pickle": _put("q", np.array([{}, {}], object)),
    "with_log_probs_of_another_size": _put("log_probs", np.zeros((2, 3, 3))),
    "with_a_trace_of_another_size": _put("trace/answers", np.zeros((2, 3, 3), int)),
    "with_valid_of_numbers": _put("valid", [2.0, 3.0]),
    "with_a_factor_of_text": _put("factors/row", ["a", "b"]),
}
for _name, _change in POOLS.items():
    CASES[f"pool_{_name}"] = _damaged_pool(_change)


@case
def pool_that_is_a_bomb(folder: Path) -> list[str]:
    run = run_of_evaluate(folder)
    _bomb(run / "pools" / "000000.npz", "answers", 1, 96)
    return rescore_of(run)


@case
def pool_that_is_a_single_array(folder: Path) -> list[str]:
    run = run_of_evaluate(folder)
    with open(run / "pools" / "000000.npz", "wb") as file:
        np.save(file, np.zeros(3))
    return rescore_of(run)


@case
def pool_packed_with_lzma(folder: Path) -> list[str]:
    run = run_of_evaluate(folder)
    _npz(run / "pools" / "000000.npz", {"answers": np.zeros(3)}, zipfile.ZIP_LZMA)
    return rescore_of(run)


def _damaged_run(file: str, change: Callable[[Any], Any], command: str = "rescore") -> Case:
    def make(folder: Path) -> list[str]:
        run = run_of_evaluate(folder)
        text = (run / file).read_text()
        after = change(json.loads(text))
        (run / file).write_text((after if isinstance(after, str) else json.dumps(after)) + "\n")
        return rescore_of(run) if command == "rescore" else ["compare", str(run), str(run)]

    return make


def _without(*keys: str) -> Callable[[Any], Any]:
    return lambda value: {key: one for key, one in value.items() if key not in keys}


def _with(**changes: Any) -> Callable[[Any], Any]:
    return lambda value: {**value, **changes}


RUNS: dict[str, Case] = {
    "config_without_data": _damaged_run("config.json", _without("data")),
    "config_with_data_in_a_list": _damaged_run("config.json", _with(data=[1])),
    "config_whose_tasks_are_a_number": _damaged_run("config.json", _with(data={"tasks": 3})),
    "config_without_options": _damaged_run("config.json", _without("options")),
    "config_nested_without_end": _damaged_run("config.json", lambda _: '{"a":' * 100_000),
    "config_of_a_comparison_without_data": _damaged_run(
        "config.json", _without("data"), "compare"
    ),
    "sample_with_an_index_of_text": _damaged_run("shards/00000.jsonl", _with(index="x")),
    "sample_with_a_negative_index": _damaged_run("shards/00000.jsonl", _with(index=-1)),
    "sample_with_an_index_beyond_the_data": _damaged_run("shards/00000.jsonl", _with(index=9)),
    "sample_without_a_task": _damaged_run("shards/00000.jsonl", _without("task")),
    "sample_with_a_shape_of_text": _damaged_run("shards/00000.jsonl", _with(shape="ab")),
    "sample_without_evaluations": _damaged_run("shards/00000.jsonl", _without("evaluations")),
    "sample_with_an_oracle_of_text": _damaged_run("shards/00000.jsonl", _with(oracle="x")),
    "sample_that_is_a_list": _damaged_run("shards/00000.jsonl", lambda _: "[1]"),
    "sample_of_nan": _damaged_run("shards/00000.jsonl", lambda _: '{"index": 0, "depth": NaN}'),
    "comparison_of_damaged_samples": _damaged_run("samples.jsonl", _with(task=[1]), "compare"),
    "comparison_without_choices": _damaged_run("samples.jsonl", _with(choices=3), "compare"),
    "comparison_without_evaluations": _damaged_run(
        "samples.jsonl", _with(evaluations="x"), "compare"
    ),
}  # fmt: skip
CASES |= {f"run_{name}": make for name, make in RUNS.items()}


def make(name: str, folder: Path) -> list[str]:
    os.makedirs(folder, exist_ok=True)
    return CASES[name](folder)
