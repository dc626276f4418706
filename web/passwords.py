"""Declares which views hash passwords; the server lets only few requests to them run at a time."""

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])


def hashes_password(view: View) -> View:
    """Mark the view as hashing passwords, so that its unsafe requests wait for a password thread."""
    view.hashes_password = True  # type: ignore[attr-defined]  # what decorators copy along
    return view


def does_hash_password(view: Callable[..., Any]) -> bool:
    """Return whether a view is marked as hashing passwords."""
    return getattr(view, "hashes_password", False)
