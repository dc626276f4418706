"""Requests open and close as items move, wait in turn or first, and are freed of who leaves."""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Cause, Item, State, Transition
from core.errors import Unusable, require
from core.invariants import present
from parable.kinds import kind_of
from projects.models import Project
from projects.permissions import may_manage
from projects.queries import members
from review.models import Priority, RequestState, ReviewRequest, Stage
from review.overlap import ENOUGH_EXPECTED, is_drawn, overlap_share
from review.permissions import TO_JUDGE
from review.queries import requests_held
from review.queries.queue import one_row
from review.queries.statistics import planned_and_submitted
from review.services.lease import give_back

WAITING: Final = (RequestState.OPEN, RequestState.CLAIMED)
STAGE_OF: Final = {
    State.IN_REVIEW: Stage.CROSS_CHECK,
    State.IN_VERIFICATION: Stage.VERIFICATION,
    State.IN_ADJUDICATION: Stage.ADJUDICATION,
}


_OPENING: Final = """
SELECT
    (SELECT coalesce(max(number), 0) FROM review_reviewrequest
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


def open_requests(transition: Transition) -> None:
    """Open the requests of the stage that the item has entered, and close what was open before."""
    if transition.cause == Cause.TAKEN_BACK:
        _reopen(transition.item)
        return
    close_requests(transition)
    item = transition.item
    revision_id = present(transition.revision_id, "only drafts lack a revision, and they are in no queue")
    stage = STAGE_OF[State(transition.to_state)]
    last, option_count, priority, excluded = _opening(item, revision_id, stage)
    wanted = _wanted(item, excluded) if stage == Stage.CROSS_CHECK else 1
    ReviewRequest.objects.bulk_create(
        ReviewRequest(
            project_id=item.project_id,
            story_id=item.story_id,
            item=item,
            revision_id=revision_id,
            task=item.task,
            stage=stage,
            number=number,
            opened_by=transition,
            option_count=option_count,
            priority=priority,
            excluded=excluded,
        )
        for number in range(last + 1, last + 1 + wanted)
    )


def _reopen(item: Item) -> None:
    """Open again the requests that the undone move had closed: the verdicts of their round still count."""
    moved = Transition.objects.filter(item=item, to_state=State.RETURNED).order_by("-pk")[:1]
    closed = ReviewRequest.objects.filter(item=item, state=RequestState.CLOSED)
    closed.filter(closed_at__gte=moved.values("at")).update(state=RequestState.OPEN, closed_at=None)


def _wanted(item: Item, excluded: list[int]) -> int:
    """How many people shall cross-check the item.

    As many as its task wants raters; else two in place of one where it is drawn for a second reviewer, and
    two people could take it now: a single reviewer's items must not wait for somebody who does not exist.
    """
    project, scale = item.project, kind_of(item.task).scale
    if scale and scale.raters > 1:
        return max(scale.raters, project.reviews_per_item)
    if project.reviews_per_item > 1 or not project.plan_overlap:
        return project.reviews_per_item
    share = overlap_share(*planned_and_submitted(project, most=ENOUGH_EXPECTED))
    if not is_drawn(project.pk, item.pk, share):
        return 1
    able = members(project, TO_JUDGE[Stage.CROSS_CHECK]).exclude(pk__in=excluded)
    return 2 if able.order_by()[:2].count() == 2 else 1


def _opening(item: Item, revision_id: int | None, stage: str) -> tuple[int, int, int, list[int]]:
    """The number of the last request of this stage, the number of options, the priority, and who is excluded.

    Barred are every author of the item; who has solved this revision at this stage; and, at the later
    stages, who has judged the item before (unless reviewers may verify).
    """
    may_return = stage == Stage.VERIFICATION and item.project.reviewer_may_verify
    values = {
        "item": item.pk,
        "revision": revision_id,
        "stage": stage,
        "any": stage != Stage.CROSS_CHECK and not may_return,
        "normal": Priority.NORMAL.value,
    }
    last, option_count, priority, excluded = one_row(_OPENING, values)
    return last, option_count, priority, excluded


def close_requests(transition: Transition) -> None:
    """Close every request of the item that nobody has judged: its item has moved on."""
    ReviewRequest.objects.filter(item=transition.item_id, state__in=WAITING).update(
        state=RequestState.CLOSED,
        claimed_by=None,
        claimed_at=None,
        lease_expires_at=None,
        closed_at=timezone.now(),
    )


@transaction.atomic
def set_priority(
    *,
    actor: User,
    project: Project,
    items: QuerySet[Item],
    priority: int,
    chosen_by: Mapping[str, str | int] | None = None,
) -> int:
    """Have those of these items that wait reviewed first, or in turn again; how many changed. Managers only.

    What an item is given stays with it through later stages and revisions. `chosen_by`: the filter that
    the items were chosen by, for the audit trail.
    """
    require(may_manage(actor, project))
    if priority not in Priority.values:
        raise Unusable(_("Select when to review these items."), "priority")
    requests = ReviewRequest.objects.filter(state__in=WAITING).exclude(priority=priority)
    waiting = Item.objects.filter(Exists(requests.filter(item=OuterRef("pk"))), project=project)
    # items before requests, and by number, as everywhere: nobody waits in a circle
    locked = (
        waiting.filter(pk__in=items.order_by().values("pk")).order_by("pk").select_for_update(of=("self",))
    )
    changed = list(locked.values_list("pk", flat=True))
    requests.filter(item__in=changed).update(priority=priority)
    if changed:
        detail = {"priority": priority, "items": len(changed), "chosen_by": dict(chosen_by or {})}
        record_event(actor=actor, verb="set_priority", subject=project, detail=detail)
    return len(changed)


@transaction.atomic
def release_leases(*, actor: User, project: Project, person: User) -> int:
    """Let others take what this person holds; how many requests there were. Managers only.

    What they have answered already is kept, as it is where a lease runs out.
    """
    require(may_manage(actor, project))
    held = list(requests_held(project, person).select_for_update(of=("self",)))
    for request in held:
        give_back(request, person)
    return len(held)
