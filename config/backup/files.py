"""Backs up and replaces the files of the data folder: uploads and releases."""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import hmac
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.utils.translation import gettext as _

from config.backup.archive import CHUNK, Archive, Writer, private
from config.backup.errors import BackupError
from config.backup.manifest import printable
from config.storage import WholeFileStorage
from parable.formats.sources import is_plain_path
from web.file_store import FileStore, file_store

PASSING = "files"
"""The folder of uploads and files waiting for a worker. They are removed once read, and never changed."""
LASTING = "releases"
"""The folder of files of releases, named by the hash of their content. Never changed or removed."""
FOLDERS = (PASSING, LASTING)
STORAGES = {PASSING: "default", LASTING: "releases"}
"""For each folder, the name of its storage in the settings of Django."""
UNKEPT = "audits/"
"""The folder of checked files that belong to no project, of which nothing is kept."""
SECRETS = {"PARABLE_SECRET_KEY": "secret_key", "PARABLE_KEY_SECRETS": "key_secret"}
"""The settings that are secrets, and for each the file in which a local site stores it."""
PART = ".part-"
"""The prefix of names of incomplete files."""
_RESTORING = f"{PART}restoring-"
SPOOLED = 8 << 20
"""The most bytes of a file in memory on its way to an object store."""


def is_name(name: str) -> bool:
    """Return whether an archive may contain a file with this name: a path below `files` or `releases`."""
    folder, *rest = name.split("/")
    is_ours = folder in FOLDERS and rest and not any(part.startswith(PART) for part in rest)
    return bool(is_ours) and is_plain_path(name)


def check_names(names: Iterable[str], home: Path) -> None:
    """Raise BackupError if a file could not be written to its folder in `home`.

    A file must not be outside its folder, and no other file, folder or link may be in its way.
    """
    roots = {folder: (home / folder).resolve() for folder in FOLDERS}
    known, is_local = set(names), not settings.OBJECT_STORE
    for name in sorted(known):
        folder, _slash, rest = name.partition("/")
        if not is_name(name):
            raise BackupError(
                _(
                    "This backup has a file that would not be in the folder %(folders)s of the data folder:"
                    " %(name)s. Nothing was changed."
                )
                % {"folders": "/".join(FOLDERS), "name": printable(name)}
            )
        target = roots[folder] / rest
        parents = {parent.as_posix() for parent in Path(name).parents}
        is_taken = is_local and (
            target.is_dir()
            or target.resolve() != target
            or any((home / parent).is_file() for parent in parents)
        )
        if is_taken or parents & known:
            raise BackupError(
                _(
                    "The file %(name)s of this backup cannot be put in place: a folder, a file or a link is"
                    " in its way. Nothing was changed."
                )
                % {"name": printable(name)}
            )


def save(home: Path, folder: str, writer: Writer) -> list[str]:
    """Add the files of a folder to the archive, except those already in it; return their names.

    Files that have been removed meanwhile, or whose names `check_names` would refuse, are omitted.
    """
    added = []
    store = store_of(home, folder)
    for rest in store.names():
        name = f"{folder}/{rest}"
        if name in writer.members or not is_name(name) or rest.startswith(UNKEPT):
            continue
        try:
            file = store.open(rest)
        except FileNotFoundError:
            continue
        with file:
            writer.add(name, iter(partial(file.read, CHUNK), b""))
        added.append(name)
    return added


def store_of(home: Path, folder: str) -> FileStore:
    """Return the store of a folder: the data folder, or the object store if the settings name one."""
    if settings.OBJECT_STORE:
        return file_store(STORAGES[folder])
    return WholeFileStorage(location=home / folder)


def are_there(home: Path) -> bool:
    """Return whether the data folder, or the object store, contains files of a site."""
    return any(any(map(is_name, names_in(home, folder))) for folder in FOLDERS)


def names_in(home: Path, folder: str) -> Iterator[str]:
    """Yield the names of all files of a folder, as an archive names them."""
    return (f"{folder}/{rest}" for rest in store_of(home, folder).names())


class Replacement:
    """Replaces the files of a site by those of an archive, in several steps.

    Written files never change, so the files of two sites can exist side by side. The files of the archive are
    first written under temporary names (`take`) and renamed before the database is replaced (`add`); the
    former files are removed after that (`finish`). Wherever the replacement stops, the database in use has
    all of its files.
    """

    def __init__(self, home: Path, folders: Iterable[str] = FOLDERS) -> None:
        self._home = home
        self._roots = {folder: (home / folder).resolve() for folder in folders}
        self._drafts: dict[Path, Path] = {}
        self._taken: list[tuple[Path, Path]] = []
        self._late: list[tuple[Path, Path]] = []
        self._added: list[Path] = []
        for root in (home, *self._roots.values()):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for left in root.glob(f"{_RESTORING}*"):  # left by a killed restore
                shutil.rmtree(left, ignore_errors=True)

    def take(self, archive: Archive, names: Iterable[str]) -> None:
        """Write files of the archive under temporary names, readable only by their owner."""
        for name in names:
            folder, _slash, rest = name.partition("/")
            root = self._roots[folder]
            self._taken.append((self._write(root, archive.chunks(name)), root / rest))

    def take_text(self, name: str, text: str) -> None:
        """Write a file of the data folder under a temporary name; `finish` renames it."""
        self._late.append((self._write(self._home, [text.encode()]), self._home / name))

    def _write(self, root: Path, chunks: Iterable[bytes]) -> Path:
        if root not in self._drafts:
            self._drafts[root] = Path(tempfile.mkdtemp(prefix=_RESTORING, dir=root))
        draft = self._drafts[root] / str(len(self._taken) + len(self._late))
        with open(draft, "xb", opener=private) as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        return draft

    def add(self) -> None:
        """Rename the files to their final names, except where a file already exists."""
        for draft, target in self._taken:
            if target.exists():
                if not filecmp.cmp(draft, target, shallow=False):
                    self._late.append((draft, target))
                continue
            for folder in reversed(target.parents):
                if not folder.exists():
                    folder.mkdir(mode=0o700)
                    self._added.append(folder)
            self._added.append(target)
            draft.rename(target)

    def undo(self) -> None:
        """Remove the files that `add` has renamed."""
        for path in reversed(self._added):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        self._added.clear()

    def finish(self) -> list[Path]:
        """Rename the remaining files, and remove files that are not in the archive.

        Return the paths for which this failed.
        """
        failed = []
        for draft, target in self._late:
            try:
                draft.replace(target)
            except OSError:
                failed.append(target)
        wanted = {target for _draft, target in self._taken}
        for root in self._roots.values():
            for path in sorted(root.rglob("*"), reverse=True):
                if path in wanted or self._drafts.get(root) in (path, path.parent):
                    continue
                try:
                    if not path.is_dir() or path.is_symlink():
                        path.unlink()
                    elif not any(path.iterdir()):
                        path.rmdir()
                except OSError:
                    failed.append(path)
        return failed

    def clear(self) -> None:
        """Remove the temporary files that have not been renamed."""
        for draft in self._drafts.values():
            shutil.rmtree(draft, ignore_errors=True)


class StoreReplacement(Replacement):
    """Replaces the files of a site in an object store, where no file can be renamed.

    So the files of the archive, which was checked before, are stored under their own names when the rows are
    there (`add`). Those of the former site are still there then, and are removed after that (`finish`).
    """

    def __init__(self, home: Path) -> None:
        super().__init__(home, folders=())
        self._stored: list[str] = []

    def take(self, archive: Archive, names: Iterable[str]) -> None:
        """Note the files to store."""
        self._archive, self._names = archive, set(names)
        self._before = {name for folder in FOLDERS for name in names_in(self._home, folder)}

    def add(self) -> None:
        """Store the files, except those that are there; a file of another content is replaced later."""
        for name in sorted(self._names):
            if name not in self._before:
                self._stored.append(name)
                self._store(name)

    def _store(self, name: str) -> None:
        folder, _slash, rest = name.partition("/")
        with tempfile.SpooledTemporaryFile(SPOOLED) as spooled:
            spooled.writelines(self._archive.chunks(name))
            store_of(self._home, folder).replace(rest, File(spooled, rest))

    def undo(self) -> None:
        """Remove the files that `add` has stored."""
        for name in self._stored:
            folder, _slash, rest = name.partition("/")
            with contextlib.suppress(OSError):
                store_of(self._home, folder).delete(rest)
        self._stored.clear()

    def finish(self) -> list[Path]:
        """Store the files that differ, and remove files that are not in the archive.

        Return the names for which this failed.
        """
        failed = super().finish()
        for name in sorted(self._before):
            try:
                self._settle(name)
            except OSError:
                failed.append(Path(name))
        return failed

    def _settle(self, name: str) -> None:
        """Remove a file of the former site, or store that of the archive in its place if it differs."""
        folder, _slash, rest = name.partition("/")
        store = store_of(self._home, folder)
        if name not in self._names:
            store.delete(rest)
            return
        digest = hashlib.sha256()
        with store.open(rest) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
        if digest.hexdigest() != self._archive.manifest.members[name].sha256:
            self._store(name)


def replacement(home: Path) -> Replacement:
    """Return what replaces the files of a site where the settings keep them."""
    return StoreReplacement(home) if settings.OBJECT_STORE else Replacement(home)


def fingerprints(secrets: Iterable[str]) -> list[str]:
    """Return a short hash of each secret, with which secrets can be compared without revealing them."""
    marked = (hmac.new(each.encode(), b"parable: fingerprint", hashlib.sha256) for each in secrets)
    return [mark.hexdigest()[:16] for mark in marked]


def parts(secrets: str) -> Iterator[str]:
    """Yield the secrets of a comma-separated setting."""
    yield from filter(None, map(str.strip, secrets.split(",")))
