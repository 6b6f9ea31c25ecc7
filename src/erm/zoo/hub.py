"""Checkpoints on the Hugging Face Hub, named `hf://owner/name` or `hf://owner/name@revision`.

Official checkpoints may be named by their path there as well, `hf://owner/name/path@revision`.
Only a checkpoint's own files are fetched and sent; nothing that is fetched is executed. Where the
Hub is, and who asks, is the library's own matter (HF_ENDPOINT, HF_HUB_CACHE, `hf auth login`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from erm.errors import InputError, install_command
from erm.model.card import CARD, CONFIG, WEIGHTS, tasks_of

PREFIX = "hf://"
SEEN = "seen_v2.npy"
"""Fingerprints of the training puzzles, which a checkpoint may lack."""
OFFICIAL, OFFICIAL_CONFIG = "checkpoint", "all_config.yaml"
"""Files of an official checkpoint, as HRM's repositories name them."""
_ADDRESS = re.compile(r"hf://([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]{1,96}))?")
_FILE = re.compile(r"(hf://[^/@]+/[^/@]+)/([\w.-]+(?:/[\w.-]+)*)(@.*)?")


@dataclass(frozen=True)
class Address:
    """A repository on the Hub, and which state of it."""

    repository: str
    revision: str | None = None

    @classmethod
    def of(cls, text: str) -> Address:
        found = _ADDRESS.fullmatch(text)
        if found is None:
            raise InputError(f"{text!r} is no hf://owner/name or hf://owner/name@revision")
        return cls(found[1], found[2])

    def __str__(self) -> str:
        return f"{PREFIX}{self.repository}" + (f"@{self.revision}" if self.revision else "")


def is_address(name: str) -> bool:
    """Whether it is to be looked for on the Hub."""
    return name.startswith(PREFIX)


def download(text: str) -> Path:
    """The folder with a checkpoint's files; what was fetched before is not fetched again."""
    address = Address.of(text)
    lacking = f"{address} is no checkpoint of erm: it lacks {CONFIG}, {CARD} or {WEIGHTS}"
    return _fetch(address, (CONFIG, CARD, WEIGHTS), SEEN, lacking).parent


def download_official(text: str) -> Path:
    """The weights of an official checkpoint, with the config beside them where there is one."""
    named = _FILE.fullmatch(text)
    address = Address.of(named[1] + (named[3] or "") if named else text)
    file = named[2] if named else OFFICIAL
    config = str(PurePosixPath(file).with_name(OFFICIAL_CONFIG))
    lacking = f"{address} has no file {file}; name one as hf://owner/name/path"
    return _fetch(address, (file,), config, lacking)


def _fetch(address: Address, names: Sequence[str], optional: str, lacking: str) -> Path:
    """Fetches files, and one more where the repository has it; gives the first."""
    with _talking(address):
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

        def fetch(name: str) -> Path:
            return Path(
                hf_hub_download(
                    address.repository,
                    name,
                    revision=address.revision,
                    cache_dir=os.environ.get("HF_HUB_CACHE"),
                    endpoint=os.environ.get("HF_ENDPOINT"),
                )
            )

        try:
            files = [fetch(name) for name in names]
        except LocalEntryNotFoundError:
            raise InputError(
                f"{address} cannot be reached, and was not fetched before; is there a network?"
            ) from None
        except EntryNotFoundError:
            raise InputError(lacking) from None
        with suppress(EntryNotFoundError):
            fetch(optional)
    return files[0]


def upload(
    folder: Path, text: str, card: Mapping[str, Any], private: bool, message: str | None
) -> str:
    """Sends a checkpoint in one commit, with a page that says what it is; gives its address."""
    address = Address.of(text)
    with _talking(address):
        from huggingface_hub import CommitOperationAdd, HfApi

        api = HfApi(endpoint=os.environ.get("HF_ENDPOINT"))
        api.create_repo(address.repository, private=private, exist_ok=True)
        sent: dict[str, str | bytes] = {
            name: str(folder / name)
            for name in (WEIGHTS, CONFIG, CARD, SEEN)
            if (folder / name).is_file()
        }
        sent["README.md"] = page(card, address).encode()
        commit = api.create_commit(
            address.repository,
            [CommitOperationAdd(name, content) for name, content in sent.items()],
            commit_message=message or f"{', '.join(tasks_of(card))} checkpoint of erm",
            revision=address.revision,
        )
    return commit.commit_url


def page(card: Mapping[str, Any], address: Address) -> str:
    """The repository's front page."""
    tasks = tasks_of(card)
    tags = "\n".join(f"- {tag}" for tag in ("erm", "recursive-reasoning", *tasks))
    lines = [
        f"---\nlibrary_name: erm-reasoner\ntags:\n{tags}\n---\n",
        f"# {', '.join(tasks)}: {card.get('architecture', 'a reasoner')}\n",
        f"{card.get('parameters', 0):,} parameters, a checkpoint of erm.\n",
        f'```python\nimport erm\n\nsolver = erm.load("{address}")\n```\n',
    ]
    rows = [entry for entry in card.get("accuracy") or [] if entry.get("total")]
    if rows:
        lines.append("| data | how | exact |\n|---|---|---|")
        lines += [
            f"| {one.get('data', '')} | {one.get('how', '')} | {one['correct']}/{one['total']} |"
            for one in rows
        ]
    return "\n".join(lines) + "\n"


@contextmanager
def _talking(address: Address) -> Iterator[None]:
    """What may go wrong with the Hub, in one sentence."""
    try:
        import httpx
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    except ImportError:
        raise InputError(f"{address} needs huggingface_hub: {install_command('hub')}") from None
    try:
        yield
    except InputError:
        raise
    except (HfHubHTTPError, HFValidationError, httpx.HTTPError, OSError) as error:
        first = next((line for line in str(error).splitlines() if line.strip()), "no answer")
        raise InputError(f"{address}: {type(error).__name__}: {first.strip()[:200]}") from error
