"""The stored files of releases, each named by the hash of its content."""

import re
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, Literal

from django.core.files.storage import FileSystemStorage
from django.utils.translation import gettext as _

from core.errors import Hidden
from core.files import DamagedFile, VerifiedReader
from web.file_store import FileStore, file_store

STORAGE: Final = "releases"
SHA256: Final = re.compile(r"[0-9a-f]{64}")
BUFFER: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with this hash, which may be missing. Its content is compared with the hash as it is read."""

    sha256: str

    @property
    def storage(self) -> FileStore:
        """The storage of the files of all releases."""
        return file_store(STORAGE)

    @property
    def name(self) -> str:
        """The name of the file in its storage."""
        return f"{self.sha256[:2]}/{self.sha256}"

    def open(self, mode: Literal["rb"] = "rb") -> IO[bytes]:
        """Open the file for reading once. Raise FileNotFoundError if it is missing.

        A file on this machine's disk is opened as it is: the web server sends such files without a thread.
        Any other raises `DamagedFile` in place of its end if its content is not that of the hash.
        """
        if isinstance(self.storage, FileSystemStorage):
            return Path(self.storage.path(self.name)).open(mode)
        return self._verified()

    def _verified(self) -> BufferedReader:
        file = self.storage.open(self.name)
        return BufferedReader(VerifiedReader(file, size=file.size, sha256=self.sha256), BUFFER)

    def read_bytes(self) -> bytes:
        """Return the content. Raise FileNotFoundError if it is missing, `DamagedFile` if it has changed."""
        with self._verified() as file:
            return file.read()

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the content as text; raise as `read_bytes`."""
        return self.read_bytes().decode(encoding, errors)

    def is_whole(self) -> bool:
        """Return whether the file is there, and has the content of its hash."""
        try:
            with self._verified() as file:
                while file.read(BUFFER):
                    pass
        except (FileNotFoundError, DamagedFile):
            return False
        return True


def stored_at(sha256: str) -> StoredFile:
    """Return the file with this hash. Raise `Hidden` if the text is not a hash."""
    if not SHA256.fullmatch(sha256):
        raise Hidden(_("File not found."))
    return StoredFile(sha256)
