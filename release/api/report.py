"""Error reports about released items, and errata."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.invariants import present
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release import services
from release.api import opened_release
from release.models import Erratum, ErrorReport
from release.queries.report import errata_of, get_report, reports
from web.endpoint import PAGING, REPEATABLE, body, filters, one, page, page_of, tag
from web.requests import signed_in


class ErrorReportSerializer(serializers.Serializer[ErrorReport]):
    """An error report about a released item.

    `item` is the item in the project, `item_id` its id in the release, `problem` what the reader says is
    wrong. `erratum`: the id of the erratum that was issued, or null.
    """

    id = serializers.IntegerField()
    item = serializers.IntegerField()
    item_id = serializers.CharField()
    release = serializers.CharField()
    problem = serializers.CharField()
    text = serializers.CharField()
    name = serializers.CharField()
    contact = serializers.CharField()
    created_at = serializers.DateTimeField()
    reply = serializers.CharField()
    answered_by = serializers.CharField(allow_null=True)
    answered_at = serializers.DateTimeField(allow_null=True)
    erratum = serializers.IntegerField(allow_null=True)


class ReportFilters(serializers.Serializer[Any]):
    """Filters of the list of error reports."""

    answered = serializers.BooleanField(required=False)
    release = serializers.CharField(required=False, max_length=40)


class ReportReplySerializer(serializers.Serializer[Any]):
    """A reply to an error report, which the reader sees.

    `resolution`: `retire` retires the item, `mend` sends it to re-review, "" changes nothing. `note`: the
    erratum for the next release, required with a resolution. Neither text may reveal withheld answers.
    """

    reply = serializers.CharField(max_length=services.LONGEST_REPORT)
    resolution = serializers.CharField(max_length=10, required=False, allow_blank=True)
    note = serializers.CharField(max_length=1000, required=False, allow_blank=True)


class ErratumSerializer(serializers.Serializer[Erratum]):
    """A confirmed error of a released item; `reports` is the number of reports about it."""

    id = serializers.IntegerField()
    item = serializers.IntegerField()
    item_id = serializers.CharField()
    resolution = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()
    reports = serializers.IntegerField()


def _row(report: ErrorReport) -> dict[str, object]:
    released = present(report.released, "the getter gives reports of a project alone")
    return {
        "id": report.pk,
        "item": released.item_id,
        "item_id": released.public_id,
        "release": released.release.version,
        "problem": report.fault,
        "text": report.text,
        "name": report.name,
        "contact": report.contact,
        "created_at": report.created_at,
        "reply": report.answer,
        "answered_by": report.answered_by.username if report.answered_by else None,
        "answered_at": report.answered_at,
        "erratum": report.erratum_id,
    }


@extend_schema(
    parameters=[*PAGING, ReportFilters],
    responses=page_of(ErrorReportSerializer),
    operation_id="reports_list",
    tags=["reports"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def report_list(request: Request, project: Project) -> Response:
    """Return the error reports about all releases of the project, newest first."""
    asked = filters(request, ReportFilters)
    found = reports(project)
    if "answered" in asked:
        found = found.filter(answered_at__isnull=not asked["answered"])
    if "release" in asked:
        found = found.filter(released__release__version=asked["release"])
    return page(request, found, lambda rows: map(_row, rows))


@extend_schema(responses=ErrorReportSerializer, operation_id="reports_read", tags=["reports"])
@project_endpoint(GET=Permission.SEE_RELEASES)
def report(request: Request, project: Project, pk: int) -> Response:
    """Return an error report and its reply."""
    found = _row(get_report(user=signed_in(request), project=project, pk=pk))
    return one(request, found, tag(found))


@extend_schema(
    parameters=[REPEATABLE],
    request=ReportReplySerializer,
    responses=ErrorReportSerializer,
    operation_id="reports_reply",
    tags=["reports"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def reply(request: Request, project: Project, pk: int) -> Response:
    """Answer an error report. With a resolution, an erratum is issued and the item changed."""
    user = signed_in(request)
    found = get_report(user=user, project=project, pk=pk)
    sent = body(request, ReportReplySerializer)
    services.answer_report(
        actor=user,
        report=found,
        answer=sent["reply"],
        remedy=sent.get("resolution", ""),
        note=sent.get("note", ""),
    )
    return Response(_row(get_report(user=user, project=project, pk=pk)))


class ErratumFilters(serializers.Serializer[Any]):
    """The list of errata has no filters."""


@extend_schema(
    parameters=[*PAGING],
    responses=page_of(ErratumSerializer),
    operation_id="errata_list",
    tags=["reports"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def errata(request: Request, project: Project, version: str) -> Response:
    """Return the errata of a release, newest first."""
    found = opened_release(request, project, version)
    filters(request, ErratumFilters)

    def row(erratum: Erratum) -> dict[str, object]:
        return {
            "id": erratum.pk,
            "item": erratum.released.item_id,
            "item_id": erratum.released.public_id,
            "resolution": erratum.remedy,
            "note": erratum.note,
            "created_at": erratum.created_at,
            "reports": vars(erratum)["reported"],
        }

    return page(request, errata_of(found), lambda rows: map(row, rows))
