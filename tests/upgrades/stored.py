"""Where the dumps and the hashes of earlier versions are, and what has a hash."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from tests.architecture import BASE, STREET

DUMPS: Final = Path(__file__).parent
HASHES: Final = DUMPS / "migrations.sha256"


def hashes() -> dict[str, str]:
    """Return the hash of every migration of ours, by its path from the root."""
    files = (path for app in STREET for path in (BASE / app / "migrations").glob("[0-9]*.py"))
    return {
        path.relative_to(BASE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }
