"""Practice items: in whose hands they are, shown as places, and what is known of them. Reads only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, from_json
from annotation.models import Item, KeyExposure, Option, Revision, RevisionAuthor, State
from annotation.queries import revision_content
from annotation.queries.pilots import stories_kept_from
from core.errors import Hidden
from projects.models import CommonsenseType, Project
from review.models import (
    Answer,
    Disposition,
    Flaw,
    GoldItem,
    GoldPlace,
    PlaceState,
    Review,
    ReviewRequest,
    Stage,
)
from review.practice import Expected, in_words_order, key_position

UNSAVED: Final = 0
"""The number of rows that only stand in for others: no such row exists, so the database refuses them."""

MOST_SETTLED: Final = 20


# --- what a reviewer has in hand ---


def get_gold_place(*, user: User, project: Project, pk: int) -> GoldPlace:
    """A practice item in this person's hands, or judged by them; any other does not exist: `Hidden`."""
    found = _places(user, project).filter(pk=pk, skipped_at=None, postponed_at=None).first()
    if found is None:
        raise Hidden(_("There is no such item in your hands."))
    return found


def _places(user: User, project: Project) -> QuerySet[GoldPlace]:
    return GoldPlace.objects.filter(reviewer=user, gold__project=project).select_related(
        "gold__project", "gold__story", "gold__story_revision", "reviewer"
    )


def practice_in_hand(user: User, project: Project) -> GoldPlace | None:
    """The practice item this person works on, or left unanswered until their time ran out."""
    now = timezone.now()
    unfinished = _places(user, project).filter(
        sent_at=None, judged_at=None, skipped_at=None, postponed_at=None
    )
    left = Q(lease_expires_at__lte=now, answer="", gold__retired_at=None)
    return unfinished.filter(Q(lease_expires_at__gt=now) | left).order_by("-claimed_at").first()


def practice_sent(user: User, project: Project) -> QuerySet[GoldPlace]:
    """The practice items whose verdict this person can still undo."""
    return _places(user, project).filter(sent_at__isnull=False, judged_at=None)


def practice_put_off(user: User, project: Project) -> GoldPlace | None:
    """The practice item this person put off first, if it is still in use."""
    later = _places(user, project).filter(postponed_at__isnull=False, skipped_at=None, judged_at=None)
    return later.filter(gold__retired_at=None).order_by("postponed_at").first()


def practice_fits(user: User, project: Project) -> list[int]:
    """The practice items that this person may still get.

    None they had before, none about a story they have written or judged an item of or write about in a
    pilot, none made from an item whose key they have been shown, and none whose key its story tells them.
    """
    had = GoldPlace.objects.filter(reviewer=user).values("gold")
    mine = RevisionAuthor.objects.items_by(user)
    written = Item.objects.filter(project=project, pk__in=mine).values("story")
    judged = Review.objects.filter(reviewer=user, request__project=project).values("item__story")
    shown = KeyExposure.objects.filter(user=user, task=OuterRef("task"), story=OuterRef("story"))
    keys = KeyExposure.objects.filter(user=user, item__isnull=False).values("item")
    return list(
        GoldItem.objects.filter(project=project, retired_at=None)
        .exclude(pk__in=had)
        .exclude(made_by=user)
        .exclude(story__in=written)
        .exclude(story__in=judged)
        .exclude(story__in=stories_kept_from(user, project))
        .exclude(Exists(shown))
        .exclude(made_from__isnull=False, made_from__in=keys)
        .values_list("pk", flat=True)
    )


@dataclass(frozen=True, slots=True)
class Past:
    """How many places somebody has worked on in all, and when they took the last of each kind here."""

    done: int
    last_practice: datetime | None
    last_review: datetime | None

    @property
    def ended_with_practice(self) -> bool:
        """Whether the last place they took was a practice item."""
        if self.last_practice is None:
            return False
        return self.last_review is None or self.last_review < self.last_practice


def past_of(user: User, project: Project) -> Past:
    """What this person has done so far."""
    reviews, golds = Review.objects.filter(reviewer=user), GoldPlace.objects.filter(reviewer=user)
    here = golds.filter(gold__project=project).order_by("-claimed_at").values_list("claimed_at", flat=True)
    real = reviews.filter(request__project=project).order_by("-pk").values_list("created_at", flat=True)
    done = reviews.order_by().count() + golds.filter(solved_at__isnull=False).order_by().count()
    return Past(done, here.first(), real.first())


# --- shown as any other place ---


def as_place(practice: GoldPlace) -> ReviewRequest:
    """The practice item as a place of the queue, to be shown by the same pages; never to be saved."""
    gold = practice.gold
    item = Item(pk=UNSAVED, project=gold.project, story=gold.story, task=gold.task, state=State.IN_REVIEW)
    return ReviewRequest(
        pk=practice.pk,
        project=gold.project,
        story=gold.story,
        item=item,
        revision=_wording(gold, item),
        stage=Stage.CROSS_CHECK,
        place=1,
        option_count=len(practice.drawn_order),
        state=PlaceState.DONE if practice.judged_at else PlaceState.CLAIMED,
        task=gold.task,
        claimed_by=practice.reviewer,
        claimed_at=practice.claimed_at,
        lease_expires_at=practice.lease_expires_at,
        drawn_order=practice.drawn_order,
    )


def _wording(gold: GoldItem, item: Item) -> Revision:
    words = gold_words(gold)
    revision = Revision(
        pk=UNSAVED,
        item=item,
        number=1,
        story_revision=gold.story_revision,
        stem=words.stem,
        explanation=words.explanation,
        answered_warnings=dict(words.answered_warnings),
    )
    types = CommonsenseType.objects.filter(project=gold.project_id, code__in=words.types)
    options = [
        Option(pk=UNSAVED, revision=revision, position=place, text=option.text, is_key=option.is_key)
        for place, option in enumerate(words.options)
    ]
    # what a query with prefetch_related would have put there
    revision._prefetched_objects_cache = {"options": options, "types": list(types)}  # type: ignore[attr-defined]  # noqa: SLF001
    return revision


def gold_words(gold: GoldItem) -> ItemContent:
    """What a practice item says."""
    return from_json(gold.words)


def as_review(practice: GoldPlace) -> Review | None:
    """What its reviewer found so far, as a review; none before the answer. Never to be saved."""
    if practice.solved_at is None:
        return None
    options, drawn = gold_words(practice.gold).options, practice.drawn_order
    chosen = practice.chosen_position
    return Review(
        pk=UNSAVED,
        stage=Stage.CROSS_CHECK,
        reviewer=practice.reviewer,
        answer=practice.answer,
        drawn_order=drawn,
        chosen_position=chosen,
        several_positions=practice.several_positions,
        is_correct=chosen is not None and options[drawn[chosen]].is_key,
        slip=practice.slip,
        solved_at=practice.solved_at,
        rating=practice.rating,
        flaws=practice.flaws,
        comment=practice.comment,
        disposition=practice.disposition,
        proposed_edit=practice.proposed_edit,
        sent_at=practice.sent_at,
        judged_at=practice.judged_at,
        seconds=practice.seconds,
    )


def expected_of(gold: GoldItem) -> Expected:
    """What is right about a practice item, as a plain value."""
    return Expected(
        answer=gold.expected_answer,
        positions=tuple(gold.expected_positions),
        rating_low=gold.rating_low,
        rating_high=gold.rating_high,
        flaws=tuple(gold.expected_flaws),
        dispositions=tuple(gold.dispositions),
    )


# --- what comes of it ---


def lessons_of(user: User, project: Project) -> QuerySet[GoldPlace]:
    """The practice items this person has judged, the last first."""
    return _places(user, project).filter(judged_at__isnull=False).order_by("-judged_at")


def gold_items(project: Project) -> QuerySet[GoldItem]:
    """The project's practice items, those in use first, the newest of them first."""
    return (
        GoldItem.objects.filter(project=project)
        .select_related("story__current", "made_by", "project")
        .order_by(F("retired_at").asc(nulls_first=True), "-pk")
    )


def judged_rightly(golds: Iterable[GoldItem]) -> dict[int, tuple[int, int]]:
    """By practice item, how many of its verdicts were right, and of how many."""
    rows = (
        GoldPlace.objects.filter(gold__in=list(golds), judged_at__isnull=False)
        .values("gold")
        .annotate(n=Count("pk"), right=Count("pk", filter=Q(is_right=True)))
    )
    return {row["gold"]: (row["right"], row["n"]) for row in rows}


def get_gold_item(*, project: Project, pk: int) -> GoldItem:
    """A practice item of this project; else `Hidden`."""
    found = gold_items(project).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("There is no such practice item here."))
    return found


@dataclass(frozen=True, slots=True)
class Calibration:
    """How many practice items somebody has judged, and how many of them rightly."""

    reviewer: int
    name: str
    n: int
    right: int


def calibration(project: Project) -> list[Calibration]:
    """Each reviewer's verdicts on practice items, by name."""
    rows = (
        GoldPlace.objects.filter(gold__project=project, judged_at__isnull=False)
        .values("reviewer", "reviewer__name")
        .annotate(n=Count("pk"), right=Count("pk", filter=Q(is_right=True)))
        .order_by("reviewer__name", "reviewer")
    )
    return [Calibration(row["reviewer"], row["reviewer__name"], row["n"], row["right"]) for row in rows]


# --- what they can be made from ---


@dataclass(frozen=True, slots=True)
class Settled:
    """An item about which enough is known to learn from: its words, what is right, what people said."""

    item: Item
    content: ItemContent
    expected: Expected
    said: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether it stood, so that a flaw can be planted into it."""
        return not self.expected.flaws


def settled_items(project: Project) -> QuerySet[Item]:
    """Items that a practice item can be made from and none has been made from yet, the newest first."""
    reviews = Review.objects.filter(revision=OuterRef("current"), judged_at__isnull=False).order_by()
    used = GoldItem.objects.filter(project=project, made_from__isnull=False).values("made_from")
    found = (
        Item.objects.filter(project=project, state__in=[State.VERIFIED, State.REJECTED])
        .annotate(passed=_people(reviews.filter(disposition=Disposition.PASS)))
        .annotate(flawed=_people(reviews.filter(disposition=Disposition.REJECT, flaws__len__gt=0)))
        .filter(Q(state=State.VERIFIED, passed__gte=2) | Q(state=State.REJECTED, flawed__gte=1))
    )
    return found.exclude(pk__in=used).select_related("story__current", "current").order_by("-pk")


def _people(reviews: QuerySet[Review]) -> Coalesce:
    counted = reviews.values("revision").annotate(people=Count("reviewer", distinct=True)).values("people")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def settled(item: Item) -> Settled | None:
    """What its reviewers settled about an item: two let it stand, or it was rejected for a named flaw."""
    if item.current is None or item.state not in {State.VERIFIED, State.REJECTED}:
        return None
    content = revision_content(item.current)
    reviews = list(Review.objects.filter(revision=item.current, judged_at__isnull=False).order_by("pk"))
    said = tuple(review.comment for review in reviews if review.comment)
    if item.state == State.VERIFIED:
        passed = {review.reviewer_id for review in reviews if review.disposition == Disposition.PASS}
        if len(passed) < 2:
            return None
        return Settled(item, content, sound(content, item.project), said)
    flaws = {flaw: review for review in reviews for flaw in review.flaws if _rejects(review)}
    return Settled(item, content, _rejected(content, flaws), said) if flaws else None


def _rejects(review: Review) -> bool:
    return review.disposition == Disposition.REJECT


def sound(content: ItemContent, project: Project) -> Expected:
    """What is right about an item without a flaw."""
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
        answer, positions = str(Answer.SEVERAL_FIT), _several(flaws.values()) or positions
    dispositions = (Disposition.RETURN.value, Disposition.REJECT.value)
    return Expected(answer, positions, 0, 0, flaws=tuple(sorted(flaws)), dispositions=dispositions)


def _several(reviews: Iterable[Review]) -> tuple[int, ...]:
    """The options that a reviewer said fit."""
    marked = (in_words_order(one.several_positions, one.drawn_order) for one in reviews)
    return next((positions for positions in marked if len(positions) > 1), ())
