"""Hashes passwords, at most two at a time in a process."""

from __future__ import annotations

import threading
from typing import Final

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils.translation import gettext as _

from core.errors import Busy

AT_ONCE: Final = 2
"""Concurrent hashes in a process. Each takes a third of a second of processor time, by design."""
PATIENCE: Final = 5.0
"""Seconds that a hash waits for a free slot.

Requests to a site already wait before that, without a thread.
"""

_turns = threading.BoundedSemaphore(AT_ONCE)


class QueuedPasswordHasher(PBKDF2PasswordHasher):
    """Django's password hasher, which raises `Busy` if no slot is free within `PATIENCE`."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return the hash of a password; called for every check and every change of a password."""
        if not _turns.acquire(timeout=PATIENCE):
            raise Busy(_("Many people are signing in right now. Try again in a few seconds."))
        try:
            return super().encode(password, salt, iterations)
        finally:
            _turns.release()
