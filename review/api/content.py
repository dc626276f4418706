"""What a request shows at each step: the blind item, then its key, and the verdict; or a ruling.

The JSON of the pages of `review.views.request_page`: what they hide at a step is not here either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from rest_framework import serializers

from accounts.models import User
from annotation.kinds import item_kind
from annotation.queries.comment import comments_on
from annotation.services import record_key_exposures
from core.invariants import present
from parable.kinds import kind_of
from review import services
from review.models import PracticeResult, Review, ReviewRequest, Stage
from review.queries import HeldRequest, blind_item, verdicts_on
from review.queries.drawn import Edit, as_drawn, edit_of, own_edit, place_seen, with_numbers_seen
from review.queries.practice import expected_of
from review.queries.request import answers_to, begun_answer, is_reworded, own_answer, wording_of
from review.queries.sibling import has_lapsed, together

Json = dict[str, Any]

BLIND: Final = "blind"
WITHHELD: Final = "withheld"
SOLVED: Final = "solved"
SENT: Final = "sent"
REVIEWED: Final = "reviewed"
RULING: Final = "ruling"
LAPSED: Final = "lapsed"
STEPS: Final = (BLIND, WITHHELD, SOLVED, SENT, REVIEWED, RULING, LAPSED)


PARTS: Final = (
    "answer_first", "item", "together", "begun", "given", "solution", "contested", "verdict", "lesson",
)  # fmt: skip
"""The parts of a request's JSON that not every step has."""


class BlindItemSerializer(serializers.Serializer[Any]):
    """The item of a request as it is shown before it is answered; options in the order drawn for the caller.

    `shown` has what else the task shows, such as a second text; `layers` what its answer can mark, by role.
    """

    title = serializers.CharField()
    language = serializers.CharField()
    text = serializers.CharField()
    reworded = serializers.BooleanField()
    stem = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    shown = serializers.DictField()
    layers = serializers.ListField(child=serializers.DictField())


class SavedAnswerSerializer(serializers.Serializer[Any]):
    """The draft of a blind answer, with the number of its save."""

    sequence = serializers.IntegerField()
    content = serializers.DictField()


class GivenAnswerSerializer(serializers.Serializer[Any]):
    """A blind answer; positions count from 0 in the order drawn for the reviewer."""

    answer = serializers.CharField()
    position = serializers.IntegerField(allow_null=True)
    several = serializers.ListField(child=serializers.IntegerField())
    own = serializers.DictField(allow_null=True)
    is_correct = serializers.BooleanField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    blind = serializers.BooleanField()
    misclick = serializers.BooleanField()
    seconds = serializers.IntegerField()


class SolvedOptionSerializer(serializers.Serializer[Any]):
    """An option; `rank` is its position in the correct order, from 1, for tasks with an order."""

    text = serializers.CharField()
    is_key = serializers.BooleanField()
    rank = serializers.IntegerField(allow_null=True)


class SolutionSerializer(serializers.Serializer[Any]):
    """The content of an item with its key, options in the order drawn for the caller.

    `own` has what only items of the task have; `answered_warnings` the writer's reasons by check.
    """

    stem = serializers.CharField()
    options = SolvedOptionSerializer(many=True)
    types = serializers.ListField(child=serializers.CharField())
    explanation = serializers.CharField()
    own = serializers.DictField()
    answered_warnings = serializers.DictField(child=serializers.CharField())


class ChangeSerializer(serializers.Serializer[Any]):
    """A part of an item before and after an edit; `number` counts repeated parts from 1, or is 0."""

    part = serializers.CharField()
    number = serializers.IntegerField()
    before = serializers.CharField()
    after = serializers.CharField()


class VerdictSerializer(serializers.Serializer[Any]):
    """A verdict or ruling. It can be undone until `reviewed_at`; with `late_at`, it has no effect."""

    rating = serializers.IntegerField(allow_null=True)
    ratings = serializers.DictField(child=serializers.IntegerField())
    flaws = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField()
    about = serializers.CharField()
    disposition = serializers.CharField()
    option_marks = serializers.ListField(child=serializers.BooleanField())
    changes = ChangeSerializer(many=True)
    sent_at = serializers.DateTimeField(allow_null=True)
    reviewed_at = serializers.DateTimeField(allow_null=True)
    late_at = serializers.DateTimeField(allow_null=True)


class CommentOnItemSerializer(serializers.Serializer[Any]):
    """A comment on an item."""

    author = serializers.CharField()
    about = serializers.CharField()
    text = serializers.CharField()
    at = serializers.DateTimeField()


class OtherVerdictSerializer(serializers.Serializer[Any]):
    """A verdict that an adjudicator compares; its answer is that of the reviewer."""

    reviewer = serializers.CharField()
    stage = serializers.CharField()
    revision = serializers.IntegerField()
    answer = serializers.CharField()
    is_correct = serializers.BooleanField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    misclick = serializers.BooleanField()
    rating = serializers.IntegerField(allow_null=True)
    flaws = serializers.ListField(child=serializers.CharField())
    disposition = serializers.CharField()
    comment = serializers.CharField()
    about = serializers.CharField()
    changes = ChangeSerializer(many=True)


class AnswerToMergeSerializer(serializers.Serializer[Any]):
    """An answer whose groups a ruling can merge. The number of the first, the item's own answer, is 0."""

    author = serializers.CharField()
    own = serializers.DictField()


class ContestedSerializer(serializers.Serializer[Any]):
    """Why an item is in adjudication, the verdicts so far, and answers that can be merged."""

    cause = serializers.CharField()
    reason = serializers.CharField()
    verdicts = OtherVerdictSerializer(many=True)
    answers = AnswerToMergeSerializer(many=True)


class ExpectedSerializer(serializers.Serializer[Any]):
    """The expected verdict on a practice item; positions in the order drawn for the reviewer."""

    answer = serializers.CharField()
    positions = serializers.ListField(child=serializers.IntegerField())
    rating_low = serializers.IntegerField()
    rating_high = serializers.IntegerField()
    flaws = serializers.ListField(child=serializers.CharField())
    dispositions = serializers.ListField(child=serializers.CharField())


class PracticeFindingsSerializer(serializers.Serializer[Any]):
    """Whether each part of a verdict was as expected; `answer` is null after a misclick."""

    answer = serializers.BooleanField(allow_null=True)
    rating = serializers.BooleanField()
    flaws = serializers.BooleanField()
    disposition = serializers.BooleanField()


class LessonSerializer(serializers.Serializer[Any]):
    """The result of a practice item, which is known to be one only after the verdict."""

    is_right = serializers.BooleanField()
    findings = PracticeFindingsSerializer()
    expected = ExpectedSerializer()
    lesson = serializers.CharField()


class TogetherSerializer(serializers.Serializer[Any]):
    """How many items of the story are answered before any of their keys is shown, and how many are left."""

    size = serializers.IntegerField()
    left = serializers.IntegerField()


class HeldRequestSerializer(serializers.Serializer[Any]):
    """A request that the caller has claimed, at its current step.

    - `blind`: to be answered. The key is not shown, and nothing that reveals it.
    - `withheld`: answered; other items of the story must be answered first, `answer_first` is the next one.
    - `solved`: answered; `solution` has the key, and a verdict is expected.
    - `sent`: the verdict was sent and can still be undone. `reviewed`: it has taken effect.
    - `ruling`: in adjudication; `solution` has the key, `contested` the verdicts to decide between.
    - `lapsed`: the lease has run out. Renewing it claims the request again, if `is_free`.
    """

    id = serializers.UUIDField()
    stage = serializers.CharField()
    task = serializers.CharField()
    step = serializers.ChoiceField(STEPS)
    lease_expires_at = serializers.DateTimeField(allow_null=True)
    is_free = serializers.BooleanField()
    answer_first = serializers.UUIDField(allow_null=True)
    item = BlindItemSerializer(allow_null=True)
    together = TogetherSerializer(allow_null=True)
    begun = SavedAnswerSerializer(allow_null=True)
    given = GivenAnswerSerializer(allow_null=True)
    solution = SolutionSerializer(allow_null=True)
    contested = ContestedSerializer(allow_null=True)
    verdict = VerdictSerializer(allow_null=True)
    comments = CommentOnItemSerializer(many=True)
    lesson = LessonSerializer(allow_null=True)


class View(NamedTuple):
    """A request as JSON, and the request to answer before its key is shown, or None."""

    data: Json
    following: ReviewRequest | None = None


def view_of(user: User, held: HeldRequest) -> View:
    """Return what the user sees of a request at its current step. A key that is shown is recorded as seen."""
    request, review = held
    data: Json = {
        "id": request.public_id,
        "stage": request.stage,
        "task": request.task,
        "lease_expires_at": request.lease_expires_at,
        "is_free": request.state == request.given_back_as,
        **dict.fromkeys(PARTS),
        "comments": [],
    }
    if has_lapsed(user, request, review):
        return View(data | {"step": LAPSED})
    is_sent = review is not None and bool(review.judged_at or review.sent_at)
    following = services.reveal(actor=user, request=request) if review and not is_sent else None
    data["item"] = _item(request, review.drawn_order if review else request.drawn_order)
    if review is None and request.stage == Stage.ADJUDICATION:
        record_key_exposures(actor=user, items=[request.source_id])
        solution = _solution(request, request.drawn_order)
        return View(data | {"step": RULING, "solution": solution, "contested": _contested(request)})
    if review is None:
        return View(data | {"step": BLIND} | _begun(user, request))
    if following is not None:
        given = given_of(request, review) | {"is_correct": None, "score": None}
        return View(data | {"step": WITHHELD, "answer_first": following.public_id, "given": given}, following)
    data |= {"given": given_of(request, review) if review.answer else None}
    data |= {"solution": _solution(request, review.drawn_order)}
    if not is_sent:
        return View(data | {"step": SOLVED})
    data |= {"step": REVIEWED if review.judged_at else SENT, "verdict": verdict_of(request, review)}
    if request.gold and review.judged_at:
        return View(data | {"lesson": lesson_of(user, request, review)})
    return View(data | {"comments": _comments(request, review)})


def _item(request: ReviewRequest, drawn: Sequence[int]) -> Json:
    item, kind = blind_item(request, drawn), item_kind(request.task)
    return {
        "title": item.title,
        "language": item.language,
        "text": item.text,
        "reworded": is_reworded(request),
        "stem": item.stem,
        "options": item.options,
        "shown": {name: value for name, value in item.shown.items() if name != "options"},
        "layers": kind.answer_layers(),
    }


def _begun(user: User, request: ReviewRequest) -> Json:
    begun, siblings = begun_answer(user, request), together(user, request)
    return {
        "begun": begun and {"sequence": begun.sequence, "content": begun.content},
        "together": {"size": siblings.size, "left": len(siblings.left)} if siblings.size > 1 else None,
    }


def given_of(request: ReviewRequest, review: Review) -> Json:
    """Return the blind answer of a review."""
    return {
        "answer": review.answer,
        "position": review.chosen_position,
        "several": review.several_positions,
        "own": own_answer(review, request.task),
        "is_correct": review.is_correct,
        "score": review.score,
        "blind": review.blind,
        "misclick": review.misclick,
        "seconds": review.seconds,
    }


def _solution(request: ReviewRequest, drawn: Sequence[int]) -> Json:
    content = as_drawn(wording_of(request), drawn)
    return {
        "stem": content.stem,
        "options": [{"text": one.text, "is_key": one.is_key, "rank": one.rank} for one in content.options],
        "types": list(content.types),
        "explanation": content.explanation,
        "own": dict(content.own),
        "answered_warnings": dict(content.answered_warnings),
    }


def verdict_of(request: ReviewRequest, review: Review) -> Json:
    """Return the reviewer's own verdict, with option numbers as the reviewer saw them."""
    drawn, scale = review.drawn_order, kind_of(request.task).scale
    has_criteria = scale is not None and bool(scale.criteria)
    by_position = dict(zip(sorted(drawn), review.option_marks, strict=False))
    return {
        "rating": review.rating,
        "ratings": {one.criterion: one.value for one in review.ratings.all()} if has_criteria else {},
        "flaws": review.flaws,
        "comment": review.comment,
        "about": place_seen(review.about, drawn),
        "disposition": review.disposition,
        "option_marks": [by_position[position] for position in drawn if position in by_position],
        "changes": _changes(own_edit(request, review), request.task),
        "sent_at": review.sent_at,
        "reviewed_at": review.judged_at,
        "late_at": review.late_at,
    }


def _changes(edit: Edit | None, task: str) -> list[Json]:
    if edit is None:
        return []
    parts = item_kind(task).compared(edit.before, edit.after)
    return [
        {
            "part": part.place,
            "number": part.number if edit.has_numbers else 0,
            "before": part.before,
            "after": part.after,
        }
        for part in parts
        if part.before != part.after
    ]


def _comments(request: ReviewRequest, review: Review) -> list[Json]:
    if request.item_id is None:
        return []
    found = with_numbers_seen(
        comments_on(present(request.item, "only practice has none")), review.revision_id, review.drawn_order
    )
    return [{"author": one.author.name, "about": one.about, "text": one.text, "at": one.at} for one in found]


def _contested(request: ReviewRequest) -> Json:
    opened_by = present(request.opened_by, "practice is never adjudicated")
    verdicts = with_numbers_seen(verdicts_on(request), request.revision_id, request.drawn_order)
    return {
        "cause": opened_by.cause,
        "reason": opened_by.reason,
        "verdicts": [_other_verdict(request, one) for one in verdicts],
        "answers": _answers(request),
    }


def _other_verdict(request: ReviewRequest, verdict: Review) -> Json:
    names = (
        "stage", "answer", "is_correct", "score", "misclick", "rating", "flaws", "disposition", "comment",
        "about",
    )  # fmt: skip
    return {name: getattr(verdict, name) for name in names} | {
        "reviewer": verdict.reviewer.name,
        "revision": verdict.revision.number,
        "changes": _changes(edit_of(request, verdict), request.task),
    }


def _answers(request: ReviewRequest) -> list[Mapping[str, Any]]:
    if not item_kind(request.task).merges:
        return []
    writer = present(request.item, "practice is never adjudicated").writer.name
    others = [(review.reviewer.name, own) for review, own in answers_to(request)]
    return [
        {"author": author, "own": own} for author, own in [(writer, dict(wording_of(request).own)), *others]
    ]


def lesson_of(user: User, request: ReviewRequest, review: Review) -> Json:
    """Return the result of a reviewed practice item, and record that the reviewer saw it."""
    services.see_lesson(actor=user, review=review)
    return lesson_row(request, review, review.result)


def lesson_row(request: ReviewRequest, review: Review, result: PracticeResult) -> Json:
    """Return the result of a reviewed practice item."""
    practice_item = present(request.gold, "only practice items come here")
    expected, drawn = expected_of(practice_item), review.drawn_order
    return {
        "is_right": result.is_right,
        "findings": result.findings,
        "expected": {
            "answer": expected.answer,
            "positions": _places(expected.positions, drawn),
            "rating_low": expected.rating_low,
            "rating_high": expected.rating_high,
            "flaws": list(expected.flaws),
            "dispositions": list(expected.dispositions),
        },
        "lesson": practice_item.lesson,
    }


def _places(positions: Sequence[int], drawn: Sequence[int]) -> list[int]:
    return sorted(drawn.index(position) for position in positions)
