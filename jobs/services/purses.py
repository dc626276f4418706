"""One budget for all that a project asks of models: batches, questions about stems, trials, measurements.

Each job is promised its share before it begins, so that what jobs may spend together is never more.
"""

from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from jobs.models import ProjectBudget, Work
from jobs.permissions import may_keep_endpoints
from jobs.queries import purse
from jobs.services.budgets import lock_budget
from projects.models import Project


def lock_purse(project_id: int) -> None:
    """Let nobody else be promised anything until the transaction ends. Taken before the job's lock."""
    Project.objects.select_for_update(no_key=True).get(pk=project_id)


@transaction.atomic
def set_project_budget(*, actor: User, project: Project, limit: Decimal | None) -> None:
    """Say what the project may spend on models in all; None takes the limit away. Managers only.

    A limit below what is spent or promised stops nothing that is at work, and lets nothing new begin.
    """
    require(may_keep_endpoints(actor, project))
    if limit is not None and limit < 0:
        raise Unusable(_("A budget is never below 0."), {"limit": _("A budget is never below 0.")})
    lock_purse(project.pk)
    ProjectBudget.objects.update_or_create(project=project, defaults={"limit": limit, "set_by": actor})
    detail = {"limit": None if limit is None else str(limit)}
    record_event(actor=actor, verb="set_project_budget", subject=project, detail=detail)


def take_share(job: Work) -> None:
    """Give a job its share of the project's budget; `Conflict` where so much is not left.

    Its share is its own budget, or what it is estimated to cost at most where it has none: that is its
    budget then. Nothing changes where the project has no limit. The project is locked (`lock_purse`).
    """
    left = purse(job.project, apart_from=job.pk).left
    if left is None:
        return
    budget = lock_budget(job.pk)
    wanted = budget.limit if budget.limit is not None else max(budget.estimate, budget.spent + budget.held)
    if wanted - budget.spent > left:
        about = {"left": _amount(max(left, Decimal(0))), "more": _amount(wanted - budget.spent)}
        raise Conflict(
            _(
                "The project's budget for models has %(left)s left, and this may cost %(more)s."
                " A manager can raise it."
            )
            % about
        )
    budget.limit = wanted
    budget.save(update_fields=["limit"])


def _amount(money: Decimal) -> str:
    return f"{money.normalize():f}"
