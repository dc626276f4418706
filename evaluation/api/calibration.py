"""Calibrations: item parameters and abilities on one scale, with the statistics of each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Hidden
from evaluation import services
from evaluation.api import named_release, named_runs
from evaluation.models import Calibration, Priors, ResponseModel
from evaluation.queries.calibration import (
    WHICH,
    calibrations_in,
    counted_sheet,
    finished_runs,
    get_calibration,
    link_of,
    newest_analysis,
    one_item,
    reasons_of,
    released,
    sheet,
    short_form,
)
from evaluation.queries.run import CALIBRATE
from jobs.endpoint import start
from jobs.models import Job
from jobs.queries import job_of, jobs_of
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release.queries.release import get_release
from release.services import record_released_key_exposures
from web.endpoint import PAGING, REPEATABLE, AcceptedSerializer, body, filters, one, page, page_of, tag
from web.requests import signed_in
from web.serializers import ListField

MOST_RUNS: Final = 200
ITEMS: Final = "items"
SUSPECTS: Final = "suspects"
PAGE_OF_ITEMS: Final = OpenApiParameter(
    "cursor", int, description="The number of the page of 50 items, as `next` and `previous` have it."
)


class NewCalibrationSerializer(serializers.Serializer[Any]):
    """Runs on a release to be calibrated; by default all finished runs."""

    release = serializers.CharField(max_length=40)
    runs = ListField(child=serializers.IntegerField(), max_length=MOST_RUNS, required=False)
    model = serializers.CharField(max_length=3, required=False)
    priors = serializers.CharField(max_length=4, required=False)


class CalibrationSerializer(serializers.Serializer[Calibration]):
    """A calibration. `state` and `reason` are those of its job."""

    id = serializers.IntegerField()
    release = serializers.CharField()
    model = serializers.CharField()
    priors = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    made_by = serializers.CharField()
    made_at = serializers.DateTimeField()


class OneCalibrationSerializer(CalibrationSerializer):
    """A calibration with its figures of the whole set.

    `summary`: reliability, fit, abilities of the examinees and more, or {} until it is computed. `linked`:
    its link to the scale of an earlier release, or null.
    """

    runs = serializers.ListField(child=serializers.IntegerField())
    log_likelihood = serializers.FloatField(allow_null=True)
    summary = serializers.DictField()
    linked = serializers.DictField(allow_null=True)


class CalibratedItemSerializer(serializers.Serializer[Any]):
    """An item's parameters and statistics. `id` is its id in the release, `item` that in the project.

    `share`: of those who answered, how many were right; `rest`: correlation with all other items. `key` and
    `chosen` count options from 0, in released order. `reasons`: why the item is suspect, in words.
    """

    id = serializers.CharField()
    item = serializers.IntegerField(allow_null=True)
    answered = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    rest = serializers.FloatField(allow_null=True)
    upper_lower = serializers.FloatField(allow_null=True)
    discrimination = serializers.FloatField(allow_null=True)
    discrimination_se = serializers.FloatField(allow_null=True)
    difficulty = serializers.FloatField(allow_null=True)
    difficulty_se = serializers.FloatField(allow_null=True)
    guessing = serializers.FloatField(allow_null=True)
    infit = serializers.FloatField(allow_null=True)
    outfit = serializers.FloatField(allow_null=True)
    key = serializers.IntegerField()
    chosen = serializers.ListField(child=serializers.IntegerField())
    reasons = serializers.ListField(child=serializers.CharField())


FIGURES: Final = (
    *("answered", "share", "rest", "upper_lower", "discrimination", "discrimination_se", "difficulty"),
    *("difficulty_se", "guessing", "infit", "outfit", "key", "chosen"),
)


class OneCalibratedItemSerializer(CalibratedItemSerializer):
    """An item with all that is stored of it, in `statistics`: among others, choices by ability group."""

    statistics = serializers.DictField()


class CalibrationAcceptedSerializer(AcceptedSerializer):
    """The accepted job of a calibration; `id` is that of the calibration."""

    id = serializers.IntegerField()


class CalibrationFilters(serializers.Serializer[Any]):
    """Filters of the list of calibrations."""

    release = serializers.CharField(max_length=40, required=False)
    model = serializers.ChoiceField(ResponseModel.choices, required=False)


class CalibratedItemFilters(serializers.Serializer[Any]):
    """Which items: `suspects`, or those that a figure counts (`same`, `negative`, `misfit`)."""

    which = serializers.ChoiceField([SUSPECTS, *WHICH], required=False)
    cursor = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)


def _row(found: Calibration, job: Job | None) -> dict[str, object]:
    return {
        "id": found.pk,
        "release": found.release.version,
        "model": found.model,
        "priors": found.priors,
        "state": job.state if job else "",
        "reason": job.why if job else "",
        "made_by": found.made_by.username,
        "made_at": found.made_at,
    }


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, CalibrationFilters],
    responses=page_of(CalibrationSerializer),
    operation_id="calibrations_list",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewCalibrationSerializer,
    responses={202: CalibrationAcceptedSerializer},
    operation_id="calibrations_create",
    tags=["evaluation"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
def calibration_list(request: Request, project: Project) -> Response:
    """Return the calibrations of the project, newest first; POST orders one."""
    if request.method == "GET":
        asked = filters(request, CalibrationFilters)
        found = calibrations_in(project)
        if "release" in asked:
            found = found.filter(release__version=asked.pop("release"))

        def rows(some: Sequence[Calibration]) -> Iterator[dict[str, object]]:
            jobs = jobs_of(CALIBRATE, [row.pk for row in some])
            return (_row(row, jobs.get(row.pk)) for row in some)

        return page(request, found.filter(**asked), rows)
    usual = {"model": ResponseModel.TWO, "priors": Priors.AUTO}
    sent = usual | body(request, NewCalibrationSerializer)
    release = named_release(project, sent["release"])
    known = list(finished_runs(project).filter(release=release))
    with transaction.atomic():
        made = services.order_calibration(
            actor=signed_in(request),
            release=release,
            runs=named_runs(known, sent["runs"]) if "runs" in sent else known,
            model=sent["model"],
            priors=sent["priors"],
        )
        return start(CALIBRATE, made.pk, id=made.pk)


@extend_schema(responses=OneCalibrationSerializer, operation_id="calibrations_read", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def calibration(request: Request, project: Project, pk: int) -> Response:
    """Return a calibration with its figures of the whole set."""
    work = job_of(CALIBRATE, pk)
    found = get_calibration(user=signed_in(request), project=project, pk=pk)
    row = _row(found, work) | {
        "runs": list(found.runs.order_by("pk").values_list("pk", flat=True)),
        "log_likelihood": found.log_likelihood,
        "summary": vars(found)["summary"] or {},
        "linked": link_of(found),
    }
    return one(request, row, tag(row))


def _item_row(row: Mapping[str, Any], item: int | None) -> dict[str, object]:
    figures = {name: row.get(name) for name in FIGURES}
    return {"id": row["id"], "item": item, **figures, "reasons": reasons_of(row)}


@extend_schema(
    parameters=[PAGE_OF_ITEMS, CalibratedItemFilters],
    responses=page_of(CalibratedItemSerializer),
    operation_id="calibrations_items",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
def item_list(request: Request, project: Project, pk: int) -> Response:
    """Return the parameters of the items in release order. Reading them counts as seeing the items' keys."""
    user = signed_in(request)
    found = get_calibration(user=user, project=project, pk=pk)
    asked = filters(request, CalibratedItemFilters)
    number, which = asked.get("cursor", 1), asked.get("which", ITEMS)
    shown = counted_sheet(found, which, number) if which in WHICH else sheet(found, which, number)
    items = released(found, [row["id"] for row in shown.rows])
    record_released_key_exposures(actor=user, released=[item.pk for item in items.values()])
    places = {name: item.item_id for name, item in items.items()}
    return Response(
        {
            "next": _page_address(request, shown.number + 1) if shown.number < shown.pages else None,
            "previous": _page_address(request, shown.number - 1) if shown.number > 1 else None,
            "results": [_item_row(row, places.get(row["id"])) for row in shown.rows],
        }
    )


def _page_address(request: Request, number: int) -> str:
    query = request.query_params.copy()
    query["cursor"] = str(number)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


@extend_schema(responses=OneCalibratedItemSerializer, operation_id="calibrations_item", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def item(request: Request, project: Project, pk: int, name: str) -> Response:
    """Return the parameters and all statistics of one item. Reading them counts as seeing its key."""
    user = signed_in(request)
    found = get_calibration(user=user, project=project, pk=pk)
    row, place = one_item(found, name), released(found, [name]).get(name)
    if row is None or place is None:
        raise Hidden(_("Item not found."))
    record_released_key_exposures(actor=user, released=[place.pk])
    return Response(_item_row(row, place.item_id) | {"statistics": row})


class ShortFormSerializer(serializers.Serializer[Any]):
    """The short form of a release: a few items that represent all, as `parable short-form` writes it."""

    items = serializers.ListField(child=serializers.DictField())


@extend_schema(responses=ShortFormSerializer, operation_id="releases_short_form", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def short_form_of(request: Request, project: Project, version: str) -> Response:
    """Return the short form of a release, from its newest calibration, for scoring new responses."""
    user = signed_in(request)
    release = get_release(user=user, project=project, version=version)
    analysis = newest_analysis(release)
    found = short_form(analysis)
    if analysis is None or found is None:
        raise Hidden(_("There is no short form of this release."))
    items = released(analysis, [row["id"] for row in found["items"]])
    record_released_key_exposures(actor=user, released=[item.pk for item in items.values()])
    return Response(found)
