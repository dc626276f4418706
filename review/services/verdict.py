"""Judging what one has solved, taking it back while that is possible, and ruling."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, to_json
from annotation.queries.item import lacking, spec_of
from annotation.services import describe, record_keys_shown
from core.errors import Conflict, Hidden, Unusable, require
from parable.kinds import kind_of
from projects.queries import current_guideline_id
from review.models import Disposition, Flaw, Review, ReviewRequest, Stage
from review.permissions import may_work_on
from review.queries.request import wording_of
from review.services.answer import LONGEST_COMMENT
from review.services.lease import (
    HELD,
    is_held,
    lease_end,
    lock_request,
    lock_review,
    note_work,
    refuse_author,
    regain,
)
from review.services.round import close

CAN_BE_UNDONE: Final = timedelta(minutes=5)
"""A verdict that nobody undoes and no next claim makes final is carried out after this time."""


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
    option_marks: Sequence[bool | None] = (),
    final: bool = True,
) -> Review:
    """Score a solved item, name its flaws, and say what shall happen to it.

    `option_marks`: a verifier's finding about each option of a moral item, in the drawn order, whether it is
    right; who confirms the item has looked at every one. With `final` false it can be undone until the
    actor's next claim, or for a few minutes. When the place was lost to somebody else meanwhile, the words
    are kept as a late note. Raises `Unusable` naming what is missing; `Conflict` where it has been judged.
    """
    request, review = lock_review(review)
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    review.reviewer = actor
    if review.judged_at is not None or review.sent_at is not None:
        raise Conflict(_("This item has been judged already."))
    check_judgement(request, disposition, rating, flaws, comment, edit)
    review.option_marks = _marks(request, review, disposition, option_marks)
    review.rating, review.flaws = rating, sorted(set(flaws))
    review.comment, review.disposition = comment.strip()[:LONGEST_COMMENT], disposition
    review.proposed_edit = to_json(edit) if edit and disposition == Disposition.EDIT else None
    if not is_held(request, actor):
        refuse_author(actor, request)
        return _keep_late(review)
    regain(request, actor)
    note_work(request)
    review.active_seconds = request.active_seconds
    return close(request, review) if final else _send(request, review)


def _send(request: ReviewRequest, review: Review) -> Review:
    review.sent_at = timezone.now()
    review.save()
    request.lease_expires_at = review.sent_at + CAN_BE_UNDONE
    request.save(update_fields=HELD)
    return review


@transaction.atomic
def undo_verdict(*, actor: User, review: Review) -> Review:
    """Take a verdict back that has been sent but not carried out; what was chosen stays chosen.

    `Conflict` once it has been carried out: the next claim did so, or its time is over.
    """
    request, review = lock_review(review)
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    if review.sent_at is None or review.judged_at is not None or review.late_at is not None:
        raise Conflict(_("This verdict has been carried out; it can no longer be undone."))
    review.sent_at = None
    review.save(update_fields=["sent_at"])
    request.lease_expires_at = lease_end(request.project)
    request.save(update_fields=["lease_expires_at"])
    return review


def check_judgement(
    request: ReviewRequest,
    disposition: str,
    rating: int | None,
    flaws: Sequence[str],
    comment: str,
    edit: ItemContent | None,
) -> None:
    """Refuse a verdict that lacks something or does not fit its stage: `Unusable`, with the fields."""
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
    if disposition in {Disposition.RETURN, Disposition.REJECT} and not comment.strip():
        fields |= _silence(flaws)
    if disposition == Disposition.EDIT:
        fields |= _edit_faults(request, edit)
    if fields:
        raise Unusable(" ".join(fields.values()), fields)


def _marks(
    request: ReviewRequest, review: Review, disposition: str, marks: Sequence[bool | None]
) -> list[bool]:
    """A verifier's findings about the options of a moral item, in the revision's order; or none at all."""
    if request.stage != Stage.VERIFICATION or not kind_of(request.task).marks_each_option:
        return []
    found = [mark for mark in marks if mark is not None]
    if len(found) == len(marks) == len(review.drawn_order):
        by_position = dict(zip(review.drawn_order, found, strict=True))
        return [by_position[position] for position in sorted(by_position)]
    if disposition == Disposition.PASS or found:
        sentence = _("Say of each option whether it is right or wrong.")
        raise Unusable(sentence, {"option_marks": sentence})
    return []


def _silence(flaws: Sequence[str]) -> dict[str, str]:
    """What is wrong with sending an item away without words."""
    if not flaws:
        return {"comment": _("Tell the writer why, in words or by a flaw.")}
    if set(flaws) == {Flaw.OTHER}:
        return {"comment": _("“Other” alone tells the writer nothing. Say in words what is wrong.")}
    return {}


def _edit_faults(request: ReviewRequest, edit: ItemContent | None) -> dict[str, str]:
    if edit is None or edit == wording_of(request):
        return {"edit": _("The edit changes nothing. Change the wording, or pass the item.")}
    # else it could not be adopted when the round is settled, perhaps by somebody else's verdict
    found = lacking(edit, task=request.task, spec=spec_of(request.project))
    return {"edit": " ".join(describe(finding) for finding in found)} if found else {}


def _keep_late(review: Review) -> Review:
    review.late_at = timezone.now()
    review.save()
    return review


@transaction.atomic
def rule(*, actor: User, request: ReviewRequest, disposition: str, comment: str) -> Review:
    """Rule on an item that reviewers disagree about, with a reason; the same ruling sent twice is one."""
    request = lock_request(request)
    require(may_work_on(actor, request))
    if request.stage != Stage.ADJUDICATION:
        raise Conflict(_("This item is not in adjudication."))
    if ruled := Review.objects.filter(request=request, reviewer=actor).first():
        return ruled
    allowed = {Disposition.PASS, Disposition.SEND_ON, Disposition.RETURN, Disposition.REJECT}
    if disposition not in allowed:
        raise Unusable(_("Say what shall happen to the item."), {"disposition": _("empty")})
    if not comment.strip():
        raise Unusable(_("Please give a reason."), {"comment": _("empty")})
    note_work(request)
    review = Review.objects.create(
        request=request,
        active_seconds=request.active_seconds,
        item=request.item,
        revision=request.revision,
        stage=request.stage,
        reviewer=actor,
        guideline_id=current_guideline_id(request.project),
        blind=False,
        disposition=disposition,
        comment=comment.strip()[:LONGEST_COMMENT],
    )
    record_keys_shown(actor=actor, items=[request.source_id])
    return close(request, review)
