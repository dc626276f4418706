"""JSON that tells of releases: which there are, and how far a build is."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.asking import signed_in
from accounts.errors import require
from projects.queries import get_project
from release.lineage import comparison
from release.models import Release, Step
from release.permissions import may_list_releases, may_open_release
from release.queries import get_release, is_silent, listed_releases
from release.serializers import ComparisonSerializer, ReleaseSerializer

MOST: int = 100


def _body(release: Release) -> dict[str, Any]:
    return {
        "version": release.version,
        "state": release.state,
        "step": release.step,
        "steps": len(Step) - 1,
        "is_silent": is_silent(release),
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
    rows = [_body(release) for release in listed_releases(project)[:MOST]]
    return Response(ReleaseSerializer(rows, many=True).data)


@extend_schema(responses=ReleaseSerializer, operation_id="release", tags=["release"])
@api_view(["GET"])
def release_detail(request: Request, slug: str, version: str) -> Response:
    """One release, and how far its build is."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    release = get_release(user=user, project=project, version=version)
    return Response(ReleaseSerializer(_body(release)).data)


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
