"""Services for verdicts: sending, undoing and finalising them, and closing a round."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, from_json, to_json
from annotation.kinds import item_kind
from annotation.places import places_of
from annotation.queries.item import lacking, revision_content, spec_of
from annotation.services import apply_verdict, describe, record_key_exposures, revise_item
from core.errors import Conflict, Hidden, ParableError, Unusable, require
from core.invariants import present
from events.models import EventKind
from events.services import NewEvent, publish
from parable.kinds import kind_of
from parable.kinds.base import Scale
from parable.kinds.comparison import Pick
from projects.models import Project
from projects.queries import current_guideline_id
from projects.request_cache import by_roles_alone
from review import consensus
from review.consensus import Outcome, Verdict
from review.models import (
    CriterionRating,
    Disposition,
    Flaw,
    RequestState,
    Review,
    ReviewRequest,
    Stage,
    flaws_of,
)
from review.permissions import may_work_on
from review.queries.queue import one_row
from review.queries.request import answers_to, story_of, wording_of
from review.queries.verdict import overdue_verdicts
from review.services.answer import LONGEST_COMMENT
from review.services.lease import (
    WORKED,
    is_held,
    lease_end,
    lock_request,
    lock_review,
    note_work,
    read_locked,
    refuse_author,
    regain,
)
from review.services.practice import score_practice
from review.services.sibling import keep_siblings, reveal
from review.sql import CLOSE_REQUEST, REQUESTS, REVIEWS

CAN_BE_UNDONE: Final = timedelta(minutes=5)
"""A sent verdict is carried out after this time, unless it is undone or carried out earlier."""
JUDGED: Final = [
    "option_marks",
    "rating",
    "flaws",
    "comment",
    "about",
    "disposition",
    "proposed_edit",
    "active_seconds",
]
"""The fields of a review that a verdict sets."""


@transaction.atomic
def send_verdict(
    *,
    actor: User,
    review: Review,
    disposition: str,
    rating: int | None = None,
    flaws: Sequence[str] = (),
    comment: str = "",
    about: str = "",
    edit: ItemContent | None = None,
    option_marks: Sequence[bool | None] = (),
    ratings: Mapping[str, int] = MappingProxyType({}),
    final: bool = True,
) -> Review:
    """Save the rating, flaws and disposition of an item that the actor has solved.

    `about`: the part of the item that comment and flaws are about, as in `places_of`; "" for the whole item.
    `ratings`: the ratings by criterion, instead of `rating`, if the task's scale has criteria.
    `option_marks`: for each option in the drawn order, whether the verifier thinks that it is right; only for
    kinds that mark each option, and required to confirm an item. With `final` False the verdict can be undone
    until the actor sends the next one or leaves, or for a few minutes. If another user has claimed the
    request meanwhile, the verdict is saved as a late note.

    Raise `Unusable` naming what is missing, `Conflict` if the item has been judged, or if a sibling must be
    answered before its key is displayed.
    """
    review = lock_review(review)
    request = review.request
    if review.reviewer_id != actor.pk:
        raise Hidden(_("Review not found."))
    review.reviewer = actor
    if review.judged_at is not None or review.sent_at is not None:
        raise Conflict(_("You have already reviewed this item."))
    if reveal(actor=actor, request=request) is not None:
        raise Conflict(_("Answer the other items of this story first."))
    scale = scale_of(request)
    rates = bool(scale.criteria) and request.stage == Stage.CROSS_CHECK
    if rates:
        check_ratings(scale, ratings)
        rating = ratings[scale.criteria[-1]]
    check_verdict(request, disposition, rating, flaws, comment, edit)
    _check_about(request, about)
    review.option_marks = _option_marks(request, review, disposition, option_marks)
    review.rating, review.flaws = rating, sorted(set(flaws))
    review.comment, review.disposition = comment.strip()[:LONGEST_COMMENT], disposition
    review.about = about
    review.proposed_edit = to_json(edit) if edit and disposition == Disposition.EDIT else None
    if rates:
        for criterion, value in ratings.items():  # replaces the ratings of a verdict that was undone
            CriterionRating.objects.update_or_create(
                review=review, criterion=criterion, defaults={"value": value}
            )
    if not is_held(request, actor):
        refuse_author(actor, request)
        review.late_at = timezone.now()
        review.save(update_fields=[*JUDGED, "late_at"])
        return review
    regain(request, actor)
    note_work(request)
    keep_siblings(actor, request)
    review.active_seconds = request.active_seconds
    if not final:
        review.sent_at = timezone.now()
        REVIEWS.update(review, [*JUDGED, "sent_at"])
        request.lease_expires_at = review.sent_at + CAN_BE_UNDONE
        REQUESTS.update(request, WORKED)
        return review
    review.save(update_fields=JUDGED)
    return finish_review(request, review)


def scale_of(request: ReviewRequest) -> Scale:
    """Return the rating scale for a request: the task's own scale, or the project's default."""
    project = request.project
    return kind_of(request.task).scale or Scale(low=0, high=project.max_rating, passes=project.pass_rating)


def check_ratings(scale: Scale, ratings: Mapping[str, int]) -> None:
    """Raise `Unusable`, naming the field, if the rating by a criterion is missing or not on the scale.

    Ratings by criteria that the scale does not have are refused, too.
    """
    sentence = _("Rate the item by each criterion.")
    missing = {
        f"rating_{criterion}": sentence
        for criterion in scale.criteria
        if not scale.has(ratings.get(criterion))
    }
    if missing:
        raise Unusable(sentence, next(iter(missing)))
    if ratings.keys() - {*scale.criteria}:
        raise Unusable(sentence, "ratings")


@transaction.atomic
def undo_verdict(*, actor: User, review: Review) -> Review:
    """Undo a verdict that has been sent but not carried out. Its values stay in the form.

    Raise `Conflict` if the verdict has been carried out, by the next verdict or after its time.
    """
    review = lock_review(review)
    request = review.request
    if review.reviewer_id != actor.pk:
        raise Hidden(_("Review not found."))
    if review.sent_at is None or review.judged_at is not None or review.late_at is not None:
        raise Conflict(_("This verdict has taken effect and can no longer be undone."))
    review.sent_at = None
    review.save(update_fields=["sent_at"])
    request.lease_expires_at = lease_end(request.project)
    request.save(update_fields=["lease_expires_at"])
    return review


def check_verdict(
    request: ReviewRequest,
    disposition: str,
    rating: int | None,
    flaws: Sequence[str],
    comment: str,
    edit: ItemContent | None,
) -> None:
    """Raise `Unusable`, naming the fields, if a verdict is incomplete or not allowed at its stage."""
    scale = scale_of(request)
    fields: dict[str, str] = {}
    allowed = {Disposition.PASS, Disposition.RETURN, Disposition.REJECT}
    if request.stage == Stage.CROSS_CHECK:
        allowed |= {Disposition.EDIT}
        if rating is None or not scale.has(rating):
            fields["rating"] = _("Rate the item.")
        elif rating == 0 and not flaws:
            fields["flaws"] = _("A rating of 0 requires at least one flaw.")
        elif disposition == Disposition.PASS and rating < scale.passes:
            fields["disposition"] = _("An item rated below the pass mark cannot pass.")
    if disposition not in allowed:
        fields["disposition"] = _("Select a verdict.")
    if not set(flaws) <= set(flaws_of(request.task)):
        fields["flaws"] = _("Flaw not found.")
    if disposition in {Disposition.RETURN, Disposition.REJECT} and not comment.strip():
        fields |= _lacks_reason(flaws)
    if disposition == Disposition.EDIT:
        fields |= _check_edit(request, edit)
    if fields:
        raise Unusable(fields)


def _check_about(request: ReviewRequest, about: str) -> None:
    """Raise `Unusable` if the item has no part of this name."""
    if about and about not in places_of(wording_of(request)):
        raise Unusable(_("Select what the comment is about."), "about")


def _option_marks(
    request: ReviewRequest, review: Review, disposition: str, marks: Sequence[bool | None]
) -> list[bool]:
    """Return the verifier's marks in stored order; [] if the request needs none.

    Raise `Unusable` if only some options are marked, or if none is marked and the item is to be confirmed.
    """
    if request.stage != Stage.VERIFICATION or not kind_of(request.task).marks_each_option:
        return []
    found = [mark for mark in marks if mark is not None]
    if len(found) == len(marks) == len(review.drawn_order):
        by_position = dict(zip(review.drawn_order, found, strict=True))
        return [by_position[position] for position in sorted(by_position)]
    if disposition == Disposition.PASS or found:
        sentence = _("Mark each option as right or wrong.")
        raise Unusable(sentence, "option_marks")
    return []


def _lacks_reason(flaws: Sequence[str]) -> dict[str, str]:
    """Return the error of a negative verdict without a reason, by field.

    A reason is a flaw or a comment. The flaw "other" alone is no reason. Return {} if there is a reason.
    """
    if not flaws:
        return {"comment": _("Give the writer a reason: a comment or a flaw.")}
    if set(flaws) == {Flaw.OTHER}:
        return {"comment": _("“Other” needs a comment that says what is wrong.")}
    return {}


def _check_edit(request: ReviewRequest, edit: ItemContent | None) -> dict[str, str]:
    if edit is None or edit == wording_of(request):
        return {"edit": _("You have not changed anything. Edit the item, or pass it.")}
    # checked now, as the edit is adopted only when the round closes, perhaps by another reviewer's verdict
    wrong = _edit_findings(request, edit)
    return {"edit": wrong} if wrong else {}


def _edit_findings(request: ReviewRequest, words: ItemContent) -> str:
    """Return the errors that would prevent an edit from becoming the item's next revision, as text, or ""."""
    found = lacking(words, task=request.task, spec=spec_of(request.project), story=story_of(request))
    return " ".join(describe(finding) for finding in found)


@transaction.atomic
def send_ruling(
    *,
    actor: User,
    request: ReviewRequest,
    disposition: str,
    comment: str,
    about: str = "",
    picks: Sequence[Pick] = (),
) -> Review:
    """Save an adjudicator's ruling with its reason and return it. A repeated call returns the first ruling.

    `about`: as in `send_verdict`. `picks`: the groups that the actor merges from the answers (see
    `merged_answer`) if the ruling is an edit; the actor becomes an author of the result.
    """
    request = lock_request(request)
    require(may_work_on(actor, request))
    if request.stage != Stage.ADJUDICATION:
        raise Conflict(_("This item is not in adjudication."))
    if ruled := Review.objects.filter(request=request, reviewer=actor).first():
        return ruled
    allowed = {Disposition.PASS, Disposition.SEND_ON, Disposition.RETURN, Disposition.REJECT}
    if item_kind(request.task).merges:
        allowed.add(Disposition.EDIT)
    if disposition not in allowed:
        raise Unusable(_("Select a verdict."), "disposition")
    if not comment.strip():
        raise Unusable(_("Enter a reason."), "comment")
    edit = merged_answer(request, picks) if disposition == Disposition.EDIT else None
    _check_about(request, about)
    note_work(request)
    review = Review.objects.create(
        request=request,
        project_id=request.project_id,
        active_seconds=request.active_seconds,
        item=request.item,
        revision=request.revision,
        stage=request.stage,
        reviewer=actor,
        guideline_id=current_guideline_id(request.project),
        blind=False,
        drawn_order=request.drawn_order,
        disposition=disposition,
        comment=comment.strip()[:LONGEST_COMMENT],
        about=about,
        proposed_edit=to_json(edit) if edit else None,
    )
    record_key_exposures(actor=actor, items=[request.source_id])
    return finish_review(request, review)


def merged_answer(request: ReviewRequest, picks: Sequence[Pick]) -> ItemContent:
    """Return the item's content with an answer that is merged from the picked groups.

    Answers are numbered as in `answers_to`, with the item's own answer first. Raise `Unusable` if nothing is
    picked, or if the merged answer equals the item's own or is not valid.
    """
    kind, words = item_kind(request.task), wording_of(request)
    answers = [words.own, *(own for _review, own in answers_to(request))]
    try:
        merged = replace(words, own=kind.merged(answers, picks))
    except ValueError:
        raise Unusable(_("The answers have changed. Pick again."), "picks") from None
    if not picks:
        raise Unusable(_("Pick what the merged answer shall contain."), "picks")
    if not kind.changes_answer(words, merged):
        raise Unusable(_("This is the item's own answer. Uphold it, or pick something else."), "picks")
    if wrong := _edit_findings(request, merged):
        raise Unusable(wrong, "picks")
    return merged


# --- outcome of a round ---


def finish_review(request: ReviewRequest, review: Review) -> Review:
    """Make a verdict final and close its request.

    The last verdict of a round also changes the item's state.
    """
    review.judged_at, review.late_at = timezone.now(), None
    request.state, request.closed_at = RequestState.DONE, review.judged_at
    values = {
        "review": review.pk,
        "request": request.pk,
        "at": review.judged_at,
        "until": request.lease_expires_at,
        "active": request.active_seconds,
    }
    others_wait = bool(one_row(CLOSE_REQUEST, values)[0])
    if request.gold:
        score_practice(request.gold, review)
        return review
    item = present(review.item_id, "only a practice item has no item of its own")
    # without the verdict: other reviewers have not given theirs
    publish([NewEvent(request.project_id, EventKind.REVIEW_VERDICT, item, {"stage": request.stage})])
    if not others_wait:
        _close_round(request, review)
    return review


def carry_out_sent_verdicts(*, reviews: Sequence[int], actor: User, project: Project) -> None:
    """Carry out the sent verdicts with these ids, all of one project, within the caller's transaction."""
    for pk in reviews:
        review = read_locked(pk)
        review.request.project = project
        if review.reviewer_id == actor.pk:
            review.reviewer = actor
        _carry_out_verdict(review)


@transaction.atomic
def carry_out_overdue_verdict(*, review_id: int) -> None:
    """Carry out a sent verdict, unless it was undone or carried out meanwhile. Safe to run twice."""
    if overdue_verdicts().filter(pk=review_id).exists():
        _carry_out_verdict(read_locked(review_id))


def _carry_out_verdict(review: Review) -> None:
    """Make a sent verdict final, or save it as late if another user has claimed the request.

    All rows are locked.
    """
    request = review.request
    if review.sent_at is None or review.judged_at is not None:
        return  # undone, or carried out by another transaction, while waiting for the lock
    if request.state == RequestState.CLAIMED and request.claimed_by_id == review.reviewer_id:
        finish_review(request, review)
    else:
        review.late_at = timezone.now()
        review.save(update_fields=["late_at"])


def _close_round(request: ReviewRequest, last: Review) -> None:
    """Apply the outcome of a round to its item, after the round's last request has closed.

    It follows from the verdicts, whatever the access token may do that sends the last of them.
    """
    with by_roles_alone():
        _apply_outcome(request, last)


def _apply_outcome(request: ReviewRequest, last: Review) -> None:
    verdicts = Review.objects.filter(request__opened_by=request.opened_by_id, judged_at__isnull=False)
    reviews = list(verdicts.select_related("item").order_by("request__number"))
    item = reviews[0].item  # as read after locking
    item.project = request.project
    outcome = _outcome(request, reviews)
    reason = last.comment if request.stage == Stage.ADJUDICATION else ""
    if outcome.adopted is not None:
        review = reviews[outcome.adopted]
        try:
            with transaction.atomic():
                revised = revise_item(
                    actor=review.reviewer,
                    item=item,
                    content=from_json(review.proposed_edit),
                    to_state=outcome.to_state,
                    cause=outcome.code,
                )
                review.adopted_as = revised.current
                review.save(update_fields=["adopted_as"])
                return
        except ParableError as error:
            # the edit's author has left, or the project's requirements have changed: the item is adjudicated
            outcome, reason = consensus.ADOPTION_REFUSED, str(error)
    apply_verdict(
        actor=last.reviewer,
        item=item,
        revision_id=present(last.revision_id, "a practice item is in no round"),
        to_state=outcome.to_state,
        cause=outcome.code,
        reason=reason,
    )


def _outcome(request: ReviewRequest, reviews: Sequence[Review]) -> Outcome:
    verdicts = [_verdict_of(review) for review in reviews]
    if request.stage == Stage.CROSS_CHECK:
        return consensus.cross_check(verdicts, pass_rating=scale_of(request).passes)
    if request.stage == Stage.VERIFICATION:
        return consensus.verification(verdicts)
    return consensus.adjudication(verdicts[-1])


def _verdict_of(review: Review) -> Verdict:
    changes_key = disputes_key = False
    if review.proposed_edit:
        # also if the key is reworded so much that it must be solved again
        task = review.item.task
        before, after = revision_content(review.revision, task), from_json(review.proposed_edit)
        changes_key = item_kind(task).changes_answer(before, after)
    if review.option_marks:
        keys = review.revision.options.order_by("position").values_list("is_key", flat=True)
        disputes_key = list(keys) != review.option_marks
    return Verdict(
        disposition=review.disposition,
        is_correct=None if review.misclick else review.is_correct,
        rating=review.rating,
        edit_changes_key=changes_key,
        disputes_key=disputes_key,
    )
