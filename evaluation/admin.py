"""Examinees, runs and calibrations in the admin: read-only."""

from __future__ import annotations

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
from release.admin_exposure import released_keys_at
from web.admin import follow_rows, show_rows

follow_rows(Response, released_keys_at("item"), listed=True)
follow_rows(Calibration, released_keys_at("release__items"))

show_rows(Examinee, "name kind model project created_at", filters="kind", search="name project__slug")
show_rows(
    Run,
    "examinee release split repeats order created_by created_at",
    joins="release__project",
    filters="order",
    search="examinee__name release__version",
)
show_rows(
    Response,
    "run item repeat rotation reading choice correct",
    joins="run__examinee run__release__project",
    filters="reading",
    search="item__public_id",
)
show_rows(
    ResponseFile,
    "name release bytes state created_by ordered_at finished_at",
    joins="release__project",
    filters="state",
    search="name release__version",
)
show_rows(
    Calibration,
    "release model priors log_likelihood made_by made_at",
    joins="release__project",
    search="release__version",
)
show_rows(PanelSeat, "name number wanted expires_at revoked_at", search="name", hidden="token_hash")
show_rows(PanelItem, "seat item position shown_at", search="item__public_id")
show_rows(
    ResultTables, "release split made_by counted_at", joins="release__project", search="release__version"
)
show_rows(
    PublishedFigures,
    "name source results made_by made_at",
    joins="results__release__project",
    search="name source",
)
show_rows(
    Publication,
    "release is_open shows_scores changed_by changed_at",
    joins="release__project",
    filters="is_open",
)
