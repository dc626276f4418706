"""Counts calls to LLMs and the money that they cost, for operators of the site."""

from decimal import Decimal
from functools import partial
from typing import Final

from django.db import transaction

from jobs.models import Endpoint
from web.counters import count

CALLS: Final = "calls"
SPENT: Final = "spent_millionths"
ANSWERED: Final = "answered"
_MILLION: Final = 1_000_000


def count_call(outcome: str) -> None:
    """Count a call that was sent, by its outcome: `ANSWERED`, or the code of the error."""
    count(CALLS, outcome)


def count_spent(endpoint: Endpoint, amount: Decimal) -> None:
    """Count money when the transaction that books it is committed.

    It is counted by project in millionths, the smallest part that is booked; the project has the currency.
    """
    if amount:
        by = int(amount * _MILLION)
        transaction.on_commit(partial(count, SPENT, str(endpoint.project_id), by=by))
