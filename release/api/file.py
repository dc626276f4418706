"""Files of a release, and other downloads of its items. Each download is recorded, as on its page."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import renderer_classes
from rest_framework.request import Request
from rest_framework.response import Response

from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release import page as downloads
from release.api import opened_release
from release.models import Artifact
from release.queries.release import artifacts, get_artifact
from release.queries.release import downloads as download_events
from web.endpoint import PAGING, filters, page, page_of
from web.renderer import FileRenderer, Renderer
from web.requests import signed_in

FILES = renderer_classes([Renderer, FileRenderer])
"""Decorates an endpoint that returns a file: clients may accept any type of content."""


class ReleaseFileSerializer(serializers.Serializer[Artifact]):
    """A file of a release. `rows`: the number of its items, or null if it has no items."""

    name = serializers.CharField()
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    rows = serializers.IntegerField(allow_null=True)
    url = serializers.CharField()


class FileFilters(serializers.Serializer[Any]):
    """The list of files has no filters."""


class ReleaseDownloadSerializer(serializers.Serializer[Any]):
    """A download of a release. `file` is the name of the file, or `*` for all files."""

    file = serializers.CharField()
    username = serializers.CharField()
    name = serializers.CharField()
    at = serializers.DateTimeField()


def _file_response(*kinds: str) -> dict[Any, object]:
    return {(200, kind): OpenApiTypes.BINARY for kind in kinds}


@extend_schema(
    parameters=[*PAGING],
    responses=page_of(ReleaseFileSerializer),
    operation_id="releases_files_list",
    tags=["releases"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def files(request: Request, project: Project, version: str) -> Response:
    """Return the files of a release, with their SHA-256 and their size. A withdrawn release has none."""
    found = opened_release(request, project, version)
    filters(request, FileFilters)
    rows = artifacts(found) if found.state == "ready" else Artifact.objects.none()

    def row(one: Artifact) -> dict[str, object]:
        address = reverse("api_release_file", args=[project.slug, version, one.name])
        return {
            "name": one.name, "sha256": one.sha256, "bytes": one.bytes, "rows": one.rows, "url": address
        }  # fmt: skip

    return page(request, rows, lambda found: map(row, found))


@extend_schema(
    parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH, description="As the list names it.")],
    responses=_file_response("application/json", "application/jsonl", "text/markdown", "text/plain"),
    operation_id="releases_files_download",
    tags=["releases"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
@FILES
def file(request: Request, project: Project, version: str, name: str) -> Any:
    """Return a file of the release, with exactly the bytes that were hashed; its ETag is their SHA-256."""
    found = opened_release(request, project, version)
    etag = f'"{get_artifact(found, name).sha256}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": etag})
    return downloads.one_file(signed_in(request), found, name)


@extend_schema(
    responses=_file_response("application/zip"), operation_id="releases_archive", tags=["releases"]
)
@project_endpoint(GET=Permission.SEE_RELEASES)
@FILES
def archive(request: Request, project: Project, version: str) -> Any:
    """Return all files of the release as a ZIP archive, streamed."""
    return downloads.all_files(signed_in(request), opened_release(request, project, version))


class TrainingKitFilters(serializers.Serializer[Any]):
    """`prompt`: the name of a published evaluation whose prompt the kit has, else the usual prompt."""

    prompt = serializers.CharField(max_length=100, required=False)


@extend_schema(
    parameters=[TrainingKitFilters],
    responses=_file_response("application/zip"),
    operation_id="releases_fine_tuning",
    tags=["releases"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
@FILES
def fine_tuning(request: Request, project: Project, version: str) -> Any:
    """Return a kit for fine-tuning on the items whose answers are public, as a ZIP archive, streamed."""
    found = opened_release(request, project, version)
    asked = filters(request, TrainingKitFilters)
    return downloads.training_kit(signed_in(request), found, asked.get("prompt", ""))


@extend_schema(
    responses=_file_response("application/jsonl"), operation_id="releases_items", tags=["releases"]
)
@project_endpoint(GET=Permission.SEE_RELEASES)
@FILES
def items(request: Request, project: Project, version: str) -> Any:
    """Return all items of the release as one JSONL file, streamed. Withheld answers are left out."""
    return downloads.all_items(signed_in(request), opened_release(request, project, version))


@extend_schema(
    responses=_file_response("application/octet-stream"), operation_id="releases_convert", tags=["releases"]
)
@project_endpoint(GET=Permission.SEE_RELEASES)
@FILES
def converted(request: Request, project: Project, version: str, code: str) -> Any:
    """Return the items of the release in the format of another tool, streamed."""
    return downloads.converted_items(signed_in(request), opened_release(request, project, version), code)


@extend_schema(
    responses=_file_response("application/jsonl"), operation_id="releases_test_answers", tags=["releases"]
)
@project_endpoint(GET=Permission.SEE_RELEASES)
@FILES
def answers(request: Request, project: Project, version: str) -> Any:
    """Return the withheld answers of the test items; 404 if the release withholds none."""
    found: HttpResponseBase = downloads.withheld(
        signed_in(request), opened_release(request, project, version)
    )
    return found


@extend_schema(
    parameters=[*PAGING],
    responses=page_of(ReleaseDownloadSerializer),
    operation_id="releases_downloads_list",
    tags=["releases"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def download_list(request: Request, project: Project, version: str) -> Response:
    """Return all downloads of a release, newest first: who, when and which file."""
    found = opened_release(request, project, version)
    filters(request, FileFilters)
    return page(
        request,
        download_events(found),
        lambda events: (
            {
                "file": event.detail["file"],
                "username": event.actor.username,
                "name": event.actor.name,
                "at": event.at,
            }
            for event in events
        ),
    )
