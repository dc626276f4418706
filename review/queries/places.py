"""Places, reviews and what may be seen of them. Reads only; how the queue stands is in `waiting`."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from accounts.errors import Hidden
from accounts.models import User
from annotation.models import Item, State
from projects.models import Project
from projects.queries import members
from review.models import PlaceState, Review, ReviewRequest, Stage
from review.permissions import ROLES

STATE_OF = {
    Stage.CROSS_CHECK: State.IN_REVIEW,
    Stage.VERIFICATION: State.IN_VERIFICATION,
    Stage.ADJUDICATION: State.IN_ADJUDICATION,
}


def my_claim(user: User, project: Project, stage: str) -> ReviewRequest | None:
    """The place this person has work to do on at this stage, if any."""
    sent = Review.objects.filter(request=OuterRef("pk"), reviewer=user, sent_at__isnull=False)
    return (
        ReviewRequest.objects.filter(project=project, stage=stage, claimed_by=user, state=PlaceState.CLAIMED)
        .exclude(Exists(sent))
        .first()
    )


def get_request(*, user: User, project: Project, pk: int) -> ReviewRequest:
    """A place that this person holds, held until their lease ran out, or has judged.

    Any other does not exist for them: `Hidden`.
    """
    request = (
        ReviewRequest.objects.filter(project=project, pk=pk)
        .select_related("revision__story_revision", "item", "story")
        .first()
    )
    if request is None or not _is_theirs(user, request):
        raise Hidden(_("There is no such item in your hands."))
    request.project = project
    return request


def _is_theirs(user: User, request: ReviewRequest) -> bool:
    if user.pk in {request.claimed_by_id, request.freed_from_id}:
        return True
    return Review.objects.filter(request=request, reviewer=user).exists()


def get_review(*, user: User, request: ReviewRequest) -> Review | None:
    """This person's review of the revision of this place at its stage, if they have solved it."""
    review = (
        Review.objects.filter(revision=request.revision_id, stage=request.stage, reviewer=user)
        .select_related("chosen_option")
        .first()
    )
    if review is not None and review.request_id == request.pk:
        review.request = request
    return review


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
