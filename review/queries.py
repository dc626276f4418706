"""What waits in the queue, for whom, and why there is nothing. Reads only."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Hidden
from accounts.models import User
from annotation.models import Item, State
from annotation.queries.pilots import stories_kept_from
from projects.models import Project
from projects.queries import members
from review.models import PlaceState, Review, ReviewRequest, Stage
from review.permissions import ROLES

STATE_OF = {
    Stage.CROSS_CHECK: State.IN_REVIEW,
    Stage.VERIFICATION: State.IN_VERIFICATION,
    Stage.ADJUDICATION: State.IN_ADJUDICATION,
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """How the queue of one stage stands for one person.

    `open`: places this person could take now; `held`: places others hold, the last of them until
    `held_until`; `barred`: places this person may not take (their own items, solved or skipped ones, and
    stories they write about in a pilot that runs).
    """

    stage: str
    open: int
    held: int
    held_until: datetime | None
    barred: int
    mine: ReviewRequest | None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing for this person to do now."""
        return self.open == 0 and self.mine is None


def waiting(user: User, project: Project, stage: str) -> Waiting:
    """How the queue of this stage stands for this person: the counts behind “nothing waits for you”."""
    places = ReviewRequest.objects.filter(project=project, stage=stage)
    free = places.filter(
        Q(state=PlaceState.OPEN) | Q(state=PlaceState.CLAIMED, lease_expires_at__lt=timezone.now())
    )
    for_me = (
        free.exclude(barred__contains=[user.pk])
        .exclude(revision__review_requests__in=_done_by(user, stage))
        .exclude(story__in=stories_kept_from(user, project))
    )
    held = places.filter(state=PlaceState.CLAIMED, lease_expires_at__gte=timezone.now()).exclude(
        claimed_by=user
    )
    open_for_me = for_me.count()
    return Waiting(
        stage=stage,
        open=open_for_me,
        held=held.count(),
        held_until=held.aggregate(first=Min("lease_expires_at"))["first"],
        barred=free.count() - open_for_me,
        mine=my_claim(user, project, stage),
    )


def _done_by(user: User, stage: str) -> QuerySet[ReviewRequest]:
    return ReviewRequest.objects.filter(stage=stage, claimed_by=user)


def my_claim(user: User, project: Project, stage: str) -> ReviewRequest | None:
    """The place this person holds at this stage, if any."""
    return ReviewRequest.objects.filter(
        project=project, stage=stage, claimed_by=user, state=PlaceState.CLAIMED
    ).first()


def get_request(*, user: User, project: Project, pk: int) -> ReviewRequest:
    """A place that this person holds or has judged; any other does not exist for them."""
    request = (
        ReviewRequest.objects.filter(project=project, pk=pk)
        .filter(Q(claimed_by=user) | Q(reviews__reviewer=user))
        .select_related("project", "revision__story_revision", "item", "story")
        .distinct()
        .first()
    )
    if request is None:
        raise Hidden(_("There is no such item in your hands."))
    return request


def get_review(*, user: User, request: ReviewRequest) -> Review | None:
    """This person's review at this place, if they have solved it."""
    return Review.objects.filter(request=request, reviewer=user).select_related("chosen_option").first()


@dataclass(frozen=True, slots=True)
class BlindItem:
    """All that may be seen of an item before it is solved.

    No key, author, style, moral or option id; the options in the order drawn for this person.
    """

    task: str
    title: str
    language: str
    text: str
    stem: str
    options: tuple[str, ...]


def blind_item(request: ReviewRequest) -> BlindItem:
    """The item of a place as its claimant may see it before answering."""
    wording = request.revision.story_revision
    texts = {option.position: option.text for option in request.revision.options.all()}
    return BlindItem(
        task=request.item.task,
        title=wording.title,
        language=request.story.lang,
        text=wording.text,
        stem=request.revision.stem,
        options=tuple(texts[position] for position in request.drawn_order),
    )


def verdicts_on(request: ReviewRequest) -> QuerySet[Review]:
    """All verdicts on the item of a place, oldest first: what an adjudicator sees side by side."""
    return (
        Review.objects.filter(item=request.item, judged_at__isnull=False)
        .select_related("reviewer", "revision", "chosen_option")
        .prefetch_related("revision__options", "revision__types")
        .order_by("judged_at")
    )


@dataclass(frozen=True, slots=True)
class Stuck:
    """A place that nobody in the project may take: it waits for a person, not for time."""

    request: ReviewRequest
    stage: str


def stuck_places(project: Project, limit: int = 100) -> list[Stuck]:
    """Open places for which the project has no eligible person, the oldest first."""
    found: list[Stuck] = []
    for stage in Stage:
        able = list(members(project, ROLES[stage]).values_list("pk", flat=True))
        places = ReviewRequest.objects.filter(project=project, stage=stage, state=PlaceState.OPEN)
        if able:
            places = places.filter(barred__contains=able)
        chosen = places.select_related("item__story__current", "revision").order_by("pk")[
            : limit - len(found)
        ]
        found += [Stuck(request, stage) for request in chosen]
    return found


def late_notes(project: Project) -> QuerySet[Review]:
    """Verdicts that came after their place had gone to somebody else, for the manager to read."""
    return Review.objects.filter(request__project=project, late_at__isnull=False).select_related(
        "reviewer", "item", "revision"
    )


def items_at(project: Project, stage: str) -> int:
    """How many items stand at this stage."""
    return Item.objects.filter(project=project, state=STATE_OF[Stage(stage)]).count()


def places_held(project: Project, person: User) -> QuerySet[ReviewRequest]:
    """The places of the queue that lie in this person's hands."""
    return ReviewRequest.objects.filter(
        project=project, claimed_by=person, state=PlaceState.CLAIMED
    ).order_by("pk")
