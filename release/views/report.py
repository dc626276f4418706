"""Pages for errors in released items: the public report form, and the replies of managers."""

from typing import Final

from allauth.core.internal.ratelimit import consume
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.models import User
from annotation.services import record_key_exposures
from core.errors import Conflict, Unusable
from core.invariants import present
from parable.formats.options import letter
from projects.models import Language, Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.assembly.records import key_places
from release.forms import AnswerForm, ReportForm
from release.models import ErrorReport
from release.permissions import may_answer_reports
from release.queries.report import get_report, report_of, reports, reports_on, waiting_reports
from release.views.release import LANGUAGES
from web.forms import put_errors
from web.requests import MemberRequest

PAGE: Final = 50


@require_http_methods(["GET", "POST"])
def report(request: HttpRequest) -> HttpResponse:
    """Show the public form to report an error; POST stores the report. No account is needed.

    The response does not reveal whether the item exists.
    """
    if request.method == "GET":
        named = {name: request.GET.get(name, "") for name in ("item_id", "release")}
        return render(request, "release/report.html", {"form": ReportForm(initial=named)})
    form = ReportForm(request.POST)
    if form.is_valid():
        if not consume(request, app="release", action="report", config=services.REPORT_LIMITS):
            return render(request, "release/report_limit.html", status=429)
        user = request.user if isinstance(request.user, User) else None
        try:
            token = services.report_error(actor=user, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            return redirect("release:report_status", token)
    return render(request, "release/report.html", {"form": form}, status=400)


@require_GET
def status(request: HttpRequest, token: str) -> HttpResponse:
    """Show the state of a report to anyone with its link."""
    found, user = report_of(token), request.user
    released = found.released
    context = {
        "report": found,
        "address": request.build_absolute_uri(),
        "manages": isinstance(user, User) and released and may_answer_reports(user, released.release.project),
    }
    return render(request, "release/report_status.html", context)


@project_page(Permission.SEE_RELEASES)
@require_GET
def show_list(request: MemberRequest, project: Project) -> HttpResponse:
    """Show all reports of a project, unanswered reports first."""
    context = {
        "project": project,
        "section": "release",
        "page_obj": Paginator(reports(project), PAGE).get_page(request.GET.get("page")),
        "waiting": waiting_reports(project),
    }
    return render(request, "release/reports.html", context)


@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def answer(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a report to a manager; POST answers it and applies the remedy to the item."""
    found = get_report(user=request.user, project=project, pk=pk)
    if request.method == "GET":
        return _ask(request, found, AnswerForm())
    form = AnswerForm(request.POST)
    if form.is_valid():
        try:
            services.answer_report(actor=request.user, report=found, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            messages.success(
                request, _("Reply sent. It is shown under the reporter's link and on the item page.")
            )
            return redirect("release:reports", project.slug)
    return _ask(request, found, form)


def _ask(request: MemberRequest, found: ErrorReport, form: AnswerForm) -> HttpResponse:
    released = present(found.released, "the getter gives reports of a project alone")
    project = released.release.project
    record_key_exposures(actor=request.user, items=[released.item_id])
    context: dict[str, object] = {
        "project": project,
        "section": "release",
        "report": found,
        "released": released,
        "options": [
            (letter(index), text, index in key_places(released.record))
            for index, text in enumerate(released.record["choices"])
        ],
        "others": [one for one in reports_on(released.item) if one.pk != found.pk],
        "lang": LANGUAGES[Language(project.language)],
        "form": form,
    }
    return render(request, "release/answer.html", context, status=400 if form.errors else 200)
