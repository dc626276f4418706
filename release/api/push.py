"""Pushes of a release to the hub of data sets of this site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.endpoint import start
from jobs.queries import jobs_of
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release import services
from release.api import opened_release
from release.models import Push
from release.queries.push import PUSH, pushes, why_not_sent
from web.endpoint import PAGING, REPEATABLE, AcceptedSerializer, body, filters, page, page_of
from web.requests import signed_in


class NewReleasePushSerializer(serializers.Serializer[Push]):
    """A data set of the hub (`OWNER/NAME`), and the caller's access token of the hub, never shown again."""

    repo = serializers.CharField(max_length=193)
    token = serializers.CharField(max_length=500, write_only=True)
    is_public = serializers.BooleanField(required=False)


class ReleasePushSerializer(serializers.Serializer[Push]):
    """A push to a hub. `reason`: why it failed, or "". `address`: that of the data set, once it was sent."""

    id = serializers.IntegerField()
    hub = serializers.CharField()
    repo = serializers.CharField()
    is_public = serializers.BooleanField()
    state = serializers.CharField()
    reason = serializers.CharField()
    address = serializers.CharField()
    username = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ReleasePushAcceptedSerializer(AcceptedSerializer):
    """The accepted push of a release; `id` is that of the push."""

    id = serializers.IntegerField()


class PushFilters(serializers.Serializer[Any]):
    """The list of pushes has no filters."""


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING],
    responses=page_of(ReleasePushSerializer),
    operation_id="pushes_list",
    tags=["releases"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewReleasePushSerializer,
    responses={202: ReleasePushAcceptedSerializer},
    operation_id="pushes_create",
    tags=["releases"],
)
@project_endpoint(heavy=True, GET=Permission.CHANGE_RELEASES, POST=Permission.CHANGE_RELEASES)
@sensitive_variables("sent")
def push_list(request: Request, project: Project, version: str) -> Response:
    """Return the pushes of a release to the hub; POST sends the release with the caller's token."""
    release = opened_release(request, project, version)
    if request.method == "GET":
        filters(request, PushFilters)
        return page(request, pushes(release), lambda rows: _rows(rows, version))
    sent = body(request, NewReleasePushSerializer)
    with transaction.atomic():
        push = services.order_push(
            actor=signed_in(request),
            release=release,
            repo=sent["repo"],
            is_public=sent.get("is_public", False),
            token=sent["token"],
        )
        return start(PUSH, push.pk, id=push.pk)


def _rows(found: Sequence[Push], version: str) -> Iterator[dict[str, object]]:
    jobs = jobs_of(PUSH, [push.pk for push in found])
    names = ("hub", "repo", "is_public", "state", "address", "created_at", "finished_at")
    for push in found:
        shown = {name: getattr(push, name) for name in names}
        reason = why_not_sent(push, version, jobs.get(push.pk))
        yield {"id": push.pk, "reason": reason, "username": push.created_by.username, **shown}
