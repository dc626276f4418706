"""What the sheet asks of the server while somebody types."""

from dataclasses import asdict
from typing import Any, cast
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
from annotation.models import ItemDraft
from annotation.permissions import may_add_items, may_see_moral
from annotation.queries.draft import get_draft
from annotation.queries.exposure import must_ask_before_moral
from annotation.queries.item import get_item, present_words
from annotation.serializers import (
    DraftSerializer,
    KeptApartSerializer,
    LackingSerializer,
    SavedSerializer,
    StaleSerializer,
)
from annotation.services import (
    StaleDraft,
    SubmittedDraft,
    judge_content,
    record_exposure,
    record_keys_shown,
    save_draft,
    tell,
)
from annotation.services.check import Told
from annotation.services.draft import ItemMoved, keep_apart
from core.errors import require
from corpus.queries import get_story
from parable.kinds import kind_of
from projects.queries import get_project
from web.requests import signed_in


class DraftView(APIView):
    """One's own draft."""

    @extend_schema(
        operation_id="draft_save",
        request=DraftSerializer,
        responses={200: SavedSerializer, 409: StaleSerializer},
        summary="Save a draft",
    )
    def put(self, request: Request, client_id: UUID) -> Response:
        """Save a draft, whole or not; 409 where another save has overtaken this one, or it is submitted."""
        sent = DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        user, words = signed_in(request), cast("dict[str, Any]", sent.validated_data)
        try:
            draft = save_draft(**_named(user, client_id, words), sequence=words["sequence"])
        except (StaleDraft, SubmittedDraft) as refused:
            return _overtaken(_standing(refused), words)
        except ItemMoved as moved:
            return _overtaken(_moved(moved, user), words)
        return Response(_saved(draft))


def _named(user: User, client_id: UUID, sent: dict[str, Any]) -> dict[str, Any]:
    """What was sent, with the rows it names, as far as they exist for this person."""
    project = get_project(user=user, slug=sent["project"])
    item = get_item(user=user, project=project, pk=sent["item"]) if sent.get("item") else None
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


class ApartView(APIView):
    """Words that came after their draft was submitted elsewhere."""

    @extend_schema(
        operation_id="draft_keep_apart",
        request=DraftSerializer,
        responses=KeptApartSerializer,
        summary="Keep text that arrived too late as a new draft",
    )
    def post(self, request: Request, client_id: UUID) -> Response:
        """Keep them; the same words sent twice are one draft."""
        sent = DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        words = cast("dict[str, Any]", sent.validated_data)
        draft = keep_apart(**_named(signed_in(request), client_id, words))
        page = reverse("annotation:draft", args=[draft.project.slug, draft.client_id])
        return Response({"client_id": str(draft.client_id), "page": page})


def _saved(draft: ItemDraft) -> dict[str, Any]:
    return {
        "client_id": str(draft.client_id),
        "sequence": draft.sequence,
        "saved_at": draft.updated_at.isoformat(),
        "saved": _("saved %(time)s") % {"time": time_format(timezone.localtime(draft.updated_at), "H:i")},
        "longest_key": gives_key_away(from_json(draft.content)),
    }


def _standing(refused: StaleDraft | SubmittedDraft) -> dict[str, Any]:
    draft = refused.draft
    return {
        "detail": str(refused),
        "submitted": isinstance(refused, SubmittedDraft),
        "client_id": str(draft.client_id),
        "sequence": draft.sequence,
        "content": draft.content,
    }


def _moved(moved: ItemMoved, reader: User) -> dict[str, Any]:
    record_keys_shown(actor=reader, items=[moved.item.pk])
    words = to_json(present_words(moved.item))
    return {"detail": str(moved), "submitted": True, "client_id": None, "sequence": 0, "content": words}


def _overtaken(standing: dict[str, Any], sent: dict[str, Any]) -> Response:
    is_same = says_the_same(from_json(sent["content"]), from_json(standing["content"]))
    return Response(standing | {"says_the_same": is_same}, status=status.HTTP_409_CONFLICT)


class CheckView(APIView):
    """What is wrong with one's own draft."""

    @extend_schema(
        operation_id="draft_check",
        request=None,
        responses=LackingSerializer,
        summary="Check a draft: what is wrong, why it matters, how to fix it",
    )
    def post(self, request: Request, client_id: UUID) -> Response:
        """Check a draft as it was saved last."""
        draft = get_draft(user=signed_in(request), client_id=client_id)
        require(may_add_items(draft.writer, draft.project))  # who has left is told nothing of others' items
        if kind_of(draft.task).key_from_moral:
            _note_exposure(draft)
        found = judge_content(
            from_json(draft.content),
            project=draft.project,
            story=draft.story,
            task=draft.task,
            item=draft.item,
            style=draft.style,
            reader=draft.writer,
        )
        return Response({"problems": [_problem(tell(remark)) for remark in found]})


def _note_exposure(draft: ItemDraft) -> None:
    """What the checks say of such a draft tells which wordings are keys: nobody hears it and stays blind."""
    require(may_see_moral(draft.writer, draft.project))
    if must_ask_before_moral(draft.writer, draft.story):
        record_exposure(actor=draft.writer, story=draft.story)


def _problem(told: Told) -> dict[str, str]:
    return {name: value for name, value in asdict(told).items() if name != "place"} | {"field": told.place}
