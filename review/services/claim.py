"""Services for claiming a request, renewing its lease, and giving it back.

A claim is one statement: it locks an open request and, in share mode, its item, skips rows that others hold
at this moment, and draws the order of the options. Its time does not grow with the queue, even for a user who
is excluded from most of it, or has seen most of its keys: it examines the oldest requests first, then a few
of each group with the same excluded users. A user who has seen the keys of all examined requests gets the
first they may take; that review is not blind.

A request whose key reveals those of its siblings is claimed with them (`Project.solve_together`): all are
answered before any key is shown.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.queries.exposure import SEEN
from annotation.queries.pilot import WITHHELD_FROM
from core.errors import Conflict, Unusable, require
from parable.kinds import codes, kind_of
from projects.models import Project
from review.models import Postponement, RequestState, Review, ReviewRequest, Stage
from review.permissions import may_claim, may_go_on
from review.queries.queue import GROUPS, one_row
from review.queries.request import REQUESTS
from review.queries.sibling import SAME_STORY, sibling_values, together
from review.services.lease import (
    WORKED,
    bar,
    give_back,
    is_held,
    lease_end,
    lock_request,
    note_work,
    regain,
)
from review.services.practice import deal_practice, take_postponed_practice
from review.services.sibling import keep_siblings, let_go
from review.services.verdict import carry_out_sent_verdicts

CARRIED_OUT_AT_ONCE: Final = 5
FREED_AT_ONCE: Final = 10
LOOKED_AT_FIRST: Final = 200
MOST_GROUPS: Final = 64
LOOKED_AT_EACH_END: Final = 32
MOST_LOCKED: Final = 32
"""More users than ever claim within the same few milliseconds."""
MOST_TOGETHER: Final = 12
"""More moral items than a story has, unless hundreds of one story are imported."""
POSTPONED_FOR: Final = timedelta(hours=12)

# A verdict that can still be undone is carried out when its time is over, not discarded.
_FREE: Final = """
UPDATE review_reviewrequest AS freed
SET state = CASE WHEN gold_id IS NULL THEN 'open' ELSE 'closed' END,
    freed_from_id = claimed_by_id, freed_order = drawn_order,
    claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
WHERE id IN (
    SELECT id FROM review_reviewrequest AS request
    WHERE state = 'claimed' AND lease_expires_at < now()
      AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.request_id = request.id AND sent.reviewer_id = request.claimed_by_id
            AND sent.sent_at IS NOT NULL AND sent.judged_at IS NULL
      )
    ORDER BY lease_expires_at LIMIT %s FOR UPDATE OF request SKIP LOCKED
)
"""

# The conditions for claiming a request. Those that may change concurrently are checked again when it is
# locked. OFFSET 0 makes the planner look each request up in the index, where a join would read all reviews of
# the user.
_OPEN: Final = "request.state = 'open' AND NOT request.excluded @> ARRAY[%(user)s]::bigint[]"
_FITS: Final = f"""
{_OPEN} AND NOT request.story_id = ANY(%(kept)s::bigint[]) AND NOT request.id = ANY(%(later)s::bigint[])
  AND NOT EXISTS (
      SELECT 1 FROM review_reviewrequest AS other
      WHERE other.revision_id = request.revision_id AND other.stage = request.stage
        AND other.claimed_by_id = %(user)s
      OFFSET 0
  )
"""  # noqa: S608 - put together from the part above
# A user who has seen the key would not answer blind.
_UNEXPOSED: Final = (
    f"AND NOT {SEEN.format(item='request.item_id', story='request.story_id', task='request.task')}"
)
_LOCK: Final = "LIMIT 1 FOR UPDATE OF request SKIP LOCKED FOR SHARE OF item SKIP LOCKED"

# The data a claim needs: sent verdicts to carry out (by item, so that concurrent claims lock the items in the
# same order), the request this user holds already, whether any lease has run out; the story they read last,
# the requests they postponed, the stories hidden from them.
_BEFORE: Final = f"""
SELECT ARRAY(
    SELECT due.id FROM (
        SELECT sent.id, parable_source_of(sent.item_id, request.gold_id) AS locked_first
        FROM review_review AS sent JOIN review_reviewrequest AS request ON request.id = sent.request_id
        WHERE sent.sent_at IS NOT NULL AND sent.judged_at IS NULL AND sent.late_at IS NULL
          AND (sent.reviewer_id = %(user)s OR request.lease_expires_at < now())
          AND request.project_id = %(project)s
          AND sent.id IS DISTINCT FROM %(undoable)s
    ) AS due
    ORDER BY due.locked_first, due.id
    LIMIT {CARRIED_OUT_AT_ONCE}
), (
    SELECT id FROM review_reviewrequest AS request
    WHERE project_id = %(project)s AND stage = %(stage)s AND claimed_by_id = %(user)s AND state = 'claimed'
      AND lease_expires_at > now() AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.reviewer_id = %(user)s AND sent.request_id = request.id AND sent.sent_at IS NOT NULL
      )
    ORDER BY claimed_at, public_id LIMIT 1
), EXISTS (
    SELECT 1 FROM review_reviewrequest WHERE state = 'claimed' AND lease_expires_at < now()
), (
    SELECT request.story_id FROM review_review AS review
    JOIN review_reviewrequest AS request ON request.id = review.request_id
    WHERE review.reviewer_id = %(user)s AND request.project_id = %(project)s
    ORDER BY review.id DESC LIMIT 1
), ARRAY(
    SELECT request.id FROM review_postponement AS later
    JOIN review_reviewrequest AS request ON request.id = later.request_id
    WHERE later.user_id = %(user)s AND later.at > %(since)s AND request.project_id = %(project)s
    ORDER BY later.at, request.id
), {WITHHELD_FROM}
"""  # noqa: S608 - put together from constants

# The oldest requests of the queue, most urgent first.
_OLDEST: Final = """
    SELECT * FROM review_reviewrequest
    WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
    ORDER BY priority DESC, id LIMIT %(first)s
"""
# Requests of the story just read, unless something more urgent waits.
_OF_STORY: Final = """
    SELECT * FROM review_reviewrequest
    WHERE story_id = %(story)s AND stage = %(stage)s AND state = 'open' AND priority >= coalesce((
        SELECT priority FROM review_reviewrequest
        WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
        ORDER BY priority DESC, id LIMIT 1
    ), 0)
    ORDER BY id LIMIT %(first)s
"""
_NEAR: Final = f"""
WITH near AS MATERIALIZED ({{near}}),
fitting AS MATERIALIZED (
    SELECT request.id FROM near AS request
    WHERE {_FITS} {_UNEXPOSED} ORDER BY request.priority DESC, request.id LIMIT %(locked)s
),
found AS MATERIALIZED (
    SELECT request.id, request.option_count
    FROM fitting JOIN review_reviewrequest AS request USING (id)
    JOIN annotation_item AS item ON item.id = request.item_id
    WHERE {_OPEN} ORDER BY request.priority DESC, request.id {_LOCK}
)
"""  # noqa: S608 - put together from the parts above
_ANYWHERE: Final = f"""
{GROUPS}, mine AS MATERIALIZED (
    SELECT groups.priority, groups.excluded_key FROM groups CROSS JOIN LATERAL (
        SELECT id FROM review_reviewrequest AS request
        WHERE request.project_id = %(project)s AND request.stage = %(stage)s AND request.state = 'open'
          AND request.priority = groups.priority AND request.excluded_key = groups.excluded_key
        ORDER BY id LIMIT 1
    ) AS oldest
    WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[]
    ORDER BY groups.priority DESC, oldest.id
),
found AS MATERIALIZED (
    SELECT one.id, one.option_count FROM {{groups}} AS mine CROSS JOIN LATERAL (
        SELECT request.id, request.option_count
        FROM {{requests}} AS request JOIN annotation_item AS item ON item.id = request.item_id
        WHERE request.project_id = %(project)s AND request.stage = %(stage)s
          AND request.priority = mine.priority AND request.excluded_key = mine.excluded_key
          AND {_FITS} {{narrowed}}
        ORDER BY request.id {_LOCK}
    ) AS one LIMIT 1
)
"""  # noqa: S608 - put together from the parts above

# An exporter of a table of all items is exposed to nearly every request. So only the requests at both ends of
# the first groups are examined: those written since are at the newer end.
_END: Final = """
    (SELECT id FROM review_reviewrequest
     WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
       AND priority = mine.priority AND excluded_key = mine.excluded_key
     ORDER BY id {order} LIMIT %(ends)s)
"""
_ENDS: Final = f"{_END.format(order='')} UNION {_END.format(order='DESC')}"

_SHUFFLED: Final = ", ".join(f"'{code}'" for code in codes("has_own_options"))

# The request is selected once, as a table of its own: as a subquery in FROM it could be run again for every
# row that the planner joins it to, and each run would lock, and so claim, one request more. The options are
# drawn as in `draw_order`.
_TAKE: Final = f"""
UPDATE review_reviewrequest AS taken
SET state = 'claimed', claimed_by_id = %(user)s, claimed_at = %(at)s, lease_expires_at = %(until)s,
    active_seconds = 0,
    drawn_order = ARRAY(
        SELECT position FROM generate_series(0, found.option_count - 1) AS position
        ORDER BY CASE WHEN taken.task IN ({_SHUFFLED}) THEN random() END, position
    )
FROM found
WHERE taken.id = found.id
RETURNING {REQUESTS.columns("taken")}
"""  # noqa: S608 - put together from the model's own columns
FROM_STORY: Final = _NEAR.format(near=_OF_STORY) + _TAKE
FROM_OLDEST: Final = _NEAR.format(near=_OLDEST) + _TAKE
FROM_ANYWHERE: Final = (
    _ANYWHERE.format(
        groups="(SELECT * FROM mine LIMIT %(groups)s)",
        requests=f"({_ENDS}) AS near CROSS JOIN review_reviewrequest",
        narrowed=f"AND near.id = request.id {_UNEXPOSED}",
    )
    + _TAKE
)
FROM_EXPOSED: Final = _ANYWHERE.format(groups="mine", requests="review_reviewrequest", narrowed="") + _TAKE
# If nothing else is left, the request postponed longest ago: in queue order, one request would come back each
# time it is postponed, and those behind it never.
FROM_POSTPONED: Final = (
    f"""
WITH found AS MATERIALIZED (
    SELECT request.id, request.option_count
    FROM review_reviewrequest AS request JOIN annotation_item AS item ON item.id = request.item_id
    WHERE request.id = ANY(%(postponed)s::bigint[]) AND request.stage = %(stage)s AND {_FITS}
    ORDER BY array_position(%(postponed)s::bigint[], request.id) {_LOCK}
)
"""  # noqa: S608 - put together from the parts above
    + _TAKE
)

# One request of each revision, including postponed ones, since a key of the story is about to be shown.
SIBLINGS: Final = (
    f"""
WITH revisions AS MATERIALIZED (
    SELECT DISTINCT request.revision_id FROM review_reviewrequest AS request
    WHERE request.project_id = %(project)s AND request.stage = %(stage)s AND request.task = %(task)s
      AND request.story_id = ANY({SAME_STORY}) AND {_FITS} {_UNEXPOSED}
    ORDER BY request.revision_id LIMIT {MOST_TOGETHER - 1}
),
found AS MATERIALIZED (
    SELECT one.id, one.option_count FROM revisions CROSS JOIN LATERAL (
        SELECT request.id, request.option_count
        FROM review_reviewrequest AS request JOIN annotation_item AS item ON item.id = request.item_id
        WHERE request.revision_id = revisions.revision_id AND request.stage = %(stage)s AND {_FITS}
        ORDER BY request.id {_LOCK}
    ) AS one
)
"""  # noqa: S608 - put together from the parts above
    + _TAKE
)


@transaction.atomic
def claim_next(
    *, actor: User, project: Project, stage: str, undoable: Review | None = None
) -> ReviewRequest | None:
    """Return the request that the actor holds at this stage, or claim and return the next one, or None.

    First, the actor's sent verdicts that could still be undone are carried out, except `undoable`, the one
    just sent, which can be undone while the next request is held. Returns None if nothing is open to the
    actor; then that verdict is carried out, too, and `review.queries.waiting` gives the reason.
    """
    require(may_claim(actor, project, stage))
    before = _before(actor, project, stage, undoable)
    carry_out_sent_verdicts(reviews=before.due, actor=actor, project=project)
    if before.held is not None:
        return _held(before.held, actor, project)
    if before.has_run_out:
        with connection.cursor() as cursor:
            cursor.execute(_FREE, [FREED_AT_ONCE])
    taken = _taken(actor, project, stage, before)
    if taken is None:
        return _claim_after_last(actor, project, stage) if undoable else None
    return _with_siblings(taken, actor, before)


def _claim_after_last(actor: User, project: Project, stage: str) -> ReviewRequest | None:
    """Carry out the actor's last verdict and claim again, as its outcome may open a request for them."""
    return claim_next(actor=actor, project=project, stage=stage)


class _Before(NamedTuple):
    """The data read before a request is claimed."""

    due: list[int]
    held: int | None
    has_run_out: bool
    story: int | None
    later: list[int]
    kept: list[int]


def _before(actor: User, project: Project, stage: str, undoable: Review | None = None) -> _Before:
    since = timezone.now() - POSTPONED_FOR
    values = {"user": actor.pk, "project": project.pk, "stage": stage, "since": since}
    values["undoable"] = undoable and undoable.pk
    return _Before(*one_row(_BEFORE, values))


def _held(pk: int, actor: User, project: Project) -> ReviewRequest:
    """Return the request that the actor holds, or the unanswered sibling to answer first."""
    held = ReviewRequest.everything.get(pk=pk)
    held.project = project
    return next(iter(together(actor, held).left), held)


def _taken(actor: User, project: Project, stage: str, before: _Before) -> ReviewRequest | None:
    if stage != Stage.CROSS_CHECK or not project.gold_rate:
        return _next(actor, project, stage, before)
    dealt = deal_practice(actor, project) or _next(actor, project, stage, before)
    return dealt or take_postponed_practice(actor, project)


def _with_siblings(taken: ReviewRequest, actor: User, before: _Before) -> ReviewRequest:
    """Claim the siblings of a claimed request, too, and return the request to answer first."""
    project = taken.project
    may_bring = taken.stage != Stage.ADJUDICATION and kind_of(taken.task).exposed_by_story
    if not project.solve_together or not may_bring:
        return taken
    values = sibling_values(actor, taken) | {"kept": before.kept, "later": []}
    values |= {"at": taken.claimed_at, "until": taken.lease_expires_at}
    first = min([taken, *ReviewRequest.objects.raw(SIBLINGS, values)], key=lambda one: one.public_id)
    first.project = project
    return first


def _next(actor: User, project: Project, stage: str, before: _Before) -> ReviewRequest | None:
    values = {
        "user": actor.pk,
        "project": project.pk,
        "stage": stage,
        "story": before.story,
        "kept": before.kept,
        "later": before.later,
        "at": timezone.now(),
        "until": lease_end(project),
        "first": LOOKED_AT_FIRST,
        "locked": MOST_LOCKED,
        "groups": MOST_GROUPS,
        "ends": LOOKED_AT_EACH_END,
    }
    ways = [*([FROM_STORY] if before.story else []), FROM_OLDEST, FROM_ANYWHERE, FROM_EXPOSED]
    for way in ways:
        if (taken := _claim(way, values, project)) is not None:
            return taken
    if not before.later:
        return None
    return _claim(FROM_POSTPONED, values | {"later": [], "postponed": before.later}, project)


def _claim(way: str, values: dict[str, object], project: Project) -> ReviewRequest | None:
    for taken in REQUESTS.read(way, values):
        taken.project = project
        return taken
    return None


@transaction.atomic
def renew_lease(*, actor: User, request: ReviewRequest) -> ReviewRequest:
    """Renew the lease of a request that its claimant is working on.

    If the lease has run out, the request is regained if it is still free. Raises `Conflict` if it is not.
    """
    request = _held_request(actor, request)
    note_work(request)
    request.save(update_fields=WORKED)
    keep_siblings(actor, request)
    return request


def _held_request(actor: User, request: ReviewRequest) -> ReviewRequest:
    """Return the locked request if the actor holds it, regaining it if its lease has run out."""
    request = lock_request(request)
    require(may_go_on(actor, request))
    if request.claimed_by_id == actor.pk and request.state != RequestState.CLAIMED:
        raise Conflict(_("This item was already reviewed."))
    if not is_held(request, actor):
        raise Conflict(_("Your time expired and the item went to someone else."))
    regain(request, actor)
    return request


@transaction.atomic
def skip_request(*, actor: User, request: ReviewRequest, reason: str) -> None:
    """Give the request back with a reason; the actor is never again offered this revision at this stage."""
    request = _held_request(actor, request)
    if not reason.strip():
        raise Unusable(_("Enter a reason."), "reason")
    give_back(request, actor)
    bar(actor, request)
    record_event(actor=actor, verb="skip_place", subject=request, detail={"reason": reason.strip()[:500]})


@transaction.atomic
def postpone_request(*, actor: User, request: ReviewRequest) -> None:
    """Give the request and its siblings back; the actor is offered them again after all others.

    Raises `Conflict` if one of them is solved: it must then be judged, or skipped.
    """
    request = _held_request(actor, request)
    if Review.everything.filter(request=request, reviewer=actor).exists():
        raise Conflict(_("You have answered this item. Submit a verdict or skip it."))
    held = together(actor, request)
    if held.answered:
        raise Conflict(_("You have answered an item of this story. Answer the others or skip them."))
    others = let_go(actor, [one.pk for one in held.left if one.pk != request.pk])
    give_back(request, actor)
    for pk in [request.pk, *others]:
        Postponement.objects.update_or_create(request_id=pk, user=actor, defaults={"at": timezone.now()})
