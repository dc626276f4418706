"""Declare which views hash passwords: the server lets few such requests in at a time."""

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])


def hashes_password(view: View) -> View:
    """Let requests that change something at this view wait for one of the threads that hash passwords."""
    view.hashes_password = True  # type: ignore[attr-defined]  # what decorators copy along
    return view


def does_hash_password(view: Callable[..., Any]) -> bool:
    """Return whether a view hashes a posted password."""
    return getattr(view, "hashes_password", False)
