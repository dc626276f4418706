"""Imports of files of items: uploaded, previewed, confirmed."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.importer import IMPORT_STATES, ITEMS
from annotation.models import State
from corpus import endpoint as uploads
from corpus.services import LARGEST_UPLOAD
from parable.formats import AUTO, ITEM_FORMATS
from parable.formats.published import TIED_TASKS
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import REPEATABLE, body
from web.files import takes_files

ADDRESS: Final = "api_item_import"


class ItemFilesSerializer(serializers.Serializer[Any]):
    """Files of items, and how they are read and imported."""

    file = uploads.FilesField()
    format = serializers.ChoiceField(choices=ITEM_FORMATS, default=AUTO)
    state = serializers.ChoiceField(choices=IMPORT_STATES, default=State.IN_REVIEW)
    numbers = serializers.ChoiceField(
        choices=["0", "1"], required=False, allow_blank=True, help_text="The number of the first option."
    )
    task = serializers.ChoiceField(
        choices=TIED_TASKS,
        required=False,
        allow_blank=True,
        help_text="The task of items without answers whose fields fit several tasks.",
    )
    sheet = serializers.CharField(max_length=100, required=False, allow_blank=True)
    replace = serializers.BooleanField(default=False)
    writer = serializers.CharField(max_length=150, default=_("Imported"))


@takes_files(LARGEST_UPLOAD)
@extend_schema(
    parameters=[REPEATABLE],
    request={"multipart/form-data": ItemFilesSerializer},
    responses={202: uploads.UploadedSerializer},
    operation_id="item_imports_create",
    tags=["items"],
)
@project_endpoint(heavy=True, POST=Permission.MANAGE)
@parser_classes([MultiPartParser])
def item_imports(request: Request, project: Project) -> Response:
    """Upload files of items. A job reads them; then the import can be previewed and confirmed."""
    sent = body(request, ItemFilesSerializer)
    options = {name: str(sent[name]) for name in ("format", "state", "writer")}
    options |= {name: sent.get(name, "") for name in ("numbers", "task")}
    options |= {"replace": "1"} if sent["replace"] else {}
    options |= {"sheet": sent["sheet"]} if sent.get("sheet") else {}
    return uploads.keep_files(request, project, ITEMS.purpose, ADDRESS, options)


endpoints: Final = uploads.upload_endpoints(ITEMS.purpose, name="item_imports", tag="items")
