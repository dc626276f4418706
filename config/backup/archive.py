"""The format of an archive: a zip file with a list of contents as its last member, and a seal at its end.

The seal is the SHA-256 of the whole file, computed with sixty-four zeros instead of the seal, so that any
changed bit is detected before anything is read. Since anyone can compute a seal, it is preceded, in the same
comment of the zip file, by a signature of the list of contents (which has the hashes of all members): an HMAC
with the site's PARABLE_SECRET_KEY. Archives of older versions have no signature. Any zip program opens an
archive.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Self

from django.utils.translation import gettext as _

from config.backup.errors import BackupError
from config.backup.manifest import NAME, Manifest, Member, printable, read_manifest

PATTERN = "parable-*.zip"
CHUNK = 1 << 20
_PART = ".part"
_BLANK = b"0" * 64
_COMPRESSION_LEVEL = 4
_MANIFEST_BYTES, _LINE_BYTES = 4 << 20, 1 << 10
"""The maximum size of the list of contents in bytes: a constant, plus a number for each member."""
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, struct.error, ValueError,
)  # fmt: skip
"""The errors that `zipfile` raises for a file that is no zip file, or has unreadable members."""

Progress = Callable[[str], None]


class Origin(StrEnum):
    """The origin of an archive by its signature: this site, another site, or unknown without a signature."""

    OWN = "own"
    OTHER = "other"
    UNSIGNED = "unsigned"


class Writer:
    """Writes the members of an archive, and compresses and hashes them at the same time."""

    def __init__(self, file: IO[bytes]) -> None:
        self._sealing = _Sealing(file)
        self._zip = zipfile.ZipFile(
            self._sealing, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL
        )
        self.members: dict[str, Member] = {}

    def add(self, name: str, chunks: Iterable[bytes | bytearray | memoryview]) -> Member:
        """Write a member, and record its size and hash for the list of contents."""
        info = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
        info.external_attr, info.compress_type = (stat.S_IFREG | 0o600) << 16, zipfile.ZIP_DEFLATED
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w", force_zip64=True) as member:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                member.write(chunk)
        self.members[name] = Member(size, digest.hexdigest())
        return self.members[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Close the zip file after an error, without writing any more bytes to the archive."""
        if kind:
            self._sealing.is_given_up = True
            with contextlib.suppress(ValueError):
                self._zip.close()

    def close(self, manifest: Manifest, secret: str) -> str:
        """Write the list of contents and the end of the zip file; return the seal for the caller to write."""
        manifest.members = self.members
        text = json.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode()
        self._zip.writestr(zipfile.ZipInfo(NAME, datetime.now(UTC).timetuple()[:6]), text)
        self._zip.comment = (_signature(secret, text) if secret else b"") + _BLANK
        self._zip.close()
        return self._sealing.seal


class _Sealing:
    """A file that hashes everything written to it. It does not support seeking."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest = file, hashlib.sha256()
        self.is_given_up = False

    def write(self, data: bytes) -> int:
        if self.is_given_up:
            return len(data)
        self._digest.update(data)
        try:
            return self._file.write(data)
        except OSError:
            self.is_given_up = True
            raise

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    @property
    def seal(self) -> str:
        return self._digest.hexdigest()


def _signature(secret: str, text: bytes) -> bytes:
    return hmac.new(secret.encode(), b"parable: backup\n" + text, hashlib.sha256).hexdigest().encode("ascii")


@contextlib.contextmanager
def new_archive(folder: Path, made_at: datetime, secret: str = "") -> Iterator[tuple[Path, Writer, Manifest]]:
    """Yield (future path, writer, manifest) for a new archive. After an error, no archive remains.

    The archive is signed if `secret` is not "". Raises BackupError if another archive is being written with
    this name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _clear_parts(folder)
    path = folder / f"parable-{made_at:%Y-%m-%dT%H%M%SZ}.zip"
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with open(part, "xb", opener=private) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            writer, manifest = Writer(file), Manifest(made_at=made_at.isoformat(timespec="seconds"))
            with writer:
                yield path, writer, manifest
            seal = writer.close(manifest, secret)
            file.seek(-len(_BLANK), os.SEEK_END)
            file.write(seal.encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
            part.rename(path)
    except FileExistsError:
        raise BackupError(
            _("Another backup to %(folder)s started in the same second.") % {"folder": folder}
        ) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def private(path: str, flags: int) -> int:
    """Open a file that only its owner can read and write; pass this function as `opener` to `open`."""
    return os.open(path, flags, 0o600)


def _clear_parts(folder: Path) -> None:
    """Remove partial files of killed backups, but not those of running backups, which hold a lock."""
    for part in folder.glob(f".{PATTERN}{_PART}"):
        with contextlib.suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


class Archive:
    """An archive with a verified seal and a well-formed list of contents.

    All other checks are in `check`.
    """

    def __init__(self, path: Path, seal: str) -> None:
        self.path, self.sha256 = path, seal
        self._zip = zipfile.ZipFile(path)
        try:
            self._text = self._read_text()
            self.manifest = read_manifest(self._text)
        except BaseException:
            self._zip.close()
            raise

    def _read_text(self) -> bytes:
        info = self._zip.getinfo(NAME)
        if info.file_size > _MANIFEST_BYTES + _LINE_BYTES * len(self._zip.infolist()):
            raise zipfile.BadZipFile("the list of contents is larger than its members need")
        return self._zip.read(info)

    def origin(self, secret: str) -> Origin:
        """Return the origin of the archive; `secret` is this site's PARABLE_SECRET_KEY, or ""."""
        signature = self._zip.comment[: -len(_BLANK)]
        if not signature:
            return Origin.UNSIGNED
        is_ours = secret and hmac.compare_digest(_signature(secret, self._text), signature)
        return Origin.OWN if is_ours else Origin.OTHER

    def entries(self) -> list[zipfile.ZipInfo]:
        """Return all entries of the zip file, including the list of contents."""
        return self._zip.infolist()

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a member in chunks.

        Raises BackupError at the end if its size or hash is not the listed one.
        """
        listed, digest, size = self.manifest.members[name], hashlib.sha256(), 0
        try:
            with self._zip.open(name) as member:
                while chunk := member.read(CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
                    yield chunk
        except _UNREADABLE:
            size = -1
        if (size, digest.hexdigest()) != (listed.bytes, listed.sha256):
            raise BackupError(
                _(
                    "%(name)s in this backup is damaged: its size or hash is not the one listed."
                    " Nothing was changed."
                )
                % {"name": printable(name)}
            )

    def close(self) -> None:
        """Close the archive's file."""
        self._zip.close()


@contextlib.contextmanager
def open_archive(place: Path) -> Iterator[Archive]:
    """Verify and open an archive; for a folder, its newest archive. Raise BackupError if it is damaged."""
    path = newest(place) if place.is_dir() else place
    seal = _checked_seal(path)
    try:
        archive = Archive(path, seal)
    except _UNREADABLE:
        raise BackupError(_("%(path)s is not a backup of Parable.") % {"path": path}) from None
    with contextlib.closing(archive):
        yield archive


def newest(folder: Path) -> Path:
    """Return the path of the newest archive in a folder. Raise BackupError if it has none."""
    if not (found := sorted(folder.glob(PATTERN))):
        raise BackupError(_("There is no backup in %(folder)s.") % {"folder": folder})
    return found[-1]


def _checked_seal(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            left = max(0, os.fstat(file.fileno()).st_size - len(_BLANK))
            while left and (chunk := file.read(min(CHUNK, left))):
                digest.update(chunk)
                left -= len(chunk)
            written = file.read()
    except FileNotFoundError:
        raise BackupError(_("There is no backup %(path)s.") % {"path": path}) from None
    digest.update(_BLANK)
    if digest.hexdigest().encode("ascii") != written:
        raise BackupError(
            _(
                "The backup %(path)s is damaged: its content does not match its hash. Nothing was changed."
                " Use another one."
            )
            % {"path": path}
        )
    return digest.hexdigest()
