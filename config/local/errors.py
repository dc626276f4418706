"""The exception for local servers."""

from __future__ import annotations


class LocalServerError(Exception):
    """Raised if a local server cannot be started or used. The text is a sentence for the operator."""
