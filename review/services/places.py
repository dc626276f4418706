"""Places open and close as items move; annotation calls these through its hooks."""

from django.db.models import Max
from django.utils import timezone

from annotation.models import Item, Revision, State, Transition
from projects.models import Project
from projects.queries import members
from review.figures import ENOUGH_EXPECTED, is_drawn, overlap_share
from review.models import PlaceState, Priority, Review, ReviewRequest, Stage
from review.permissions import ROLES
from review.queries.statistics import expected_items

STAGE_OF = {
    State.IN_REVIEW: Stage.CROSS_CHECK,
    State.IN_VERIFICATION: Stage.VERIFICATION,
    State.IN_ADJUDICATION: Stage.ADJUDICATION,
}


def open_places(transition: Transition) -> None:
    """Open the places of the stage that the item has entered, and close what was open before."""
    close_places(transition)
    item, revision = transition.item, transition.revision
    assert revision is not None  # noqa: S101 - only drafts lack a revision, and they are in no queue
    stage = STAGE_OF[State(transition.to_state)]
    before = ReviewRequest.objects.filter(revision=revision, stage=stage)
    first = (before.aggregate(last=Max("place"))["last"] or 0) + 1
    barred = _barred(item.project, revision, stage)
    wanted = _wanted(item, barred) if stage == Stage.CROSS_CHECK else 1
    option_count = revision.options.count()
    latest = ReviewRequest.objects.filter(item=item).order_by("-pk")
    priority = latest.values_list("priority", flat=True).first() or Priority.NORMAL
    ReviewRequest.objects.bulk_create(
        ReviewRequest(
            project_id=item.project_id,
            story_id=item.story_id,
            item=item,
            revision=revision,
            task=item.task,
            stage=stage,
            place=place,
            opened_by=transition,
            option_count=option_count,
            priority=priority,
            barred=barred,
        )
        for place in range(first, first + wanted)
    )


def _wanted(item: Item, barred: list[int]) -> int:
    """How many people shall cross-check the item.

    Two in place of one where it is drawn for a second reviewer, and two people could take it now: a
    single reviewer's items must not wait for somebody who does not exist.
    """
    project = item.project
    if project.reviews_per_item > 1 or not project.plan_overlap:
        return project.reviews_per_item
    share = overlap_share(expected_items(project, most=ENOUGH_EXPECTED))
    if not is_drawn(project.pk, item.pk, share):
        return 1
    able = members(project, ROLES[Stage.CROSS_CHECK]).exclude(pk__in=barred)
    return 2 if able.order_by()[:2].count() == 2 else 1


def _barred(project: Project, revision: Revision, stage: str) -> list[int]:
    """Who may not take the place.

    Every author of the item; who has solved this revision at this stage; and, at the later stages, who
    has judged the item before (unless reviewers may verify).
    """
    authors = Revision.objects.filter(item=revision.item_id).values_list("author", flat=True)
    judges = Review.objects.filter(item=revision.item_id)
    if stage == Stage.CROSS_CHECK or (stage == Stage.VERIFICATION and project.reviewer_may_verify):
        judges = judges.filter(revision=revision, stage=stage)
    return sorted({*authors, *judges.values_list("reviewer", flat=True)})


def close_places(transition: Transition) -> None:
    """Close every place of the item that nobody has judged: its item has moved on."""
    ReviewRequest.objects.filter(
        item=transition.item_id, state__in=[PlaceState.OPEN, PlaceState.CLAIMED]
    ).update(
        state=PlaceState.CLOSED,
        claimed_by=None,
        claimed_at=None,
        lease_expires_at=None,
        closed_at=timezone.now(),
    )
