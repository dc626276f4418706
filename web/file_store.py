"""The stores of this site's files, by their names in the settings: on a disk, or in an object store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from django.core.files.base import File
from django.core.files.storage import storages

from core.files import VerifiedReader


class FileStore(Protocol):
    """What the storages of this site can do besides Django's, on a disk as in an object store."""

    def open(self, name: str, mode: str = "rb") -> File[bytes]:
        """Open a file for reading. Raise FileNotFoundError if there is none."""

    def replace(self, name: str, content: File[bytes]) -> None:
        """Store a file under exactly this name, also if there is one; readers get the one or the other."""

    def exists(self, name: str) -> bool:
        """Return whether there is a file of this name."""

    def delete(self, name: str) -> None:
        """Delete a file; do nothing if there is none."""

    def names(self) -> Iterator[str]:
        """Yield the names of all files, sorted."""

    def require(self) -> None:
        """Raise an OSError unless files can be stored, read and deleted."""


def file_store(name: str) -> FileStore:
    """Return the storage of the settings with this name: `default` or `releases`."""
    return cast("FileStore", storages[name])


def read_upload(name: str, *, sha256: str) -> bytes:
    """Return the content of an upload. Raise `DamagedFile` if it has changed."""
    with file_store("default").open(name) as file:
        return VerifiedReader(file, size=file.size, sha256=sha256).readall() or b""
