"""Errors of the local servers."""

from __future__ import annotations


class LocalServerError(Exception):
    """Raised if a local server cannot be started or used; the text is a sentence for the operator."""
