"""JSON about releases: the list, one release with its build's progress, comparisons, and team uploads."""

from allauth.core.internal.ratelimit import consume
from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import api_view, authentication_classes, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Unusable, require
from jobs.hooks import dispatch
from jobs.models import Job
from jobs.queries import job_of, jobs_of
from projects.queries import get_project
from release import services
from release.models import Release, Step, Team
from release.permissions import may_list_releases
from release.queries.lineage import COMPARE, comparison
from release.queries.release import BUILD, get_release, listed_releases
from release.queries.team import SCORE, is_team, left, refusal_of, team_of, uploads
from release.score import LARGEST_UPLOAD
from release.serializers import (
    ComparisonSerializer,
    ReleaseSerializer,
    ResponsesSerializer,
    TeamSerializer,
)
from web.files import takes_files
from web.requests import signed_in

MOST: int = 100


def _body(release: Release, build: Job | None) -> dict[str, object]:
    return {
        "version": release.version,
        "state": release.state,
        "step": build.step if build else Step.WAITING,
        "steps": len(Step) - 1,
        "is_silent": build is not None and build.is_silent,
        "counts": release.manifest.get("counts", {}),
        "reason": release.why,
    }


@extend_schema(responses=ReleaseSerializer(many=True), operation_id="releases", tags=["release"])
@api_view(["GET"])
def release_list(request: Request, slug: str) -> Response:
    """Return the project's newest releases, with the data that every member may see."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_list_releases(user, project))
    releases = listed_releases(project)[:MOST]
    builds = jobs_of(BUILD, [release.pk for release in releases])
    rows = [_body(release, builds.get(release.pk)) for release in releases]
    return Response(ReleaseSerializer(rows, many=True).data)


@extend_schema(responses=ReleaseSerializer, operation_id="release", tags=["release"])
@api_view(["GET"])
def release_detail(request: Request, slug: str, version: str) -> Response:
    """Return one release, with the progress of its build."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    release = get_release(user=user, project=project, version=version)
    return Response(ReleaseSerializer(_body(release, job_of(BUILD, release.pk))).data)


@extend_schema(responses=ComparisonSerializer, operation_id="release_comparison", tags=["release"])
@api_view(["GET"])
def release_comparison(request: Request, slug: str, before: str, after: str) -> Response:
    """Return the differences between two releases by item id; 202 while they are computed. For managers."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    old, new = (get_release(user=user, project=project, version=version) for version in (before, after))
    with transaction.atomic():
        found = services.order_comparison(actor=user, before=old, after=new)
        dispatch(COMPARE, found.pk)
    if found.made_at is None:
        return Response({"detail": _("Being compared. Ask again in a moment.")}, status.HTTP_202_ACCEPTED)
    return Response(ComparisonSerializer(comparison(old, new, found.found)).data)


@takes_files(LARGEST_UPLOAD, admits=is_team)
@extend_schema(responses=TeamSerializer, operation_id="team", methods=["GET"], tags=["release"])
@extend_schema(
    request=ResponsesSerializer,
    responses={202: TeamSerializer},
    operation_id="upload_responses",
    methods=["POST"],
    tags=["release"],
)
@api_view(["GET", "POST"])
@authentication_classes([])
@permission_classes([AllowAny])
@parser_classes([MultiPartParser])
def team_score(request: Request, token: str) -> Response:
    """Return a team's uploads and totals; POST uploads responses as `file`. The link is the credential."""
    team = team_of(token)
    if request.method == "GET":
        return Response(TeamSerializer(_team(team)).data)
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
    return Response(TeamSerializer(_team(team)).data, status=status.HTTP_202_ACCEPTED)


def _team(team: Team) -> dict[str, object]:
    remaining = left(team)
    return {
        "release": team.release.version,
        "left": remaining.now,
        "left_in_all": min(remaining.of_team, remaining.of_release),
        "uploads": [
            {
                "examinee": one.examinee,
                "state": one.state,
                "reason": refusal_of(one),
                "totals": one.totals,
                "created_at": one.created_at,
            }
            for one in uploads(team)[:MOST]
        ],
    }
