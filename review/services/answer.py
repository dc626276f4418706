"""Services for answering an item blind: drafts, answers, misclicks, and saving the comment."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, OptionContent
from annotation.kinds import item_kind
from annotation.kinds.base import AnswerRows, GivenAnswer, ItemKind
from core.errors import Conflict, Hidden, Unusable, require
from core.invariants import present
from parable.kinds import kind_of
from review.models import (
    AnswerDraft,
    AnswerJudgement,
    AnswerSpan,
    RequestState,
    Review,
    ReviewRequest,
    Stage,
)
from review.permissions import may_go_on
from review.queries.queue import one_row
from review.queries.request import story_of, wording_of
from review.services.lease import bar, is_held, lock_request, note_work, refuse_author, regain
from review.services.sibling import keep_siblings, show_key
from review.sql import KNOWN_OF_ITEM, REVIEWS

LONGEST_COMMENT = 4000
LARGEST_ANSWER = 200_000  # characters of JSON, as of a writer's draft


class _Known(NamedTuple):
    """The data needed to save an answer: among others, ids of options and of keys in the writer's order.

    For a practice item, `options` and `keys` are empty, as it stores its own content.
    """

    mine: int | None
    guideline: int | None
    has_seen_key: bool
    options: list[int]
    keys: list[int]


@transaction.atomic
def solve(
    *,
    actor: User,
    request: ReviewRequest,
    answer: str,
    position: int | None = None,
    several: Sequence[int] = (),
    own: Mapping[str, Any] | None = None,
) -> Review:
    """Save the actor's blind answer, which is final.

    `position` and `several` count from 0 in the drawn order. `own`: the answer to an item whose kind is not
    answered by positions. The actor is recorded as exposed to the key, unless a sibling must be answered
    first (`show_key`). Sending the same request twice returns the first answer. After the lease has run out,
    an answer is saved normally if nobody else has claimed the request, else as a late note.
    """
    request = lock_request(request)
    require(may_go_on(actor, request))
    known = _known(actor, request)
    if known.mine is not None:
        before = Review.everything.get(pk=known.mine)
        if before.request_id == request.pk:
            before.request = request
        return before
    if request.stage == Stage.ADJUDICATION:
        raise Conflict(_("Adjudicators do not answer items."))
    held = is_held(request, actor)
    if held:
        regain(request, actor)
        drawn, other = request.drawn_order, None
    else:
        refuse_author(actor, request)
        drawn = request.freed_order
        # the actor may have claimed another request of the same revision
        other = ReviewRequest.objects.filter(
            revision=request.revision_id, stage=request.stage, claimed_by=actor, state=RequestState.CLAIMED
        ).first()
    kind, given = item_kind(request.task), GivenAnswer(answer, position, tuple(several), own)
    kind.refuse_answer(given, len(drawn))
    right = _to_compare(request, known, kind)
    if own is not None:
        kind.refuse_marks(given, right, story_of(request))
    compared = kind.compare(given, right, drawn)
    chosen = drawn[position] if position is not None else None
    now = timezone.now()
    # a request that was lost counts no seconds
    claimed_at = (
        present(request.claimed_at, "a request that is held was claimed at some time") if held else now
    )
    review = Review(
        request=other or request,
        project_id=request.project_id,
        item_id=request.item_id,
        revision_id=request.revision_id,
        stage=request.stage,
        reviewer=actor,
        guideline_id=known.guideline,
        answer=answer,
        drawn_order=drawn,
        chosen_position=position,
        several_positions=list(kind.stored_positions(given)),
        chosen_option_id=known.options[chosen] if chosen is not None and known.options else None,
        is_correct=compared.is_correct,
        score=compared.score,
        blind=not known.has_seen_key,
        solved_at=now,
        late_at=None if held or other else now,
        seconds=max(0, round((now - claimed_at).total_seconds())),
    )
    REVIEWS.insert(review)
    if own is not None:
        _keep_own(review, kind.answer_rows(own))
    if held:
        note_work(request)
    bar(actor, request)
    if held:
        keep_siblings(actor, request, begins=True)
    show_key(actor, request)
    return review


def _keep_own(review: Review, rows: AnswerRows) -> None:
    """Save the rows of an answer that is not a choice of options, and delete its draft."""
    AnswerSpan.objects.bulk_create(AnswerSpan(review=review, **values) for values in rows.spans)
    if rows.judgement is not None:
        AnswerJudgement.objects.create(review=review, **rows.judgement)
    # the draft of an answer that is submitted now
    AnswerDraft.objects.filter(request=review.request_id, reviewer=review.reviewer_id).delete()


@transaction.atomic
def begin_answer(
    *, actor: User, request: ReviewRequest, sequence: int, content: Mapping[str, object]
) -> AnswerDraft | None:
    """Save the draft of a blind answer and return it.

    Return None if the answer has already been submitted. If a later save arrived first, change nothing and
    return the later draft.
    """
    if kind_of(request.task).answer != "own":
        raise Conflict(_("Items of this task are answered in one step."))
    if Review.everything.filter(request=request, reviewer=actor).exists():
        return None
    cleaned = item_kind(request.task).clean(content)
    if len(str(cleaned)) > LARGEST_ANSWER:
        raise Unusable(_("The answer is too long to save."))
    draft, created = AnswerDraft.objects.select_for_update().get_or_create(
        request=request, reviewer=actor, defaults={"sequence": sequence, "content": cleaned}
    )
    if not created and draft.sequence < sequence:
        draft.sequence, draft.content = sequence, cleaned
        draft.save(update_fields=["sequence", "content", "saved_at"])
    return draft


def _known(actor: User, request: ReviewRequest) -> _Known:
    values = {
        "user": actor.pk,
        "project": request.project_id,
        "request": request.pk,
        "item": request.source_id,
        "story": request.story_id,
        "task": request.task,
        "revision": request.revision_id,
        "stage": request.stage,
    }
    return _Known(*one_row(KNOWN_OF_ITEM, values))


def _to_compare(request: ReviewRequest, known: _Known, kind: ItemKind) -> ItemContent:
    """Return the content that the answer is compared with; without texts if only positions are compared."""
    if request.gold_id or kind.is_compared_with_words:
        return wording_of(request)
    return ItemContent(options=tuple(OptionContent("", option in known.keys) for option in known.options))


@transaction.atomic
def mark_misclick(*, actor: User, review: Review) -> Review:
    """Record that the blind answer was a misclick. The answer stays, but statistics exclude it."""
    if review.reviewer_id != actor.pk:
        raise Hidden(_("Review not found."))
    if review.judged_at is not None or review.sent_at is not None:
        raise Conflict(_("You have already reviewed this item."))
    review.misclick = True
    review.save(update_fields=["misclick"])
    return review


@transaction.atomic
def save_words(*, actor: User, review: Review, comment: str) -> Review:
    """Save the comment of a verdict that has not been sent yet."""
    if review.reviewer_id != actor.pk:
        raise Hidden(_("Review not found."))
    if review.judged_at is None and review.sent_at is None:
        review.comment = comment[:LONGEST_COMMENT]
        review.save(update_fields=["comment"])
    return review
