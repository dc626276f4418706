"""JSON that tells of releases: which there are, and how far a build is."""

from allauth.core.internal.ratelimit import consume
from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import api_view, authentication_classes, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Unusable, require
from jobs.hooks import dispatch
from jobs.models import Work
from jobs.queries import work_of, works_of
from projects.queries import get_project
from release import services
from release.models import Release, Step, Team
from release.permissions import may_list_releases, may_open_release
from release.queries.lineage import comparison
from release.queries.release import BUILD, get_release, listed_releases
from release.queries.team import SCORE, is_team, left, team_of, uploads
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
SCORE_LIMITS = {"score": "30/h/ip"}


def _body(release: Release, build: Work | None) -> dict[str, object]:
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
    """The project's newest releases, with what every member may know of them."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_list_releases(user, project))
    releases = listed_releases(project)[:MOST]
    builds = works_of(BUILD, [release.pk for release in releases])
    rows = [_body(release, builds.get(release.pk)) for release in releases]
    return Response(ReleaseSerializer(rows, many=True).data)


@extend_schema(responses=ReleaseSerializer, operation_id="release", tags=["release"])
@api_view(["GET"])
def release_detail(request: Request, slug: str, version: str) -> Response:
    """One release, and how far its build is."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    release = get_release(user=user, project=project, version=version)
    return Response(ReleaseSerializer(_body(release, work_of(BUILD, release.pk))).data)


@extend_schema(responses=ComparisonSerializer, operation_id="release_comparison", tags=["release"])
@api_view(["GET"])
def release_comparison(request: Request, slug: str, before: str, after: str) -> Response:
    """What differs between two releases, by the ids of items; for managers."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    both = [get_release(user=user, project=project, version=version) for version in (before, after)]
    for release in both:
        require(may_open_release(user, release))
    return Response(ComparisonSerializer(comparison(*both)).data)


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
    """A team's uploads and their totals; POST uploads responses as the file `file`. The link is the key."""
    team = team_of(token)
    if request.method == "GET":
        return Response(TeamSerializer(_team(team)).data)
    if not consume(request, app="release", action="score", config=SCORE_LIMITS):
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
        "uploads": list(uploads(team)[:MOST].values("examinee", "state", "totals", "created_at")),
    }
