"""Queries of practice items: the users who got them, and the scores of their verdicts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.models import User
from annotation.content import ItemContent
from annotation.models import Item, KeyExposure, RevisionAuthor, State
from annotation.queries.item import revision_content
from annotation.queries.pilot import stories_withheld_from
from core.errors import Hidden
from corpus.queries import story_unit
from parable.kinds import codes, kind_of
from projects.models import Project
from review.models import (
    Answer,
    Disposition,
    Flaw,
    Postponement,
    PracticeItem,
    PracticeResult,
    RequestState,
    Review,
    ReviewRequest,
)
from review.practice import Expected, in_words_order, key_position

MOST_CLOSED: Final = 20


# --- practice requests of a reviewer ---


def _practice(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the practice requests that this user got, in any state."""
    return ReviewRequest.everything.filter(dealt_to=user, project=project)


def practice_held(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the practice requests that this user has claimed, even if a verdict can still be undone."""
    return _practice(user, project).filter(state=RequestState.CLAIMED, lease_expires_at__gt=timezone.now())


def practice_lost(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the unsolved practice requests whose lease ran out while this user had claimed them.

    Skipped requests are excluded.
    """
    over = Q(state=RequestState.CLAIMED, lease_expires_at__lte=timezone.now())
    return _unfinished(user, project).filter(over | Q(state=RequestState.CLOSED, freed_from=user))


def practice_put_off(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the practice requests that this user postponed, oldest first."""
    put_off = Postponement.objects.filter(request=OuterRef("pk"), user=user).values("at")
    found = _unfinished(user, project).filter(state=RequestState.CLOSED, freed_from=None)
    return found.order_by(Subquery(put_off), "pk")


def _unfinished(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the user's practice requests that are neither solved nor skipped.

    Retired practice items, and practice items made from an item that the user wrote, are excluded.
    """
    eligible = _practice(user, project).exclude(excluded__contains=[user.pk])
    return eligible.filter(gold__retired_at=None).select_related("gold").order_by("pk")


def practice_fits(user: User, project: Project) -> list[int]:
    """Return the ids of the practice items that this user may still get.

    A practice item is excluded if the user was dealt it before or made it, has seen the key of the item it
    was made from, or knows the key because it was displayed with another item of the story. It is also
    excluded if the user has written about its story, in any wording, has judged an item about it, or writes
    about it in a pilot.
    """
    had = ReviewRequest.everything.filter(dealt_to=user).values("gold")
    mine = RevisionAuthor.objects.items_by(user)
    written = Item.objects.filter(project=project, pk__in=mine).values(unit=story_unit("story"))
    judged = Review.objects.filter(reviewer=user, project=project).values(unit=story_unit("item__story"))
    exposures = KeyExposure.objects.filter(user=user, task=OuterRef("task"), story__isnull=False)
    exposures = exposures.annotate(unit=story_unit("story")).filter(unit=OuterRef("unit"))
    keys = KeyExposure.objects.filter(user=user, item__isnull=False).values("item")
    return list(
        PracticeItem.objects.filter(project=project, retired_at=None)
        .annotate(unit=story_unit("story"))
        .exclude(pk__in=had)
        .exclude(made_by=user)
        .exclude(unit__in=written)
        .exclude(unit__in=judged)
        .exclude(story__in=stories_withheld_from(user, project))
        .exclude(Exists(exposures))
        .exclude(made_from__in=keys)
        .values_list("pk", flat=True)
    )


def ended_with_practice(user: User, project: Project) -> bool:
    """Return whether the last request that this user claimed was for a practice item."""
    last = Review.everything.filter(reviewer=user, project=project).order_by("-pk").first()
    if last is None or last.revision_id is None:
        return last is not None or _practice(user, project).exists()
    return _practice(user, project).filter(opened_at__gt=last.created_at).exists()


def expected_of(practice_item: PracticeItem) -> Expected:
    """Return the expected verdict on a practice item."""
    return Expected(
        answer=practice_item.expected_answer,
        positions=tuple(practice_item.expected_positions),
        rating_low=practice_item.rating_low,
        rating_high=practice_item.rating_high,
        flaws=tuple(practice_item.expected_flaws),
        dispositions=tuple(practice_item.dispositions),
    )


# --- results of practice ---


def lessons_of(user: User, project: Project) -> QuerySet[PracticeResult]:
    """Return the results of the practice items that this user has judged, newest first."""
    wordings = ("review__request__gold__story", "review__request__gold__story_revision")
    mine = PracticeResult.objects.filter(review__reviewer=user, review__project=project)
    return mine.select_related(*wordings).order_by("-review__judged_at")


def practice_items(project: Project) -> QuerySet[PracticeItem]:
    """Return the project's practice items: first those in use, then retired ones, each newest first."""
    return (
        PracticeItem.objects.filter(project=project)
        .select_related("story__current", "made_by", "project")
        .order_by(F("retired_at").asc(nulls_first=True), "-pk")
    )


def judged_rightly(practice_items: Iterable[PracticeItem]) -> dict[int, tuple[int, int]]:
    """Return (right verdicts, all verdicts) by id of the practice item.

    Items without verdicts are left out.
    """
    rows = (
        PracticeResult.objects.filter(review__request__gold__in=list(practice_items))
        .values_list("review__request__gold")
        .annotate(right=Count("pk", filter=Q(is_right=True)), n=Count("pk"))
    )
    return {practice_item: (right, n) for practice_item, right, n in rows}


def get_practice_item(*, project: Project, pk: int) -> PracticeItem:
    """Return a practice item of this project. Raise `Hidden` if there is none."""
    found = practice_items(project).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Practice item not found."))
    return found


@dataclass(frozen=True, slots=True)
class Calibration:
    """A reviewer's number of judged practice items (`n`), and of those judged correctly (`right`)."""

    reviewer: int
    name: str
    n: int
    right: int


def calibration(project: Project) -> list[Calibration]:
    """Return each reviewer's counts of practice items, ordered by name."""
    rows = (
        PracticeResult.objects.filter(review__project=project)
        .values_list("review__reviewer", "review__reviewer__name")
        .annotate(n=Count("pk"), right=Count("pk", filter=Q(is_right=True)))
        .order_by("review__reviewer__name", "review__reviewer")
    )
    return [Calibration(*row) for row in rows]


# --- items from which practice items can be made ---


@dataclass(frozen=True, slots=True)
class ClosedItem:
    """An item with an established verdict: its content, the expected verdict, and the reviewers' comments."""

    item: Item
    content: ItemContent
    expected: Expected
    said: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Return whether the item has no flaws, so that a flaw can be planted in it."""
        return not self.expected.flaws


def closed_items(project: Project) -> QuerySet[Item]:
    """Return the items from which a practice item can be made, newest first.

    They have an established verdict, and no practice item was made from them.
    """
    reviews = Review.objects.filter(revision=OuterRef("current"), judged_at__isnull=False).order_by()
    used = PracticeItem.objects.filter(project=project).values("made_from")
    found = (
        Item.objects.filter(project=project, state__in=[State.VERIFIED, State.REJECTED])
        .filter(task__in=codes("has_one_key"))
        .annotate(passed=_people(reviews.filter(disposition=Disposition.PASS)))
        .annotate(flawed=_people(reviews.filter(disposition=Disposition.REJECT, flaws__len__gt=0)))
        .filter(Q(state=State.VERIFIED, passed__gte=2) | Q(state=State.REJECTED, flawed__gte=1))
    )
    return found.exclude(pk__in=used).select_related("story__current", "current").order_by("-pk")


def _people(reviews: QuerySet[Review]) -> Coalesce:
    counted = reviews.values("revision").annotate(people=Count("reviewer", distinct=True)).values("people")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def closed_item(item: Item) -> ClosedItem | None:
    """Return an item with its established verdict: passed by two people, or rejected for a named flaw.

    Return None if it has no such verdict, or not exactly one key: practice is answered by choosing one
    option.
    """
    if item.current is None or item.state not in {State.VERIFIED, State.REJECTED}:
        return None
    if not kind_of(item.task).has_one_key:
        return None
    content = revision_content(item.current, item.task)
    reviews = list(Review.objects.filter(revision=item.current, judged_at__isnull=False).order_by("pk"))
    said = tuple(review.comment for review in reviews if review.comment)
    if item.state == State.VERIFIED:
        passed = {review.reviewer_id for review in reviews if review.disposition == Disposition.PASS}
        if len(passed) < 2:
            return None
        return ClosedItem(item, content, sound(content, item.project), said)
    rejections = [review for review in reviews if review.disposition == Disposition.REJECT]
    flaws = {flaw: review for review in rejections for flaw in review.flaws}
    return ClosedItem(item, content, _rejected(content, flaws), said) if flaws else None


def first_lesson(known: ClosedItem, expected: Expected) -> str:
    """Return the default text of a practice item's lesson, in the language of its story."""
    with override(known.item.story.lang.lower()):
        if not expected.flaws:
            start = _("Two people answered this item, and both passed it.")
        else:
            labels = dict(Flaw.choices)
            flaws = _(", ").join(str(labels[flaw]) for flaw in expected.flaws)
            start = _("Flaws of this item: %(flaws)s.") % {"flaws": flaws}
    return "\n".join([start, *(known.said if expected.flaws and not known.is_sound else ())])


def sound(content: ItemContent, project: Project) -> Expected:
    """Return the expected verdict on an item without flaws."""
    key = (key_position(content),)
    return Expected(
        Answer.OPTION, key, project.pass_rating, project.max_rating, dispositions=(Disposition.PASS,)
    )


def _rejected(content: ItemContent, flaws: Mapping[str, Review]) -> Expected:
    answer = str(Answer.OPTION)
    positions: tuple[int, ...] = (key_position(content),)
    if Flaw.NO_RIGHT_OPTION in flaws:
        answer, positions = str(Answer.NONE_FITS), ()
    elif Flaw.TWO_RIGHT_OPTIONS in flaws:
        marked = (in_words_order(one.several_positions, one.drawn_order) for one in flaws.values())
        answer = str(Answer.SEVERAL_FIT)
        positions = next((several for several in marked if len(several) > 1), positions)
    dispositions = (Disposition.RETURN.value, Disposition.REJECT.value)
    return Expected(answer, positions, 0, 0, flaws=tuple(sorted(flaws)), dispositions=dispositions)
