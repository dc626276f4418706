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
    require_name(options.repo)
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
        said["address"] = address = send_release(
            release, options.repo, public=options.public, endpoint=endpoint
        )
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


def require_name(repo: str) -> None:
    """Raise RefusedError unless `repo` has the form OWNER/NAME."""
    if not _REPO.fullmatch(repo):
        raise RefusedError("hub_name", repo=repo)


def may_be_sent_tokens(address: str) -> bool:
    """Return whether tokens may be sent to an address: it must be valid, and encrypted or on this machine."""
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


def send_release(release: Release, repo: str, *, public: bool, endpoint: str = "", token: str = "") -> str:
    """Upload a release to a data set of a hub, and return the address of the commit.

    Without `endpoint` or `token`, those of huggingface_hub are used. Raise RefusedError if the hub refuses or
    cannot be reached; its parameters do not contain the token, even if the hub repeats it.
    """
    if endpoint:
        # Makes a hub that lacks Xet receive large files by Git LFS: findings/huggingface_hub_without_xet.sh.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    from huggingface_hub import CommitOperationAdd, HfApi

    hub: Any = HfApi(endpoint=endpoint or None, token=token or None)
    try:
        visibility = {} if public else {"private": True}
        hub.create_repo(repo, repo_type="dataset", exist_ok=True, **visibility)
        done = hub.create_commit(
            repo,
            [CommitOperationAdd(name, str(path)) for name, path in sorted(release.files.items())],
            repo_type="dataset",
            commit_message=f"Release {release.version}",
        )
        hub.create_tag(repo, tag=release.version, repo_type="dataset", revision=done.oid, exist_ok=True)
    except Exception as error:
        # The library wraps what went wrong with the upload of a large file.
        wrapped = error.__cause__ if isinstance(error, RuntimeError) else None
        refused = _refusal(wrapped or error, repo, token)
        if refused is None:
            raise
        raise refused from None
    return str(done.commit_url)


def _refusal(error: BaseException, repo: str, token: str) -> RefusedError | None:
    """Convert an error of the hub or of the network to a refusal, without the token.

    Return None for other errors.
    """
    from huggingface_hub.errors import HfHubHTTPError

    text = str(error).replace(token, "***") if token else str(error)
    said = next(iter(text.strip().splitlines()), type(error).__name__)[:200]
    if isinstance(error, HfHubHTTPError):
        status = getattr(getattr(error, "response", None), "status_code", 0)
        return RefusedError(_REASONS.get(status, "hub_refused"), repo=repo, status=status, said=said)
    # the network, names that the library refuses, and the errors of its HTTP client, whichever that is
    client = type(error).__module__.partition(".")[0] in {"httpx", "httpx2", "httpcore", "httpcore2"}
    is_known = client or isinstance(error, OSError | ValueError)
    return RefusedError("hub_away", said=said) if is_known else None


def refuse(error: RefusedError, options: argparse.Namespace) -> int:
    """Print why the release in the options' folder cannot be sent, and return the exit code."""
    print(sentence(error.code, options.language) % {"folder": options.folder, **error.named}, file=sys.stderr)
    return UNUSABLE
