"""Files of responses that were collected elsewhere."""

from __future__ import annotations

from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import services
from evaluation.api import named_release
from evaluation.models import FileState, ResponseFile, Run
from evaluation.page import file_problems
from evaluation.queries.response import get_response_file, response_files
from evaluation.queries.run import IMPORT
from jobs.endpoint import start
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, AcceptedSerializer, body, filters, one, page, page_of, tag
from web.files import takes_files
from web.requests import signed_in

MOST_ERRORS: Final = 1000


class NewResponseFileSerializer(serializers.Serializer[Any]):
    """A file of responses to a release, which is named by its version."""

    release = serializers.CharField(max_length=40)
    file = serializers.FileField()

    def validate_file(self, file: UploadedFile[bytes]) -> UploadedFile[bytes]:
        """Return the file. Raise `ValidationError` if it is too large to be read into memory."""
        if file.size is not None and file.size > services.LARGEST_UPLOAD:
            raise serializers.ValidationError(gettext("The file is too large."))
        return file


class FileErrorSerializer(serializers.Serializer[Any]):
    """An error in a file; `row` is null if it is about the whole file."""

    row = serializers.IntegerField(allow_null=True)
    field = serializers.CharField()
    message = serializers.CharField()


class ResponseFileSerializer(serializers.Serializer[ResponseFile]):
    """A file of responses. `responses`: the number that was read from it."""

    id = serializers.IntegerField()
    release = serializers.CharField()
    name = serializers.CharField()
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    state = serializers.CharField()
    responses = serializers.IntegerField()
    created_by = serializers.CharField()
    ordered_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class OneResponseFileSerializer(ResponseFileSerializer):
    """A file of responses with the runs that were imported, or its first errors; `n_errors` counts all."""

    runs = serializers.ListField(child=serializers.IntegerField())
    row_errors = FileErrorSerializer(many=True)
    n_errors = serializers.IntegerField()


class ResponseFileAcceptedSerializer(AcceptedSerializer):
    """The accepted import of a file; `id` is that of the file."""

    id = serializers.IntegerField()


class ResponseFileFilters(serializers.Serializer[Any]):
    """Filters of the list of response files."""

    release = serializers.CharField(max_length=40, required=False)
    state = serializers.ChoiceField(FileState.choices, required=False)


def _row(file: ResponseFile) -> dict[str, object]:
    names = ("name", "sha256", "bytes", "state", "ordered_at", "finished_at")
    return {
        "id": file.pk,
        "release": file.release.version,
        "responses": file.answers,
        "created_by": file.created_by.username,
        **{name: getattr(file, name) for name in names},
    }


def _whole(file: ResponseFile) -> dict[str, object]:
    problems = list(file_problems(file))
    return _row(file) | {
        "runs": list(Run.objects.filter(file=file).order_by("pk").values_list("pk", flat=True)),
        "row_errors": problems[:MOST_ERRORS],
        "n_errors": len(problems),
    }


@takes_files(services.LARGEST_UPLOAD)
@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, ResponseFileFilters],
    responses=page_of(ResponseFileSerializer),
    operation_id="response_files_list",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewResponseFileSerializer,
    responses={200: OneResponseFileSerializer, 202: ResponseFileAcceptedSerializer},
    operation_id="response_files_create",
    tags=["evaluation"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
@parser_classes([MultiPartParser])
def file_list(request: Request, project: Project) -> Response:
    """Return the imported files of responses, newest first; POST imports a file.

    A file is imported completely or not at all. A file that was imported before is returned as it is.
    """
    if request.method == "GET":
        asked = filters(request, ResponseFileFilters)
        found = response_files(project)
        if "release" in asked:
            found = found.filter(release__version=asked.pop("release"))
        return page(request, found.filter(**asked), lambda rows: map(_row, rows))
    sent = body(request, NewResponseFileSerializer)
    release = named_release(project, sent["release"])
    with transaction.atomic():
        file = services.order_import(
            actor=signed_in(request), release=release, name=sent["file"].name, data=sent["file"].read()
        )
        if file.state != FileState.WAITING:
            return Response(_whole(file))
        return start(IMPORT, file.pk, id=file.pk)


@extend_schema(responses=OneResponseFileSerializer, operation_id="response_files_read", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def file(request: Request, project: Project, pk: int) -> Response:
    """Return a file of responses: its state, then the imported runs or the errors."""
    found = _whole(get_response_file(user=signed_in(request), project=project, pk=pk))
    return one(request, found, tag(found))


@extend_schema(
    request=None,
    responses={202: ResponseFileAcceptedSerializer},
    operation_id="response_files_retry",
    tags=["evaluation"],
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_RESULTS)
def retry(request: Request, project: Project, pk: int) -> Response:
    """Read a file again after a failure caused by Parable."""
    user = signed_in(request)
    found = get_response_file(user=user, project=project, pk=pk)
    with transaction.atomic():
        services.retry_file(actor=user, file=found)
        return start(IMPORT, found.pk, id=found.pk)
