"""Page of models as judges: their agreement with people, and orders of further judgements."""

from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from core.errors import Conflict, Unusable
from jobs import hooks
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from review import services
from review.forms import ModelRaterForm
from review.queries.model_rater import JUDGE, estimate, judge_jobs
from review.queries.statistics import statistics_of
from review.views.judge_presentation import judge_views
from web.forms import put_errors
from web.requests import MemberRequest

ORDERS: Final = 5


@project_page(Permission.SEE_REVIEWS, change=Permission.CHANGE_REVIEWS)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the models that have judged items. GET with form data estimates the cost, POST starts the job."""
    sent = request.POST if request.method == "POST" else request.GET
    form = ModelRaterForm(project, sent if "items" in sent or request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            job, waiting = services.order_judging(actor=request.user, project=project, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            hooks.dispatch_calls(JUDGE, waiting)
            return redirect("jobs:job", project.slug, job.pk)
    is_part = bool(request.headers.get("HX-Request"))
    context: dict[str, Any] = {"project": project, "form": form, "estimate": None}
    if form.is_bound and form.is_valid():
        endpoint = form.cleaned_data["endpoint"]
        context["estimate"] = estimate(endpoint.project, endpoint, form.cleaned_data["items"])
    if is_part:
        return render(request, "review/_judge_estimate.html", context)
    found = statistics_of(project)
    figures = found.figures if found and found.counted_at else {}
    context |= {
        "statistics": found,
        "orders": judge_jobs(project)[:ORDERS],
        **judge_views(figures),
    }
    return render(request, "review/judges.html", context, status=400 if request.method == "POST" else 200)
