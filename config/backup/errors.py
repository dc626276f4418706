"""The exception for failed backups and restores."""

from __future__ import annotations


class BackupError(Exception):
    """Raised if nothing was saved or restored. The text is a sentence for the operator."""
