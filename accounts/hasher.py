"""A password hasher that computes at most two hashes at a time in a process."""

from __future__ import annotations

import threading
from typing import Final

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils.translation import gettext as _

from core.errors import Busy

AT_ONCE: Final = 2
"""The most concurrent hashes in a process. Each takes a third of a second of processor time, by design."""
PATIENCE: Final = 5.0
"""The most seconds that a hash waits for others to finish.

Before that, our server lets requests wait that hash passwords, without using a thread.
"""

_turns = threading.BoundedSemaphore(AT_ONCE)


class QueuedPasswordHasher(PBKDF2PasswordHasher):
    """Django's password hasher with limited concurrency. Raises `Busy` after waiting `PATIENCE` seconds."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return the hash of a password. Django calls this for every check and change of a password."""
        if not _turns.acquire(timeout=PATIENCE):
            raise Busy(_("Many people are signing in right now. Try again in a few seconds."))
        try:
            return super().encode(password, salt, iterations)
        finally:
            _turns.release()
