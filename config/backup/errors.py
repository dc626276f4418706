"""Errors of archives."""

from __future__ import annotations


class BackupError(Exception):
    """Nothing was saved or restored; its text is a sentence for the operator."""
