"""A request that the caller has claimed: its item, the blind answer, the verdict or ruling, and its lease."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope, User
from annotation.content import MOST_PARTS, ItemContent
from annotation.kinds import item_kind
from core.errors import Conflict
from core.invariants import present
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_OPTIONS, MAX_STEM_CHARS
from parable.kinds.comparison import Pick
from projects.queries import get_project
from review import services
from review.api.content import (
    HeldRequestSerializer,
    Json,
    LessonSerializer,
    VerdictSerializer,
    lesson_of,
    verdict_of,
    view_of,
)
from review.forms import MOST_PICKS
from review.models import Answer, Disposition, Flaw, Review, ReviewRequest, Stage
from review.permissions import may_claim
from review.queries import HeldRequest, get_held_request
from review.queries.drawn import as_drawn, as_stored, place_stored
from review.queries.request import wording_of
from review.serializers import (
    BegunAnswerSavedSerializer,
    BegunAnswerSerializer,
    CommentSerializer,
    LeaseSerializer,
)
from review.services.answer import LONGEST_COMMENT
from web.endpoint import REPEATABLE, body, endpoint, one, tag
from web.requests import signed_in
from web.serializers import DictField, ListField

NUMBER: Final = OpenApiParameter("pk", UUID, OpenApiParameter.PATH)
LONGEST_PLACE: Final = 20
MOST_CRITERIA: Final = 20
HIGHEST_RATING: Final = 100
POSITIONAL: Final = (Answer.SEVERAL_FIT, Answer.SEVERAL, Answer.ORDER)
"""The answers that consist of several positions."""


class AnswerSerializer(serializers.Serializer[Any]):
    """A blind answer, which is final. Positions count from 0 in the order of `item.options`.

    `position`: with `option`. `several`: with `several_fit`, `several`, and with `order` all positions in the
    correct order. `own`: with `own`, as `begun.content` has it. `none_fits` has none of them.
    """

    answer = serializers.ChoiceField(Answer.choices)
    position = serializers.IntegerField(required=False, min_value=0, max_value=MAX_OPTIONS)
    several = ListField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_OPTIONS),
        max_length=MAX_OPTIONS,
        required=False,
    )
    own = DictField(max_length=MOST_PARTS, required=False)


class EditedOptionSerializer(serializers.Serializer[Any]):
    """One option of an edit."""

    text = serializers.CharField(max_length=MAX_OPTION_CHARS, allow_blank=True)
    is_key = serializers.BooleanField(required=False)
    rank = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MAX_OPTIONS)


class EditSerializer(serializers.Serializer[Any]):
    """The wording that an edit proposes; what is left out stays as it is. Options in the drawn order."""

    stem = serializers.CharField(max_length=MAX_STEM_CHARS, required=False, allow_blank=True)
    options = ListField(child=EditedOptionSerializer(), max_length=MAX_OPTIONS, required=False)
    explanation = serializers.CharField(max_length=MAX_EXPLANATION_CHARS, required=False, allow_blank=True)
    own = DictField(max_length=MOST_PARTS, required=False)


class NewVerdictSerializer(serializers.Serializer[Any]):
    """A verdict. Options in `option_marks` and `edit` are in the drawn order.

    `about`: the part of the item that comment and flaws are about, such as `stem` or `option-2`. `undoable`:
    it takes effect with the next claim or in a few minutes, until when it can be undone. `next`: claim the
    next request and return it.
    """

    disposition = serializers.ChoiceField(Disposition.choices)
    rating = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=HIGHEST_RATING)
    ratings = DictField(
        child=serializers.IntegerField(min_value=0, max_value=HIGHEST_RATING),
        max_length=MOST_CRITERIA,
        required=False,
        help_text="The ratings by criterion, for tasks that have criteria.",
    )
    flaws = ListField(child=serializers.ChoiceField(Flaw.choices), max_length=len(Flaw), required=False)
    comment = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_COMMENT)
    about = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_PLACE)
    option_marks = ListField(
        child=serializers.BooleanField(),
        max_length=MAX_OPTIONS,
        required=False,
        help_text="For each option, whether it is right; for verifiers of some tasks.",
    )
    edit = EditSerializer(required=False)
    undoable = serializers.BooleanField(required=False)
    next = serializers.BooleanField(required=False)


class PickSerializer(serializers.Serializer[Any]):
    """A group of an answer that a ruling merges: the number of the answer in `answers`, and of the group."""

    answer = serializers.IntegerField(min_value=0, max_value=999)
    group = serializers.IntegerField(min_value=0, max_value=9999)


class NewRulingSerializer(serializers.Serializer[Any]):
    """A ruling with its reason; `picks` if it merges answers. `next`: as in a verdict."""

    disposition = serializers.ChoiceField(Disposition.choices)
    comment = serializers.CharField(allow_blank=True, max_length=LONGEST_COMMENT)
    about = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_PLACE)
    picks = ListField(child=PickSerializer(), max_length=MOST_PICKS, required=False)
    next = serializers.BooleanField(required=False)


class SkipReasonSerializer(serializers.Serializer[Any]):
    """Why a request is skipped."""

    reason = serializers.CharField(max_length=500)


class AnsweredSerializer(serializers.Serializer[Any]):
    """The answered request; `next` is the item that must be answered before its key is shown, or null."""

    request = HeldRequestSerializer()
    next = HeldRequestSerializer(allow_null=True)


class DoneSerializer(serializers.Serializer[Any]):
    """The verdict; the lesson of a practice item; the next request, if asked for and if there is one."""

    verdict = VerdictSerializer()
    lesson = LessonSerializer(allow_null=True)
    next = HeldRequestSerializer(allow_null=True)


def _held(request: Request, slug: str, pk: UUID, *, with_words: bool = False) -> tuple[User, HeldRequest]:
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    return user, get_held_request(user=user, project=project, pk=pk, with_words=with_words)


def _solved(request: Request, slug: str, pk: UUID) -> tuple[User, ReviewRequest, Review]:
    user, (review_request, review) = _held(request, slug, pk)
    if review is None:
        raise Conflict(_("Answer the item first."))
    return user, review_request, review


def opened(user: User, request: ReviewRequest | None) -> Json | None:
    """Return what the user sees of a request that was just claimed, or None if there is none."""
    if request is None:
        return None
    pk, project = request.public_id, request.project
    return view_of(user, get_held_request(user=user, project=project, pk=pk, with_words=True)).data


@extend_schema(
    parameters=[NUMBER],
    responses=HeldRequestSerializer,
    operation_id="requests_read",
    tags=["review"],
)
@endpoint(bound=True, GET=Scope.READ)
def show(request: Request, slug: str, pk: UUID) -> Response:
    """Return a request that the caller has claimed, at its current step."""
    user, held = _held(request, slug, pk, with_words=True)
    if (review := held.review) and review.sent_at and not review.judged_at:
        services.carry_out_overdue_verdict(review_id=review.pk)
        review.refresh_from_db(fields=["judged_at"])
    data = view_of(user, held).data
    return one(request, data, tag(data))


@extend_schema(
    methods=["PUT"],
    parameters=[NUMBER],
    request=BegunAnswerSerializer,
    responses=BegunAnswerSavedSerializer,
    operation_id="save_begun_answer",
    tags=["review"],
)
@extend_schema(
    methods=["POST"],
    parameters=[NUMBER, REPEATABLE],
    request=AnswerSerializer,
    responses=AnsweredSerializer,
    operation_id="requests_answer",
    tags=["review"],
)
@endpoint(bound=True, PUT=Scope.REVIEW, POST=Scope.REVIEW)
def answer(request: Request, slug: str, pk: UUID) -> Response:
    """Save the blind answer, which is final, and return the key; PUT saves a draft of the answer."""
    if request.method == "PUT":
        return _begin(request, slug, pk)
    user, held = _held(request, slug, pk, with_words=True)
    sent, asked = body(request, AnswerSerializer), held.request
    chosen = sent["answer"]
    own = item_kind(asked.task).clean(sent.get("own", {})) if chosen == Answer.OWN else None
    review = services.solve(
        actor=user,
        request=asked,
        answer=chosen,
        position=sent.get("position") if chosen == Answer.OPTION else None,
        several=sent.get("several", ()) if chosen in POSITIONAL else (),
        own=own,
    )
    answered = review.request if review.request_id == asked.pk else asked
    seen = view_of(user, HeldRequest(answered, review))
    return Response({"request": seen.data, "next": opened(user, seen.following)})


def _begin(request: Request, slug: str, pk: UUID) -> Response:
    shape = BegunAnswerSerializer(data=request.data)
    shape.is_valid(raise_exception=True)
    user, held = _held(request, slug, pk)
    saved = services.begin_answer(actor=user, request=held.request, **shape.validated_data)
    return Response({"sequence": saved.sequence if saved else 0, "sent": saved is None})


@extend_schema(
    parameters=[NUMBER, REPEATABLE],
    request=NewVerdictSerializer,
    responses=DoneSerializer,
    operation_id="requests_verdict",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def verdict(request: Request, slug: str, pk: UUID) -> Response:
    """Save the verdict on an answered item."""
    user, asked, review = _solved(request, slug, pk)
    sent = body(request, NewVerdictSerializer)
    goes_on = sent.pop("next", False)
    final = not sent.pop("undoable", False) or asked.gold is not None
    sent["edit"] = _edit(sent, asked, review)
    sent["about"] = place_stored(sent.get("about", ""), review.drawn_order)
    review = services.send_verdict(actor=user, review=review, final=final, **sent)
    return _done(user, review, goes_on=goes_on, undoable=None if final else review)


def _edit(sent: Json, request: ReviewRequest, review: Review) -> ItemContent | None:
    """Return the content that an edit proposes, in the writer's order, or None."""
    edit = sent.pop("edit", None)
    if edit is None or sent["disposition"] != Disposition.EDIT:
        return None
    before = as_drawn(wording_of(request), review.drawn_order)
    return as_stored(item_kind(request.task).proposed(edit, before), review.drawn_order)


def _done(user: User, review: Review, *, goes_on: bool, undoable: Review | None = None) -> Response:
    asked = review.request
    lesson = lesson_of(user, asked, review) if asked.gold and review.judged_at else None
    stage, following = Stage(asked.stage), None
    if goes_on and may_claim(user, asked.project, stage):
        following = services.claim_next(actor=user, project=asked.project, stage=stage, undoable=undoable)
    data = {"verdict": verdict_of(asked, review), "lesson": lesson, "next": opened(user, following)}
    return Response(data)


@extend_schema(
    parameters=[NUMBER, REPEATABLE],
    request=NewRulingSerializer,
    responses=DoneSerializer,
    operation_id="requests_ruling",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def ruling(request: Request, slug: str, pk: UUID) -> Response:
    """Save the ruling on an item in adjudication."""
    user, held = _held(request, slug, pk)
    sent = body(request, NewRulingSerializer)
    goes_on = sent.pop("next", False)
    sent["about"] = place_stored(sent.get("about", ""), held.request.drawn_order)
    sent["picks"] = tuple(Pick(one["answer"], one["group"]) for one in sent.get("picks", ()))
    review = services.send_ruling(actor=user, request=held.request, **sent)
    return _done(user, review, goes_on=goes_on)


@extend_schema(
    parameters=[NUMBER],
    request=None,
    responses=HeldRequestSerializer,
    operation_id="requests_undo",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def undo(request: Request, slug: str, pk: UUID) -> Response:
    """Undo a verdict that has not taken effect, and return the request."""
    user, asked, review = _solved(request, slug, pk)
    services.undo_verdict(actor=user, review=review)
    return Response(opened(user, asked))


@extend_schema(
    parameters=[NUMBER],
    request=None,
    responses=HeldRequestSerializer,
    operation_id="requests_misclick",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def misclick(request: Request, slug: str, pk: UUID) -> Response:
    """Mark the blind answer as a misclick, which statistics leave out, and return the request."""
    user, asked, review = _solved(request, slug, pk)
    services.mark_misclick(actor=user, review=review)
    return Response(opened(user, asked))


@extend_schema(
    parameters=[NUMBER],
    request=SkipReasonSerializer,
    responses={204: None},
    operation_id="requests_skip",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def skip(request: Request, slug: str, pk: UUID) -> Response:
    """Give a request back with a reason; it is not offered to the caller again."""
    user, held = _held(request, slug, pk)
    services.skip_request(
        actor=user, request=held.request, reason=body(request, SkipReasonSerializer)["reason"]
    )
    return Response(status=204)


@extend_schema(
    parameters=[NUMBER],
    request=None,
    responses={204: None},
    operation_id="requests_postpone",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def postpone(request: Request, slug: str, pk: UUID) -> Response:
    """Give a request back; it is offered to the caller again after the other items."""
    user, held = _held(request, slug, pk)
    services.postpone_request(actor=user, request=held.request)
    return Response(status=204)


@extend_schema(
    parameters=[NUMBER], request=None, responses=LeaseSerializer, operation_id="renew_lease", tags=["review"]
)
@endpoint(bound=True, POST=Scope.REVIEW)
def lease(request: Request, slug: str, pk: UUID) -> Response:
    """Renew the lease of a request, or claim it again after its lease has run out, if no one else has.

    The request's page calls this while the reviewer is working.
    """
    user, asked = _held(request, slug, pk)
    held = services.renew_lease(actor=user, request=asked.request)
    until = present(held.lease_expires_at, "a renewed lease has an end")
    left = until - timezone.now()
    return Response({"lease_expires_at": until, "seconds_left": int(left.total_seconds())})


@extend_schema(
    parameters=[NUMBER],
    request=CommentSerializer,
    responses=CommentSerializer,
    operation_id="save_comment",
    tags=["review"],
)
@endpoint(bound=True, PUT=Scope.REVIEW)
def comment(request: Request, slug: str, pk: UUID) -> Response:
    """Save the comment of a review while the reviewer is typing, before the verdict is sent."""
    shape = CommentSerializer(data=request.data)
    shape.is_valid(raise_exception=True)
    user, _asked, review = _solved(request, slug, pk)
    review = services.save_words(actor=user, review=review, comment=shape.validated_data["comment"])
    return Response({"comment": review.comment})
