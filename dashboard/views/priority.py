"""Having the items of a filter of the manager's view reviewed first."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from dashboard.forms import OverviewFilter, PriorityForm
from dashboard.queries.overview import submitted_items
from dashboard.queries.overview_counts import forget_counts
from projects.page import managed_project
from review.models import Priority
from review.services import set_priority
from web.requests import signed_in


@login_required
@require_POST
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """Reviewers get the items that the address narrows to first, or in turn again."""
    user, project = signed_in(request), managed_project(request, slug)
    wanted = OverviewFilter(request.GET, has_types=project.has_types).wanted()
    priority = PriorityForm(request.POST).chosen()
    items = submitted_items(project, **wanted)
    changed = set_priority(actor=user, project=project, items=items, priority=priority, chosen_by=wanted)
    forget_counts(project, wanted)
    messages.success(request, _message(changed, priority))
    return redirect(f"{reverse('dashboard:overview', args=[slug])}?{request.GET.urlencode()}")


def _message(changed: int, priority: int) -> str:
    if priority == Priority.FIRST:
        said = ngettext(
            "%(n)d item in the queue will be reviewed first.",
            "%(n)d items in the queue will be reviewed first.",
            changed,
        )
    else:
        said = ngettext(
            "%(n)d item in the queue will be reviewed in normal order.",
            "%(n)d items in the queue will be reviewed in normal order.",
            changed,
        )
    return said % {"n": changed}
