"""Keeps the links by which people join or set a password out of every log."""

from __future__ import annotations

import logging
import re

SECRET_ADDRESSES = re.compile(r"/(join|reset/[^/\s]+)/[^/\s]+")


class HideTokens(logging.Filter):
    """Writes `/join/…` in place of `/join/TOKEN` into whatever a record says."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record where it names such an address; let every record pass."""
        message = record.getMessage()
        hidden = SECRET_ADDRESSES.sub(r"/\1/…", message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        return True
