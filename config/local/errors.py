"""Errors of the local servers."""

from __future__ import annotations


class LocalServerError(Exception):
    """A local server cannot be started or used; its text is a sentence for the person at the desk."""
