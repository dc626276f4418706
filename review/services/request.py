"""Services that open, close, prioritise and release requests when items change state or members leave."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.lifecycle import NOTHING
from annotation.models import Cause, Item, State, Transition
from core.errors import Unusable, require
from core.invariants import present
from parable.kinds import kind_of
from projects.models import Project
from projects.permissions import Permission, has_permission
from projects.queries import members
from review.models import Priority, RequestState, ReviewRequest, Stage
from review.overlap import ENOUGH_EXPECTED, is_drawn, overlap_share
from review.permissions import TO_JUDGE
from review.queries import requests_held
from review.queries.statistics import planned_and_submitted
from review.services.lease import give_back
from review.sql import OPENING
from web.rows import Columns, prepared_cursor

WAITING: Final = (RequestState.OPEN, RequestState.CLAIMED)
STAGE_OF: Final = {
    State.IN_REVIEW: Stage.CROSS_CHECK,
    State.IN_VERIFICATION: Stage.VERIFICATION,
    State.IN_ADJUDICATION: Stage.ADJUDICATION,
}

_REQUESTS: Final = Columns(
    ReviewRequest,
    "project_id",
    "story_id",
    "item_id",
    "revision_id",
    "task",
    "stage",
    "number",
    "opened_by_id",
    "option_count",
    "priority",
    "excluded",
)


class _Opening(NamedTuple):
    """The initial data of an item's requests: last number used, option count, priority, excluded users."""

    last: int
    option_count: int
    priority: int
    excluded: list[int]


def open_requests(transitions: Sequence[Transition]) -> None:
    """Open requests for the stage that the items have entered, and close the requests of earlier stages.

    All transitions must lead to the same state.
    """
    _reopen([one.item_id for one in transitions if one.cause == Cause.TAKEN_BACK])
    entered = [one for one in transitions if one.cause != Cause.TAKEN_BACK]
    if not entered:
        return
    close_requests(entered)
    stage = STAGE_OF[State(entered[0].to_state)]
    openings = _openings(entered, stage)
    wanted = _wanted(entered, openings) if stage == Stage.CROSS_CHECK else {}
    _REQUESTS.write(
        (
            one.item.project_id,
            one.item.story_id,
            one.item_id,
            one.revision_id,
            one.item.task,
            stage,
            opening.last + number,
            one.pk,
            opening.option_count,
            opening.priority,
            opening.excluded,
        )
        for one, opening in zip(entered, openings, strict=True)
        for number in range(1, 1 + wanted.get(one.item_id, 1))
    )


def _reopen(items: Sequence[int]) -> None:
    """Reopen the requests that an undone return had closed. The verdicts of their round still count."""
    if not items:
        return
    moved = Transition.objects.filter(item=OuterRef("item"), to_state=State.RETURNED).order_by("-pk")
    closed = ReviewRequest.objects.filter(item__in=items, state=RequestState.CLOSED)
    closed.filter(closed_at__gte=Subquery(moved.values("at")[:1])).update(
        state=RequestState.OPEN, closed_at=None
    )


def _openings(entered: Sequence[Transition], stage: str) -> list[_Opening]:
    """Return the initial data of the requests for each of these transitions, in the same order.

    Excluded are the authors of the item, everyone who solved this revision at this stage and, at later
    stages, everyone who judged the item before. At verification, the latter are not excluded if the project
    lets reviewers verify.
    """
    is_open = stage == Stage.CROSS_CHECK
    values = {
        "items": [one.item_id for one in entered],
        "revisions": [
            present(one.revision_id, "only drafts lack a revision, and they are in no queue")
            for one in entered
        ],
        "by_any": [
            not is_open and not (stage == Stage.VERIFICATION and one.item.project.reviewer_may_verify)
            for one in entered
        ],
        "stage": stage,
        "normal": Priority.NORMAL.value,
    }
    with prepared_cursor() as cursor:
        cursor.execute(OPENING, values)
        found = {item: _Opening(*opening) for item, *opening in cursor.fetchall()}
    return [found[one.item_id] for one in entered]


def _wanted(entered: Sequence[Transition], openings: Sequence[_Opening]) -> dict[int, int]:
    """Return how many people must cross-check an item, by item id. Items without an entry need one.

    The number is that of the task's raters or the project's reviews per item. If the project plans an
    overlap, it is 2 for items that are drawn for a second reviewer and that at least two members could review
    now; in a project with a single reviewer, such items would wait forever.
    """
    found: dict[int, int] = {}
    by_project: dict[int, list[tuple[Item, _Opening]]] = {}
    for one, opening in zip(entered, openings, strict=True):
        project, scale = one.item.project, kind_of(one.item.task).scale
        if scale and scale.raters > 1:
            found[one.item_id] = max(scale.raters, project.reviews_per_item)
        elif project.reviews_per_item > 1 or not project.plan_overlap:
            found[one.item_id] = project.reviews_per_item
        else:
            by_project.setdefault(one.item.project_id, []).append((one.item, opening))
    for pairs in by_project.values():
        found |= dict.fromkeys(_drawn(pairs), 2)
    return found


def _drawn(pairs: Sequence[tuple[Item, _Opening]]) -> Iterator[int]:
    """Return the ids of the items that get a second reviewer.

    Items that fewer than two members could review are left out.
    """
    project = pairs[0][0].project
    share = overlap_share(*planned_and_submitted(project, most=ENOUGH_EXPECTED))
    drawn = [(item.pk, opening.excluded) for item, opening in pairs if is_drawn(project.pk, item.pk, share)]
    able = set(members(project, TO_JUDGE[Stage.CROSS_CHECK]).values_list("pk", flat=True)) if drawn else set()
    return (item for item, excluded in drawn if len(able.difference(excluded)) >= 2)


def close_requests(transitions: Sequence[Transition]) -> None:
    """Close all unjudged requests of the items, because the items have changed state."""
    # a new item has no requests
    moved_on = [one.item_id for one in transitions if one.from_state != NOTHING]
    if moved_on:
        ReviewRequest.objects.filter(item__in=moved_on, state__in=WAITING).update(
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
    """Set the review priority of the items that are in a queue; return how many changed. Managers only.

    The priority of an item stays the same through later stages and revisions. `chosen_by`: the filter that
    selected the items, for the audit trail.
    """
    require(has_permission(actor, project, Permission.CHANGE_REVIEWS))
    if priority not in Priority.values:
        raise Unusable(_("Select when to review these items."), "priority")
    requests = ReviewRequest.objects.filter(state__in=WAITING).exclude(priority=priority)
    waiting = Item.objects.filter(Exists(requests.filter(item=OuterRef("pk"))), project=project)
    # items before requests, and by id, as everywhere: this prevents deadlocks
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
def release_all_leases(actor: User, user: User) -> int:
    """Release all requests, of practice items too, that a user has claimed whose account is closed.

    Return their number. The caller must check permission.
    """
    held = ReviewRequest.everything.filter(claimed_by=user, state=RequestState.CLAIMED)
    found = list(held.order_by("pk").select_for_update(of=("self",)))
    for request in found:
        give_back(request, user)
    return len(found)


@transaction.atomic
def release_leases(*, actor: User, project: Project, person: User) -> int:
    """Release the requests that this user has claimed, and return their number. Managers only.

    Answers already given are kept, as when a lease runs out.
    """
    require(has_permission(actor, project, Permission.CHANGE_REVIEWS))
    held = list(requests_held(project, person).select_for_update(of=("self",)))
    for request in held:
        give_back(request, person)
    return len(held)
