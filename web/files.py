"""Declares which views accept uploads, and from which users. All other views accept only small bodies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.http import HttpRequest

View = TypeVar("View", bound=Callable[..., Any])


Admits = Callable[..., bool]
"""A function that returns whether a request may send files, before its body is read.

It is called with the request and the values captured from the URL.
"""


@dataclass(frozen=True, slots=True)
class Files:
    """The limit of a view on uploads: the most bytes, and the function that decides who may send them."""

    most: int
    admits: Admits


def is_signed_in(request: HttpRequest, **captured: Any) -> bool:
    """Return whether the user is signed in."""
    return request.user.is_authenticated


def takes_files(most: int, *, admits: Admits = is_signed_in) -> Callable[[View], View]:
    """Return a decorator that lets a view receive uploads of up to `most` bytes if `admits` permits it."""

    def declare(view: View) -> View:
        view.files = Files(most, admits)  # type: ignore[attr-defined]  # what decorators copy along
        return view

    return declare


def declared_files(view: Callable[..., Any]) -> Files | None:
    """Return the limit that `takes_files` gave to a view, or None if the view accepts no uploads."""
    return cast("Files | None", getattr(view, "files", None))
