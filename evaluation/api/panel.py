"""Panels of people who solve a sample of a release by link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Hidden
from evaluation import services
from evaluation.api import named_release
from evaluation.api.run import RunSerializer, run_row
from evaluation.models import ExamineeKind, PanelSeat, Portion, Run
from evaluation.queries.panel import get_seat, seats
from evaluation.queries.run import LARGE_OF_A_RELEASE, get_run, runs, tally
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, body, created, filters, one, page, page_of, tag
from web.requests import signed_in
from web.serializers import ListField

MOST_NAMES: Final = 200


class NewPanelSerializer(serializers.Serializer[Run]):
    """A panel: a release, by version, and how many of its items the people answer together."""

    release = serializers.CharField(max_length=40)
    split = serializers.CharField(max_length=5, required=False)
    sample_size = serializers.IntegerField(required=False)
    seed = serializers.CharField(max_length=64, required=False)


class PanelSerializer(RunSerializer):
    """A panel, which is a run of an examinee of its own. `repeats`: the number of people invited so far."""


class OnePanelSerializer(PanelSerializer):
    """A panel with the number of its responses by outcome."""

    outcomes = serializers.DictField(child=serializers.IntegerField())
    correct = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True)


class InvitationsSerializer(serializers.Serializer[Any]):
    """People to invite to a panel, the items that each answers, and for how many days a link is valid."""

    names = ListField(child=serializers.CharField(max_length=150), max_length=MOST_NAMES)
    items_each = serializers.IntegerField()
    days = serializers.IntegerField(required=False)


class SeatSerializer(serializers.Serializer[PanelSeat]):
    """A person who was invited to a panel. `done` of `items_each` items are answered."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField()
    items_each = serializers.IntegerField()
    done = serializers.IntegerField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class CreatedSeatSerializer(SeatSerializer):
    """A person who was just invited, with the personal link, which is shown only now."""

    link = serializers.CharField()


class CreatedSeatsSerializer(serializers.Serializer[Any]):
    """The people who were just invited, in the order of their names."""

    results = CreatedSeatSerializer(many=True)


class PanelFilters(serializers.Serializer[Any]):
    """Filters of the list of panels."""

    release = serializers.CharField(max_length=40, required=False)


class SeatFilters(serializers.Serializer[Any]):
    """The list of invited people has no filters."""


def _panel(request: Request, project: Project, pk: int) -> Run:
    found = get_run(user=signed_in(request), project=project, pk=pk)
    if found.examinee.kind != ExamineeKind.PANEL:
        raise Hidden(_("Panel not found."))
    return found


def _whole(panel: Run) -> dict[str, object]:
    seen = tally(panel)
    return run_row(panel) | {
        "outcomes": dict(seen.readings),
        "correct": seen.correct,
        "accuracy": seen.accuracy,
    }


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, PanelFilters],
    responses=page_of(PanelSerializer),
    operation_id="panels_list",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewPanelSerializer,
    responses={201: OnePanelSerializer},
    operation_id="panels_create",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
def panel_list(request: Request, project: Project) -> Response:
    """Return the panels of the project, newest first; POST opens one and draws its sample of items."""
    if request.method == "GET":
        asked = filters(request, PanelFilters)
        found = runs(project).filter(examinee__kind=ExamineeKind.PANEL)
        found = found.defer("prompt", "prompts", "settings", "probe_figures", *LARGE_OF_A_RELEASE)
        if "release" in asked:
            found = found.filter(release__version=asked["release"])
        return page(request, found, lambda rows: map(run_row, rows))
    usual: Mapping[str, Any] = {"split": Portion.TEST, "sample_size": 60, "seed": "7"}
    sent = {**usual, **body(request, NewPanelSerializer)}
    release = named_release(project, sent.pop("release"))
    made = services.open_panel(actor=signed_in(request), release=release, **sent)
    row = _whole(_panel(request, project, made.pk))
    return created(row, reverse("api_panel", args=[project.slug, made.pk]), tag(row))


@extend_schema(responses=OnePanelSerializer, operation_id="panels_read", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def panel(request: Request, project: Project, pk: int) -> Response:
    """Return a panel with the number of its responses by outcome."""
    row = _whole(_panel(request, project, pk))
    return one(request, row, tag(row))


def _seat_row(seat: PanelSeat) -> dict[str, object]:
    names = ("number", "name", "expires_at", "revoked_at", "created_at")
    shown = {name: getattr(seat, name) for name in names}
    return {"id": seat.pk, "items_each": seat.wanted, "done": vars(seat).get("done", 0), **shown}


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING],
    responses=page_of(SeatSerializer),
    operation_id="panels_people",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=InvitationsSerializer,
    responses={201: CreatedSeatsSerializer},
    operation_id="panels_invite",
    tags=["evaluation"],
)
@project_endpoint(secret=True, GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
def people(request: Request, project: Project, pk: int) -> Response:
    """Return the people who were invited to a panel; POST invites more and returns their links once."""
    found = _panel(request, project, pk)
    if request.method == "GET":
        filters(request, SeatFilters)
        return page(request, seats(found), lambda rows: map(_seat_row, rows))
    sent = body(request, InvitationsSerializer)
    issued = services.invite_to_panel(actor=signed_in(request), run=found, **sent)
    rows = [
        _seat_row(new.seat)
        | {"link": request.build_absolute_uri(reverse("evaluation:solve", args=[new.token]))}
        for new in issued
    ]
    return created({"results": rows}, reverse("api_panel_people", args=[project.slug, pk]))


@extend_schema(
    request=None, responses=SeatSerializer, operation_id="panels_withdraw_link", tags=["evaluation"]
)
@project_endpoint(POST=Permission.CHANGE_RESULTS)
def withdraw(request: Request, project: Project, pk: int, seat: int) -> Response:
    """Withdraw a person's link. Answers given so far are not deleted."""
    found = _panel(request, project, pk)
    services.withdraw_seat(actor=signed_in(request), seat=get_seat(run=found, pk=seat))
    return Response(_seat_row(seats(found).get(pk=seat)))
