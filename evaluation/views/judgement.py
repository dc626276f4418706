"""The page on which people judge answers that give reasons, without the names of the examinees."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from core.errors import Hidden, Unusable
from core.numbers import whole_number
from evaluation import services
from evaluation.forms import JudgementForm
from evaluation.queries.judgement import get_explained, is_graded, judged_by, next_to_judge
from evaluation.views.run import LANGUAGES, response_view
from parable.kinds import kind_of
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.queries.release import get_release
from release.services import record_released_key_exposures
from web.forms import put_errors
from web.requests import MemberRequest


@project_page(Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def judge(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the next answer of a release that gives reasons; POST stores what the reader says of it."""
    release = get_release(user=request.user, project=project, version=version)
    if request.method == "POST":
        response = get_explained(release, whole_number(request.POST.get("response", "")) or 0)
        if response is None:
            raise Hidden(_("Answer not found."))
    else:
        response = next_to_judge(request.user, release)
    form = None
    if response is not None:
        record_released_key_exposures(actor=request.user, released=[response.item_id])
        scale = kind_of(response.item.record["task"]).scale if is_graded(response) else None
        form = JudgementForm(scale, request.POST if request.method == "POST" else None)
        if form.is_valid():
            try:
                services.judge_answer(actor=request.user, response=response, **form.values)
            except Unusable as error:
                put_errors(form, error)
            else:
                return redirect("evaluation:assess", project.slug, version)
    context = {
        "project": project,
        "section": "evaluation",
        "release": release,
        "form": form,
        "judged": judged_by(request.user, release),
        "row": response_view(response) if response is not None else None,
        "record": response.item.record if response is not None else None,
        "lang": LANGUAGES.get(project.language, "en"),
    }
    return render(request, "evaluation/judge.html", context, status=400 if form and form.errors else 200)
