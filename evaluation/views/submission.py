"""The page of what a team has submitted, from which the organisers run the withheld test with it."""

from typing import Final

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from core.errors import Conflict, Unusable
from evaluation import services
from evaluation.forms import SubmissionForm
from evaluation.models import Run
from evaluation.queries.run import MEASURE, estimates
from evaluation.queries.submission import runs_of
from jobs.hooks import dispatch
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.prompt import PROMPT
from release.queries.submission import get_submission, prompt_fields
from web.forms import put_errors
from web.requests import MemberRequest

SHOWN: Final = 50


@project_page(Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a submission, what a run would cost and disclose, and its runs. POST starts a run.

    GET with the fields of the form estimates the cost of these settings.
    """
    submission = get_submission(project, pk)
    sent = request.POST if request.method == "POST" else request.GET
    form = SubmissionForm(submission, sent if request.method == "POST" or "repeats" in sent else None)
    if request.method == "POST" and form.is_valid():
        try:
            ordered = _start(request, form)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            if len(ordered) == 1:
                return redirect("evaluation:run", project.slug, ordered[0].pk)
            return redirect("evaluation:submission", project.slug, pk)
    context = {
        "project": project,
        "section": "evaluation",
        "submission": submission,
        "release": submission.team.release,
        "form": form,
        "prompts": [
            (one, submission.prompt if one.field == PROMPT else submission.prompts.get(one.task, ""))
            for one in prompt_fields(submission.team.release)
        ],
        "estimates": estimates(form.asking, form.chosen),
        "runs": runs_of(submission)[:SHOWN],
    }
    if request.headers.get("HX-Request"):
        return render(request, "evaluation/_estimates.html", context)
    status = 400 if request.method == "POST" else 200
    return render(request, "evaluation/submission.html", context, status=status)


@transaction.atomic
def _start(request: MemberRequest, form: SubmissionForm) -> list[Run]:
    ordered = services.start_runs(
        actor=request.user, asking=form.asking, endpoints=form.chosen, budget=form.cleaned_data["budget"]
    )
    for run in ordered:
        dispatch(MEASURE, run.pk)
    return ordered
