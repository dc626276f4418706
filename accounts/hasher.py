"""Hashing passwords: at most two at a time in a process, whichever page or command asks."""

from __future__ import annotations

import threading
from typing import Final

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils.translation import gettext as _

from core.errors import Busy

AT_ONCE: Final = 2
"""Concurrent hashes in a process. One takes a third of a second of a processor, by design."""
PATIENCE: Final = 5.0
"""Seconds that a hash waits for its turn; a site's requests wait before that, without a thread."""

_turns = threading.BoundedSemaphore(AT_ONCE)


class QueuedPasswordHasher(PBKDF2PasswordHasher):
    """Django's hasher; raises `Busy` where no turn comes within `PATIENCE`."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return the hash, as every check and every change of a password asks for it."""
        if not _turns.acquire(timeout=PATIENCE):
            raise Busy(_("Many people are signing in right now. Try again in a few seconds."))
        try:
            return super().encode(password, salt, iterations)
        finally:
            _turns.release()
