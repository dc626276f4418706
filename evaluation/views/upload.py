"""Pages of imported responses: the upload, its progress and its outcome."""

from typing import Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import Unusable
from evaluation import services
from evaluation.forms import ImportForm
from evaluation.models import FileState, ReadingKind, ResponseFile
from evaluation.page import file_problems
from evaluation.queries.response import get_response_file, response_files
from evaluation.queries.run import IMPORT, runs, tallies
from jobs.hooks import dispatch
from jobs.queries import job_of
from parable.formats.answer_log import log_labels
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.queries.team import get_upload
from web.files import takes_files
from web.forms import put_errors
from web.requests import MemberRequest

PAGE: Final = 50
LISTED: Final = 20
TONES: Final = {FileState.DONE: "good", FileState.REFUSED: "wrong", FileState.FAILED: "wrong"}


@takes_files(services.LARGEST_UPLOAD)
@project_page(Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def import_responses(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form to import responses; POST stores the file for a worker to read."""
    is_sent = request.method == "POST"
    form = ImportForm(project, request.POST if is_sent else None, request.FILES if is_sent else None)
    if is_sent and form.is_valid():
        try:
            file = _order(request, form)
        except Unusable as error:
            put_errors(form, error)
        else:
            return redirect("evaluation:imported", project.slug, file.pk)
    context = {
        "project": project,
        "section": "evaluation",
        "form": form,
        "megabytes": services.LARGEST_UPLOAD // 1_000_000,
        "logs": log_labels(),
        "files": [(one, TONES.get(FileState(one.state), "")) for one in response_files(project)[:LISTED]],
    }
    return render(request, "evaluation/import.html", context, status=400 if is_sent else 200)


@project_page(Permission.CHANGE_RESULTS)
@require_POST
def import_team_upload(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Import the responses that a team has uploaded, as runs to be ranked."""
    upload = get_upload(project, pk)
    try:
        with transaction.atomic():
            ordered = services.order_team_import(actor=request.user, upload=upload)
            file = _dispatched(request, ordered)
    except Unusable as error:
        messages.error(request, str(error))
        return redirect("release:teams", project.slug, upload.team.release.version)
    return redirect("evaluation:imported", project.slug, file.pk)


@transaction.atomic
def _order(request: MemberRequest, form: ImportForm) -> ResponseFile:
    sent = form.cleaned_data["file"]
    file = services.order_import(
        actor=request.user, release=form.cleaned_data["release"], name=sent.name, data=sent.read()
    )
    return _dispatched(request, file)


def _dispatched(request: MemberRequest, file: ResponseFile) -> ResponseFile:
    if file.state == FileState.WAITING:
        # Where the broker cannot be reached, the sweep dispatches it later.
        dispatch(IMPORT, file.pk)
    else:
        messages.info(request, _("This file was already imported."))
    return file


@project_page(Permission.SEE_RESULTS)
@require_GET
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a file of responses: its progress, then the imported runs or the errors."""
    file = get_response_file(user=request.user, project=project, pk=pk)
    problems = list(file_problems(file))
    work = job_of(IMPORT, file.pk)
    found = list(runs(project).filter(file=file).order_by("pk"))
    counted = tallies(found)
    taken = [
        {
            "run": run,
            "came": counted[run.pk].asked - counted[run.pk].readings[ReadingKind.FAILED],
            "asked": counted[run.pk].asked,
            "read": counted[run.pk].readings[ReadingKind.CHOSEN],
        }
        for run in found
    ]
    context = {
        "project": project,
        "section": "evaluation",
        "file": file,
        "work": work,
        "taken": taken,
        "page_obj": Paginator(problems, PAGE).get_page(request.GET.get("page")),
    }
    response = render(request, "evaluation/imported.html", context)
    if request.headers.get("HX-Request") and file.state != FileState.WAITING:
        response.headers["HX-Refresh"] = "true"
    return response


@project_page(Permission.CHANGE_RESULTS)
@require_POST
def retry(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Order a file to be read again after a failure caused by Parable."""
    file = get_response_file(user=request.user, project=project, pk=pk)
    services.retry_file(actor=request.user, file=file)
    dispatch(IMPORT, file.pk)
    return redirect("evaluation:imported", project.slug, pk)
