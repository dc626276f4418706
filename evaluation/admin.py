"""Measuring in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from evaluation.models import (
    Calibration,
    Examinee,
    PanelItem,
    PanelSeat,
    Publication,
    PublishedFigures,
    Response,
    ResponseFile,
    ResultTables,
    Run,
)
from release.exposure import released_keys_at
from web.admin import ReadOnlyAdmin, follow_rows

follow_rows(Response, released_keys_at("item"), listed=True)
follow_rows(Calibration, released_keys_at("release__items"))


@admin.register(Examinee)
class ExamineeAdmin(ReadOnlyAdmin):
    """Models and panels that are measured."""

    list_display = ("name", "kind", "model", "project", "created_at")
    list_select_related = ("project",)
    list_filter = ("kind",)
    search_fields = ("name", "project__slug")


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Runs and how they were asked."""

    list_display = ("examinee", "release", "split", "repeats", "order", "created_by", "created_at")
    list_select_related = ("examinee", "release", "release__project", "created_by")
    list_filter = ("order",)
    search_fields = ("examinee__name", "release__version")


@admin.register(Response)
class ResponseAdmin(ReadOnlyAdmin):
    """Answers as they came."""

    list_display = ("run", "item", "repeat", "rotation", "reading", "choice", "correct")
    list_select_related = ("run__examinee", "run__release__project", "item")
    list_filter = ("reading",)
    search_fields = ("item__public_id",)


@admin.register(ResponseFile)
class ResponseFileAdmin(ReadOnlyAdmin):
    """Files of responses that others collected, and what became of them."""

    list_display = ("name", "release", "bytes", "state", "created_by", "ordered_at", "finished_at")
    list_select_related = ("release", "release__project", "created_by")
    list_filter = ("state",)
    search_fields = ("name", "release__version")


@admin.register(Calibration)
class CalibrationAdmin(ReadOnlyAdmin):
    """Calibrations."""

    list_display = ("release", "model", "priors", "log_likelihood", "made_by", "made_at")
    list_select_related = ("release__project", "made_by")
    search_fields = ("release__version",)


@admin.register(PanelSeat)
class PanelSeatAdmin(ReadOnlyAdmin):
    """People invited to panels; the link itself is nowhere kept."""

    list_display = ("name", "number", "wanted", "expires_at", "revoked_at")
    exclude = ("token_hash",)
    search_fields = ("name",)


@admin.register(PanelItem)
class PanelItemAdmin(ReadOnlyAdmin):
    """Items in the hands of a panel."""

    list_display = ("seat", "item", "position", "shown_at")
    list_select_related = ("seat", "item")
    search_fields = ("item__public_id",)


@admin.register(ResultTables)
class ResultTablesAdmin(ReadOnlyAdmin):
    """Tables of runs, and when they were counted."""

    list_display = ("release", "split", "made_by", "counted_at")
    list_select_related = ("release", "release__project", "made_by")
    search_fields = ("release__version",)


@admin.register(PublishedFigures)
class PublishedFiguresAdmin(ReadOnlyAdmin):
    """Figures of papers that results are compared with."""

    list_display = ("name", "source", "results", "made_by", "made_at")
    list_select_related = ("results__release__project", "made_by")
    search_fields = ("name", "source")


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    """Public pages of releases."""

    list_display = ("release", "is_open", "shows_scores", "changed_by", "changed_at")
    list_select_related = ("release", "release__project", "changed_by")
    list_filter = ("is_open",)
