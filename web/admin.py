"""A read-only admin for administrators; only services change rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from django.contrib import admin
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from import_export.admin import ExportMixin
from import_export.formats.base_formats import CSV, JSON, XLSX
from import_export.forms import ExportForm
from import_export.resources import Resource

from accounts.services import record_event
from web.downloads import table_stream
from web.requests import signed_in

if TYPE_CHECKING:
    from accounts.models import User

    _ModelAdmin = admin.ModelAdmin[Model]  # generic for the type checker only
else:
    _ModelAdmin = admin.ModelAdmin

Follower: TypeAlias = "Callable[[User, QuerySet[Any]], None]"


class _Followed(NamedTuple):
    follower: Follower
    listed: bool
    exported: bool


_followed: dict[type[Model], _Followed] = {}


def follow_rows(
    model: type[Model], follower: Follower, *, listed: bool = False, exported: bool = False
) -> None:
    """Register `follower(user, rows)`, to be called when an administrator views a row of the model.

    With `listed`, it is also called for the rows of a list; with `exported`, for the rows of an export.
    """
    _followed[model] = _Followed(follower, listed, exported)


class ReadOnlyAdmin(_ModelAdmin):
    """A `ModelAdmin` that lists and shows rows, but does not change them."""

    list_per_page = 50
    show_full_result_count = False
    actions: Sequence[str] | None = None

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is an administrator."""
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user is an administrator."""
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False, since objects created here would not be in the audit trail."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False, since changes made here would not be in the audit trail."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False, since only services delete rows."""
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Return whether an address may narrow the list by this: by the list's filters alone.

        Django lets it be narrowed by every column. Keys, seeds and hashes, which no list shows, could then be
        found out by trying, without a trace.
        """
        return any(lookup == name or lookup.startswith(f"{name}__") for name in map(str, self.list_filter))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Show the list of rows, and report the rows on the page to the model's follower."""
        response = super().changelist_view(request, extra_context)
        followed = _followed.get(self.model)
        if followed and followed.listed and isinstance(response, TemplateResponse):
            rows = (response.context_data or {})["cl"].result_list
            if rows:
                followed.follower(signed_in(request), self._rows([row.pk for row in rows]))
        return response

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Show one row, and report it to the model's follower."""
        response = super().change_view(request, object_id, form_url, extra_context)
        followed = _followed.get(self.model)
        if followed and isinstance(response, TemplateResponse):
            followed.follower(signed_in(request), self._rows([(response.context_data or {})["object_id"]]))
        return response

    def _rows(self, numbers: Sequence[Any]) -> QuerySet[Model]:
        return self.model._default_manager.filter(pk__in=numbers)


class ExportingAdmin(ExportMixin, ReadOnlyAdmin):  # type: ignore[misc]  # the library ships no annotations
    """A read-only admin with a button that exports the filtered rows as a table.

    Subclasses set `resource_classes` to the tables that can be exported. Rows are streamed.
    """

    export_form_class = ExportForm
    formats = (CSV, XLSX, JSON)

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is an administrator."""
        return self.has_module_permission(request)

    def _do_file_export(
        self, file_format: Any, request: HttpRequest, queryset: QuerySet[Model], export_form: Any = None
    ) -> StreamingHttpResponse:
        """Stream the exported table; the method of the library would load all rows into memory.

        The rows are those that match the list's filters. They are queried again, since the list's query has
        only the joins of the list's own columns.
        """
        resource = self.choose_export_resource_class(export_form, request)()
        rows = resource.get_queryset().filter(pk__in=queryset.order_by().values("pk"))
        name = self.model._meta.model_name or ""
        kind = file_format.get_extension()
        user = signed_in(request)
        record_event(actor=user, verb="table_taken_out", subject=user, detail={"table": name, "kind": kind})
        followed = _followed.get(self.model)
        if followed and followed.exported:
            followed.follower(user, rows)
        return table_stream(resource.sheet(rows, name), kind, name)


def show_rows(
    model: type[Model],
    columns: str,
    *,
    joins: str = "",
    filters: str = "",
    search: str = "",
    hidden: str = "",
    only: str = "",
    tables: Sequence[type[Resource]] = (),
) -> None:
    """Register a read-only admin for a model. Arguments with several field names separate them by spaces.

    `columns` are those of the list. `joins` are further relations to join, which the text of its rows needs.
    The page of a row omits the fields `hidden`, or has only the fields `only`. `tables` are resources by
    which the rows can be exported.
    """
    relations = {field.name for field in model._meta.fields if isinstance(field, ForeignKey)}
    joined = {name.split("__")[0] for name in joins.split()}
    attributes: dict[str, object] = {
        "list_display": columns.split(),
        "list_select_related": [*joins.split(), *sorted(relations.intersection(columns.split()) - joined)],
        "list_filter": filters.split(),
        "search_fields": search.split(),
        "exclude": hidden.split() or None,
        "fields": only.split() or None,
    }
    if tables:
        attributes["resource_classes"] = tables
    base = ExportingAdmin if tables else ReadOnlyAdmin
    admin.site.register(model, type(f"{model.__name__}Admin", (base,), attributes))
