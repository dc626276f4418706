"""Stories and their wordings. Their morals are shown by `annotation`, which records who has seen them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.numbers import LARGEST
from corpus import services
from corpus.endpoint import MOST_ROWS, ReportSerializer, RowField, json_lines, report_of
from corpus.models import RevisionCause, Story, StoryRevision
from corpus.queries import SEARCH, TEXT, TITLE, about_the_moral, get_story, holding, other_wordings, titles_of
from corpus.upload import import_story_rows
from jobs.hooks import dispatch
from parable.formats.records import FURTHER_FIELDS
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission, permissions_of
from web.endpoint import (
    IF_MATCH,
    PAGING,
    REPEATABLE,
    body,
    filters,
    match,
    one,
    page,
    page_of,
    tag,
)
from web.forms import stored_text
from web.requests import signed_in
from web.rows import Values
from web.serializers import ListField

SHOWN: Final = ("ref", "language", "source", "rights", *FURTHER_FIELDS)


class StorySerializer(serializers.Serializer[Story]):
    """A story as lists show it. `group`: the group of wordings that count as one story."""

    id = serializers.IntegerField()
    ref = serializers.CharField()
    title = serializers.CharField()
    language = serializers.CharField()
    source: Any = serializers.CharField()
    rights = serializers.CharField()
    genre = serializers.CharField()
    group = serializers.IntegerField(allow_null=True)
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class OneStorySerializer(StorySerializer):
    """A story with its text."""

    text = serializers.CharField()
    evidence = serializers.CharField()
    other_wordings = serializers.ListField(child=serializers.IntegerField())


class NewStoriesSerializer(serializers.Serializer[Story]):
    """Up to 1,000 stories, each with the fields of a file: `text`, and `id`, `title`, `moral`, `genre`."""

    stories = ListField(child=RowField(), min_length=1, max_length=MOST_ROWS)
    dry_run = serializers.BooleanField(default=False, help_text="Whether nothing is to be written.")


class WordingSerializer(serializers.Serializer[Story]):
    """The next wording of a story, with the reason for it; what is not named stays."""

    title = serializers.CharField(max_length=500, required=False)
    text = serializers.CharField(max_length=100_000, required=False)
    reason = serializers.CharField(max_length=500)


class RightsSerializer(serializers.Serializer[Story]):
    """The rights under which a story may be published, the evidence for them, and its genre."""

    rights = serializers.CharField(max_length=2000, allow_blank=True)
    evidence = serializers.CharField(max_length=4000, allow_blank=True)
    genre = serializers.CharField(max_length=200, allow_blank=True)


class StoryRevisionSerializer(serializers.Serializer[StoryRevision]):
    """A wording of a story, without its moral."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    title = serializers.CharField()
    text = serializers.CharField()
    cause = serializers.ChoiceField(choices=RevisionCause.choices)
    reason = serializers.CharField()
    author = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class StoryFilters(serializers.Serializer[Story]):
    """Filters of the list of stories. `q`: words in the title, text, id or source, or only in `q_in`."""

    q = serializers.CharField(max_length=200, required=False)
    q_in = serializers.ChoiceField(choices=[TITLE, TEXT], required=False)
    ref = serializers.CharField(max_length=200, required=False)
    language = serializers.CharField(max_length=35, required=False)
    genre = serializers.CharField(max_length=200, required=False, allow_blank=True)
    group = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)
    has_rights = serializers.BooleanField(required=False)


class NoFilters(serializers.Serializer[Story]):
    """This list has no filters."""


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, StoryFilters],
    responses=page_of(StorySerializer),
    operation_id="stories_list",
    tags=["stories"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewStoriesSerializer,
    responses={200: ReportSerializer, 201: ReportSerializer},
    operation_id="stories_create",
    tags=["stories"],
)
@project_endpoint(heavy=True, GET=MEMBER, POST=Permission.MANAGE)
def stories(request: Request, project: Project) -> Response:
    """Return the stories of a project; POST imports some, all of them or none, by the rules for files."""
    if request.method == "POST":
        return _create(request, project)
    asked = filters(request, StoryFilters)
    found = Story.objects.filter(project=project)
    scope = asked.pop("q_in", "")
    if q := asked.pop("q", ""):
        found = found.filter(holding(q.split(), scope))
    if "has_rights" in asked:
        found = found.exclude(rights="") if asked.pop("has_rights") else found.filter(rights="")
    found = found.filter(**asked)
    return page(request, found.values("id", *SHOWN, "group", "current", "created_at"), _rows)


def _rows(found: Sequence[Values]) -> Iterable[Mapping[str, Any]]:
    titles = titles_of([row["current"] for row in found])
    for row in found:
        row["title"], row["revision"] = titles[row.pop("current")]
    return found


def _create(request: Request, project: Project) -> Response:
    sent = body(request, NewStoriesSerializer)
    with transaction.atomic():
        result, ids = import_story_rows(
            actor=signed_in(request),
            project=project,
            rows=json_lines(sent["stories"]),
            dry_run=sent["dry_run"],
        )
        dispatch(SEARCH, project.pk)
    return report_of(result, ids)


@extend_schema(methods=["GET"], responses=OneStorySerializer, operation_id="stories_read", tags=["stories"])
@extend_schema(
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=WordingSerializer,
    responses=OneStorySerializer,
    operation_id="stories_change",
    tags=["stories"],
)
@project_endpoint(GET=MEMBER, PATCH=Permission.CHANGE_STORIES)
def story(request: Request, project: Project, pk: int) -> Response:
    """Return a story with its present text; PATCH gives it another text or title, with a reason."""
    if request.method == "GET":
        return _shown(request, project, pk)
    with transaction.atomic():
        found = _held(request, project, pk)
        sent = body(request, WordingSerializer)
        current = found.current
        title = sent.get("title", current.title if current else "")
        text = stored_text(sent.get("text", current.text if current else ""))
        services.reword_story(
            actor=signed_in(request), story=found, title=title, text=text, reason=sent["reason"]
        )
    return _shown(request, project, pk)


@extend_schema(
    parameters=[IF_MATCH],
    request=RightsSerializer,
    responses=OneStorySerializer,
    operation_id="stories_set_rights",
    tags=["stories"],
)
@project_endpoint(PUT=Permission.CHANGE_STORIES)
def rights(request: Request, project: Project, pk: int) -> Response:
    """Replace a story's rights, their evidence and its genre."""
    with transaction.atomic():
        found = _held(request, project, pk)
        services.set_rights(actor=signed_in(request), story=found, **body(request, RightsSerializer))
    return _shown(request, project, pk)


@extend_schema(
    parameters=PAGING,
    responses=page_of(StoryRevisionSerializer),
    operation_id="story_revisions_list",
    tags=["stories"],
)
@project_endpoint(GET=MEMBER)
def revisions(request: Request, project: Project, pk: int) -> Response:
    """Return the wordings of a story, without morals and without reasons that may quote one."""
    filters(request, NoFilters)
    found = get_story(user=signed_in(request), project=project, pk=pk)
    sees_all = Permission.SEE_STORIES in permissions_of(signed_in(request), project)
    names = ("id", "number", "title", "text", "cause", "reason", "author", "created_at")

    def rows(page_rows: Sequence[Values]) -> Iterable[Mapping[str, Any]]:
        hidden = set() if sees_all else about_the_moral([row["id"] for row in page_rows])
        for row in page_rows:
            row["reason"] = "" if row["id"] in hidden else row["reason"]
        return page_rows

    return page(request, StoryRevision.objects.filter(story=found).values(*names), rows)


def _held(request: Request, project: Project, pk: int) -> Story:
    """Return a story, locked until the transaction ends. Raise `Stale` if the client read another state."""
    found = get_story(user=signed_in(request), project=project, pk=pk)
    Story.objects.select_for_update().get(pk=found.pk)
    found = get_story(user=signed_in(request), project=project, pk=pk)
    match(request, tag(_whole(found)))
    return found


def _shown(request: Request, project: Project, pk: int) -> Response:
    whole = _whole(get_story(user=signed_in(request), project=project, pk=pk))
    return one(request, whole, tag(whole))


def _whole(story: Story) -> Values:
    current = story.current
    others = other_wordings(story).values_list("pk", flat=True) if story.group_id else []
    return {
        "id": story.pk,
        **{name: getattr(story, name) for name in SHOWN},
        "title": current.title if current else "",
        "group": story.group_id,
        "revision": current.number if current else 0,
        "created_at": story.created_at,
        "text": current.text if current else "",
        "evidence": story.rights_evidence,
        "other_wordings": list(others),
    }
