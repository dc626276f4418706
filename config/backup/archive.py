"""The format of an archive: a zip file whose last member is its list of contents, sealed by a SHA-256.

The seal is the comment at the very end of the file: the hash of the whole file with sixty-four zeros
in its place. One changed bit anywhere is therefore found before anything is read. Any zip program opens it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self

from django.utils.translation import gettext as _

from config.backup.errors import BackupError

FORMAT = 1
MANIFEST = "manifest.json"
PATTERN = "parable-*.zip"
CHUNK = 1 << 20
_PART = ".part"
_BLANK = b"0" * 64
_COMPRESSION_LEVEL = 4

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Member:
    """What the list of contents says of one member: its bytes before compression, and their hash."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Table:
    """The rows of one table, as PostgreSQL's COPY writes them."""

    name: str
    columns: list[str]
    rows: int
    member: str


@dataclass
class Manifest:
    """The list of contents."""

    made_at: str = ""
    postgresql: int = 0
    migrations: dict[str, list[str]] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    sequences: dict[str, tuple[int, bool]] = field(default_factory=dict)
    stored_keys: int = 0
    fingerprints: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    secrets: str = ""
    members: dict[str, Member] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def rows(self) -> int:
        """How many rows all tables have."""
        return sum(table.rows for table in self.tables)


class Writer:
    """Takes members one after the other; each is compressed and hashed on its way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._sealing = _Sealing(file)
        self._zip = zipfile.ZipFile(
            self._sealing, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL
        )
        self.members: dict[str, Member] = {}

    def add(self, name: str, chunks: Iterable[bytes | bytearray | memoryview], mode: int = 0o600) -> Member:
        """Write one member and note its hash."""
        info = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
        info.external_attr, info.compress_type = (stat.S_IFREG | mode) << 16, zipfile.ZIP_DEFLATED
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
        """Let the unfinished zip write nothing more where something went wrong."""
        if kind:
            self._sealing.is_given_up = True
            with contextlib.suppress(ValueError):
                self._zip.close()

    def close(self, manifest: Manifest) -> str:
        """Write the list of contents and the end of the file; return the seal that belongs there."""
        manifest.members = self.members
        text = json.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode()
        self._zip.writestr(zipfile.ZipInfo(MANIFEST, datetime.now(UTC).timetuple()[:6]), text)
        self._zip.comment = _BLANK
        self._zip.close()
        return self._sealing.seal


class _Sealing:
    """A file that hashes what is written to it, and cannot be wound back."""

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


@contextlib.contextmanager
def new_archive(folder: Path, made_at: datetime) -> Iterator[tuple[Path, Writer, Manifest]]:
    """Yield the path that the archive will have, and what to fill; nothing is there unless all went well."""
    folder.mkdir(parents=True, exist_ok=True)
    _clear_parts(folder)
    path = folder / f"parable-{made_at:%Y-%m-%dT%H%M%SZ}.zip"
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with open(part, "xb", opener=_private) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            writer, manifest = Writer(file), Manifest(made_at=made_at.isoformat(timespec="seconds"))
            with writer:
                yield path, writer, manifest
            seal = writer.close(manifest)
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


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _clear_parts(folder: Path) -> None:
    """Remove what a killed backup left; one that still runs holds its lock."""
    for part in folder.glob(f".{PATTERN}{_PART}"):
        with contextlib.suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


class Archive:
    """An archive that was found whole."""

    def __init__(self, path: Path, seal: str) -> None:
        self.path, self.sha256 = path, seal
        self._zip = zipfile.ZipFile(path)
        self.manifest = _read_manifest(self._zip)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Read one member piece by piece."""
        with self._zip.open(name) as member:
            while chunk := member.read(CHUNK):
                yield chunk

    def mode(self, name: str) -> int:
        """The rights that the file had."""
        return (self._zip.getinfo(name).external_attr >> 16) & 0o777

    def close(self) -> None:
        """Close the file."""
        self._zip.close()


@contextlib.contextmanager
def open_archive(place: Path) -> Iterator[Archive]:
    """Open an archive, or the newest of a folder, once its seal was found right. Raises BackupError."""
    path = newest(place) if place.is_dir() else place
    seal = _checked_seal(path)
    with contextlib.closing(_opened(path, seal)) as archive:
        yield archive


def newest(folder: Path) -> Path:
    """The newest archive of a folder."""
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


def _opened(path: Path, seal: str) -> Archive:
    try:
        return Archive(path, seal)
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError):
        raise BackupError(_("%(path)s is not a backup of Parable.") % {"path": path}) from None


def _read_manifest(file: zipfile.ZipFile) -> Manifest:
    known: dict[str, Any] = json.loads(file.read(MANIFEST))
    if known["format"] > FORMAT:
        raise BackupError(
            _("This backup was made by a newer version of Parable. Use that version or a newer one.")
        )
    known["tables"] = [Table(**table) for table in known["tables"]]
    known["members"] = {name: Member(**member) for name, member in known["members"].items()}
    return Manifest(**known)
