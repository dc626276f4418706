"""Storage of files under the hash of their content. They are written atomically and never changed."""

import hashlib
import os
import tempfile
from pathlib import Path

from release.queries.release import stored_at


def keep(content: bytes) -> str:
    """Store the content and return its SHA-256. Safe to call twice, even in two workers at once."""
    sha256 = hashlib.sha256(content).hexdigest()
    place = stored_at(sha256)
    is_kept = place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == sha256
    if not is_kept:
        place.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(place, content)
    return sha256


def _write_whole(place: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".part-")
    try:
        with os.fdopen(descriptor, "wb") as part:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
        Path(name).chmod(0o600)
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
