"""Django's PostgreSQL backend with a faster check of persistent connections."""

from __future__ import annotations

from select import POLLIN, poll

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

USED = (TransactionStatus.IDLE, TransactionStatus.INTRANS)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, which here checks most connections without a query.

    A connection counts as usable as long as the server has sent nothing on it.
    """

    def is_usable(self) -> bool:
        """Return whether the connection is usable. If in doubt, send a query like Django."""
        if self.connection is not None and self.connection.info.transaction_status in USED:
            heard = poll()
            heard.register(self.connection.fileno(), POLLIN)
            if not heard.poll(0):
                return True
        return bool(super().is_usable())
