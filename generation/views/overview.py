"""Page of the stories with their numbers of candidates, and the form of a batch."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import Conflict, Unusable
from core.numbers import whole_number
from generation import services
from generation.forms import BatchForm
from generation.queries.batch import (
    GENERATE,
    NONE_YET,
    WAITING,
    estimate,
    narrowed_stories,
    stories_in,
)
from generation.views import Narrowing
from jobs import hooks
from jobs.queries import askable_endpoints, is_over, jobs, progress
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors
from web.requests import MemberRequest

PAGE = 50
RECENT = 5


@project_page(Permission.SEE_CANDIDATES)
@require_GET
def candidates(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the project's stories with their numbers of candidates and items, and the latest batches."""
    narrowing = Narrowing.of(request)
    found = narrowed_stories(project, narrowing.show, narrowing.search)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    recent = [
        {"job": job, "progress": progress(job), "is_over": is_over(job)}
        for job in jobs(project).filter(kind=GENERATE, batch__isnull=False)[:RECENT]
    ]
    wanted, done = project.machine_items_per_story, _("%(done)d of %(wanted)d items done")
    context = {
        "project": project,
        "section": "candidates",
        "page_obj": page,
        "narrowing": narrowing,
        "choices": [
            ("", _("all stories")),
            (NONE_YET, _("no candidates yet")),
            (WAITING, _("candidates to choose from")),
            *((str(n), done % {"done": n, "wanted": wanted}) for n in range(wanted + 1)),
        ],
        "recent": recent,
        "has_endpoints": askable_endpoints(project).exists(),
    }
    return render(request, "generation/candidates.html", context)


@project_page(Permission.WRITE)
@require_http_methods(["GET", "POST"])
def batch(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form of a batch. GET with form data estimates the cost, POST starts the batch."""
    sent = request.POST if request.method == "POST" else request.GET
    ticked = [pk for text in sent.getlist("story")[:10_000] if (pk := whole_number(text)) is not None]
    is_filled = request.method == "POST" or "templates" in request.GET or "endpoints" in request.GET
    form = BatchForm(project, sent if is_filled else None, chosen=bool(ticked))
    if request.method == "POST" and form.is_valid():
        try:
            ordered = services.order_batch(
                actor=request.user,
                project=project,
                stories=_chosen(project, form, ticked),
                templates=list(form.cleaned_data["templates"]),
                endpoints=list(form.cleaned_data["endpoints"]),
                budget=form.cleaned_data["budget"],
                again=form.cleaned_data["again"],
            )
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            hooks.dispatch(GENERATE, ordered.job_id)
            return redirect("jobs:job", project.slug, ordered.job_id)
    context: dict[str, object] = {
        "project": project,
        "section": "candidates",
        "form": form,
        "ticked": ticked,
        "estimate": None,
    }
    if is_filled and form.is_valid():
        chosen = form.cleaned_data
        about = _chosen(project, form, ticked)
        context["estimate"] = estimate(about, list(chosen["templates"]), list(chosen["endpoints"]))
    if request.headers.get("HX-Request"):
        return render(request, "generation/_estimate.html", context)
    return render(request, "generation/batch.html", context, status=400 if request.method == "POST" else 200)


def _chosen(project: Project, form: BatchForm, ticked: list[int]) -> list[int]:
    """Return the ids of a batch's stories, at most `MOST_CALLS` + 1.

    `order_batch` refuses that many.
    """
    found = stories_in(project, form.cleaned_data["scope"], ticked)
    return list(found.values_list("pk", flat=True)[: services.MOST_CALLS + 1])
