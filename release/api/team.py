"""Teams outside the project: managers invite them and revoke their links, teams upload responses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from allauth.core.internal.ratelimit import consume
from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view, authentication_classes, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Unusable, require
from jobs.hooks import dispatch
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release import services
from release.api import opened_release
from release.models import TEAM_UPLOADS, Release, Team, Upload
from release.permissions import may_invite_teams
from release.queries.team import (
    SCORE,
    all_uploads,
    get_team,
    is_team,
    left,
    refusals_of,
    team_of,
    teams,
    uploads,
)
from release.score import LARGEST_UPLOAD
from release.serializers import ResponsesSerializer, TeamSerializer, UploadSerializer
from web.endpoint import PAGING, REPEATABLE, body, created, filters, page, page_of
from web.files import takes_files
from web.requests import signed_in

MOST: Final = 100


@takes_files(LARGEST_UPLOAD, admits=is_team)
@extend_schema(responses=TeamSerializer, operation_id="team", methods=["GET"], tags=["teams"])
@extend_schema(
    request=ResponsesSerializer,
    responses={202: TeamSerializer},
    operation_id="upload_responses",
    methods=["POST"],
    tags=["teams"],
)
@api_view(["GET", "POST"])
@authentication_classes([])
@permission_classes([AllowAny])
@parser_classes([MultiPartParser])
def team_score(request: Request, token: str) -> Response:
    """Return a team's uploads and totals; POST uploads responses as `file`. The link is the credential."""
    team = team_of(token)
    if request.method == "GET":
        return Response(TeamSerializer(_own(team)).data)
    if not consume(request, app="release", action="score", config=services.SCORE_LIMITS):
        return Response({"detail": "429"}, status=status.HTTP_429_TOO_MANY_REQUESTS)
    form = ResponsesSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    try:
        with transaction.atomic():
            upload = services.upload_responses(token=token, content=form.validated_data["file"].read())
            dispatch(SCORE, upload.pk)
    except Unusable as error:
        return Response(error.fields, status=status.HTTP_400_BAD_REQUEST)
    return Response(TeamSerializer(_own(team)).data, status=status.HTTP_202_ACCEPTED)


def _own(team: Team) -> dict[str, object]:
    remaining, newest = left(team), list(uploads(team)[:MOST])
    reasons = refusals_of(newest)
    return {
        "release": team.release.version,
        "left": remaining.now,
        "left_in_all": min(remaining.of_team, remaining.of_release),
        "uploads": [
            {
                "examinee": one.examinee,
                "state": one.state,
                "reason": reasons[one.pk],
                "totals": one.totals,
                "created_at": one.created_at,
            }
            for one in newest
        ],
    }


class NewTeamSerializer(serializers.Serializer[Team]):
    """A team to be invited: its name, its uploads in seven days, and in total."""

    name = serializers.CharField(max_length=150)
    per_week = serializers.IntegerField(required=False)
    in_all = serializers.IntegerField(required=False)


class InvitedTeamSerializer(serializers.Serializer[Team]):
    """A team that may upload responses; `scored` is the number of its scored uploads."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    per_week = serializers.IntegerField()
    in_all = serializers.IntegerField()
    scored = serializers.IntegerField()
    last_upload_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)


class CreatedTeamSerializer(InvitedTeamSerializer):
    """A new team, with the link under which it uploads responses; the link is shown only now."""

    link = serializers.CharField()


class TeamUploadSerializer(UploadSerializer):
    """An upload of one of the teams of a release."""

    id = serializers.IntegerField()
    team = serializers.IntegerField()


class UploadLimitSerializer(serializers.Serializer[Release]):
    """The most uploads of all teams of a release together."""

    uploads_in_all = serializers.IntegerField()


class TeamFilters(serializers.Serializer[Any]):
    """The lists of teams and uploads have no filters."""


USUAL_PER_WEEK: Final = 2


def _managed(request: Request, project: Project, version: str) -> Release:
    release = opened_release(request, project, version)
    require(may_invite_teams(signed_in(request), release))
    return release


def _row(team: Team) -> dict[str, object]:
    names = ("name", "per_week", "in_all", "created_at", "revoked_at")
    counted = {"scored": vars(team).get("scored", 0), "last_upload_at": vars(team).get("last")}
    return {"id": team.pk, **{name: getattr(team, name) for name in names}, **counted}


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING],
    responses=page_of(InvitedTeamSerializer),
    operation_id="teams_list",
    tags=["teams"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewTeamSerializer,
    responses={201: CreatedTeamSerializer},
    operation_id="teams_create",
    tags=["teams"],
)
@project_endpoint(secret=True, GET=Permission.CHANGE_RELEASES, POST=Permission.CHANGE_RELEASES)
def team_list(request: Request, project: Project, version: str) -> Response:
    """Return the teams of a release with withheld answers; POST invites one and returns its link."""
    release = _managed(request, project, version)
    if request.method == "GET":
        filters(request, TeamFilters)
        return page(request, teams(release), lambda rows: map(_row, rows))
    caps = {"per_week": USUAL_PER_WEEK, "in_all": TEAM_UPLOADS}
    sent = caps | body(request, NewTeamSerializer)
    made = services.invite_team(actor=signed_in(request), release=release, **sent)
    link = request.build_absolute_uri(reverse("release:score", args=[made.token]))
    address = reverse("api_teams", args=[project.slug, version])
    return created(_row(made.team) | {"link": link}, address)


@extend_schema(request=None, responses=InvitedTeamSerializer, operation_id="teams_revoke", tags=["teams"])
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def revoke(request: Request, project: Project, version: str, pk: int) -> Response:
    """Revoke a team's link. Its uploads and their totals remain."""
    release = _managed(request, project, version)
    services.revoke_team(actor=signed_in(request), team=get_team(release, pk))
    return Response(_row(teams(release).get(pk=pk)))


@extend_schema(
    parameters=[*PAGING],
    responses=page_of(TeamUploadSerializer),
    operation_id="teams_uploads_list",
    tags=["teams"],
)
@project_endpoint(GET=Permission.CHANGE_RELEASES)
def upload_list(request: Request, project: Project, version: str) -> Response:
    """Return the uploads of all teams of a release, newest first."""
    release = _managed(request, project, version)
    filters(request, TeamFilters)

    return page(request, all_uploads(release), _upload_rows)


def _upload_rows(found: Sequence[Upload]) -> Iterator[dict[str, object]]:
    reasons = refusals_of(found)
    names = ("examinee", "state", "totals", "created_at")
    for upload in found:
        shown = {name: getattr(upload, name) for name in names}
        yield {"id": upload.pk, "team": upload.team_id, "reason": reasons[upload.pk], **shown}


@extend_schema(
    request=UploadLimitSerializer,
    responses=UploadLimitSerializer,
    operation_id="teams_limit_uploads",
    tags=["teams"],
)
@project_endpoint(PUT=Permission.CHANGE_RELEASES)
def upload_limit(request: Request, project: Project, version: str) -> Response:
    """Set the most uploads of all teams of a release together."""
    release = _managed(request, project, version)
    sent = body(request, UploadLimitSerializer)
    services.limit_uploads(actor=signed_in(request), release=release, **sent)
    return Response(sent)
