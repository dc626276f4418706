"""`push RELEASE_DIR --repo OWNER/NAME`: puts the files of a release on a hub of data sets."""

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.wording import sentence
from parable.extras import require
from parable.llm.addresses import carries_keys, parse_base_url
from parable.llm.errors import AddressRefused

MANIFEST: Final = "MANIFEST.json"
SUMS: Final = "SHA256SUMS"
_REPO: Final = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")
_SHOWN: Final = 5
LARGEST: Final = 20_000_000_000
"""Bytes of an archive's files that are unpacked."""
_REASONS: Final = {401: "hub_token", 403: "hub_right", 404: "hub_repo", 413: "hub_large", 429: "hub_often"}


@dataclass(frozen=True, slots=True)
class Release:
    """A release to send: its version, and its files by name, which are as the manifest has them."""

    version: str
    files: Mapping[str, Path]

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
        return sum(path.stat().st_size for path in self.files.values())


class UnsoundError(Exception):
    """Raised if a folder is no release, or differs from its manifest; has the code and what it names."""


def run(options: argparse.Namespace) -> int:
    """Send the release; return 0, or 2 if it cannot be sent."""
    try:
        with release_folder(options.folder) as folder:
            return _push(options, folder)
    except UnsoundError as error:
        code, named = error.args
        return _refuse(code, options.language, folder=options.folder, files=named)


def _push(options: argparse.Namespace, folder: Path) -> int:
    language = options.language
    if not _REPO.fullmatch(options.repo):
        return _refuse("hub_name", language, repo=options.repo)
    endpoint = options.endpoint or os.environ.get("HF_ENDPOINT", "")
    if endpoint and not may_be_sent_tokens(endpoint):
        return _refuse("deposit_address", language, address=endpoint)
    try:
        release = whole_release(folder)
    except OSError as error:
        return _refuse("hub_no_release", language, folder=options.folder, files=error.strerror or str(error))
    said = {
        "repo": options.repo,
        "version": release.version,
        "files": sorted(release.files),
        "bytes": release.size,
        "public": options.public,
    }
    counted = {"n": len(release.files), "megabytes": release.size / 1e6, "repo": options.repo}
    if options.dry_run:
        print(*(f"  {name}  {path.stat().st_size}" for name, path in sorted(release.files.items())), sep="\n")
        print(sentence("hub_would_send", language) % counted)
        print(sentence("hub_public" if options.public else "hub_private", language))
    else:
        require("hub")
        address = _send(release, options)
        if address is None:
            return UNUSABLE
        said["address"] = address
        print(sentence("hub_sent", language) % {**counted, "address": address})
    if options.as_json:
        print_json(said)
    return DONE


@contextmanager
def release_folder(path: Path) -> Iterator[Path]:
    """Yield the folder of a release, unpacked for the block if it comes as its archive.

    Raise UnsoundError if the archive cannot be unpacked, or is larger unpacked than `LARGEST`.
    """
    if not zipfile.is_zipfile(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(path) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                    raise UnsoundError("hub_no_release", path.name)
                archive.extractall(place)  # which leaves no name outside
        except (
            zipfile.BadZipFile,
            OSError,
            RuntimeError,
            NotImplementedError,
            ValueError,
            zlib.error,
        ) as error:
            raise UnsoundError("hub_no_release", path.name) from error
        inside = [one.parent for one in Path(place).glob(f"*/{MANIFEST}")]
        yield inside[0] if len(inside) == 1 and not (Path(place) / MANIFEST).is_file() else Path(place)


def may_be_sent_tokens(address: str) -> bool:
    """Return whether an address is well formed, and encrypted or on this machine."""
    try:
        return carries_keys(parse_base_url(address))
    except AddressRefused:
        return False


def whole_release(folder: Path) -> Release:
    """Return the release in a folder; raise UnsoundError unless each file is as its manifest has it.

    Files that the manifest does not list, such as withheld answers kept beside a release, are left where they
    are.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        listed = {str(name): str(entry["sha256"]) for name, entry in manifest["files"].items()}
        version = str(manifest["version"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnsoundError("hub_no_release", MANIFEST) from error
    paths = {name: folder / name for name in listed}
    outside = [name for name, path in paths.items() if not path.resolve().is_relative_to(folder.resolve())]
    missing = [name for name, path in paths.items() if not path.is_file()]
    if outside or missing:
        raise UnsoundError("hub_missing", _few([*outside, *missing]))
    changed = [name for name, path in paths.items() if _sha256(path) != listed[name]]
    if changed:
        raise UnsoundError("hub_changed", _few(changed))
    own = {name: folder / name for name in (MANIFEST, SUMS) if (folder / name).is_file()}
    return Release(version, {**paths, **own})


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _few(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")


def _send(release: Release, options: argparse.Namespace) -> str | None:
    """Return the address of the commit with the release; None, with a sentence, if the hub refuses."""
    if options.endpoint or os.environ.get("HF_ENDPOINT"):
        # A hub that lacks Xet gets large files by Git LFS only so: findings/huggingface_hub_without_xet.sh.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.errors import HfHubHTTPError

    hub: Any = HfApi(endpoint=options.endpoint)
    try:
        visibility = {} if options.public else {"private": True}
        hub.create_repo(options.repo, repo_type="dataset", exist_ok=True, **visibility)
        done = hub.create_commit(
            options.repo,
            [CommitOperationAdd(name, str(path)) for name, path in sorted(release.files.items())],
            repo_type="dataset",
            commit_message=f"Release {release.version}",
        )
        hub.create_tag(
            options.repo, tag=release.version, repo_type="dataset", revision=done.oid, exist_ok=True
        )
    except HfHubHTTPError as error:
        status = getattr(getattr(error, "response", None), "status_code", 0)
        code = _REASONS.get(status, "hub_refused")
        _refuse(code, options.language, repo=options.repo, status=status, said=_first_line(error))
        return None
    except (OSError, ValueError) as error:  # the network, and names that the library refuses
        _refuse("hub_away", options.language, said=_first_line(error))
        return None
    except Exception as error:
        # The library passes on the errors of its HTTP client, whichever that is.
        if type(error).__module__.partition(".")[0] not in {"httpx", "httpx2", "httpcore", "httpcore2"}:
            raise
        _refuse("hub_away", options.language, said=_first_line(error))
        return None
    return str(done.commit_url)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def _refuse(code: str, language: str, **named: object) -> int:
    print(sentence(code, language) % named, file=sys.stderr)
    return UNUSABLE
