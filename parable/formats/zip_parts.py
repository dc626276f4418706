"""Writes ZIP archives in pieces while they are sent, so that memory does not grow with their size."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any, Final

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same files always give the same bytes."""


class Outlet(io.RawIOBase):
    """A write-only stream that buffers bytes until they are sent."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Return True, as this stream is write-only."""
        return True

    def write(self, part: Any) -> int:
        """Buffer a part until `take` is called."""
        self._parts.append(bytes(part))
        return len(part)

    def take(self) -> bytes:
        """Return everything written since the last call."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def zip_parts(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """Yield a ZIP archive in pieces; each file is given by its name and its content in parts."""
    outlet = Outlet()
    with zipfile.ZipFile(outlet, "w") as archive:
        for name, parts in files:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with archive.open(entry, "w") as packed:
                for part in parts:
                    packed.write(part)
                    yield outlet.take()
    yield outlet.take()
