"""`push RELEASE_DIR --repo OWNER/NAME`: uploads the files of a release to a hub of data sets."""

import argparse
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
from parable.formats.release_folder import MANIFEST, changed_files
from parable.formats.sources import is_plain_path
from parable.llm.addresses import carries_keys, parse_base_url
from parable.llm.errors import AddressRefused

SUMS: Final = "SHA256SUMS"
_REPO: Final = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")
_SHOWN: Final = 5
LARGEST: Final = 20_000_000_000
"""Largest size of an archive's unpacked files, in bytes."""
_REASONS: Final = {401: "hub_token", 403: "hub_right", 404: "hub_repo", 413: "hub_large", 429: "hub_often"}


@dataclass(frozen=True, slots=True)
class Release:
    """A release to send: its version, and its files by name, which match the manifest."""

    version: str
    files: Mapping[str, Path]

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
        return sum(path.stat().st_size for path in self.files.values())


class RefusedError(Exception):
    """Raised if a release cannot be sent; has the code of the message, and its parameters (`named`)."""

    def __init__(self, code: str, **named: object) -> None:
        super().__init__(code)
        self.code = code
        self.named = named


def run(options: argparse.Namespace) -> int:
    """Send the release; return 0, or 2 if it cannot be sent."""
    try:
        with release_folder(options.folder) as folder:
            return _push(options, folder)
    except RefusedError as error:
        return refuse(error, options)


def _push(options: argparse.Namespace, folder: Path) -> int:
    language = options.language
    if not _REPO.fullmatch(options.repo):
        raise RefusedError("hub_name", repo=options.repo)
    endpoint = options.endpoint or os.environ.get("HF_ENDPOINT", "")
    if endpoint and not may_be_sent_tokens(endpoint):
        raise RefusedError("deposit_address", address=endpoint)
    release = whole_release(folder)
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
        said["address"] = address = _send(release, options)
        print(sentence("hub_sent", language) % {**counted, "address": address})
    if options.as_json:
        print_json(said)
    return DONE


@contextmanager
def release_folder(path: Path) -> Iterator[Path]:
    """Yield the folder of a release; an archive is unpacked for the duration of the block.

    Raise RefusedError if the archive cannot be unpacked, or if its contents are larger than `LARGEST`.
    """
    if not zipfile.is_zipfile(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(path) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                    raise RefusedError("hub_no_release", files=path.name)
                archive.extractall(place)  # writes nothing outside `place`
        except (
            zipfile.BadZipFile,
            OSError,
            RuntimeError,
            NotImplementedError,
            ValueError,
            zlib.error,
        ) as error:
            raise RefusedError("hub_no_release", files=path.name) from error
        inside = [one.parent for one in Path(place).glob(f"*/{MANIFEST}")]
        yield inside[0] if len(inside) == 1 and not (Path(place) / MANIFEST).is_file() else Path(place)


def may_be_sent_tokens(address: str) -> bool:
    """Return whether an address is valid, and is encrypted or on this machine."""
    try:
        return carries_keys(parse_base_url(address))
    except AddressRefused:
        return False


def whole_release(folder: Path) -> Release:
    """Return the release in a folder; raise RefusedError if a file differs from the manifest.

    Files that the manifest does not list, such as withheld answers beside a release, are ignored.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        names, version = [*map(str, manifest["files"])], str(manifest["version"])
    except OSError as error:
        raise RefusedError("hub_no_release", files=error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise RefusedError("hub_no_release", files=MANIFEST) from error
    changed = [*changed_files(folder, manifest)]
    if missing := [name for name in changed if not is_plain_path(name) or not (folder / name).is_file()]:
        raise RefusedError("hub_missing", files=_few(missing))
    if changed:
        raise RefusedError("hub_changed", files=_few(changed))
    own = [name for name in (MANIFEST, SUMS) if (folder / name).is_file()]
    return Release(version, {name: folder / name for name in (*names, *own)})


def _few(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")


def _send(release: Release, options: argparse.Namespace) -> str:
    """Upload a release and return the address of the commit; raise RefusedError if the hub refuses."""
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
        raise RefusedError(code, repo=options.repo, status=status, said=_first_line(error)) from None
    except (OSError, ValueError) as error:  # the network, and names that the library refuses
        raise RefusedError("hub_away", said=_first_line(error)) from None
    except Exception as error:
        # The library passes on the errors of its HTTP client, whichever that is.
        if type(error).__module__.partition(".")[0] not in {"httpx", "httpx2", "httpcore", "httpcore2"}:
            raise
        raise RefusedError("hub_away", said=_first_line(error)) from None
    return str(done.commit_url)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def refuse(error: RefusedError, options: argparse.Namespace) -> int:
    """Print why the release in the options' folder cannot be sent, and return the exit code."""
    print(sentence(error.code, options.language) % {"folder": options.folder, **error.named}, file=sys.stderr)
    return UNUSABLE
