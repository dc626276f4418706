"""What goes wrong with stored files, and a reader that notices files that have changed."""

from __future__ import annotations

import hashlib
import io
from typing import IO


class StoreUnavailable(OSError):
    """Raised if the store of files does not respond in time, or not as it should."""


class StoreRefused(StoreUnavailable):
    """Raised if the store of files refuses a request: a key, a right or the bucket is wrong."""


class DamagedFile(OSError):
    """Raised if the content of a stored file is not that which was stored."""


class VerifiedReader(io.RawIOBase):
    """Reads a file once from its beginning, and never ends like a whole file if its SHA-256 is another.

    The last bytes are only returned if the hash is right; otherwise `DamagedFile` is raised in their place.
    """

    def __init__(self, file: IO[bytes], *, size: int, sha256: str) -> None:
        self._file, self._left, self._sha256 = file, size, sha256
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the stubs want a wider type
        """Read up to the length of the buffer into it; return the number of bytes, 0 at the end."""
        part = self._file.read(min(len(buffer), self._left)) if self._left else b""
        self._digest.update(part)
        is_short = bool(self._left) and not part
        self._left -= len(part)
        if is_short or (not self._left and self._digest.hexdigest() != self._sha256):
            raise DamagedFile(f"the stored file {self._sha256} is damaged")
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """Close the file, too."""
        self._file.close()
        super().close()
