"""Declares which views hash passwords; the server runs only few requests to these views at a time."""

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])


def hashes_password(view: View) -> View:
    """Declare that a view hashes passwords, so that its unsafe requests wait for a password thread."""
    view.hashes_password = True  # type: ignore[attr-defined]  # what decorators copy along
    return view


def does_hash_password(view: Callable[..., Any]) -> bool:
    """Return whether `hashes_password` was applied to the view."""
    return getattr(view, "hashes_password", False)
