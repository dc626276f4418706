"""Django's PostgreSQL backend with a cheaper check of persistent connections."""

from __future__ import annotations

from select import POLLIN, poll

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

USED = (TransactionStatus.IDLE, TransactionStatus.INTRANS)


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks the server nothing while nothing came from it unasked: it says that it ends a connection."""

    def is_usable(self) -> bool:
        """Return whether the connection is usable; in doubt, query the server as Django always does."""
        if self.connection is not None and self.connection.info.transaction_status in USED:
            heard = poll()
            heard.register(self.connection.fileno(), POLLIN)
            if not heard.poll(0):
                return True
        return bool(super().is_usable())
