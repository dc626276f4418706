"""Django's PostgreSQL backend with a faster check of persistent connections, and a check of time limits."""

from __future__ import annotations

import logging
import os
from select import POLLIN, poll
from typing import ClassVar

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from web.session_limits import missing_limits

logger = logging.getLogger(__name__)

USED = (TransactionStatus.IDLE, TransactionStatus.INTRANS)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, which here checks most connections without a query.

    A connection counts as usable as long as the server has sent nothing on it. The first connection of a
    process says in the log whether the time limits arrive.
    """

    has_checked_limits: ClassVar[bool] = False

    def init_connection_state(self) -> None:
        """Prepare a new connection, and check the time limits if it is the first of this process."""
        super().init_connection_state()
        if DatabaseWrapper.has_checked_limits:
            return
        DatabaseWrapper.has_checked_limits = True
        if os.environ.get("DATABASE_OWNER_URL", "") == os.environ.get("DATABASE_URL"):
            return  # a command of the owner, who has no limits behind a pooler
        with self.connection.cursor() as cursor:
            if missing := missing_limits(cursor):
                logger.error(
                    "a pooler drops %s: set PARABLE_POOLER=True, and the limits for the role of DATABASE_URL"
                    " (docs/operating.md, A pooler)",
                    ", ".join(missing),
                )

    def is_usable(self) -> bool:
        """Return whether the connection is usable. If in doubt, send a query like Django."""
        if self.connection is not None and self.connection.info.transaction_status in USED:
            heard = poll()
            heard.register(self.connection.fileno(), POLLIN)
            if not heard.poll(0):
                return True
        return bool(super().is_usable())
