"""Places, reviews and what may be seen of them. Reads only; how the queue stands is in `waiting`."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.kinds import item_name
from annotation.models import Item, State
from core.errors import Hidden
from projects.models import Project
from projects.queries import members
from review.models import Deputy, PlaceState, Review, ReviewRequest, Stage
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

    @property
    def byline(self) -> str:
        """What such an item is called."""
        return item_name(self.task)


def blind_item(request: ReviewRequest) -> BlindItem:
    """The item of a place as its claimant may see it before answering."""
    wording = request.revision.story_revision
    texts = {option.position: option.text for option in request.revision.options.all()}
    return BlindItem(
        task=request.task,
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
    """A place that nobody in the project may take: it waits for a person, not for time.

    `nobody_has_role`: whether no member does this stage's work at all; else all who do have written,
    judged or skipped the item. `could_stand_in`: members who may be named for it, whatever their roles.
    """

    request: ReviewRequest
    stage: str
    nobody_has_role: bool
    could_stand_in: tuple[User, ...]


def stuck_places(project: Project, limit: int = 100) -> list[Stuck]:
    """Open places for which the project has no eligible person and nobody is named, the oldest first."""
    found: list[Stuck] = []
    everybody = list(members(project))
    for stage in Stage:
        able = list(members(project, ROLES[stage]).values_list("pk", flat=True))
        places = ReviewRequest.objects.filter(project=project, stage=stage, state=PlaceState.OPEN)
        if able:
            places = places.filter(barred__contains=able)
        named = Deputy.objects.filter(request=OuterRef("pk"), person__in=everybody)
        chosen = (
            places.exclude(Exists(named))
            .select_related("item__story__current", "revision", "story")
            .order_by("pk")[: limit - len(found)]
        )
        found += [Stuck(one, stage, not able, could_stand_in(one, everybody)) for one in chosen]
    return found


def could_stand_in(request: ReviewRequest, everybody: Iterable[User]) -> tuple[User, ...]:
    """Of these people, who has neither written nor judged nor skipped the item of this place."""
    return tuple(person for person in everybody if person.pk not in request.barred)


def standing_in(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """The places that this person is named for and has yet to judge, the oldest first."""
    mine = ReviewRequest.objects.filter(project=project, deputies__person=user)
    return (
        mine.filter(Q(state=PlaceState.OPEN) | Q(state=PlaceState.CLAIMED, claimed_by=user))
        .exclude(barred__contains=[user.pk], state=PlaceState.OPEN)
        .select_related("revision__story_revision", "story")
        .order_by("pk")
    )


def get_place(*, project: Project, pk: int) -> ReviewRequest:
    """A place of the project, for who names a deputy for it or is named: permissions say who that is."""
    request = ReviewRequest.objects.filter(project=project, pk=pk).select_related("project").first()
    if request is None:
        raise Hidden(_("There is no such item in your hands."))
    return request


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
