"""Queries of requests that no member of a project may claim, and of possible substitutes for them.

`count_blocked` in `queue.py` counts blocked items for many queues at once.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from projects.models import Project
from projects.queries import members
from review.models import RequestState, ReviewRequest, Stage, Substitute
from review.permissions import TO_JUDGE
from review.queries.queue import count_blocked


@dataclass(frozen=True, slots=True)
class BlockedRequest:
    """A request that no member may claim until the project changes its roles or names a substitute.

    `nobody_has_role`: True if no member has a role for this stage; False if all members with such a role have
    written, judged or skipped the item. `possible_substitutes`: members who may be named, whatever their
    roles.
    """

    request: ReviewRequest
    stage: str
    nobody_has_role: bool
    possible_substitutes: tuple[User, ...]


def blocked_requests(project: Project, limit: int = 100) -> list[BlockedRequest]:
    """Return the first of `blocked_in_project`, oldest first in each stage, with possible substitutes."""
    found: list[BlockedRequest] = []
    everybody = list(members(project))
    # counted by groups that exclude the same users; all open requests are read only if some are blocked
    counted = count_blocked((project.pk, stage) for stage in Stage)
    for stage in Stage:
        if not counted.get((project.pk, stage)):
            continue
        blocked = blocked_in_project(project, (stage,)).order_by("pk").values_list("pk", flat=True)
        # joined in the same statement, all requests of the site would be read in the order of their keys
        first = ReviewRequest.objects.filter(pk__in=list(blocked[: limit - len(found)]))
        able = members(project, TO_JUDGE[stage]).exists()
        found += [
            BlockedRequest(one, stage, not able, possible_substitutes(one, everybody))
            for one in first.select_related("item__story__current", "revision", "story").order_by("pk")
        ]
    return found


def blocked_in_project(project: Project, stages: Iterable[Stage] = Stage) -> QuerySet[ReviewRequest]:
    """Return the open requests of these stages that no member and no substitute may claim."""
    beyond = Q(pk__in=[])
    for stage in stages:
        able = list(members(project, TO_JUDGE[stage]).values_list("pk", flat=True))
        beyond |= Q(stage=stage, excluded__contains=able) if able else Q(stage=stage)
    named = Substitute.objects.filter(request=OuterRef("pk"), person__in=members(project))
    found = ReviewRequest.objects.filter(beyond, project=project, state=RequestState.OPEN)
    return found.exclude(Exists(named))


def possible_substitutes(request: ReviewRequest, everybody: Iterable[User]) -> tuple[User, ...]:
    """Return the users of `everybody` who have not written, judged or skipped the request's item."""
    return tuple(person for person in everybody if person.pk not in request.excluded)


def blocked_in(projects: Iterable[int]) -> dict[int, int]:
    """Return how many items no member may review, by project; projects without such items are left out."""
    found: dict[int, int] = {}
    for (project, _stage), n in count_blocked((one, stage) for one in projects for stage in TO_JUDGE).items():
        found[project] = found.get(project, 0) + n
    return {project: n for project, n in found.items() if n}


def blocked_by_stage(project: Project) -> dict[Stage, int]:
    """Return how many of the items that `blocked_in` counts are in each stage; empty stages are left out."""
    counted = count_blocked((project.pk, stage) for stage in Stage)
    return {stage: n for stage in Stage if (n := counted.get((project.pk, stage), 0))}
