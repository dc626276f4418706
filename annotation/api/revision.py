"""The wordings of an item, its changes of state, and comments on it.

Each may quote the key, as the page of an item does; so that the caller has seen it is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import services
from annotation.api.item import OneItemSerializer, held_item, whole_item
from annotation.content import to_json
from annotation.kinds import item_kind
from annotation.models import Cause, Comment, Item, Revision, State, Transition
from annotation.queries.comment import comments_on
from annotation.queries.item import get_item, get_seen, revision_content
from annotation.serializers import ContentSerializer
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission
from web.endpoint import IF_MATCH, PAGING, REPEATABLE, body, created, filters, page, page_of, tag
from web.requests import signed_in
from web.rows import Values

LONGEST_COMMENT: Final = 4000


class RevisionSerializer(serializers.Serializer[Revision]):
    """A wording of an item. `story_revision`: the number of the story's wording that it is about."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    author = serializers.IntegerField()
    story_revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    content = ContentSerializer()


class NewRevisionSerializer(serializers.Serializer[Revision]):
    """The next wording of an item that is returned or a draft."""

    content = ContentSerializer()


class TransitionSerializer(serializers.Serializer[Transition]):
    """A change of an item's state; `from_state` is "" for the first."""

    id = serializers.IntegerField()
    revision = serializers.IntegerField(allow_null=True, help_text="Number of the wording at that time.")
    from_state = serializers.CharField()
    to_state = serializers.ChoiceField(choices=State.choices)
    actor = serializers.IntegerField()
    cause = serializers.ChoiceField(choices=Cause.choices)
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class ItemCommentSerializer(serializers.Serializer[Comment]):
    """A comment; `about` is a part of the item such as “option-1”, or "" for the whole item."""

    id = serializers.IntegerField()
    revision = serializers.IntegerField(allow_null=True, help_text="Number of the wording that it is about.")
    author = serializers.IntegerField()
    about = serializers.CharField()
    text = serializers.CharField()
    at = serializers.DateTimeField()


class NewItemCommentSerializer(serializers.Serializer[Comment]):
    """A new comment."""

    text = serializers.CharField(
        max_length=LONGEST_COMMENT, required=False, allow_blank=True, default="", help_text="Required."
    )
    about = serializers.CharField(max_length=20, required=False, allow_blank=True, default="")


class NoFilters(serializers.Serializer[Item]):
    """These lists have no filters."""


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(RevisionSerializer),
    operation_id="revisions_list",
    tags=["items"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE, IF_MATCH],
    request=NewRevisionSerializer,
    responses={201: OneItemSerializer},
    operation_id="revisions_create",
    tags=["items"],
)
@project_endpoint(GET=MEMBER, POST=Permission.ADD_ITEMS)
def revisions(request: Request, project: Project, pk: int) -> Response:
    """Return the wordings of an item with their keys; POST submits the next one."""
    if request.method == "POST":
        return _revise(request, project, pk)
    item = _seen(request, project, pk)
    kind = item_kind(item.task)
    found = Revision.objects.filter(item=item).prefetch_related("options", "types", *kind.prefetched)

    def rows(found: Sequence[Revision]) -> list[Values]:
        return [
            {
                "id": one.pk,
                "number": one.number,
                "author": one.author_id,
                "story_revision": one.story_revision.number,
                "created_at": one.created_at,
                "content": to_json(revision_content(one, item.task)),
            }
            for one in found
        ]

    return page(request, found.select_related("story_revision"), rows)


def _revise(request: Request, project: Project, pk: int) -> Response:
    user = signed_in(request)
    with transaction.atomic():
        item = held_item(request, project, pk)
        sent = body(request, NewRevisionSerializer)
        services.submit_item(
            actor=user,
            project=project,
            story=item.story,
            task=item.task,
            style=item.style,
            item=item,
            content=sent["content"],
        )
    whole = whole_item(request, get_item(user=user, project=project, pk=pk))
    return created(whole, reverse("api_item", args=[project.slug, pk]), tag(whole))


@extend_schema(
    parameters=PAGING,
    responses=page_of(TransitionSerializer),
    operation_id="transitions_list",
    tags=["items"],
)
@project_endpoint(GET=MEMBER)
def transitions(request: Request, project: Project, pk: int) -> Response:
    """Return the changes of an item's state, with who made them and why."""
    found = Transition.objects.filter(item=_seen(request, project, pk))
    names = ("id", "revision__number", "from_state", "to_state", "actor", "cause", "reason", "at")

    return page(request, found.values(*names), _numbered)


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(ItemCommentSerializer),
    operation_id="item_comments_list",
    tags=["items"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewItemCommentSerializer,
    responses={201: ItemCommentSerializer},
    operation_id="item_comments_create",
    tags=["items"],
)
@project_endpoint(GET=MEMBER, POST=MEMBER)
def comments(request: Request, project: Project, pk: int) -> Response:
    """Return the comments on an item; POST adds one to its present wording."""
    if request.method == "POST":
        item = get_item(user=signed_in(request), project=project, pk=pk)
        sent = body(request, NewItemCommentSerializer)
        made = services.add_comment(actor=signed_in(request), item=item, **sent)
        (row,) = _numbered(list(comments_on(item).filter(pk=made.pk).values(*_COMMENT)))
        return created(row, reverse("api_item_comments", args=[project.slug, pk]))
    found = comments_on(_seen(request, project, pk)).select_related(None)
    return page(request, found.values(*_COMMENT), _numbered)


_COMMENT: Final = ("id", "revision__number", "author", "about", "text", "at")


def _numbered(rows: Sequence[Values]) -> Sequence[Values]:
    for row in rows:
        row["revision"] = row.pop("revision__number")
    return rows


def _seen(request: Request, project: Project, pk: int) -> Item:
    """Return an item that the caller may see with its key, and record that the caller has seen it."""
    filters(request, NoFilters)
    item = get_seen(user=signed_in(request), project=project, pk=pk)
    services.record_key_exposures(actor=signed_in(request), items=[pk])
    return item
