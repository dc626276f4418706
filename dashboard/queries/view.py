"""Queries of saved views of lists."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.models import User
from dashboard.models import SavedView
from projects.models import Project
from web.long_list import Asked


def views_of(user: User, project: Project, listing: str) -> QuerySet[SavedView]:
    """Return the saved views of a list: the user's own, and those shared with the project."""
    mine = SavedView.objects.filter(project=project, listing=listing)
    return mine.filter(Q(owner=user) | Q(shared=True)).order_by("name", "pk")


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab above a list, which opens a view of it; `view` is None for a built-in view."""

    label: str
    query: str
    is_current: bool
    view: SavedView | None = None


def tabs_of(asked: Asked, built_in: Iterable[tuple[str, str]], saved: Iterable[SavedView]) -> list[Tab]:
    """Return the tabs above a list: first the built-in views, then the saved views."""
    tabs = [Tab(label, query, asked.query == query) for label, query in built_in]
    return tabs + [Tab(view.name, view.query, asked.query == view.query, view) for view in saved]
