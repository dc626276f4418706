"""Imports of files of stories: uploaded, previewed, confirmed."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from corpus import endpoint as uploads
from corpus.services import LARGEST_UPLOAD
from corpus.upload import STORIES
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import REPEATABLE, body
from web.files import takes_files

ADDRESS: Final = "api_story_import"


class StoryFilesSerializer(serializers.Serializer[Any]):
    """Files of stories; `sheet`: the sheet of a spreadsheet, or the configuration of a data set."""

    file = uploads.FilesField()
    sheet = serializers.CharField(max_length=100, required=False, allow_blank=True)


@takes_files(LARGEST_UPLOAD)
@extend_schema(
    parameters=[REPEATABLE],
    request={"multipart/form-data": StoryFilesSerializer},
    responses={202: uploads.UploadedSerializer},
    operation_id="story_imports_create",
    tags=["stories"],
)
@project_endpoint(heavy=True, POST=Permission.MANAGE)
@parser_classes([MultiPartParser])
def story_imports(request: Request, project: Project) -> Response:
    """Upload files of stories. A job reads them; then the import can be previewed and confirmed."""
    sent = body(request, StoryFilesSerializer)
    options = {"sheet": sent["sheet"]} if sent.get("sheet") else {}
    return uploads.keep_files(request, project, STORIES.purpose, ADDRESS, options)


endpoints: Final = uploads.upload_endpoints(STORIES.purpose, name="story_imports", tag="stories")
