"""Solving blind, judging after, and what the verdicts of a round come to."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Hidden, Unusable, require
from accounts.models import User
from annotation.content import ItemContent, from_json, to_json
from annotation.models import Item, Option, Revision, Task
from annotation.queries import is_exposed, revision_content
from annotation.services import apply_verdict, record_exposure, revise_item
from projects.models import Project
from projects.queries import current_guideline
from review import consensus
from review.consensus import Outcome, Verdict
from review.models import Answer, Disposition, Flaw, PlaceState, Review, ReviewRequest, Stage
from review.permissions import may_work_on

LONGEST_COMMENT = 4000


def _lock(request: ReviewRequest) -> ReviewRequest:
    """The place as it stands now, its item locked first.

    In this order everywhere, so that nobody waits in a circle.
    """
    Item.objects.select_for_update(of=("self",)).get(pk=request.item_id)
    return (
        ReviewRequest.objects.select_for_update(of=("self",))
        .select_related("project", "revision", "item__project", "story")
        .get(pk=request.pk)
    )


@transaction.atomic
def solve(
    *,
    actor: User,
    request: ReviewRequest,
    answer: str,
    position: int | None = None,
    several: Sequence[int] = (),
    seconds: int = 0,
) -> Review:
    """Give the blind answer; it is final. `position` and `several` count from 0 in the drawn order.

    Sending the same place twice gives the first answer back.
    """
    request = _lock(request)
    require(may_work_on(actor, request))
    mine = Review.objects.filter(request=request, reviewer=actor).first()
    if mine is not None:
        return mine
    if request.stage == Stage.ADJUDICATION:
        raise Conflict(_("An adjudicator rules; there is nothing to solve."))
    drawn = request.drawn_order
    _check_answer(answer, position, several, len(drawn))
    chosen = _option(request.revision, drawn[position]) if position is not None else None
    review = Review.objects.create(
        request=request,
        item=request.item,
        revision=request.revision,
        stage=request.stage,
        reviewer=actor,
        guideline=current_guideline(request.project),
        answer=answer,
        drawn_order=drawn,
        chosen_position=position,
        several_positions=sorted(set(several)) if answer == Answer.SEVERAL_FIT else [],
        chosen_option=chosen,
        is_correct=chosen is not None and chosen.is_key,
        blind=_is_blind(actor, request),
        solved_at=timezone.now(),
        seconds=max(0, seconds),
    )
    request.barred = sorted({*request.barred, actor.pk})
    request.save(update_fields=["barred"])
    if request.item.task == Task.MORAL:
        record_exposure(actor=actor, story=request.story)
    return review


def _check_answer(answer: str, position: int | None, several: Sequence[int], count: int) -> None:
    if answer not in Answer.values:
        raise Unusable(_("Choose an option first."), {"answer": _("empty")})
    if (answer == Answer.OPTION) != (position is not None):
        raise Unusable(_("Choose an option first."), {"answer": _("empty")})
    if position is not None and not 0 <= position < count:
        raise Unusable(_("There is no such option."), {"answer": _("unknown")})
    if answer == Answer.SEVERAL_FIT and (
        len(set(several)) < 2 or not all(0 <= place < count for place in several)
    ):
        raise Unusable(_("Mark the options that fit, at least two."), {"several": _("fewer than two")})


def _option(revision: Revision, position: int) -> Option:
    return Option.objects.get(revision=revision, position=position)


def _is_blind(actor: User, request: ReviewRequest) -> bool:
    """Whether the actor has seen neither this item's key in an earlier round nor its story's moral."""
    if Review.objects.filter(item=request.item, reviewer=actor).exists():
        return False
    return request.item.task != Task.MORAL or not is_exposed(actor, request.story, Task.MORAL)


@transaction.atomic
def mark_slip(*, actor: User, review: Review) -> Review:
    """Say that the answer was a slip of the finger: it stays, but counts in no statistics."""
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    if review.judged_at is not None:
        raise Conflict(_("This item has been judged already."))
    review.slip = True
    review.save(update_fields=["slip"])
    return review


@transaction.atomic
def save_words(*, actor: User, review: Review, comment: str) -> Review:
    """Keep what is being typed before the verdict is sent."""
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    if review.judged_at is None:
        review.comment = comment[:LONGEST_COMMENT]
        review.save(update_fields=["comment"])
    return review


@transaction.atomic
def judge(
    *,
    actor: User,
    review: Review,
    disposition: str,
    rating: int | None = None,
    flaws: Sequence[str] = (),
    comment: str = "",
    edit: ItemContent | None = None,
) -> Review:
    """Score a solved item, name its flaws, and say what shall happen to it.

    When the place was lost to somebody else meanwhile, the words are kept as a late note. Raises
    `Unusable` naming what is missing; `Conflict` where it has been judged.
    """
    request = _lock(review.request)
    review = Review.objects.select_for_update(of=("self",)).get(pk=review.pk)
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    if review.judged_at is not None:
        raise Conflict(_("This item has been judged already."))
    _check_judgement(request, disposition, rating, flaws, comment, edit)
    review.rating, review.flaws = rating, sorted(set(flaws))
    review.comment, review.disposition = comment.strip()[:LONGEST_COMMENT], disposition
    review.proposed_edit = to_json(edit) if edit and disposition == Disposition.EDIT else None
    if not _regain(request, actor):
        return _keep_late(review)
    return _close(request, review)


def _check_judgement(
    request: ReviewRequest,
    disposition: str,
    rating: int | None,
    flaws: Sequence[str],
    comment: str,
    edit: ItemContent | None,
) -> None:
    project = request.project
    fields: dict[str, str] = {}
    allowed = {Disposition.PASS, Disposition.RETURN, Disposition.REJECT}
    if request.stage == Stage.CROSS_CHECK:
        allowed |= {Disposition.EDIT}
        if rating is None or not 0 <= rating <= project.max_rating:
            fields["rating"] = _("Score the item.")
        elif rating == 0 and not flaws:
            fields["flaws"] = _("A score of 0 needs at least one flaw.")
        elif disposition == Disposition.PASS and rating < project.pass_rating:
            fields["disposition"] = _("An item scored below the pass mark is not passed.")
    if disposition not in allowed:
        fields["disposition"] = _("Say what shall happen to the item.")
    if any(flaw not in Flaw.values for flaw in flaws):
        fields["flaws"] = _("There is no such flaw.")
    if disposition in {Disposition.RETURN, Disposition.REJECT} and not (comment.strip() or flaws):
        fields["comment"] = _("Tell the writer why, in words or by a flaw.")
    if disposition == Disposition.EDIT:
        fields |= _edit_faults(request, edit)
    if fields:
        raise Unusable(" ".join(fields.values()), fields)


def _edit_faults(request: ReviewRequest, edit: ItemContent | None) -> dict[str, str]:
    if edit is None or edit == revision_content(request.revision):
        return {"edit": _("The edit changes nothing. Change the wording, or pass the item.")}
    keys = [option for option in edit.options if option.is_key and option.text.strip()]
    if len(keys) != 1:
        return {"edit": _("Mark one option as the key.")}
    return {}


def _regain(request: ReviewRequest, actor: User) -> bool:
    """Whether the place is the actor's, or was given back unclaimed and can be taken again."""
    if request.claimed_by_id == actor.pk and request.state == PlaceState.CLAIMED:
        return True
    if request.state != PlaceState.OPEN:
        return False
    request.claimed_by, request.claimed_at, request.lease_expires_at = actor, timezone.now(), timezone.now()
    request.state = PlaceState.CLAIMED
    return True


def _keep_late(review: Review) -> Review:
    review.late_at = timezone.now()
    review.save()
    return review


def _close(request: ReviewRequest, review: Review) -> Review:
    review.judged_at = timezone.now()
    review.save()
    request.state, request.closed_at = PlaceState.DONE, review.judged_at
    request.save(update_fields=["state", "claimed_by", "claimed_at", "lease_expires_at", "closed_at"])
    _settle(request, review)
    return review


def _settle(request: ReviewRequest, last: Review) -> None:
    """Carry out what the round comes to, once its last place has closed."""
    round_ = ReviewRequest.objects.filter(opened_by=request.opened_by_id)
    if round_.filter(state__in=[PlaceState.OPEN, PlaceState.CLAIMED]).exists():
        return
    reviews = list(
        Review.objects.filter(request__in=round_, judged_at__isnull=False)
        .select_related("reviewer", "revision")
        .order_by("request__place")
    )
    outcome = _outcome(request.project, request.stage, reviews)
    if outcome.adopted is not None:
        _adopt(request.item, reviews[outcome.adopted], outcome)
    else:
        apply_verdict(
            actor=last.reviewer,
            item=request.item,
            revision=request.revision,
            to_state=outcome.to_state,
            cause=outcome.code,
            reason=last.comment if request.stage == Stage.ADJUDICATION else "",
        )


def _outcome(project: Project, stage: str, reviews: Sequence[Review]) -> Outcome:
    verdicts = [_verdict(review) for review in reviews]
    if stage == Stage.CROSS_CHECK:
        return consensus.cross_check(verdicts, pass_rating=project.pass_rating)
    if stage == Stage.VERIFICATION:
        return consensus.verification(verdicts)
    return consensus.adjudication(verdicts[-1])


def _verdict(review: Review) -> Verdict:
    return Verdict(
        disposition=review.disposition,
        is_correct=None if review.slip else review.is_correct,
        rating=review.rating,
        edit_changes_key=bool(review.proposed_edit) and _changes_key(review),
    )


def _changes_key(review: Review) -> bool:
    """Whether the edit makes another option the key, or words it anew so far that nobody has solved it."""
    before, after = revision_content(review.revision).key, from_json(review.proposed_edit).key
    return before is None or after is None or before.text != after.text


def _adopt(item: Item, review: Review, outcome: Outcome) -> None:
    revised = revise_item(
        actor=review.reviewer,
        item=item,
        content=from_json(review.proposed_edit),
        to_state=outcome.to_state,
        cause=outcome.code,
    )
    review.adopted_as = revised.current
    review.save(update_fields=["adopted_as"])


@transaction.atomic
def rule(*, actor: User, request: ReviewRequest, disposition: str, comment: str) -> Review:
    """Rule on an item that reviewers disagree about, with a reason."""
    request = _lock(request)
    require(may_work_on(actor, request))
    if request.stage != Stage.ADJUDICATION:
        raise Conflict(_("This item is not in adjudication."))
    allowed = {Disposition.PASS, Disposition.SEND_ON, Disposition.RETURN, Disposition.REJECT}
    if disposition not in allowed:
        raise Unusable(_("Say what shall happen to the item."), {"disposition": _("empty")})
    if not comment.strip():
        raise Unusable(_("Please give a reason."), {"comment": _("empty")})
    review = Review.objects.create(
        request=request,
        item=request.item,
        revision=request.revision,
        stage=request.stage,
        reviewer=actor,
        guideline=current_guideline(request.project),
        blind=False,
        disposition=disposition,
        comment=comment.strip()[:LONGEST_COMMENT],
    )
    return _close(request, review)
