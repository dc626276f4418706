"""Checks of files of items without a project."""

from __future__ import annotations

from typing import Any, Final

import orjson
from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from annotation import services
from annotation.models import AuditState
from corpus.endpoint import FilesField
from jobs.endpoint import start
from parable.quality.ranking import CODES
from web.endpoint import REPEATABLE, AcceptedSerializer, body, endpoint
from web.files import takes_files
from web.requests import signed_in

ADDRESS: Final = "api_file_audit"


class AuditFilesSerializer(serializers.Serializer[Any]):
    """Files of items, and how they are read."""

    file = FilesField()
    numbers = serializers.ChoiceField(
        choices=["0", "1"], required=False, allow_blank=True, help_text="The number of the first option."
    )
    sheet = serializers.CharField(max_length=100, required=False, allow_blank=True)


class AuditOrderedSerializer(AcceptedSerializer):
    """An accepted check: the job, and the address of the findings."""

    audit = serializers.CharField(help_text="The address of the findings.")


class AuditFindingSerializer(serializers.Serializer[Any]):
    """A finding: a gate or a check of single items, and how many items are behind it."""

    kind = serializers.CharField(help_text="`gate` or `check`.")
    id = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    count = serializers.IntegerField()


class FileAuditSerializer(serializers.Serializer[Any]):
    """A check of files. `answer`, `findings` and `result` are there once it is done, if items were read."""

    names = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=AuditState.choices)
    expires_at = serializers.DateTimeField(help_text="When the files and the findings are deleted.")
    items = serializers.IntegerField(help_text="Items read; 0 until it is done.")
    answer = serializers.ChoiceField(
        choices=CODES, allow_null=True, help_text="Whether the set can be cheated."
    )
    ways = serializers.IntegerField(help_text="Rules that score above chance without understanding.")
    findings = AuditFindingSerializer(many=True, help_text="Findings, worst first.")
    result = serializers.DictField(
        allow_null=True, help_text="What `parable audit --json` prints: gates, item checks, rules."
    )


@takes_files(services.LARGEST_AUDIT)
@extend_schema(
    parameters=[REPEATABLE],
    request={"multipart/form-data": AuditFilesSerializer},
    responses={202: AuditOrderedSerializer},
    operation_id="file_audits_create",
    tags=["items"],
)
@endpoint(heavy=True, bound=True, POST=Scope.WRITE)
@parser_classes([MultiPartParser])
def file_audits(request: Request) -> Response:
    """Check files of items without a project, by a job. They are deleted after a day, with the findings."""
    sent = body(request, AuditFilesSerializer)
    options = {name: sent[name] for name in ("numbers", "sheet") if sent.get(name)}
    files = [(file.name, file) for file in request.FILES.getlist("file")]
    with transaction.atomic():
        made = services.order_audit(actor=signed_in(request), files=files, options=options)
        return start(services.AUDIT, made.pk, audit=reverse(ADDRESS, args=[made.token]))


@extend_schema(
    methods=["GET"], responses=FileAuditSerializer, operation_id="file_audits_read", tags=["items"]
)
@extend_schema(methods=["DELETE"], responses={204: None}, operation_id="file_audits_delete", tags=["items"])
@endpoint(bound=True, GET=Scope.READ, DELETE=Scope.WRITE)
def file_audit(request: Request, token: str) -> Response:
    """Return what a check of the caller's files found; DELETE deletes files and findings at once."""
    found = services.find_audit(user=signed_in(request), token=token)
    if request.method == "DELETE":
        services.drop_audit(audit=found)
        return Response(status=204)
    about = services.findings_of(found)
    has_items = bool(about.get("items"))
    fields = ("id", "severity", "count")
    return Response(
        {
            "names": found.names,
            "state": found.state,
            "expires_at": found.expires_at,
            "items": about.get("items", 0),
            "answer": about["answer"]["code"] if has_items else None,
            "ways": about["answer"]["ways"] if has_items else 0,
            "findings": [
                {"kind": one["source"], **{name: one[name] for name in fields}}
                for one in about.get("ranked", ())
            ],
            "result": orjson.loads(services.stored_part(found, services.AUDIT_JSON)) if has_items else None,
        }
    )
