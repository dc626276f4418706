"""The files of the data folder: what people upload, and what releases hold."""

from __future__ import annotations

import hashlib
import hmac
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from config.backup.archive import CHUNK, Archive, Writer

PASSING = "files"
"""Uploads and files to be read: removed once they were read, never changed."""
LASTING = "releases"
"""Files under the hash of their content: never changed, never removed."""
FOLDERS = (PASSING, LASTING)
SECRETS = {"PARABLE_SECRET_KEY": "secret_key", "PARABLE_KEY_SECRETS": "key_secret"}
"""Settings that are secrets, and the files in which a local site keeps its own."""


def save(home: Path, folder: str, writer: Writer) -> list[str]:
    """Add the files of a folder that the archive does not have yet; one that goes meanwhile is left out."""
    added = []
    for path in sorted((home / folder).rglob("*")):
        name = path.relative_to(home).as_posix()
        if name in writer.members or path.name.startswith(".part-") or not path.is_file():
            continue
        try:
            file = path.open("rb")
        except FileNotFoundError:
            continue
        with file:
            writer.add(name, _chunks(file), os.fstat(file.fileno()).st_mode & 0o777)
        added.append(name)
    return added


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def are_there(home: Path) -> bool:
    """Whether the data folder holds files of a site."""
    return any(path.is_file() for folder in FOLDERS for path in (home / folder).rglob("*"))


class Replacement:
    """Files of an archive, laid out beside the folders whose place they take."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        for left in home.glob(".restoring-*"):
            shutil.rmtree(left, ignore_errors=True)
        self._home = home
        self._new = Path(tempfile.mkdtemp(prefix=".restoring-", dir=home))
        self._old = self._new / "before"
        self._swapped: list[str] = []

    def take(self, archive: Archive, names: Iterable[str]) -> None:
        """Write the files of the archive; its zip checks each of them once more."""
        for name in names:
            path = self._new / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.writelines(archive.chunks(name))
            path.chmod(archive.mode(name) | 0o600)

    def swap(self) -> None:
        """Put the new folders in place of the old."""
        self._old.mkdir()
        for folder in FOLDERS:
            (self._new / folder).mkdir(exist_ok=True)
            if (self._home / folder).exists():
                (self._home / folder).rename(self._old / folder)
            self._swapped.append(folder)
            (self._new / folder).rename(self._home / folder)

    def undo(self) -> None:
        """Put the old folders back."""
        for folder in self._swapped:
            shutil.rmtree(self._home / folder, ignore_errors=True)
            if (self._old / folder).exists():
                (self._old / folder).rename(self._home / folder)
        self._swapped.clear()

    def clear(self) -> None:
        """Remove what is not in place."""
        shutil.rmtree(self._new, ignore_errors=True)


def fingerprints(secrets: Iterable[str]) -> list[str]:
    """What distinguishes one secret from another, and nothing more of it."""
    marked = (hmac.new(each.encode(), b"parable: fingerprint", hashlib.sha256) for each in secrets)
    return [mark.hexdigest()[:16] for mark in marked]


def parts(secrets: str) -> Iterator[str]:
    """The secrets of a setting that holds several, with commas."""
    yield from filter(None, map(str.strip, secrets.split(",")))
