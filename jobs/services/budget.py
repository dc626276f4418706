"""Budgets: a call's highest cost is reserved before the call, and its actual cost is booked afterwards."""

from decimal import Decimal
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from jobs.models import Budget, Call, Endpoint, Job, ProjectBudget
from jobs.permissions import may_keep_endpoints
from jobs.pricing import cost, most_it_may_cost
from jobs.queries import budget_state
from projects.models import Project

NOTHING: Final = Decimal(0)


def lock_budget(job_id: int) -> Budget:
    """Return the job's budget, locked until the transaction ends."""
    return Budget.objects.select_for_update().get(job_id=job_id)


def hold_for(call: Call, endpoint: Endpoint) -> Decimal:
    """Return the amount to reserve for a call: an estimate of its highest cost."""
    return most_it_may_cost(
        call.prompt, call.parameters, price_in=endpoint.price_in, price_out=endpoint.price_out
    )


def fits(budget: Budget, amount: Decimal) -> bool:
    """Return whether the amount can be reserved within the budget's limit."""
    return budget.limit is None or budget.spent + budget.held + amount <= budget.limit


def book(
    job_id: int, *, held: Decimal = NOTHING, released: Decimal = NOTHING, paid: Decimal = NOTHING
) -> bool:
    """Reserve, release and spend amounts of a job's budget in one SQL statement; return whether it succeeded.

    Return False, changing nothing, if `held` would exceed the limit. Call it last in a transaction: other
    transactions wait until its end.
    """
    budget = Budget.objects.filter(job_id=job_id)
    change = held - released
    if held:
        within = Q(limit__gte=F("spent") + F("held") + change + paid)
        budget = budget.filter(Q(limit=None) | within)
    return bool(budget.update(held=F("held") + change, spent=F("spent") + paid))


def price(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> Decimal:
    """Return the cost of these tokens at the endpoint's prices."""
    return cost(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        price_in=endpoint.price_in,
        price_out=endpoint.price_out,
    )


def raise_limit(budget: Budget, limit: Decimal | None) -> None:
    """Set the limit of a locked budget; None removes it. Raise `Unusable` if more is spent or reserved."""
    if limit is not None and limit < budget.spent + budget.held:
        message = _("The budget must be at least the amount spent and reserved: %(amount)s.")
        text = message % {"amount": f"{(budget.spent + budget.held).normalize():f}"}
        raise Unusable(text, "limit")
    budget.limit = limit
    budget.save(update_fields=["limit"])


def add_estimate(job_id: int, amount: Decimal) -> None:
    """Add the estimated cost of new calls to the estimate of the job's budget."""
    Budget.objects.filter(job_id=job_id).update(estimate=F("estimate") + amount)


def lock_project_budget(project_id: int) -> None:
    """Lock the project's budget until the transaction ends. Lock it before any job."""
    Project.objects.select_for_update(no_key=True).get(pk=project_id)


@transaction.atomic
def set_project_budget(*, actor: User, project: Project, limit: Decimal | None) -> None:
    """Set the limit of the project's spending on LLMs; None removes it. Only managers may.

    A limit below the spent and reserved amounts stops no running job, but new jobs are refused.
    """
    require(may_keep_endpoints(actor, project))
    if limit is not None and limit < 0:
        raise Unusable(_("A budget cannot be negative."), "limit")
    lock_project_budget(project.pk)
    ProjectBudget.objects.update_or_create(project=project, defaults={"limit": limit, "set_by": actor})
    detail = {"limit": None if limit is None else str(limit)}
    record_event(actor=actor, verb="set_project_budget", subject=project, detail=detail)


def take_share(job: Job) -> None:
    """Reserve a job's budget from the project's budget. Raise `Conflict` if too little is left.

    The reserved amount is the job's own budget or, without one, its maximum estimated cost, which becomes its
    budget. Does nothing if the project has no limit. The caller must have locked the project
    (`lock_project_budget`).
    """
    left = budget_state(job.own_project, apart_from=job.pk).left
    if left is None:
        return
    budget = lock_budget(job.pk)
    wanted = budget.limit if budget.limit is not None else max(budget.estimate, budget.spent + budget.held)
    if wanted - budget.spent > left:
        about = {"left": _amount(max(left, Decimal(0))), "more": _amount(wanted - budget.spent)}
        raise Conflict(
            _(
                "The project's budget has %(left)s left, and this may cost %(more)s. A manager"
                " can raise the budget."
            )
            % about
        )
    budget.limit = wanted
    budget.save(update_fields=["limit"])


def _amount(money: Decimal) -> str:
    return f"{money.normalize():f}"
