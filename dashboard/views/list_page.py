"""Definition of a list's page. Each list is a `ListPage`; the views are the same for all lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise

from accounts.models import User
from projects.models import Project
from projects.permissions import MEMBER, Permission
from web.long_list import Action, Asked, Listing, Page
from web.tables import ExportResource

EXPORT: Final = "export"


class Record(Protocol):
    """A function that records an export of rows of a list."""

    def __call__(self, *, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
        """Record the actor's export of these rows, and of the keys that they reveal."""


class Tabs(Protocol):
    """A function that returns the built-in tabs of a list."""

    def __call__(self, held: Permission, /) -> list[tuple[str, str]]:
        """Return the label and query string of each tab, for a reader with these permissions."""
        ...


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list: its permission, columns, query and bulk actions.

    `name` is the name of its route and its template. `context` returns the additional context of the
    template. `export_by` is the field of the export table that refers to the list's rows. `confirmed` returns
    the rows to list on the confirmation page. Only users who may change items can select rows.
    """

    name: str
    listing: Callable[[User, Project], Listing]
    asked: Callable[[User, Project, Asked], QuerySet[Any]]
    context: Callable[[HttpRequest, Project, Asked, Page], dict[str, object]]
    tabs: Tabs
    actions: tuple[Action, ...]
    resource: type[ExportResource]
    label: Promise
    record: Record
    export_by: str = "pk"
    confirmed: Callable[[User, Project, Sequence[int]], Sequence[object]] = lambda _user, _project, _pks: ()
    permission: Permission = MEMBER

    @property
    def route(self) -> str:
        """The route of the list's page."""
        return f"dashboard:{self.name}"

    def action(self, verb: str) -> Action | None:
        """Return the bulk action with this verb, or None."""
        return next((one for one in self.actions if one.verb == verb), None)
