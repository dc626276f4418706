"""Places open and close as items move; annotation calls these through its hooks."""

from typing import Final

from django.utils import timezone

from annotation.models import Item, Revision, State, Transition
from projects.queries import members
from review.figures import ENOUGH_EXPECTED, is_drawn, overlap_share
from review.models import PlaceState, Priority, ReviewRequest, Stage
from review.permissions import ROLES
from review.queries.rows import one_row
from review.queries.statistics import planned_and_submitted

STAGE_OF = {
    State.IN_REVIEW: Stage.CROSS_CHECK,
    State.IN_VERIFICATION: Stage.VERIFICATION,
    State.IN_ADJUDICATION: Stage.ADJUDICATION,
}


_OPENING: Final = """
SELECT
    (SELECT coalesce(max(place), 0) FROM review_reviewrequest
     WHERE revision_id = %(revision)s AND stage = %(stage)s),
    (SELECT count(*) FROM annotation_option WHERE revision_id = %(revision)s),
    coalesce((
        SELECT priority FROM review_reviewrequest WHERE item_id = %(item)s ORDER BY id DESC LIMIT 1
    ), %(normal)s),
    ARRAY(
        SELECT parable_authors_of(%(item)s)
        UNION
        SELECT reviewer_id FROM review_review
        WHERE item_id = %(item)s AND (%(any)s OR revision_id = %(revision)s AND stage = %(stage)s)
        ORDER BY 1
    )
"""


def open_places(transition: Transition) -> None:
    """Open the places of the stage that the item has entered, and close what was open before."""
    close_places(transition)
    item, revision = transition.item, transition.revision
    assert revision is not None  # noqa: S101 - only drafts lack a revision, and they are in no queue
    stage = STAGE_OF[State(transition.to_state)]
    last, option_count, priority, barred = _opening(item, revision, stage)
    wanted = _wanted(item, barred) if stage == Stage.CROSS_CHECK else 1
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
        for place in range(last + 1, last + 1 + wanted)
    )


def _wanted(item: Item, barred: list[int]) -> int:
    """How many people shall cross-check the item.

    Two in place of one where it is drawn for a second reviewer, and two people could take it now: a
    single reviewer's items must not wait for somebody who does not exist.
    """
    project = item.project
    if project.reviews_per_item > 1 or not project.plan_overlap:
        return project.reviews_per_item
    share = overlap_share(*planned_and_submitted(project, most=ENOUGH_EXPECTED))
    if not is_drawn(project.pk, item.pk, share):
        return 1
    able = members(project, ROLES[Stage.CROSS_CHECK]).exclude(pk__in=barred)
    return 2 if able.order_by()[:2].count() == 2 else 1


def _opening(item: Item, revision: Revision, stage: str) -> tuple[int, int, int, list[int]]:
    """The last place that this stage has had, the number of options, the priority, and who is barred.

    Barred are every author of the item; who has solved this revision at this stage; and, at the later
    stages, who has judged the item before (unless reviewers may verify).
    """
    may_return = stage == Stage.VERIFICATION and item.project.reviewer_may_verify
    values = {
        "item": item.pk,
        "revision": revision.pk,
        "stage": stage,
        "any": stage != Stage.CROSS_CHECK and not may_return,
        "normal": Priority.NORMAL.value,
    }
    last, option_count, priority, barred = one_row(_OPENING, values) or (0, 0, 0, [])
    return last, option_count, priority, barred


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
