"""API view for the page of candidates: saving the slots of an unfinished item."""

from dataclasses import replace

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.content import ItemContent, OptionContent, from_json, says_the_same
from annotation.permissions import may_write
from annotation.services import SubmittedDraft
from core.errors import require
from corpus.queries import get_story
from generation import services
from generation.serializers import SlotsSerializer, StoredSerializer, SubmittedSlotsSerializer
from projects.queries import get_project
from web.requests import signed_in


@extend_schema(
    request=SlotsSerializer,
    responses={200: StoredSerializer, 409: SubmittedSlotsSerializer},
    operation_id="save_slots",
    tags=["generation"],
)
@api_view(["PUT"])
def slots(request: Request, slug: str, pk: int) -> Response:
    """Save the slots of a user's draft of a machine-style item. Return 409 if it has been submitted."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_write(user, project))
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
