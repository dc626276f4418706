"""Drafts: saved, checked and submitted, by the writing form while a user types or by a script."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, NotRequired, TypedDict, cast
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Scope, User
from annotation import services
from annotation.api.item import OneItemSerializer, whole_item
from annotation.check import gives_key_away
from annotation.content import from_json, says_the_same, to_json
from annotation.kinds import task_choices
from annotation.models import Item, ItemDraft, Style
from annotation.permissions import may_add_items
from annotation.queries.draft import discarded_by, drafts_of, get_draft
from annotation.queries.item import get_item, present_words
from annotation.serializers import (
    ContentSerializer,
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
from core.errors import require
from corpus.models import Story
from corpus.queries import get_story
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER
from projects.queries import get_project
from web.endpoint import PAGING, REPEATABLE, created, endpoint, filters, one, page, page_of, tag
from web.requests import signed_in
from web.rows import Values


class DraftRowSerializer(serializers.Serializer[ItemDraft]):
    """A draft as lists show it. `item` is the item that it revises, or as which it was submitted."""

    client_id = serializers.UUIDField()
    project = serializers.CharField()
    story = serializers.IntegerField()
    task = serializers.ChoiceField(choices=task_choices())
    style: Any = serializers.ChoiceField(choices=Style.choices)
    item = serializers.IntegerField(allow_null=True)
    sequence = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True)


class OneDraftSerializer(DraftRowSerializer):
    """A draft with its text."""

    content = ContentSerializer()
    is_submitted = serializers.BooleanField()


class DraftFilters(serializers.Serializer[ItemDraft]):
    """Filters of the list of drafts."""

    discarded = serializers.BooleanField(
        required=False, help_text="Drafts in the bin, in place of those that are being written."
    )


@extend_schema(
    parameters=[*PAGING, DraftFilters],
    responses=page_of(DraftRowSerializer),
    operation_id="drafts_list",
    tags=["drafts"],
)
@project_endpoint(GET=MEMBER)
def drafts(request: Request, project: Project) -> Response:
    """Return the caller's drafts that are not submitted."""
    in_bin = filters(request, DraftFilters).get("discarded", False)
    found = (discarded_by if in_bin else drafts_of)(signed_in(request), project)

    def rows(found: Sequence[ItemDraft]) -> list[Values]:
        return [_row(draft, project.slug) for draft in found]

    return page(request, found.select_related(None), rows)


def _row(draft: ItemDraft, slug: str) -> Values:
    names = ("client_id", "task", "style", "sequence", "created_at", "updated_at", "deleted_at")
    numbers = {"story": draft.story_id, "item": draft.item_id}
    return {"project": slug, **numbers, **{name: getattr(draft, name) for name in names}}


class DraftView(APIView):
    """A draft of the user."""

    scopes: ClassVar = {"GET": Scope.READ, "PUT": Scope.WRITE, "DELETE": Scope.WRITE}
    takes_bound_tokens = True

    @extend_schema(operation_id="drafts_read", responses=OneDraftSerializer, tags=["drafts"])
    def get(self, request: Request, client_id: UUID) -> Response:
        """Return a draft with its text."""
        user = signed_in(request)
        draft = get_draft(user=user, client_id=client_id)
        services.record_draft_read(actor=user, draft=draft)
        is_submitted = draft.submitted_as_id is not None
        whole = _row(draft, draft.project.slug) | {"content": draft.content, "is_submitted": is_submitted}
        return one(request, whole, tag(whole))

    @extend_schema(operation_id="drafts_discard", responses={204: None}, tags=["drafts"])
    def delete(self, request: Request, client_id: UUID) -> Response:
        """Move a draft to the bin, from which it can be restored for 30 days."""
        user = signed_in(request)
        draft = get_draft(user=user, client_id=client_id)
        require(may_add_items(user, draft.project))
        services.discard_draft(actor=user, draft=draft)
        return Response(status=status.HTTP_204_NO_CONTENT)

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

    scopes: ClassVar = {"POST": Scope.WRITE}
    takes_bound_tokens = True

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

    scopes: ClassVar = {"POST": Scope.WRITE}
    takes_bound_tokens = True

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


@extend_schema(
    parameters=[REPEATABLE],
    request=None,
    responses={201: OneItemSerializer},
    operation_id="drafts_submit",
    tags=["drafts"],
)
@endpoint(bound=True, POST=Scope.WRITE)
def submit(request: Request, client_id: UUID) -> Response:
    """Submit a draft as a new item, or as the next revision of its item."""
    user = signed_in(request)
    draft = get_draft(user=user, client_id=client_id)
    made = services.submit_draft(actor=user, draft=draft)
    whole = whole_item(request, get_item(user=user, project=draft.project, pk=made.pk))
    return created(whole, reverse("api_item", args=[draft.project.slug, made.pk]), tag(whole))


@extend_schema(request=None, responses=OneDraftSerializer, operation_id="drafts_restore", tags=["drafts"])
@endpoint(bound=True, POST=Scope.WRITE)
def restore(request: Request, client_id: UUID) -> Response:
    """Restore a discarded draft."""
    user = signed_in(request)
    draft = get_draft(user=user, client_id=client_id)
    require(may_add_items(user, draft.project))
    restored = services.restore_draft(actor=user, draft=draft)
    is_submitted = restored.submitted_as_id is not None
    row = _row(restored, draft.project.slug)
    return Response(row | {"content": restored.content, "is_submitted": is_submitted})
