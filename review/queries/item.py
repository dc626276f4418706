"""The items behind a figure of the reviews, and who chose which option of an item. Reads only."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from annotation.models import Item, Revision, RevisionType
from projects.models import Project
from projects.permissions import Permission, permissions_of
from review.models import Deputy, PlaceState, Review, ReviewRequest, Stage

BLIND_STAGES = (Stage.CROSS_CHECK, Stage.VERIFICATION)


@dataclass(frozen=True, slots=True)
class Choices:
    """How many blind answers named each option, by its number; how many none or several; how many in all."""

    of_option: dict[int, int]
    none_fits: int
    several_fit: int
    right: int
    n: int


def blind_choices(revision: Revision) -> Choices:
    """The blind answers to one revision at every stage; misclicks are left out."""
    found = Review.objects.filter(revision=revision, solved_at__isnull=False, blind=True, slip=False)
    rows = list(found.order_by().values_list("answer", "chosen_option", "is_correct").annotate(n=Count("pk")))
    of_option: dict[int, int] = {}
    for _answer, option, _is_correct, n in rows:
        if option is not None:
            of_option[option] = of_option.get(option, 0) + n
    return Choices(
        of_option,
        sum(row[3] for row in rows if row[0] == "none_fits"),
        sum(row[3] for row in rows if row[0] == "several_fit"),
        sum(row[3] for row in rows if row[2]),
        sum(row[3] for row in rows),
    )


@dataclass(frozen=True, slots=True)
class Behind:
    """Which figure of the reviews: empty fields narrow nothing.

    `answers`: items with a blind answer, `rated`: with a rating; `twice`: with two ratings of one revision,
    `differ`: of which two differ. `rating` and `wrong` speak of `reviewer` where one is given.
    """

    task: str = ""
    kind: int | None = None
    reviewer: int | None = None
    second: int | None = None
    rating: int | None = None
    rated: bool = False
    twice: bool = False
    differ: bool = False
    answers: bool = False
    wrong: bool = False


def items_behind(project: Project, behind: Behind) -> QuerySet[Item]:
    """The items of a figure, newest first: of reviews as `rated_rows` and `solved_rows` count them."""
    found = Item.objects.filter(project=project).order_by("-pk")
    if behind.task:
        found = found.filter(task=behind.task)
    for reviews in _conditions(project, behind):
        found = found.filter(Exists(reviews))
    return found.select_related("story__current", "current")


def _conditions(project: Project, behind: Behind) -> list[QuerySet[Review]]:
    """What reviews of the item there must be, each condition apart."""
    first = _by(_rated(project), behind.reviewer)
    conditions = []
    if behind.rated or behind.rating is not None:
        conditions.append(first if behind.rating is None else first.filter(rating=behind.rating))
    if behind.second is not None:
        conditions.append(_beside(first, project, Q(reviewer=behind.second)))
    if behind.twice or behind.differ:
        conditions.append(_beside(first, project, Q(), differ=behind.differ))
    if behind.answers or behind.wrong or behind.kind is not None:
        conditions.append(_solved(project, behind))
    return conditions


def _of_item(project: Project) -> QuerySet[Review]:
    return Review.objects.filter(item=OuterRef("pk"), request__project=project, stage=Stage.CROSS_CHECK)


def _rated(project: Project) -> QuerySet[Review]:
    return _of_item(project).filter(judged_at__isnull=False, rating__isnull=False)


def _by(reviews: QuerySet[Review], reviewer: int | None) -> QuerySet[Review]:
    return reviews if reviewer is None else reviews.filter(reviewer=reviewer)


def _beside(reviews: QuerySet[Review], project: Project, who: Q, *, differ: bool = False) -> QuerySet[Review]:
    """Those whose revision somebody else rated too, differently where that is asked."""
    others = Review.objects.filter(
        who,
        revision=OuterRef("revision"),
        request__project=project,
        stage=Stage.CROSS_CHECK,
        judged_at__isnull=False,
        rating__isnull=False,
    ).exclude(reviewer=OuterRef("reviewer"))
    return reviews.filter(Exists(others.exclude(rating=OuterRef("rating")) if differ else others))


def _solved(project: Project, behind: Behind) -> QuerySet[Review]:
    found = _by(_of_item(project), behind.reviewer).filter(solved_at__isnull=False, blind=True, slip=False)
    if behind.wrong:
        found = found.exclude(is_correct=True)
    if behind.kind is not None:
        links = RevisionType.objects.filter(revision=OuterRef("revision"), type=behind.kind)
        found = found.filter(Exists(links))
    return found


def still_to_solve(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Requests of items that this person may still judge: now, in verification later, or in hand."""
    judges = permissions_of(user, project) & (Permission.REVIEW | Permission.VERIFY)
    live = ReviewRequest.objects.filter(
        project=project, stage__in=BLIND_STAGES, state__in=[PlaceState.OPEN, PlaceState.CLAIMED]
    )
    if not judges:
        live = live.filter(pk__in=Deputy.objects.filter(person=user).values("request"))
    return live.filter(~Q(barred__contains=[user.pk]) | Q(claimed_by=user))


def without_those_to_solve(user: User, project: Project, found: QuerySet[Item]) -> QuerySet[Item]:
    """Leave out the items that this person may still solve: what others found in them is kept from them."""
    return found.exclude(pk__in=Subquery(still_to_solve(user, project).values("item")))


def reviews_of(items: Sequence[Item]) -> dict[int | None, list[Review]]:
    """By item, the reviews that the figures count, in the order in which they were given."""
    found = Review.objects.filter(item__in=items, stage=Stage.CROSS_CHECK).filter(
        Q(judged_at__isnull=False) | Q(solved_at__isnull=False)
    )
    by_item: dict[int | None, list[Review]] = {}
    for review in found.select_related("reviewer", "revision").order_by("pk"):
        by_item.setdefault(review.item_id, []).append(review)
    return by_item
