"""Names of the file formats."""

from typing import Literal, get_args

FormatName = Literal[
    "native", "ppbench", "janko", "csv", "parquet", "npz", "npy", "text", "sdm", "sdk", "links"
]
FORMATS: tuple[str, ...] = get_args(FormatName)
SUFFIXES = {
    ".jsonl": "native",
    ".csv": "csv",
    ".parquet": "parquet",
    ".npz": "npz",
    ".txt": "text",
    ".sdm": "sdm",
    ".sdk": "sdk",
    ".links": "links",
    "": "npy",
}
"""The format in which a file of that name is written."""
