"""Services for practice items: managers create and retire them, reviewers are dealt them and scored.

A dealt practice item is a request like any other. If the project deals none, a claim runs no query for them.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.content import ItemContent, says_the_same, tidy, to_json
from annotation.models import Item
from annotation.queries.item import lacking
from core.errors import Conflict, Unusable, require
from parable.quality.item import ItemSpec
from projects.models import Project
from projects.permissions import Permission, has_permission
from review.models import (
    Answer,
    Disposition,
    Flaw,
    PracticeItem,
    PracticeResult,
    RequestState,
    Review,
    ReviewRequest,
    Stage,
)
from review.practice import Expected, Given, choose, in_words_order, is_drawn, score
from review.queries import count_open
from review.queries.practice import (
    closed_item,
    ended_with_practice,
    expected_of,
    practice_fits,
    practice_lost,
    practice_put_off,
)
from review.services.lease import draw_order, lease_end, lock_request, take

LONGEST_LESSON = 4000


@transaction.atomic
def make_practice_item(
    *, actor: User, item: Item, content: ItemContent, expected: Expected, lesson: str
) -> PracticeItem:
    """Create a practice item from an item with an established verdict, unchanged or with a planted flaw.

    Raise `Conflict` if the item has no such verdict, `Unusable` naming the fields that are missing or
    inconsistent.
    """
    require(has_permission(actor, item.project, Permission.CHANGE_REVIEWS))
    known = closed_item(item)
    revision = item.current
    if known is None or revision is None:
        raise Conflict(
            _(
                "This item has no settled verdict: two people must have passed it, or it must"
                " have been rejected for a named flaw."
            )
        )
    words, fields = tidy(content), {}
    found = {finding.check for finding in lacking(words, task=item.task, spec=ItemSpec(), story="")}
    if not found <= {"explanation_missing"}:
        fields["stem"] = _("Enter a stem, distinct options, and one option shown as the key.")
    fields |= _faults(item.project, words, expected)
    if not lesson.strip():
        fields["lesson"] = _("Enter a lesson.")
    # an item with another explanation is still the same item
    is_unchanged = says_the_same(replace(words, explanation=""), replace(known.content, explanation=""))
    if known.is_sound and expected.flaws and is_unchanged:
        fields["stem"] = _("The text equals the sound item. Add the flaw, or expect none.")
    if fields:
        raise Unusable(fields)
    practice_item = PracticeItem.objects.create(
        project=item.project,
        story=item.story,
        story_revision=revision.story_revision,
        task=item.task,
        words=to_json(words),
        made_from=item,
        expected_answer=expected.answer,
        expected_positions=sorted(expected.positions),
        rating_low=expected.rating_low,
        rating_high=expected.rating_high,
        expected_flaws=sorted(expected.flaws),
        dispositions=sorted(expected.dispositions),
        lesson=lesson.strip()[:LONGEST_LESSON],
        made_by=actor,
    )
    record_event(actor=actor, verb="make_practice_item", subject=practice_item, detail={"item": item.pk})
    return practice_item


def _faults(project: Project, words: ItemContent, expected: Expected) -> dict[str, str]:
    """Return the errors of an inconsistent expected verdict, as messages by field; {} if it is consistent."""
    fields: dict[str, str] = {}
    if not _answer_fits(expected, len(words.options)):
        fields["answer"] = _("Mark the correct option; two or more if several are correct.")
    if not 0 <= expected.rating_low <= expected.rating_high <= project.max_rating:
        fields["rating_low"] = _("The lowest rating must not exceed the highest.")
    if any(flaw not in Flaw.values for flaw in expected.flaws):
        fields["flaws"] = _("Flaw not found.")
    allowed = {Disposition.PASS, Disposition.EDIT, Disposition.RETURN, Disposition.REJECT}
    if not expected.dispositions or set(expected.dispositions) - allowed:
        fields["dispositions"] = _("Select at least one correct verdict.")
    elif not expected.flaws and expected.rating_high == 0:
        fields["flaws"] = _("A rating of 0 requires at least one flaw.")
    return fields


def _answer_fits(expected: Expected, count: int) -> bool:
    positions: Sequence[int] = expected.positions
    if len(set(positions)) != len(positions) or any(not 0 <= position < count for position in positions):
        return False
    if expected.answer == Answer.SEVERAL_FIT:
        return len(positions) > 1
    return len(positions) == (expected.answer == Answer.OPTION)


@transaction.atomic
def retire_practice_item(*, actor: User, practice_item: PracticeItem) -> PracticeItem:
    """Stop giving a practice item to reviewers.

    A reviewer who has it now can still finish it.
    """
    return _set_retired(actor, practice_item, retired=True)


@transaction.atomic
def restore_practice_item(*, actor: User, practice_item: PracticeItem) -> PracticeItem:
    """Give a retired practice item to reviewers again, except to those who have had it before."""
    return _set_retired(actor, practice_item, retired=False)


def _set_retired(actor: User, practice_item: PracticeItem, *, retired: bool) -> PracticeItem:
    require(has_permission(actor, practice_item.project, Permission.CHANGE_REVIEWS))
    practice_item = PracticeItem.objects.select_for_update(of=("self",)).get(pk=practice_item.pk)
    if retired != (practice_item.retired_at is not None):
        practice_item.retired_at = timezone.now() if retired else None
        practice_item.save(update_fields=["retired_at"])
        verb = "retire_practice_item" if retired else "restore_practice_item"
        record_event(actor=actor, verb=verb, subject=practice_item)
    return practice_item


# --- dealing and scoring; each function runs in its caller's transaction ---


def deal_practice(actor: User, project: Project) -> ReviewRequest | None:
    """Return the practice request that the actor gets next, or None.

    A practice request whose lease ran out comes first; otherwise a new one is dealt, if one is due.
    """
    if again := _take_again(practice_lost(actor, project).first(), actor, project):
        return again
    done = Review.everything.filter(reviewer=actor).count()
    if not is_drawn(project=project.pk, reviewer=actor.pk, done=done, rate=project.gold_rate):
        return None
    if ended_with_practice(actor, project) or not count_open(actor, project, Stage.CROSS_CHECK):
        return None  # a practice item replaces a real item, and is never an additional one
    chosen = choose(practice_fits(actor, project), reviewer=actor.pk)
    return None if chosen is None else deal(actor, PracticeItem.objects.get(pk=chosen))


def take_postponed_practice(actor: User, project: Project) -> ReviewRequest | None:
    """Claim and return this reviewer's earliest postponed practice request, or None."""
    return _take_again(practice_put_off(actor, project).first(), actor, project)


def _take_again(practice: ReviewRequest | None, actor: User, project: Project) -> ReviewRequest | None:
    if practice is None:
        return None
    practice.project = project
    return take(lock_request(practice), actor)


def deal(actor: User, practice_item: PracticeItem) -> ReviewRequest:
    """Create the request for a practice item and claim it for the reviewer; return the request."""
    count = len(practice_item.words["options"])
    values = {
        "project": practice_item.project,
        "story": practice_item.story,
        "task": practice_item.task,
        "stage": Stage.CROSS_CHECK,
        "number": 1,
        "option_count": count,
        "state": RequestState.CLAIMED,
        "claimed_by": actor,
        "claimed_at": timezone.now(),
        "lease_expires_at": lease_end(practice_item.project),
        "drawn_order": draw_order(practice_item.task, count),
    }
    request, _made = ReviewRequest.everything.get_or_create(
        gold=practice_item, dealt_to=actor, defaults=values
    )
    return request


def score_practice(practice_item: PracticeItem, review: Review) -> PracticeResult:
    """Score a verdict on a practice item and save the result."""
    chosen = [] if review.chosen_position is None else [review.chosen_position]
    given = Given(
        answer=review.answer,
        positions=in_words_order([*chosen, *review.several_positions], review.drawn_order),
        misclick=review.misclick,
        rating=review.rating,
        flaws=review.flaws,
        disposition=review.disposition,
    )
    found = score(expected_of(practice_item), given)
    return PracticeResult.objects.create(review=review, findings=asdict(found), is_right=found.is_right)


@transaction.atomic
def see_lesson(*, actor: User, review: Review) -> None:
    """Record when the reviewer first saw the lesson of a practice item."""
    unseen = PracticeResult.objects.filter(review=review, review__reviewer=actor, lesson_seen_at=None)
    unseen.update(lesson_seen_at=timezone.now())
