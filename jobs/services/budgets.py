"""Estimate, hold, settle: what a call may cost is held before it is made, what it did is booked after."""

from decimal import Decimal
from typing import Final

from django.db.models import F, Q
from django.utils.translation import gettext as _

from core.errors import Unusable
from jobs.models import Budget, Call, Endpoint
from jobs.pricing import cost, most_it_may_cost

NOTHING: Final = Decimal(0)


def lock_budget(job_id: int) -> Budget:
    """The job's budget, held until the transaction ends."""
    return Budget.objects.select_for_update().get(job_id=job_id)


def hold_for(call: Call, endpoint: Endpoint) -> Decimal:
    """What the call may cost at most, as far as that can be known before."""
    return most_it_may_cost(
        call.prompt, call.parameters, price_in=endpoint.price_in, price_out=endpoint.price_out
    )


def fits(budget: Budget, amount: Decimal) -> bool:
    """Whether the amount can be held without going past the limit."""
    return budget.limit is None or budget.spent + budget.held + amount <= budget.limit


def book(
    job_id: int, *, held: Decimal = NOTHING, released: Decimal = NOTHING, paid: Decimal = NOTHING
) -> bool:
    """Change what is held and spent in one statement; False where the limit does not allow to hold more.

    The last thing that a transaction does: from here to its end others wait.
    """
    budget = Budget.objects.filter(job_id=job_id)
    change = held - released
    if held:
        within = Q(limit__gte=F("spent") + F("held") + change + paid)
        budget = budget.filter(Q(limit=None) | within)
    return bool(budget.update(held=F("held") + change, spent=F("spent") + paid))


def price(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> Decimal:
    """What so many tokens cost at this endpoint."""
    return cost(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        price_in=endpoint.price_in,
        price_out=endpoint.price_out,
    )


def raise_limit(budget: Budget, limit: Decimal | None) -> None:
    """Give the locked budget a new limit, or none; `Unusable` where more is spent or held already."""
    if limit is not None and limit < budget.spent + budget.held:
        message = _("The budget must be at least what is spent and held already: %(amount)s.")
        text = message % {"amount": f"{(budget.spent + budget.held).normalize():f}"}
        raise Unusable(text, {"limit": text})
    budget.limit = limit
    budget.save(update_fields=["limit"])


def add_estimate(job_id: int, amount: Decimal) -> None:
    """Note what the calls that were added are thought to cost."""
    Budget.objects.filter(job_id=job_id).update(estimate=F("estimate") + amount)
