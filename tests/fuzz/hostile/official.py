"""Files of `torch.save` and the YAML beside them."""

from __future__ import annotations

import zipfile
from pathlib import Path

from hostile.cases import CASES, case, write


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
    config = write(folder / "all_config.yaml", text)
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
