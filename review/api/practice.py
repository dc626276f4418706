"""Practice items: those of a project, and what a reviewer learned from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.content import ItemContent, OptionContent, from_json
from annotation.queries.item import get_item
from annotation.services import record_key_exposures
from core.errors import Conflict
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_OPTIONS, MAX_STEM_CHARS
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from review import services
from review.api.assignment import NoFilters
from review.api.content import Json, LessonSerializer, lesson_row
from review.api.request import HIGHEST_RATING
from review.forms import TO_ONE_KEY
from review.models import Answer, Disposition, Flaw, PracticeItem, PracticeResult
from review.practice import PLANTS, Expected, plant
from review.queries.practice import (
    closed_item,
    closed_items,
    first_lesson,
    get_practice_item,
    judged_rightly,
    lessons_of,
)
from review.services.practice import LONGEST_LESSON
from web.endpoint import PAGING, REPEATABLE, body, created, filters, one, page, page_of, tag
from web.requests import signed_in
from web.serializers import ListField

ANSWERS: Final = tuple(one.value for one in TO_ONE_KEY)
DISPOSITIONS: Final = tuple(one.value for one in Disposition if one != Disposition.SEND_ON)


class PracticeItemSerializer(serializers.Serializer[Any]):
    """A practice item, without its key; `right` of its `reviews` were as expected."""

    id = serializers.IntegerField()
    task = serializers.CharField()
    story = serializers.IntegerField()
    stem = serializers.CharField()
    is_flawed = serializers.BooleanField()
    lesson = serializers.CharField()
    reviews = serializers.IntegerField()
    right = serializers.IntegerField()
    made_by = serializers.CharField()
    made_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)


class PracticeFilters(serializers.Serializer[Any]):
    """Filters of the list of practice items."""

    retired = serializers.BooleanField(required=False)


class PracticeOptionSerializer(serializers.Serializer[Any]):
    """An option of a practice item."""

    text = serializers.CharField(max_length=MAX_OPTION_CHARS)
    is_key = serializers.BooleanField(required=False)


class NewPracticeItemSerializer(serializers.Serializer[Any]):
    """A practice item made from a reviewed item, by id. What is left out is as in the item and its verdict.

    `plant`: the flaw to plant in a sound item. Options are in the writer's order, as are the positions in
    `right`, of the options that are right.
    """

    item = serializers.IntegerField(min_value=1, max_value=2**62)
    plant = serializers.ChoiceField(PLANTS, required=False)
    stem = serializers.CharField(max_length=MAX_STEM_CHARS, required=False)
    options = ListField(child=PracticeOptionSerializer(), max_length=MAX_OPTIONS, required=False)
    explanation = serializers.CharField(max_length=MAX_EXPLANATION_CHARS, required=False, allow_blank=True)
    answer = serializers.ChoiceField(ANSWERS, required=False)
    right = ListField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_OPTIONS),
        max_length=MAX_OPTIONS,
        required=False,
    )
    rating_low = serializers.IntegerField(required=False, min_value=0, max_value=HIGHEST_RATING)
    rating_high = serializers.IntegerField(required=False, min_value=0, max_value=HIGHEST_RATING)
    flaws = ListField(child=serializers.ChoiceField(Flaw.choices), max_length=len(Flaw), required=False)
    dispositions = ListField(
        child=serializers.ChoiceField(DISPOSITIONS), max_length=len(DISPOSITIONS), required=False
    )
    lesson = serializers.CharField(max_length=LONGEST_LESSON, required=False)


class PracticeSourceSerializer(serializers.Serializer[Any]):
    """An item from which a practice item can be made, without its key."""

    item = serializers.IntegerField()
    task = serializers.CharField()
    state = serializers.CharField()
    stem = serializers.CharField()


class OwnLessonSerializer(LessonSerializer):
    """The result of a practice item that the caller has reviewed; `request` is its request."""

    request = serializers.UUIDField()
    reviewed_at = serializers.DateTimeField()


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, PracticeFilters],
    responses=page_of(PracticeItemSerializer),
    operation_id="practice_list",
    tags=["practice"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewPracticeItemSerializer,
    responses={201: PracticeItemSerializer},
    operation_id="practice_create",
    tags=["practice"],
)
@project_endpoint(GET=Permission.SEE_REVIEWS, POST=Permission.CHANGE_REVIEWS)
def practice(request: Request, project: Project) -> Response:
    """Return the practice items of a project; POST creates one from a reviewed item."""
    if request.method == "POST":
        made = _make(request, project)
        return created(_row(made, {}), reverse("api_practice_item", args=[project.slug, made.pk]))
    asked = filters(request, PracticeFilters)
    found = PracticeItem.objects.filter(project=project).select_related("made_by")
    if "retired" in asked:
        found = found.filter(retired_at__isnull=not asked["retired"])
    return page(request, found, _rows)


def _rows(found: Sequence[PracticeItem]) -> Iterable[Json]:
    scores = judged_rightly(found)
    return [_row(each, scores) for each in found]


def _row(found: PracticeItem, scores: dict[int, tuple[int, int]]) -> Json:
    right, reviews = scores.get(found.pk, (0, 0))
    return {
        "id": found.pk,
        "task": found.task,
        "story": found.story_id,
        "stem": from_json(found.words).stem,
        "is_flawed": bool(found.expected_flaws),
        "lesson": found.lesson,
        "reviews": reviews,
        "right": right,
        "made_by": found.made_by.name,
        "made_at": found.made_at,
        "retired_at": found.retired_at,
    }


def _make(request: Request, project: Project) -> PracticeItem:
    user, sent = signed_in(request), body(request, NewPracticeItemSerializer)
    item = get_item(user=user, project=project, pk=sent["item"])
    known = closed_item(item)
    if known is None:
        raise Conflict(_("This item has no settled verdict yet."))
    record_key_exposures(actor=user, items=[item.pk])
    content, expected = known.content, known.expected
    if "plant" in sent and known.is_sound:
        content, expected = plant(sent["plant"], content, good=expected)
    content, expected = _content(sent, content), _expected(sent, expected)
    lesson = sent.get("lesson") or first_lesson(known, expected)
    return services.make_practice_item(
        actor=user, item=item, content=content, expected=expected, lesson=lesson
    )


def _content(sent: Json, content: ItemContent) -> ItemContent:
    changes: Json = {name: sent[name] for name in ("stem", "explanation") if name in sent}
    if "options" in sent:
        options = (OptionContent(each["text"], each.get("is_key", False)) for each in sent["options"])
        changes["options"] = tuple(options)
    return replace(content, **changes)


def _expected(sent: Json, expected: Expected) -> Expected:
    names = ("answer", "rating_low", "rating_high")
    changes: Json = {name: sent[name] for name in names if name in sent}
    changes |= {name: tuple(sent[name]) for name in ("flaws", "dispositions") if name in sent}
    if "right" in sent or sent.get("answer") == Answer.NONE_FITS:
        changes["positions"] = tuple(sent.get("right", ()))
    return replace(expected, **changes)


@extend_schema(responses=PracticeItemSerializer, operation_id="practice_read", tags=["practice"])
@project_endpoint(GET=Permission.SEE_REVIEWS)
def practice_item(request: Request, project: Project, pk: int) -> Response:
    """Return a practice item."""
    return _one(request, project, pk)


def _one(request: Request, project: Project, pk: int) -> Response:
    found = get_practice_item(project=project, pk=pk)
    row = _row(found, judged_rightly([found]))
    return one(request, row, tag(row))


@extend_schema(
    request=None, responses=PracticeItemSerializer, operation_id="practice_retire", tags=["practice"]
)
@project_endpoint(POST=Permission.CHANGE_REVIEWS)
def retire(request: Request, project: Project, pk: int) -> Response:
    """Retire a practice item, so that no one gets it any more."""
    found = get_practice_item(project=project, pk=pk)
    services.retire_practice_item(actor=signed_in(request), practice_item=found)
    return _one(request, project, pk)


@extend_schema(
    request=None, responses=PracticeItemSerializer, operation_id="practice_restore", tags=["practice"]
)
@project_endpoint(POST=Permission.CHANGE_REVIEWS)
def restore(request: Request, project: Project, pk: int) -> Response:
    """Use a retired practice item again."""
    found = get_practice_item(project=project, pk=pk)
    services.restore_practice_item(actor=signed_in(request), practice_item=found)
    return _one(request, project, pk)


@extend_schema(
    parameters=PAGING,
    responses=page_of(PracticeSourceSerializer),
    operation_id="practice_sources_list",
    tags=["practice"],
)
@project_endpoint(GET=Permission.SEE_REVIEWS)
def sources(request: Request, project: Project) -> Response:
    """Return the items from which a practice item can be made: with a settled verdict and without one yet."""
    filters(request, NoFilters)
    return page(
        request,
        closed_items(project),
        lambda rows: [
            {
                "item": each.pk,
                "task": each.task,
                "state": each.state,
                "stem": each.current.stem if each.current else "",
            }
            for each in rows
        ],
    )


@extend_schema(
    parameters=PAGING,
    responses=page_of(OwnLessonSerializer),
    operation_id="own_practice_list",
    tags=["practice"],
)
@project_endpoint(GET=Permission.REVIEW)
def mine(request: Request, project: Project) -> Response:
    """Return the practice items that the caller has reviewed, each with its lesson."""
    filters(request, NoFilters)
    found = lessons_of(signed_in(request), project).select_related("review__request__gold")

    def rows(results: Sequence[PracticeResult]) -> Iterable[Json]:
        for result in results:
            review = result.review
            asked = review.request
            yield lesson_row(asked, review, result) | {
                "request": asked.public_id,
                "reviewed_at": review.judged_at,
            }

    return page(request, found, rows)
