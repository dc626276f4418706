"""The moral of a story, for who may see it."""

from __future__ import annotations

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from annotation.permissions import may_see_moral
from annotation.services import record_exposure
from core.errors import require
from corpus.models import MoralOrigin, Story
from corpus.queries import get_story
from corpus.services import set_moral
from projects.permissions import Permission, has_permission
from projects.queries import get_project
from web.endpoint import IF_MATCH, body, endpoint, match, one, tag
from web.requests import signed_in
from web.rows import Values


class MoralSerializer(serializers.Serializer[Story]):
    """The moral of a story, "" if it has none, and where it comes from."""

    moral = serializers.CharField()
    origin = serializers.ChoiceField(choices=MoralOrigin.choices)


class NewMoralSerializer(serializers.Serializer[Story]):
    """The next moral of a story, which is a new revision of the story."""

    moral = serializers.CharField(max_length=4000, allow_blank=True)
    origin = serializers.ChoiceField(
        choices=[choice for choice in MoralOrigin.choices if choice[0] != MoralOrigin.NONE]
    )
    reason = serializers.CharField(max_length=500)


@extend_schema(
    methods=["POST"],
    request=None,
    responses=MoralSerializer,
    operation_id="stories_see_moral",
    tags=["stories"],
)
@extend_schema(
    methods=["PUT"],
    parameters=[IF_MATCH],
    request=NewMoralSerializer,
    responses=MoralSerializer,
    operation_id="stories_set_moral",
    tags=["stories"],
)
@endpoint(bound=True, POST=Scope.READ, PUT=Scope.MANAGE)
def moral(request: Request, slug: str, pk: int) -> Response:
    """Show the moral, and record it: the caller can no longer solve its items blind. PUT changes it.

    A POST, not a GET, so that no link shows it to who did not ask.
    """
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_see_moral(user, project))
    if request.method == "PUT":
        require(has_permission(user, project, Permission.CHANGE_STORIES))
    story = get_story(user=user, project=project, pk=pk)
    if request.method == "PUT":
        sent = body(request, NewMoralSerializer)
        with transaction.atomic():
            Story.objects.select_for_update().get(pk=pk)
            story = get_story(user=user, project=project, pk=pk)
            match(request, tag(_whole(story)))
            set_moral(actor=user, story=story, **sent)
        story = get_story(user=user, project=project, pk=pk)
    record_exposure(actor=user, story=story)
    whole = _whole(story)
    return one(request, whole, tag(whole))


def _whole(story: Story) -> Values:
    current = story.current
    return {
        "moral": current.moral if current else "",
        "origin": current.moral_origin if current else MoralOrigin.NONE.value,
    }
