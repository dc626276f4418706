"""Pages of a stage's queue: its state, and claiming, skipping and postponing requests."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import User
from annotation.permissions import may_see_item
from annotation.queries.item import get_item
from annotation.services import record_key_exposures
from core.errors import Unusable, require
from projects.queries import get_project
from review import services
from review.forms import SkipForm
from review.models import Review, ReviewRequest, Stage
from review.permissions import may_claim
from review.queries import get_held_request, items_at, late_notes, waiting
from review.queries.practice import lessons_of
from review.queries.verdict import judgements_on
from web.requests import is_step, signed_in

PAGE_OF = {
    Stage.CROSS_CHECK: "review:queue",
    Stage.VERIFICATION: "review:verify",
    Stage.ADJUDICATION: "review:adjudicate",
}


def page_after(user: User, review_request: ReviewRequest) -> str:
    """Return the route of the page to open after a request: its queue, or the substitute's list."""
    may = may_claim(user, review_request.project, review_request.stage)
    return PAGE_OF[Stage(review_request.stage)] if may else "review:deputy"


def _go_on(request: HttpRequest, user: User, review_request: ReviewRequest) -> HttpResponse:
    slug = review_request.project.slug
    if not may_claim(user, review_request.project, review_request.stage):
        return redirect(page_after(user, review_request), slug)
    return claim(request, slug=slug, stage=review_request.stage)


@login_required
@require_GET
def queue(request: HttpRequest, slug: str, stage: str = Stage.CROSS_CHECK) -> HttpResponse:
    """Show the state of a stage's queue for this user and, if it is empty, the reason."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_claim(user, project, stage))
    recent = Review.objects.filter(reviewer=user, project=project, stage=stage, judged_at__isnull=False)
    recent = recent.select_related("revision__story_revision", "item", "request").order_by("-judged_at")
    context = {
        "project": project,
        "stage": Stage(stage),
        "waiting": waiting(user, project, stage),
        "standing": items_at(project, stage),
        "recent": recent[:10],
        "lessons": stage == Stage.CROSS_CHECK and lessons_of(user, project).exists(),
        "late": late_notes(project).filter(reviewer=user)[:5],
    }
    return render(request, "review/queue.html", context)


@login_required
@require_POST
def claim(request: HttpRequest, slug: str, stage: str) -> HttpResponse:
    """Claim the next request and redirect to it. If there is none, redirect to the queue."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    review_request = services.claim_next(actor=user, project=project, stage=stage)
    if review_request is None:
        return redirect(PAGE_OF[Stage(stage)], slug)
    return redirect("review:request", slug, review_request.public_id)


@login_required
@require_POST
def skip(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give a request back with a reason, and redirect to the next request."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    review_request = get_held_request(user=user, project=project, pk=pk).request
    form = SkipForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        services.skip_request(actor=user, request=review_request, reason=reason)
    except Unusable as error:
        if is_step(request):
            raise
        messages.error(request, str(error))
        return redirect("review:request", slug, pk)
    messages.success(request, _("Skipped. It will not be offered to you again."))
    response = _go_on(request, user, review_request)
    return HttpResponseClientRedirect(response["Location"]) if is_step(request) else response


@login_required
@require_POST
def postpone(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Postpone a request until after all others, and redirect to the next request."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    review_request = get_held_request(user=user, project=project, pk=pk).request
    services.postpone_request(actor=user, request=review_request)
    messages.success(request, _("Postponed. You get it again after the other items."))
    return _go_on(request, user, review_request)


@login_required
@require_GET
def comments(request: HttpRequest, slug: str, item: int) -> HttpResponse:
    """Show the reviewers' comments on an item as a fragment for its writer's page."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    found = get_item(user=user, project=project, pk=item)
    require(may_see_item(user, found))
    record_key_exposures(actor=user, items=[found.pk])
    context = {"project": project, "spoken_of": judgements_on(found), "lang": found.story.lang}
    context |= {"fold": "fold" in request.GET}
    return render(request, "review/_comments.html", context)
