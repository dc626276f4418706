"""Queries of siblings: requests of one story whose keys reveal each other. Reads only.

A reviewer answers all siblings before seeing any of their keys.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import KeyExposure
from parable.kinds import codes, kind_of
from review.models import Review, ReviewRequest
from review.queries.queue import one_row
from review.sql import IS_SEEN, TOGETHER


@dataclass(frozen=True, slots=True)
class Together:
    """The requests of one story that a user answers before seeing any of their keys.

    `held`: all these requests; `left`: those without an answer, the next one first.
    """

    held: tuple[ReviewRequest, ...] = ()
    left: tuple[ReviewRequest, ...] = ()

    @property
    def answered(self) -> int:
        """The number of these requests that have an answer."""
        return len(self.held) - len(self.left)

    @property
    def number(self) -> int:
        """The number of the next answer, from 1."""
        return self.answered + 1

    @property
    def size(self) -> int:
        """Return the number of requests."""
        return len(self.held)


def together(user: User, request: ReviewRequest) -> Together:
    """Return the requests that this user must answer together with `request`, including `request` itself.

    Return an empty `Together` if the request's key reveals no other key, or if the user knows the key.
    """
    if not kind_of(request.task).exposed_by_story:
        return Together()
    held = tuple(ReviewRequest.everything.raw(TOGETHER, sibling_values(user, request)))
    for one in held:
        one.project = request.project
    return Together(held, tuple(one for one in held if not vars(one)["is_answered"]))


def is_withheld(user: User, request: ReviewRequest) -> bool:
    """Return whether the key of a request that this user has answered is still withheld from the user."""
    if not kind_of(request.task).exposed_by_story:
        return False
    return not one_row(f"SELECT {IS_SEEN}", sibling_values(user, request))[0]


def has_lapsed(user: User, request: ReviewRequest, review: Review | None) -> bool:
    """Return whether the user can be shown only that the lease has run out.

    If the request's key has not been displayed yet, its siblings must be claimed again first.
    """
    if review is None:
        return request.claimed_by_id != user.pk
    may_resume = request.state == request.given_back_as and request.freed_from_id == user.pk
    return may_resume and is_withheld(user, request)


def with_key_revealed(reviews: QuerySet[Review]) -> QuerySet[Review]:
    """Exclude reviews whose reviewer has not yet seen the key of the item or of a sibling.

    A statistic or table that included them would reveal whether their answers were right.
    """
    exposures = KeyExposure.objects.filter(
        user=OuterRef("reviewer"), story=OuterRef("item__story"), task=OuterRef("item__task")
    )
    has_verdict = Q(judged_at__isnull=False) | Q(sent_at__isnull=False)
    gives_away_no_other = ~Q(item__task__in=codes("exposed_by_story"))
    return reviews.filter(has_verdict | gives_away_no_other | Exists(exposures))


def sibling_values(user: User, request: ReviewRequest) -> dict[str, Any]:
    """Return the SQL parameters of the statements about a request's siblings."""
    return {
        "user": user.pk,
        "request": request.pk,
        "project": request.project_id,
        "stage": request.stage,
        "task": request.task,
        "story": request.story_id,
        "item": request.source_id,
    }
