"""The check of unreleased items by the gates.

It runs when a manager orders it, and every night.
"""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import system_account
from core.errors import require
from jobs.job_types import Report, quiet
from jobs.models import Job
from jobs.services import order_job
from parable.quality.gates import judge, judge_together
from projects.models import Project
from release.models import GateCheck
from release.permissions import may_check_gates
from release.queries.gate import GATE_CHECK, parts, projects_to_check, what_stands
from release.services.gate_findings import found_in
from release.services.gate_slices import check_in_slices, is_checked_in_slices


@transaction.atomic
def order_gate_check(*, actor: User, project: Project) -> Job:
    """Order a check of the project's unreleased items; the caller must dispatch the job.

    Managers only. If a check is already waiting or running, return its job.
    """
    require(may_check_gates(actor, project))
    return order_job(actor=actor, project=project, kind=GATE_CHECK, subject=project.pk)


@transaction.atomic
def order_nightly_checks() -> list[int]:
    """Order a check of every project that has changed since its last check, and return the project ids."""
    found = projects_to_check()
    for project in found:
        order_job(
            actor=system_account(), project=project, kind=GATE_CHECK, subject=project.pk, is_capped=False
        )
    return [project.pk for project in found]


def run_gate_check(*, project_id: int, report: Report = quiet) -> list[int]:
    """Run the gates on all unreleased items, and on those of each style and writer; save the results.

    Many items are checked in slices: then return the slices to dispatch, the last of which orders this check
    again. Safe to call twice.
    """
    project = Project.objects.get(pk=project_id)
    if is_checked_in_slices(project):
        return check_in_slices(project=project, report=report)
    seen = what_stands(project)  # before anything is read, so that concurrent changes are noticed
    looked_at = parts(project)
    report(0, 0, len(looked_at))
    # The set of all items is judged alone, as in a draft; the tests of the parts are corrected together.
    whole, others = looked_at[:1], looked_at[1:]
    results = [judge(part.items, part.gates) for part in whole]
    report(0, len(whole), len(looked_at))
    results += judge_together(
        [(part.items, part.gates) for part in others], lambda done: report(0, 1 + done, len(looked_at))
    )
    findings = {
        "items": len(looked_at[0].items.items) if looked_at else 0,
        "parts": [
            found_in(part.kind, len(part.items.items), found, part.style, part.user)
            for part, found in zip(looked_at, results, strict=True)
        ],
    }
    GateCheck.objects.update_or_create(
        project=project, defaults={"checked_at": timezone.now(), "seen": seen, "findings": findings}
    )
    return []
