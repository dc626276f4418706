"""The slots of an item that is made from candidates: saving and submitting them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.content import ItemContent, OptionContent, from_json, says_the_same
from annotation.models import Style
from annotation.queries.draft import get_draft
from annotation.queries.exposure import has_seen_moral
from annotation.services import SubmittedDraft
from core.errors import Conflict, Hidden
from corpus.queries import get_story
from generation import services
from generation.serializers import SlotsSerializer, StoredSerializer, SubmittedSlotsSerializer
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import REPEATABLE
from web.requests import signed_in


@extend_schema(
    request=SlotsSerializer,
    responses={200: StoredSerializer, 409: SubmittedSlotsSerializer},
    operation_id="save_slots",
    tags=["generation"],
)
@project_endpoint(PUT=Permission.WRITE)
def slots(request: Request, project: Project, pk: int) -> Response:
    """Save the slots of a user's draft of a machine-style item. Return 409 if it has been submitted."""
    user = signed_in(request)
    shape = SlotsSerializer(data=request.data)
    shape.is_valid(raise_exception=True)
    sent = shape.validated_data
    content = ItemContent(
        options=tuple(
            OptionContent(slot["text"], is_key=index == 0, candidate=slot["candidate"])
            for index, slot in enumerate(sent["slots"])
        ),
        answered_warnings=sent.get("answered_warnings", {}),
    )
    try:
        draft = services.save_machine_draft(
            actor=user,
            story=get_story(user=user, project=project, pk=pk),
            client_id=sent["client_id"],
            sequence=sent["sequence"],
            content=content,
        )
    except SubmittedDraft as submitted:
        is_same = says_the_same(content, replace(from_json(submitted.draft.content), stem=""))
        body = {"detail": str(submitted), "submitted": True, "same_text": is_same}
        return Response(SubmittedSlotsSerializer(body).data, status=status.HTTP_409_CONFLICT)
    body = {"sequence": draft.sequence, "saved_at": timezone.now()}
    return Response(StoredSerializer(body).data)


class SubmittedItemSerializer(serializers.Serializer[Any]):
    """The id of the item that was submitted."""

    item = serializers.IntegerField()


@extend_schema(
    parameters=[REPEATABLE],
    request=None,
    responses=SubmittedItemSerializer,
    operation_id="slots_submit",
    tags=["candidates"],
)
@project_endpoint(POST=Permission.WRITE)
def submit(request: Request, project: Project, pk: int, client_id: UUID) -> Response:
    """Submit the saved slots as an item, with the candidate that each option came from.

    Submitting them twice has no further effect. 409 before the caller has seen the story's moral.
    """
    user = signed_in(request)
    story = get_story(user=user, project=project, pk=pk)
    draft = get_draft(user=user, client_id=client_id)
    if draft.story_id != story.pk or draft.style != Style.MACHINE:
        raise Hidden(_("Draft not found."))
    if not has_seen_moral(user, story):
        raise Conflict(_("Show the moral first."))
    return Response({"item": services.submit_machine_draft(actor=user, draft=draft).pk})
