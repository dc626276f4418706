"""Groups of wordings of one story, and pairs of similar stories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.numbers import LARGEST
from corpus import services
from corpus.models import SimilarPair, StoryGroup
from corpus.queries import SEARCH, get_group, get_pair, stories_of_groups
from jobs.hooks import dispatch
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import (
    PAGING,
    REPEATABLE,
    AcceptedSerializer,
    accepted,
    body,
    created,
    filters,
    page,
    page_of,
)
from web.requests import signed_in
from web.rows import Values
from web.serializers import ListField

MOST_STORIES: Final = 1000


def _stories(*, least: int = 0) -> ListField:
    number = serializers.IntegerField(min_value=0, max_value=LARGEST)
    return ListField(child=number, min_length=least, max_length=MOST_STORIES, required=bool(least))


class StoryGroupSerializer(serializers.Serializer[StoryGroup]):
    """Stories that were confirmed to be wordings of one story; they count as one."""

    id = serializers.IntegerField()
    stories = serializers.ListField(child=serializers.IntegerField())
    confirmed_by = serializers.IntegerField()
    confirmed_at = serializers.DateTimeField()


class NewStoryGroupSerializer(serializers.Serializer[StoryGroup]):
    """Stories that are wordings of one story, and others that are not."""

    stories = _stories(least=2)
    others = _stories()


class DifferentStoriesSerializer(serializers.Serializer[StoryGroup]):
    """Stories that are different, so that they are not suggested as a group again."""

    stories = _stories(least=2)


class SimilarPairSerializer(serializers.Serializer[SimilarPair]):
    """Two stories that the last search found similar, or that were decided to be different."""

    id = serializers.IntegerField()
    first = serializers.IntegerField()
    second = serializers.IntegerField()
    similarity = serializers.FloatField(help_text="From 0 to 1.")
    same_title = serializers.BooleanField()
    rejected_by = serializers.IntegerField(allow_null=True)
    rejected_at = serializers.DateTimeField(allow_null=True)


class GroupFilters(serializers.Serializer[StoryGroup]):
    """The list of groups has no filters."""


class PairFilters(serializers.Serializer[SimilarPair]):
    """Filters of the list of similar pairs."""

    rejected = serializers.BooleanField(required=False)
    story = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(StoryGroupSerializer),
    operation_id="story_groups_list",
    tags=["stories"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewStoryGroupSerializer,
    responses={201: StoryGroupSerializer},
    operation_id="story_groups_confirm",
    tags=["stories"],
)
@project_endpoint(GET=Permission.SEE_STORIES, POST=Permission.CHANGE_STORIES)
def groups(request: Request, project: Project) -> Response:
    """Return the confirmed groups; POST confirms one, which takes in the groups of its stories."""
    if request.method == "POST":
        made = services.confirm_group(
            actor=signed_in(request), project=project, **body(request, NewStoryGroupSerializer)
        )
        (row,) = _group_rows(list(_values(StoryGroup.objects.filter(pk=made.pk))))
        return created(row, reverse("api_story_group", args=[project.slug, made.pk]))
    filters(request, GroupFilters)
    return page(request, _values(StoryGroup.objects.filter(project=project)), _group_rows)


@extend_schema(responses=StoryGroupSerializer, operation_id="story_groups_read", tags=["stories"])
@project_endpoint(GET=Permission.SEE_STORIES)
def group(request: Request, project: Project, pk: int) -> Response:
    """Return a confirmed group."""
    found = get_group(project=project, pk=pk)
    (row,) = _group_rows(list(_values(StoryGroup.objects.filter(pk=found.pk))))
    return Response(row)


@extend_schema(request=None, responses={204: None}, operation_id="story_groups_split", tags=["stories"])
@project_endpoint(POST=Permission.CHANGE_STORIES)
def split(request: Request, project: Project, pk: int) -> Response:
    """Split a group: each of its stories counts by itself, and they are not suggested again."""
    services.split_group(actor=signed_in(request), project=project, group=pk)
    return Response(status=204)


@extend_schema(
    request=DifferentStoriesSerializer,
    responses={204: None},
    operation_id="similar_pairs_reject",
    tags=["stories"],
)
@project_endpoint(POST=Permission.CHANGE_STORIES)
def reject(request: Request, project: Project) -> Response:
    """Record that similar stories are different."""
    sent = body(request, DifferentStoriesSerializer)
    services.reject_group(actor=signed_in(request), project=project, stories=sent["stories"])
    return Response(status=204)


@extend_schema(
    parameters=[*PAGING, PairFilters],
    responses=page_of(SimilarPairSerializer),
    operation_id="similar_pairs_list",
    tags=["stories"],
)
@project_endpoint(GET=Permission.SEE_STORIES)
def pairs(request: Request, project: Project) -> Response:
    """Return the pairs of similar stories, and those that were decided to be different."""
    asked = filters(request, PairFilters)
    found = SimilarPair.objects.filter(project=project)
    if "rejected" in asked:
        found = found.filter(rejected_at__isnull=not asked["rejected"])
    if "story" in asked:
        found = found.filter(first=asked["story"]) | found.filter(second=asked["story"])
    names = ("id", "first", "second", "similarity", "same_title", "rejected_by", "rejected_at")
    return page(request, found.values(*names), list)


@extend_schema(request=None, responses={204: None}, operation_id="similar_pairs_reopen", tags=["stories"])
@project_endpoint(POST=Permission.CHANGE_STORIES)
def reopen(request: Request, project: Project, pk: int) -> Response:
    """Undo the decision that two stories are different."""
    get_pair(project=project, pk=pk)
    services.reopen_pair(actor=signed_in(request), project=project, pair=pk)
    return Response(status=204)


@extend_schema(
    request=None, responses={202: AcceptedSerializer}, operation_id="similar_pairs_search", tags=["stories"]
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_STORIES)
def search(request: Request, project: Project) -> Response:
    """Compare all stories of the project, by a job, which replaces the undecided pairs."""
    with transaction.atomic():
        job = services.order_search(actor=signed_in(request), project=project)
        dispatch(SEARCH, project.pk)
    return accepted(job.pk, reverse("api_job", args=[job.pk]))


def _values(found: QuerySet[StoryGroup]) -> QuerySet[StoryGroup, Any]:
    return found.values("id", "confirmed_by", "confirmed_at")


def _group_rows(rows: Sequence[Values]) -> Iterable[Mapping[str, Any]]:
    members = stories_of_groups([row["id"] for row in rows])
    return [row | {"stories": members.get(row["id"], [])} for row in rows]
