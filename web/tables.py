"""Base classes and columns of tables for export.

Tables cannot be imported this way: imports go through the services, with a preview.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from import_export.fields import Field
from import_export.resources import ModelResource
from import_export.widgets import DateTimeWidget, Widget

from core.errors import Forbidden
from parable.formats.table_writer import Cell, Sheet

if TYPE_CHECKING:
    Rows = QuerySet[Any]  # generic for the type checker only
else:
    Rows = QuerySet

_ROWS_AT_ONCE = 2000


class Plain(Widget):  # type: ignore[misc]  # the library ships no annotations
    """A widget that exports numbers, texts and booleans unchanged, and any other value as text."""

    def render(self, value: Any, obj: Any = None, **kwargs: Any) -> Cell:
        """Return the cell for a value. The elements of a list are joined by semicolons."""
        if isinstance(value, (list, tuple)):
            return "; ".join(map(str, value))
        return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


class Moment(DateTimeWidget):  # type: ignore[misc]  # the library ships no annotations
    """A widget that exports times as text in UTC, such as 2026-11-30T12:00:00Z."""

    def render(self, value: Any, obj: Any = None, **kwargs: Any) -> Cell:
        """Return the cell for a time; an empty cell for None."""
        return value.strftime("%Y-%m-%dT%H:%M:%SZ") if value else None


def column(path: str) -> Field:
    """Return a column with an attribute of the row. Double underscores in the path follow relations."""
    return Field(attribute=path, widget=Plain())


def moment(path: str) -> Field:
    """Return a column with an attribute of the row that is a time."""
    return Field(attribute=path, widget=Moment())


def worked_out(cell: Callable[[Any], Cell]) -> Field:
    """Return a column whose cells are computed by a function of the row."""
    return Field(dehydrate_method=cell)


def in_turn(cells: Callable[[Any], Sequence[Cell]], columns: int) -> list[Field]:
    """Return as many columns as `columns`; a function of the row computes all of their cells.

    If it returns fewer cells, the others are empty.
    """

    def at(place: int) -> Field:
        def cell(row: Any) -> Cell:
            found = cells(row)
            return found[place] if place < len(found) else None

        return worked_out(cell)

    return [at(place) for place in range(columns)]


class ExportResource(ModelResource):  # type: ignore[misc]  # the library ships no annotations
    """Base class of tables for export. The columns are the declared fields, in that order."""

    project_path: ClassVar[str] = "project"
    """The lookup path from a row to its project; empty if the rows belong to no project."""

    def of_project(self, project: Model) -> Rows:
        """Return the table's rows that belong to a project."""
        rows: Rows = self.get_queryset().filter(**{self.project_path: project})
        return rows

    def sheet(self, rows: Rows, name: str) -> Sheet:
        """Return the table with these rows, which are read from the database while the table is written."""
        return Sheet(name, self.get_export_headers(), self._cells(rows))

    def _cells(self, rows: Rows) -> Iterator[list[Cell]]:
        # the library's own method looks up each field's name for every cell
        cells: list[Callable[[Any], Cell]] = [
            field.dehydrate_method or field.export for field in self.get_export_fields()
        ]
        for row in rows.iterator(_ROWS_AT_ONCE):
            yield [cell(row) for cell in cells]

    def import_data(self, *args: Any, **kwargs: Any) -> None:
        """Raise `Forbidden`, since an import by the library would bypass the services."""
        raise Forbidden(_("Admin tables can only be exported."))
