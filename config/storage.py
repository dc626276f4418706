"""A file storage that writes each file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

DRAFTS: Final = ".drafts"
ABANDONED_SECONDS: Final = 24 * 3600


class WholeFileStorage(FileSystemStorage):
    """Writes each file under a temporary name before it gets its final name.

    So no reader ever gets an incomplete file. If the disk is full, the temporary file is removed.
    """

    def _save(self, name: str, content: Any) -> str:
        self._clear_abandoned()
        draft = f"{DRAFTS}/.part-{secrets.token_hex(16)}"  # a name that backups omit
        try:
            super()._save(draft, content)  # type: ignore[misc]  # the stubs leave it out
            return self._give_name(draft, name)
        finally:
            self.delete(draft)

    def replace(self, name: str, content: Any) -> None:
        """Store a file under exactly this name, also if there is one; readers get the one or the other."""
        self._clear_abandoned()
        draft = f"{DRAFTS}/.part-{secrets.token_hex(16)}"
        try:
            super()._save(draft, content)  # type: ignore[misc]
            with Path(self.path(draft)).open("rb") as file:
                os.fsync(file.fileno())
            Path(self.path(name)).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            Path(self.path(draft)).replace(self.path(name))
        finally:
            self.delete(draft)

    def names(self) -> Iterator[str]:
        """Yield the names of all files, sorted."""
        root = Path(self.location)
        yield from sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())

    def require(self) -> None:
        """Raise an OSError unless files can be stored, read and deleted."""
        name = f".part-check-{secrets.token_hex(16)}"
        self.replace(name, ContentFile(b"check"))
        self.delete(name)

    def _give_name(self, draft: str, name: str) -> str:
        """Link the temporary file to the requested name or, if that is taken, to another; return the name."""
        Path(self.path(name)).parent.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                os.link(self.path(draft), self.path(name))
            except FileExistsError:
                name = self.get_available_name(name)
            else:
                return name.replace("\\", "/")

    def _clear_abandoned(self) -> None:
        """Remove temporary files of killed processes."""
        with contextlib.suppress(OSError), os.scandir(self.path(DRAFTS)) as drafts:
            for draft in drafts:
                if draft.stat().st_mtime < time.time() - ABANDONED_SECONDS:
                    Path(draft.path).unlink(missing_ok=True)
