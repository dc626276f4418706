"""API views that the writing form uses while a user types."""

from dataclasses import asdict
from typing import NotRequired, TypedDict, cast
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from annotation.check import gives_key_away
from annotation.content import from_json, says_the_same, to_json
from annotation.models import Item
from annotation.queries.draft import get_draft
from annotation.queries.item import get_item, present_words
from annotation.serializers import (
    DraftSerializer,
    FindingsSerializer,
    SavedSerializer,
    SeparateDraftSerializer,
    StaleSerializer,
)
from annotation.services import (
    StaleDraft,
    SubmittedDraft,
    judge_draft,
    message_of,
    record_key_exposures,
    save_draft,
)
from annotation.services.draft import ItemMoved, keep_apart
from corpus.models import Story
from corpus.queries import get_story
from projects.models import Project
from projects.queries import get_project
from web.requests import signed_in


class DraftView(APIView):
    """A draft of the user."""

    @extend_schema(
        operation_id="draft_save",
        request=DraftSerializer,
        responses={200: SavedSerializer, 409: StaleSerializer},
        summary="Save a draft",
    )
    def put(self, request: Request, client_id: UUID) -> Response:
        """Save a draft, complete or not.

        Return 409 if a newer save exists or the draft has been submitted.
        """
        sent = DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        user, words = signed_in(request), cast("SentDraft", sent.validated_data)
        try:
            draft = save_draft(**_named(user, client_id, words), sequence=words["sequence"])
        except (StaleDraft, SubmittedDraft) as refused:
            draft = refused.draft
            stored: _StoredDraft = {
                "detail": str(refused),
                "submitted": isinstance(refused, SubmittedDraft),
                "client_id": str(draft.client_id),
                "sequence": draft.sequence,
                "content": draft.content,
            }
            return _overtaken(stored, words)
        except ItemMoved as moved:
            record_key_exposures(actor=user, items=[moved.item.pk])
            stored = {
                "detail": str(moved),
                "submitted": True,
                "client_id": None,
                "sequence": 0,
                "content": to_json(present_words(moved.item)),
            }
            return _overtaken(stored, words)
        saved_at = timezone.localtime(draft.updated_at)
        saved = {
            "client_id": str(draft.client_id),
            "sequence": draft.sequence,
            "saved_at": draft.updated_at.isoformat(),
            "saved": _("saved %(time)s") % {"time": time_format(saved_at, "H:i")},
            "longest_key": gives_key_away(from_json(draft.content)),
        }
        return Response(saved)


class SentDraft(TypedDict):
    """The input that `DraftSerializer` accepts."""

    project: str
    story: int
    task: str
    style: str
    item: NotRequired[int | None]
    sequence: int
    content: dict[str, object]


class _Named(TypedDict):
    actor: User
    project: Project
    story: Story
    task: str
    style: str
    item: Item | None
    client_id: UUID
    content: dict[str, object]


class _StoredDraft(TypedDict):
    """The stored draft, or the item, that is newer than a refused save."""

    detail: str
    submitted: bool
    client_id: str | None
    sequence: int
    content: dict[str, object]


def _named(user: User, client_id: UUID, sent: SentDraft) -> _Named:
    """Return the input as arguments of the draft services.

    Raise `Hidden` if the user may not see the project, the story or the item.
    """
    project = get_project(user=user, slug=sent["project"])
    number = sent.get("item")
    item = get_item(user=user, project=project, pk=number) if number else None
    return {
        "actor": user,
        "project": project,
        "story": item.story if item else get_story(user=user, project=project, pk=sent["story"]),
        "task": item.task if item else sent["task"],
        "style": item.style if item else sent["style"],
        "item": item,
        "client_id": client_id,
        "content": sent["content"],
    }


class SeparateView(APIView):
    """Text that arrived after its draft had been submitted elsewhere."""

    @extend_schema(
        operation_id="draft_save_separately",
        request=DraftSerializer,
        responses=SeparateDraftSerializer,
        summary="Keep text that arrived too late as a new draft",
    )
    def post(self, request: Request, client_id: UUID) -> Response:
        """Save the text as a new draft. If the same text is sent twice, only one draft is created."""
        sent = DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        words = cast("SentDraft", sent.validated_data)
        draft = keep_apart(**_named(signed_in(request), client_id, words))
        page = reverse("annotation:draft", args=[draft.project.slug, draft.client_id])
        return Response({"client_id": str(draft.client_id), "page": page})


def _overtaken(stored: _StoredDraft, sent: SentDraft) -> Response:
    is_same = says_the_same(from_json(sent["content"]), from_json(stored["content"]))
    return Response({**stored, "same_text": is_same}, status=status.HTTP_409_CONFLICT)


class CheckView(APIView):
    """The findings of the checks for a draft of the user."""

    @extend_schema(
        operation_id="draft_check",
        request=None,
        responses=FindingsSerializer,
        summary="Check a draft: what is wrong, why it matters, how to fix it",
    )
    def post(self, request: Request, client_id: UUID) -> Response:
        """Check the last saved state of a draft."""
        problems = []
        for remark in judge_draft(get_draft(user=signed_in(request), client_id=client_id)):
            problem = asdict(message_of(remark))
            problem["field"] = problem.pop("place")
            problems.append(problem)
        return Response({"problems": problems})
