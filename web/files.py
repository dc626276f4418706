"""Declares which views accept files, and from which users; all other views accept only small bodies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.http import HttpRequest

View = TypeVar("View", bound=Callable[..., Any])


Admits = Callable[..., bool]
"""Returns whether a request may send files.

Called before the body is read, with the URL's captured values.
"""


@dataclass(frozen=True, slots=True)
class Files:
    """A view's limit on uploads: the number of bytes, and the function that decides who may send them."""

    most: int
    admits: Admits


def is_signed_in(request: HttpRequest, **captured: Any) -> bool:
    """Return whether the user is signed in."""
    return request.user.is_authenticated


def takes_files(most: int, *, admits: Admits = is_signed_in) -> Callable[[View], View]:
    """Return a decorator that lets a view receive up to `most` bytes of files if `admits` returns True."""

    def declare(view: View) -> View:
        view.files = Files(most, admits)  # type: ignore[attr-defined]  # what decorators copy along
        return view

    return declare


def declared_files(view: Callable[..., Any]) -> Files | None:
    """Return the view's limit on files, or None if it accepts small bodies only."""
    return cast("Files | None", getattr(view, "files", None))
