"""Estimate, hold, settle: what a call may cost is held before it is made, what it did is booked after."""

from decimal import Decimal

from django.db.models import F

from jobs.models import Budget, Call, Endpoint
from jobs.pricing import cost, most_it_may_cost


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


def hold(budget: Budget, call: Call, amount: Decimal) -> None:
    """Set the amount aside for the call; both rows are locked by the caller."""
    budget.held += amount
    budget.save(update_fields=["held"])
    call.held = amount


def release(budget: Budget, call: Call) -> None:
    """Give back what was held for a call that cost nothing."""
    budget.held -= call.held
    budget.save(update_fields=["held"])
    call.held = Decimal(0)


def settle(budget: Budget, call: Call, endpoint: Endpoint, tokens_in: int, tokens_out: int) -> None:
    """Book what the call did cost in place of what was held for it."""
    paid = cost(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        price_in=endpoint.price_in,
        price_out=endpoint.price_out,
    )
    budget.held -= call.held
    budget.spent += paid
    budget.save(update_fields=["held", "spent"])
    call.held = Decimal(0)
    call.cost += paid


def raise_limit(budget: Budget, limit: Decimal | None) -> None:
    """Give the budget a new limit, or none."""
    budget.limit = limit
    budget.save(update_fields=["limit"])


def add_estimate(job_id: int, amount: Decimal) -> None:
    """Note what the calls that were added are thought to cost."""
    Budget.objects.filter(job_id=job_id).update(estimate=F("estimate") + amount)
