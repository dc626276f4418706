"""Practice items in a reviewer's hands: drawn now and then, solved and judged like any other place.

A thin step before the claim of the queue: where the project wants no practice items, it costs nothing.
"""

import random
from collections.abc import Sequence
from dataclasses import asdict

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, to_json
from annotation.models import RevisionAuthor
from annotation.services import record_exposure, record_keys_shown
from core.errors import Conflict, Hidden, Unusable, require
from parable.kinds import kind_of
from projects.models import Project
from review.models import Answer, Disposition, GoldPlace, ReviewRequest, Stage
from review.permissions import may_claim
from review.practice import Given, choose, in_words_order, is_drawn, score
from review.queries import count_open, my_claim
from review.queries.gold import (
    as_place,
    expected_of,
    past_of,
    practice_fits,
    practice_in_hand,
    practice_put_off,
    practice_sent,
)
from review.services.claims import claim_next
from review.services.holding import lease_end, note_work
from review.services.judging import CAN_BE_UNDONE, check_judgement
from review.services.settling import carry_out_sent
from review.services.solving import LONGEST_COMMENT, check_answer

_NEXT_NUMBER = "SELECT nextval(pg_get_serial_sequence('review_reviewrequest', 'id'))"


def next_place(*, actor: User, project: Project, stage: str) -> ReviewRequest | GoldPlace | None:
    """The place the actor already holds at this stage, or the next one; now and then a practice item.

    As `claim_next` does, it carries out the actor's last verdict first, and is None if nothing is open.
    """
    if stage != Stage.CROSS_CHECK or not project.gold_rate:
        return claim_next(actor=actor, project=project, stage=stage)
    return _next_of_both_kinds(actor, project, stage)


@transaction.atomic
def _next_of_both_kinds(actor: User, project: Project, stage: str) -> ReviewRequest | GoldPlace | None:
    require(may_claim(actor, project, stage))
    carry_out_sent(actor=actor, project=project)
    score_sent_practice(actor=actor, project=project)
    held = my_claim(actor, project, stage)
    if held is not None and held.lease_expires_at is not None and held.lease_expires_at > timezone.now():
        return claim_next(actor=actor, project=project, stage=stage)
    if (practice := practice_in_hand(actor, project)) is not None:
        return _take_again(practice)
    if (drawn := _draw(actor, project)) is not None:
        return _take(actor, project, drawn)
    found = claim_next(actor=actor, project=project, stage=stage)
    if found is None and (later := practice_put_off(actor, project)) is not None:
        return _take_again(later)
    return found


def _draw(actor: User, project: Project) -> int | None:
    """The practice item that is this person's next place, if one is."""
    past = past_of(actor, project)
    rate = project.gold_rate
    if past.ended_with_practice:
        return None
    if not is_drawn(project=project.pk, reviewer=actor.pk, done=past.done, rate=rate):
        return None
    if not count_open(actor, project, Stage.CROSS_CHECK):
        return None  # in place of a real one, never on top of them
    return choose(practice_fits(actor, project), reviewer=actor.pk)


def _take(actor: User, project: Project, gold: int) -> GoldPlace:
    with connection.cursor() as cursor:
        cursor.execute(_NEXT_NUMBER)
        (number,) = cursor.fetchone()
    now = timezone.now()
    place, _made = GoldPlace.objects.get_or_create(
        gold_id=gold,
        reviewer=actor,
        defaults={
            "id": number,
            "drawn_order": [],
            "claimed_at": now,
            "lease_expires_at": lease_end(project),
        },
    )
    return place if place.drawn_order else _shuffle(place)


def _shuffle(place: GoldPlace) -> GoldPlace:
    order = list(range(len(place.gold.words["options"])))
    random.SystemRandom().shuffle(order)
    place.drawn_order = order
    place.save(update_fields=["drawn_order"])
    return place


def _take_again(practice: GoldPlace) -> GoldPlace:
    """A practice item whose time ran out, or that was put off: claimed anew, as a place would be."""
    place = _lock(practice)
    if place.postponed_at is None and place.lease_expires_at > timezone.now():
        return place
    place.postponed_at, place.claimed_at = None, timezone.now()
    place.lease_expires_at = lease_end(place.gold.project)
    place.save(update_fields=["postponed_at", "claimed_at", "lease_expires_at"])
    return _shuffle(place) if place.solved_at is None else place


def _lock(practice: GoldPlace) -> GoldPlace:
    return (
        GoldPlace.objects.select_for_update(of=("self",))
        .select_related("gold__project", "gold__story", "gold__story_revision", "reviewer")
        .get(pk=practice.pk)
    )


def _own(actor: User, practice: GoldPlace) -> GoldPlace:
    """The locked practice item, which is in the actor's hands or judged by them."""
    place = _lock(practice)
    if place.reviewer_id != actor.pk or place.skipped_at is not None or place.postponed_at is not None:
        raise Hidden(_("There is no such item in your hands."))
    require(may_claim(actor, place.gold.project, Stage.CROSS_CHECK))
    if place.judged_at is None and _wrote_it(place):
        raise Hidden(_("There is no such item in your hands."))
    return place


def _wrote_it(place: GoldPlace) -> bool:
    """Whether its reviewer has become an author of the item that the practice item was made from."""
    source = place.gold.made_from_id
    return source is not None and RevisionAuthor.objects.wrote(place.reviewer, source)


def _unjudged(actor: User, practice: GoldPlace, refusal: str) -> GoldPlace:
    place = _own(actor, practice)
    if place.judged_at is not None or place.sent_at is not None:
        raise Conflict(refusal)
    return place


@transaction.atomic
def hold_practice(*, actor: User, practice: GoldPlace) -> GoldPlace:
    """Hold a practice item for another full lease."""
    place = _unjudged(actor, practice, _("This place has been judged already."))
    note_work(place, place.gold.project)
    place.save(update_fields=["lease_expires_at", "active_seconds"])
    return place


@transaction.atomic
def skip_practice(*, actor: User, practice: GoldPlace, reason: str) -> None:
    """Give a practice item back with a reason; it is not offered to the actor again."""
    place = _unjudged(actor, practice, _("This place has been judged already."))
    if not reason.strip():
        raise Unusable(_("Please give a reason."), {"reason": _("empty")})
    place.skipped_at, place.comment = timezone.now(), reason.strip()[:500]
    place.save(update_fields=["skipped_at", "comment"])


@transaction.atomic
def postpone_practice(*, actor: User, practice: GoldPlace) -> None:
    """Put a practice item off until nothing else waits."""
    place = _unjudged(actor, practice, _("This place has been judged already."))
    if place.solved_at is not None:
        raise Conflict(_("You have solved this item. Judge it, or skip it."))
    place.postponed_at = timezone.now()
    place.save(update_fields=["postponed_at"])


@transaction.atomic
def solve_practice(
    *,
    actor: User,
    practice: GoldPlace,
    answer: str,
    position: int | None = None,
    several: Sequence[int] = (),
) -> GoldPlace:
    """Give the blind answer to a practice item; it is final. Sent twice, the first one stands."""
    place = _own(actor, practice)
    if place.solved_at is not None:
        return place
    check_answer(answer, position, several, len(place.drawn_order))
    place.answer, place.chosen_position = answer, position
    place.several_positions = sorted(set(several)) if answer == Answer.SEVERAL_FIT else []
    place.solved_at = timezone.now()
    note_work(place, place.gold.project)
    place.seconds = max(0, round((place.solved_at - place.claimed_at).total_seconds()))
    place.save()
    if place.gold.made_from_id is not None:
        record_keys_shown(actor=actor, items=[place.gold.made_from_id])
    elif kind_of(place.gold.task).exposed_by_story:
        record_exposure(actor=actor, story=place.gold.story, task=place.gold.task)
    return place


@transaction.atomic
def judge_practice(
    *,
    actor: User,
    practice: GoldPlace,
    disposition: str,
    rating: int | None = None,
    flaws: Sequence[str] = (),
    comment: str = "",
    edit: ItemContent | None = None,
    final: bool = True,
) -> GoldPlace:
    """Judge a solved practice item by the rules of any other; what was right about it is kept with it.

    With `final` false it can be undone until the actor's next claim, or for a few minutes; then it is scored.
    """
    place = _unjudged(actor, practice, _("This item has been judged already."))
    if place.solved_at is None:
        raise Conflict(_("Solve the item first."))
    check_judgement(as_place(place), disposition, rating, flaws, comment, edit)
    place.rating, place.flaws = rating, sorted(set(flaws))
    place.comment, place.disposition = comment.strip()[:LONGEST_COMMENT], disposition
    place.proposed_edit = to_json(edit) if edit and disposition == Disposition.EDIT else None
    note_work(place, place.gold.project)
    if final:
        return _score(place)
    place.sent_at = timezone.now()
    place.lease_expires_at = place.sent_at + CAN_BE_UNDONE
    place.save()
    return place


def _score(place: GoldPlace) -> GoldPlace:
    found = score(expected_of(place.gold), _given(place))
    place.findings, place.is_right = asdict(found), found.is_right
    place.judged_at = timezone.now()
    place.save()
    return place


@transaction.atomic
def undo_practice(*, actor: User, practice: GoldPlace) -> GoldPlace:
    """Take back a verdict on a practice item that has been sent but not scored; `Conflict` afterwards."""
    place = _own(actor, practice)
    if place.sent_at is None or place.judged_at is not None:
        raise Conflict(_("This verdict has been carried out; it can no longer be undone."))
    place.sent_at, place.lease_expires_at = None, lease_end(place.gold.project)
    place.save(update_fields=["sent_at", "lease_expires_at"])
    return place


@transaction.atomic
def score_sent_practice(*, actor: User, project: Project) -> None:
    """Score the verdicts on practice items that the actor has sent and not undone."""
    for practice in practice_sent(actor, project):
        score_locked(practice)


def score_locked(practice: GoldPlace) -> None:
    """Score a sent verdict if it still stands once it is locked. A part of its caller's transaction."""
    place = _lock(practice)
    if place.sent_at is not None and place.judged_at is None and not _wrote_it(place):
        _score(place)


def _given(place: GoldPlace) -> Given:
    chosen = [] if place.chosen_position is None else [place.chosen_position]
    return Given(
        answer=place.answer,
        positions=in_words_order([*chosen, *place.several_positions], place.drawn_order),
        slip=place.slip,
        rating=place.rating,
        flaws=place.flaws,
        disposition=place.disposition,
    )


@transaction.atomic
def slip_practice(*, actor: User, practice: GoldPlace) -> GoldPlace:
    """Say that the answer was a slip of the finger: it is not scored."""
    place = _unjudged(actor, practice, _("This item has been judged already."))
    if place.solved_at is None:
        raise Conflict(_("Solve the item first."))
    place.slip = True
    place.save(update_fields=["slip"])
    return place


@transaction.atomic
def save_practice_words(*, actor: User, practice: GoldPlace, comment: str) -> GoldPlace:
    """Keep what is being typed before the verdict is sent."""
    place = _own(actor, practice)
    if place.solved_at is None:
        raise Conflict(_("Solve the item first."))
    if place.judged_at is None and place.sent_at is None:
        place.comment = comment[:LONGEST_COMMENT]
        place.save(update_fields=["comment"])
    return place


@transaction.atomic
def see_lesson(*, actor: User, practice: GoldPlace) -> GoldPlace:
    """Note when the reviewer was first shown what there is to learn from it."""
    place = _own(actor, practice)
    if place.judged_at is not None and place.lesson_seen_at is None:
        place.lesson_seen_at = timezone.now()
        place.save(update_fields=["lesson_seen_at"])
    return place
