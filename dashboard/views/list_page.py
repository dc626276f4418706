"""Definition of a long list's page; each list has one `ListPage`, which the views use."""

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
    """The recording of an export of rows of a list."""

    def __call__(self, *, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
        """Record who exported which rows in which format, and the keys it shows them."""


class Tabs(Protocol):
    """The tabs of a list that every project has."""

    def __call__(self, held: Permission, /) -> list[tuple[str, str]]:
        """Name and query of each, for a reader with these permissions."""
        ...


def _no_rows(_user: User, _project: Project, _pks: Sequence[int]) -> Sequence[object]:
    return ()


@dataclass(frozen=True, slots=True)
class ListPage:
    """One list: its permission, columns, query and bulk actions.

    Its name is that of its route and its template. `context` is what its template shows besides the list,
    `export_by` the lookup from the list's rows to those of its table, `confirmed` returns the first selected
    rows for the confirmation page. Rows can be selected by users who may change items.
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
    confirmed: Callable[[User, Project, Sequence[int]], Sequence[object]] = _no_rows
    permission: Permission = MEMBER

    @property
    def route(self) -> str:
        """The name of its page."""
        return f"dashboard:{self.name}"

    def action(self, verb: str) -> Action | None:
        """Return the bulk action with this verb."""
        return next((one for one in self.actions if one.verb == verb), None)
