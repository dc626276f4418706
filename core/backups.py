"""The note that a backup leaves in the data folder, by which the site knows how old the newest one is."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

NAME: Final = "last_backup.json"


class LastBackup(NamedTuple):
    """When the newest backup was made, and where its archive was written."""

    at: datetime
    archive: str


def note_backup(home: Path, *, at: datetime, archive: Path) -> None:
    """Write that a backup was made. `at` has a time zone."""
    part = home / f".{NAME}.part"
    part.write_text(json.dumps({"at": at.isoformat(), "archive": str(archive)}), encoding="utf-8")
    part.replace(home / NAME)


def last_backup(home: Path) -> LastBackup | None:
    """Return the newest backup, or None if none is noted."""
    try:
        noted = json.loads((home / NAME).read_text(encoding="utf-8"))
        at = datetime.fromisoformat(noted["at"])
        return LastBackup(at, str(noted["archive"])) if at.tzinfo else None
    except (OSError, ValueError, KeyError, TypeError):  # missing, or not written by `note_backup`
        return None
