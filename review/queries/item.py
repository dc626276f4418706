"""Queries of the items that a review statistic counts, and of the blind answers to an item."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextChoices
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.models import Item, Revision, RevisionAuthor, RevisionType, State
from projects.models import Project
from projects.permissions import Permission, permissions_of
from review.models import Answer, RequestState, Review, ReviewRequest, ReviewStatistics, Stage, Substitute
from review.queries.sibling import with_key_revealed

BLIND_STAGES = (Stage.CROSS_CHECK, Stage.VERIFICATION)
MAY_COME_BACK = (State.IN_REVIEW, State.IN_VERIFICATION, State.IN_ADJUDICATION, State.RETURNED)
"""The states in which an item may be offered for blind review, now or later."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Counts of blind answers.

    `of_option` has the counts by option id. `right` counts the correct answers, `n` all answers.
    """

    of_option: dict[int, int]
    none_fits: int
    several_fit: int
    right: int
    n: int


def blind_choices(revision: Revision) -> Choices:
    """Return the counts of the blind answers to a revision at all stages. Misclicks do not count."""
    found = Review.objects.filter(revision=revision, solved_at__isnull=False, blind=True, misclick=False)
    found = with_key_revealed(found)
    rows = list(found.order_by().values_list("answer", "chosen_option", "is_correct").annotate(n=Count("pk")))
    of_option: Counter[int] = Counter()
    for _answer, option, _is_correct, n in rows:
        if option is not None:
            of_option[option] += n
    options = [option.pk for option in revision.options.order_by("position")]
    several = found.filter(answer=Answer.SEVERAL).values_list("several_positions", "drawn_order")
    of_option.update(options[drawn[place]] for places, drawn in several for place in places)
    return Choices(
        of_option,
        sum(row[3] for row in rows if row[0] == "none_fits"),
        sum(row[3] for row in rows if row[0] == "several_fit"),
        sum(row[3] for row in rows if row[2]),
        sum(row[3] for row in rows),
    )


class Figure(TextChoices):
    """The review statistics whose items a page can list."""

    RATED = "rated", gettext_lazy("Rated")
    TWICE = "twice", gettext_lazy("Rated twice")
    DIFFER = "differ", gettext_lazy("Ratings differ")
    ANSWERED = "answered", gettext_lazy("Blind answers")
    WRONG = "wrong", gettext_lazy("Wrong blind answers")
    OTHER_KEY = "other_key", gettext_lazy("Answers point to another key")


@dataclass(frozen=True, slots=True)
class Behind:
    """A statistic with filters: task, style, commonsense type, rating, and one or two reviewers."""

    figure: str = Figure.RATED
    task: str = ""
    style: str = ""
    kind: int | None = None
    reviewer: int | None = None
    second: int | None = None
    rating: int | None = None


def items_behind(project: Project, behind: Behind) -> QuerySet[Item]:
    """Return the items that a statistic counts, newest first.

    `rated_rows` and `solved_rows` explain which reviews count.
    """
    found = Item.objects.filter(project=project).order_by("-pk")
    if behind.task:
        found = found.filter(task=behind.task)
    if behind.style:
        found = found.filter(style=behind.style)
    if behind.figure == Figure.OTHER_KEY:
        # the revisions whose blind answers point to another key, as stored by the last count
        counted = ReviewStatistics.objects.filter(project=project)
        against = counted.values_list("figures__keys__against", flat=True).first() or []
        return found.filter(current__in=against).select_related("story__current", "current")
    is_solved = behind.figure in {Figure.ANSWERED, Figure.WRONG}
    reviews = _solved(behind) if is_solved else _ratings(behind)
    return found.filter(Exists(reviews)).select_related("story__current", "current")


def _ratings(behind: Behind) -> QuerySet[Review]:
    found = _by(_rated().filter(item=OuterRef("pk")), behind.reviewer)
    if behind.rating is not None:
        found = found.filter(rating=behind.rating)
    if behind.second is None and behind.figure == Figure.RATED:
        return found
    # another reviewer rated the same revision
    others = _by(_rated().filter(revision=OuterRef("revision")), behind.second)
    others = others.exclude(reviewer=OuterRef("reviewer"))
    if behind.figure == Figure.DIFFER:
        others = others.exclude(rating=OuterRef("rating"))
    return found.filter(Exists(others))


def _in_cross_check() -> QuerySet[Review]:
    """Return all cross-check reviews, of any project; callers filter by item."""
    return Review.objects.filter(stage=Stage.CROSS_CHECK)


def _rated() -> QuerySet[Review]:
    return _in_cross_check().filter(judged_at__isnull=False, rating__isnull=False)


def _by(reviews: QuerySet[Review], reviewer: int | None) -> QuerySet[Review]:
    return reviews if reviewer is None else reviews.filter(reviewer=reviewer)


def _solved(behind: Behind) -> QuerySet[Review]:
    found = _by(_in_cross_check(), behind.reviewer).filter(item=OuterRef("pk"))
    found = with_key_revealed(found.filter(solved_at__isnull=False, blind=True, misclick=False))
    if behind.figure == Figure.WRONG:
        found = found.exclude(is_correct=True)
    if behind.kind is not None:
        links = RevisionType.objects.filter(revision=OuterRef("revision"), type=behind.kind)
        found = found.filter(Exists(links))
    return found


def still_to_solve(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the unfinished requests at blind stages that this user may claim or has claimed."""
    judges = permissions_of(user, project) & (Permission.REVIEW | Permission.VERIFY)
    live = ReviewRequest.objects.filter(
        project=project, stage__in=BLIND_STAGES, state__in=[RequestState.OPEN, RequestState.CLAIMED]
    )
    if not judges:
        live = live.filter(pk__in=Substitute.objects.filter(person=user).values("request"))
    return live.filter(~Q(excluded__contains=[user.pk]) | Q(claimed_by=user))


def items_to_solve(user: User, project: Project) -> QuerySet[Item]:
    """Return the items that this user may solve blind, now or once they return to review."""
    now = Q(pk__in=Subquery(still_to_solve(user, project).values("item")))
    found = Item.objects.filter(project=project)
    if not permissions_of(user, project) & (Permission.REVIEW | Permission.VERIFY):
        return found.filter(now)
    wrote = RevisionAuthor.objects.items_by(user)
    judged = ReviewRequest.objects.filter(project=project, item=OuterRef("pk"), excluded__contains=[user.pk])
    later = Q(state__in=MAY_COME_BACK) & ~Q(pk__in=wrote) & ~Q(Exists(judged))
    return found.filter(now | later)


def without_those_to_solve(user: User, project: Project, found: QuerySet[Item]) -> QuerySet[Item]:
    """Exclude the items that this user may still solve blind, so that the verdicts of others stay hidden."""
    return found.exclude(pk__in=items_to_solve(user, project).values("pk"))


def reviews_of(items: Sequence[Item]) -> dict[int | None, list[Review]]:
    """Return the cross-check reviews of these items that statistics count, by item id, oldest first."""
    found = Review.objects.filter(item__in=items, stage=Stage.CROSS_CHECK)
    found = with_key_revealed(found.filter(Q(judged_at__isnull=False) | Q(solved_at__isnull=False)))
    by_item: dict[int | None, list[Review]] = {}
    for review in found.select_related("reviewer", "revision").order_by("pk"):
        by_item.setdefault(review.item_id, []).append(review)
    return by_item


def reviewers_named(project: Project, numbers: Iterable[int | None]) -> QuerySet[User]:
    """Return the users with these ids who have reviewed in the project; None among the ids is ignored."""
    reviews = Review.objects.filter(project=project)
    # one query per user: a query for both users would read all reviews of the project
    found = [one for one in numbers if one is not None and reviews.filter(reviewer=one).exists()]
    return User.objects.filter(pk__in=found)
