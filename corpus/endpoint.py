"""Parts of the endpoints that import stories and items: rows as JSON, reports, and uploads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Conflict, Unusable
from corpus import services
from corpus.models import Upload, UploadState
from corpus.outcome import OUTCOMES, ImportResult, RowMessage
from jobs.hooks import dispatch
from jobs.queries import job_of
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import AcceptedSerializer, accepted, body, filters
from web.requests import signed_in
from web.rows import Values
from web.serializers import DictField, ListField

MOST_ROWS: Final = 1000
"""The most stories or items of one request; files may have more."""
_MOST_FIELDS: Final = 50
_LONGEST_NAME: Final = 200


@extend_schema_field({"type": "object", "additionalProperties": {}})
class RowField(serializers.Field[Any, Any, Any, Any]):
    """A line of a file in Parable JSONL. The import checks its fields, as those of a file."""

    default_error_messages = {"not_a_dict": gettext_lazy("Expected an object.")}

    def to_internal_value(self, data: Any) -> Any:
        """Return the object as it was sent."""
        if not isinstance(data, Mapping):
            self.fail("not_a_dict")
        return data

    def to_representation(self, value: Any) -> Any:
        """Return the object."""
        return value


def json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return objects that a request has sent as a file with one object a line, for the readers of files."""
    return b"\n".join(map(_json_line, rows))


def _json_line(row: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(row)
    except TypeError:  # a number or a character that orjson does not write; the reader has a sentence for it
        return json.dumps(row).encode()


class RowReportSerializer(serializers.Serializer[Any]):
    """What became of a row; rows are counted from 1. `id`: its story or item, null if nothing was written."""

    row = serializers.IntegerField()
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    title = serializers.CharField()
    remark = serializers.CharField()
    id = serializers.IntegerField(allow_null=True)


class RowMessageSerializer(serializers.Serializer[Any]):
    """A message about a field of a row."""

    row = serializers.IntegerField()
    field = serializers.CharField()
    message = serializers.CharField()


class ReportSerializer(serializers.Serializer[Any]):
    """The report of an import: rows by outcome, and what is wrong or was read differently than written."""

    created = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    duplicate = serializers.IntegerField()
    broken = serializers.IntegerField(help_text="Rows with errors; if there are any, nothing is written.")
    drafts = serializers.IntegerField()
    suspected = serializers.IntegerField(help_text="New stories that are similar to another.")
    checks = serializers.DictField(child=serializers.IntegerField(), help_text="Items by what a check finds.")
    rows = RowReportSerializer(many=True)
    errors: Any = RowMessageSerializer(many=True)
    notes = RowMessageSerializer(many=True)


def report_of(result: ImportResult, ids: Sequence[int | None]) -> Response:
    """Return the report of an import from a request, with the id of each row's story or item.

    Raise `Unusable`, naming the fields of rows, if a row is invalid and it was no dry run.
    """
    if result.is_broken and not result.dry_run:
        n = len(result.issues)
        message = ngettext("Nothing was imported: %(n)d error.", "Nothing was imported: %(n)d errors.", n) % {
            "n": n
        }
        raise Unusable(message, {f"{issue.row}.{issue.field}": issue.message for issue in result.issues})
    report = {
        **result.counts(),
        "drafts": result.drafts,
        "suspected": result.suspected,
        "checks": {check: len(found) for check, found in (result.item_checks or {}).items()},
        "rows": [
            {
                "row": row.row,
                "outcome": row.outcome,
                "title": row.title,
                "remark": row.remark,
                "id": ids[row.row - 1] if row.row <= len(ids) else None,
            }
            for row in result.outcomes
        ],
        "errors": list(map(_message, result.issues)),
        "notes": list(map(_message, [*result.remarks, *result.notes])),
    }
    return Response(report, status=200 if result.dry_run else 201)


def _message(one: RowMessage) -> Values:
    return {"row": one.row, "field": one.field, "message": one.message}


# --- uploads ---------------------------------------------------------------------------------


class UploadedSerializer(AcceptedSerializer):
    """An accepted upload: the job that reads it, and the address of its preview."""

    upload = serializers.CharField(help_text="The address of the upload.")


class ImportSerializer(serializers.Serializer[Upload]):
    """An upload: its files, state and, once they are read, the preview of the import.

    Keys and morals are not shown, so that who imports them can still solve the items.
    """

    token = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=UploadState.choices)
    is_outdated = serializers.BooleanField(
        help_text="Whether the project changed after the preview, so that nothing was imported."
    )
    created_at = serializers.DateTimeField()
    job = serializers.IntegerField(allow_null=True)
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Rows by outcome.")
    drafts = serializers.IntegerField()
    suspected = serializers.IntegerField()
    checks = serializers.DictField(child=serializers.IntegerField())
    lacks = serializers.DictField(child=serializers.IntegerField(), help_text="Rows without key, moral, ...")
    columns = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The columns of each file, by the number of the file.",
    )
    rows = serializers.ListField(child=serializers.DictField(), help_text="At most 1,000 rows.")


class ImportFilters(serializers.Serializer[Upload]):
    """Filters of the rows of a preview."""

    outcome = serializers.ChoiceField(choices=OUTCOMES, required=False)


@extend_schema_field(
    {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "maxItems": _MOST_FIELDS}]}
)
class ColumnField(serializers.Field[Any, Any, Any, Any]):
    """A column's name, or several columns' names."""

    default_error_messages = {"invalid": gettext_lazy("Enter the name of a column, or a list of names.")}

    def to_internal_value(self, data: Any) -> Any:
        """Return the name, or the names."""
        names = data if isinstance(data, list) else [data]
        if len(names) > _MOST_FIELDS or any(
            not isinstance(name, str) or len(name) > _LONGEST_NAME for name in names
        ):
            self.fail("invalid")
        return data


class ImportColumnsSerializer(serializers.Serializer[Upload]):
    """The column, or columns, of each field, by the number of the file from 0."""

    columns = DictField(
        child=DictField(child=ColumnField(), max_length=_MOST_FIELDS), max_length=services.MOST_FILES
    )


class FilesField(ListField):
    """Files of a form."""

    def __init__(self) -> None:
        child = serializers.FileField(allow_empty_file=True)
        super().__init__(child=child, min_length=1, max_length=services.MOST_FILES)


def keep_files(
    request: Request, project: Project, purpose: str, address: str, options: Mapping[str, str]
) -> Response:
    """Store the files of a request as an upload, and order the job that previews it.

    `address` is the route name of an upload.
    """
    files = [(file.name, file) for file in request.FILES.getlist("file")]
    with transaction.atomic():
        upload = services.keep_upload(
            actor=signed_in(request), project=project, purpose=purpose, files=files, options=options
        )
        dispatch(services.previewing(purpose), upload.pk)
    answer = _at_work(services.previewing(purpose), upload)
    answer.data["upload"] = reverse(address, args=[project.slug, upload.token])
    return answer


class UploadEndpoints(NamedTuple):
    """The endpoints of an upload, once its files are stored."""

    upload: Callable[..., Any]
    columns: Callable[..., Any]
    confirm: Callable[..., Any]
    retry: Callable[..., Any]


def upload_endpoints(purpose: str, *, name: str, tag: str) -> UploadEndpoints:
    """Return the endpoints of uploads for a purpose. `name` and `tag` are of the schema's operations."""
    previewing, importing = services.previewing(purpose), services.importing(purpose)
    accepted_by_job: Values = {"responses": {202: AcceptedSerializer}, "tags": [tag]}

    @extend_schema(
        methods=["GET"],
        parameters=[ImportFilters],
        responses=ImportSerializer,
        operation_id=f"{name}_read",
        tags=[tag],
    )
    @extend_schema(methods=["DELETE"], responses={204: None}, operation_id=f"{name}_discard", tags=[tag])
    @project_endpoint(GET=Permission.MANAGE, DELETE=Permission.MANAGE)
    def upload(request: Request, project: Project, upload: str) -> Response:
        """Return an upload of the caller with the preview of its rows; DELETE discards it."""
        found = _find(request, project, purpose, upload)
        if request.method == "DELETE":
            services.drop_upload(actor=signed_in(request), upload=found)
            return Response(status=204)
        return Response(_shown(found, filters(request, ImportFilters).get("outcome", "")))

    @extend_schema(request=ImportColumnsSerializer, operation_id=f"{name}_choose_columns", **accepted_by_job)
    @project_endpoint(heavy=True, PUT=Permission.MANAGE)
    def columns(request: Request, project: Project, upload: str) -> Response:
        """Choose which columns hold which fields; a job reads the files again."""
        found = _find(request, project, purpose, upload)
        choose = partial(services.choose_columns, columns=body(request, ImportColumnsSerializer)["columns"])
        return _act(request, found, choose, previewing)

    @extend_schema(request=None, operation_id=f"{name}_confirm", **accepted_by_job)
    @project_endpoint(heavy=True, POST=Permission.MANAGE)
    def confirm(request: Request, project: Project, upload: str) -> Response:
        """Import the previewed rows, by a job."""
        found = _find(request, project, purpose, upload)
        if found.state == UploadState.READY and not services.find_preview(found).changes_anything:
            raise Conflict(_("There is nothing to import: fix the rows with errors, or upload other files."))
        return _act(request, found, services.order_import, importing)

    @extend_schema(request=None, operation_id=f"{name}_retry", **accepted_by_job)
    @project_endpoint(heavy=True, POST=Permission.MANAGE)
    def retry(request: Request, project: Project, upload: str) -> Response:
        """Read the files of a failed upload again."""
        return _act(request, _find(request, project, purpose, upload), services.retry_upload, previewing)

    return UploadEndpoints(upload, columns, confirm, retry)


def _shown(upload: Upload, outcome: str) -> Values:
    """Return an upload and, once it is read, the preview of its rows with this outcome; "" is all."""
    kinds = services.previewing(upload.purpose), services.importing(upload.purpose)
    jobs = [job.pk for job in (job_of(kind, upload.pk) for kind in kinds) if job is not None]
    shown: Values = {
        "token": upload.token,
        "names": upload.names,
        "state": upload.state,
        "is_outdated": upload.is_outdated,
        "created_at": upload.created_at,
        "job": max(jobs, default=None),
        "counts": upload.counts,
        "drafts": 0,
        "suspected": 0,
        "checks": {},
        "lacks": {},
        "columns": {},
        "rows": [],
    }
    if upload.state == UploadState.READY:
        preview = services.find_preview(upload)
        tables = preview.about.get("tables", {})
        shown |= {
            "counts": preview.counts,
            "drafts": preview.drafts,
            "suspected": preview.suspected,
            "checks": preview.checks,
            "lacks": preview.lacks,
            "columns": {number: [name for name, _f in one["columns"]] for number, one in tables.items()},
            "rows": [
                {
                    "file": row.file,
                    "row": row.row,
                    "outcome": row.outcome,
                    "title": row.title,
                    "remarks": row.remarks,
                }
                for row in preview.rows_of(outcome)[:MOST_ROWS]
            ],
        }
    return shown


def _act(request: Request, upload: Upload, act: Callable[..., None], kind: str) -> Response:
    """Call a service that orders a job of this kind for an upload, and return the job."""
    with transaction.atomic():
        act(actor=signed_in(request), upload=upload)
        dispatch(kind, upload.pk)
    return _at_work(kind, upload)


def _find(request: Request, project: Project, purpose: str, token: str) -> Upload:
    return services.find_upload(actor=signed_in(request), project=project, purpose=purpose, token=token)


def _at_work(kind: str, upload: Upload) -> Response:
    job = job_of(kind, upload.pk)
    if job is None:
        raise Conflict(_("This upload is not ready for that. Read its state again."))
    return accepted(job.pk, reverse("api_job", args=[job.pk]))
