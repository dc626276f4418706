"""The SQL statements that take over, start and close a call.

Many calls return per second, and composing such a statement in Django takes longer than executing it. Each
statement is one round trip, and none takes a lock that it does not need.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import connection
from psycopg.types.json import Jsonb

from jobs.models import Call

# First those that have waited after an error or for a slot: the order of the index of unfinished calls.
_TAKE_OVER: Final = """
SELECT call.*
FROM jobs_call AS call
JOIN jobs_work AS job ON job.id = call.job_id AND job.state = ANY(%s)
WHERE call.job_id = %s AND call.endpoint_id = %s AND call.state = 'pending'
  AND (call.due_at IS NULL OR call.due_at <= %s)
ORDER BY call.due_at NULLS LAST
LIMIT 1
FOR UPDATE OF call SKIP LOCKED
"""

_START: Final = """
WITH booked AS (
  UPDATE jobs_budget
  SET held = held + %(held)s - %(released)s, spent = spent + %(paid)s
  WHERE job_id = %(job)s
    AND (%(held)s = 0 OR "limit" IS NULL OR "limit" >= spent + held + %(held)s - %(released)s + %(paid)s)
  RETURNING id
)
UPDATE jobs_call
SET state = 'running', attempts = attempts + 1, started_at = %(now)s, due_at = NULL, held = %(held)s
WHERE id = %(call)s AND EXISTS (SELECT FROM booked)
"""

_ANSWERED: Final = """
UPDATE jobs_call
SET state = 'done', finished_at = %(now)s, due_at = NULL, held = 0, cost = cost + %(paid)s,
    raw_response = %(raw)s, tokens_in = tokens_in + %(tokens_in)s, tokens_out = tokens_out + %(tokens_out)s,
    latency_ms = %(latency)s, subject = %(subject)s, asked_as = %(asked_as)s, reason_code = '', reason = ''
WHERE id = %(call)s AND state = 'running' AND attempts = %(attempts)s AND held = %(held)s
"""


def take_over(*, job: int, endpoint: int, open_states: Sequence[str], now: datetime) -> Call | None:
    """Lock and return the next pending call of this job and endpoint; None if there is none.

    The job must be in one of the `open_states`.
    """
    values = [list(open_states), job, endpoint, now]
    return next(iter(Call.objects.raw(_TAKE_OVER, values)), None)


def start(
    call: Call, *, held: Decimal, released: Decimal = Decimal(0), paid: Decimal = Decimal(0), now: datetime
) -> bool:
    """Reserve `held` from the job's budget and set a locked call to running; return whether this was done.

    Return False, changing nothing, if the budget has too little left. `released` and `paid` are the amounts
    of the previous call in the slot. The budget is updated last, since other transactions wait from then
    until the end of this one.
    """
    values = {"held": held, "released": released, "paid": paid, "now": now}
    started = _run(_START, {**values, "job": call.job_id, "call": call.pk}) == 1
    if started:
        call.state, call.attempts, call.started_at = "running", call.attempts + 1, now
        call.due_at, call.held = None, held
    return started


def record_answer(call: Call, *, held: Decimal, attempts: int, paid: Decimal) -> bool:
    """Save the answer of a running call; return whether this was done.

    Return False, changing nothing, if the call is no longer running this attempt with the same amount held.
    The tokens of the answer are added to those of earlier attempts.
    """
    values = {
        "call": call.pk,
        "held": held,
        "attempts": attempts,
        "paid": paid,
        "now": call.finished_at,
        "raw": call.raw_response,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "latency": call.latency_ms,
        "subject": Jsonb(call.subject),
        "asked_as": call.asked_as,
    }
    return _run(_ANSWERED, values) == 1


def _run(statement: str, values: Mapping[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)
