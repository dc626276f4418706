"""Declarations of the views that accept files, and from which users; other views accept small bodies only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.http import HttpRequest

View = TypeVar("View", bound=Callable[..., Any])


Admits = Callable[..., bool]
"""Whether a request may send files; called with it and the captured address, before the body is read."""


@dataclass(frozen=True, slots=True)
class Files:
    """The limit of a view on uploads: the number of bytes, and the function that admits a user."""

    most: int
    admits: Admits


def is_signed_in(request: HttpRequest, **captured: Any) -> bool:
    """Return whether the user is signed in."""
    return request.user.is_authenticated


def takes_files(most: int, *, admits: Admits = is_signed_in) -> Callable[[View], View]:
    """Return a decorator that lets a view receive `most` bytes of files from users that `admits` admits."""

    def declare(view: View) -> View:
        view.files = Files(most, admits)  # type: ignore[attr-defined]  # what decorators copy along
        return view

    return declare


def declared_files(view: Callable[..., Any]) -> Files | None:
    """Return the view's limit on files, or None if it accepts small bodies only."""
    return cast("Files | None", getattr(view, "files", None))
