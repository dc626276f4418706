"""View that sets the review priority of the items that the overview's filters select."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from dashboard.forms import OverviewFilter, PriorityForm
from dashboard.queries.overview import submitted_items
from dashboard.queries.overview_counts import forget_counts
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from review.models import Priority
from review.services import set_priority
from web.requests import MemberRequest


@project_page(Permission.CHANGE_REVIEWS)
@require_POST
def change(request: MemberRequest, project: Project) -> HttpResponse:
    """Set the review priority of the items that the overview's query string selects."""
    user = request.user
    wanted = OverviewFilter(request.GET, has_types=project.has_types).wanted()
    priority = PriorityForm(request.POST).chosen()
    items = submitted_items(project, **wanted)
    changed = set_priority(actor=user, project=project, items=items, priority=priority, chosen_by=wanted)
    forget_counts(project, wanted)
    if priority == Priority.FIRST:
        message = ngettext(
            "%(n)d item in the queue will be reviewed first.",
            "%(n)d items in the queue will be reviewed first.",
            changed,
        )
    else:
        message = ngettext(
            "%(n)d item in the queue will be reviewed in normal order.",
            "%(n)d items in the queue will be reviewed in normal order.",
            changed,
        )
    messages.success(request, message % {"n": changed})
    return redirect(f"{reverse('dashboard:overview', args=[project.slug])}?{request.GET.urlencode()}")
