"""A file storage that writes each file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path
from typing import Any, Final

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
