"""Errors of archives."""

from __future__ import annotations


class BackupError(Exception):
    """Raised if nothing was saved or restored; the text is a sentence for the operator."""
