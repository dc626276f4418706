"""Pages of the gates for unreleased items. Checks run every night and on demand."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from jobs.hooks import dispatch
from jobs.queries import job_of
from projects.models import Language, Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.queries.gate import (
    GATE_CHECK,
    count_unreleased,
    gate_check,
    progress_of_slices,
    what_stands,
)
from release.views.gate_presentation import LANGUAGES, gate_table
from web.requests import MemberRequest


@project_page(Permission.SEE_RELEASES)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the latest results of the gates, their age, and the progress of a running check."""
    work, found = job_of(GATE_CHECK, project.pk), gate_check(project)
    has_looked = found is not None and found.checked_at is not None
    context = {
        "project": project,
        "section": "release",
        "check": found,
        "work": work,
        "slices": progress_of_slices(project),
        "has_moved": found is not None and has_looked and found.seen != what_stands(project),
        "shown": gate_table(project, found.findings) if found is not None and has_looked else None,
        "waiting": 0 if has_looked else count_unreleased(project),
        "lang": LANGUAGES[Language(project.language)],
    }
    return render(request, "release/gates.html", context)


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def check(request: MemberRequest, project: Project) -> HttpResponse:
    """Order a check of unreleased items by the gates.

    If the broker is unavailable, the sweep dispatches the job later.
    """
    services.order_gate_check(actor=request.user, project=project)
    dispatch(GATE_CHECK, project.pk)
    return redirect("release:gates", project.slug)
