"""The pages that check a file of items without a project: the drop zone, the findings, and downloads."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Final

import orjson
from allauth.core.internal.ratelimit import consume
from django.contrib.auth.views import redirect_to_login
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.models import User
from annotation import services
from annotation.forms import AuditForm, ReadingForm, ToProjectForm
from annotation.importer import ITEMS
from annotation.models import AuditState, FileAudit
from annotation.permissions import may_check_files
from annotation.views.audit_presentation import findings_view, formats_view, remarks_view, row_lines
from core.errors import ParableError, Unusable
from corpus.services import previewing
from corpus.upload.columns import ColumnsForm
from jobs.hooks import dispatch
from parable.formats.table_writer import Sheet
from projects.permissions import may_create_project
from projects.queries import managed_by, suggest_slug
from projects.services import create_project
from web.downloads import table_download
from web.files import takes_files
from web.forms import put_errors
from web.rows import Values

EXAMPLES: Final = {"zh": "example/check.zh.csv", "en": "example/check.en.csv"}
"""The example files, by language."""


def _user(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _admits(request: HttpRequest, **_captured: Any) -> bool:
    return bool(may_check_files(_user(request)))


def _language() -> str:
    return "zh" if (get_language() or "").startswith("zh") else "en"


@takes_files(services.LARGEST_AUDIT, admits=_admits)
@require_http_methods(["GET", "POST"])
def audit(request: HttpRequest) -> HttpResponse:
    """Show the drop zone; POST stores files, or takes the example, and checks them.

    People without an account are sent to sign in, unless the site is open to them.
    """
    user = _user(request)
    if not may_check_files(user):
        return redirect_to_login(request.get_full_path())
    if request.method == "GET":
        return _ask(request, AuditForm())
    if user is None and not consume(request, app="annotation", action="audit", config=services.AUDIT_LIMITS):
        return render(request, "annotation/audit_limit.html", status=429)
    if "example" in request.POST:
        name = EXAMPLES[_language()]
        example = Path(str(finders.find(name)))
        files: list[tuple[str, Any]] = [(example.name, ContentFile(example.read_bytes()))]
    else:
        form = AuditForm(request.POST, request.FILES)
        if not form.is_valid():
            return _ask(request, form)
        files = [(file.name, file) for file in form.cleaned_data["file"]]
    try:
        with transaction.atomic():
            made = services.order_audit(actor=user, files=files)
            dispatch(services.AUDIT, made.pk)
    except Unusable as refused:
        form = AuditForm(request.POST)
        form.is_valid()
        form.errors.clear()
        put_errors(form, refused)
        return _ask(request, form)
    return redirect(_address(made, request))


def _ask(request: HttpRequest, form: AuditForm) -> HttpResponse:
    most = services.LARGEST_AUDIT if _user(request) else services.LARGEST_OF_STRANGERS
    context = {
        "form": form,
        "megabytes": most // 2**20,
        "example": EXAMPLES[_language()],
        "into": request.GET.get("project", "")[:40],
    }
    return render(request, "annotation/audit.html", context, status=400 if form.errors else 200)


def _address(found: FileAudit, request: HttpRequest) -> str:
    """Return the address of a check, with the project in which the drop zone was."""
    project = request.GET.get("project", "")[:40]
    page = reverse("annotation:audited", args=[found.token])
    return f"{page}?{urlencode({'project': project})}" if project else page


@require_http_methods(["GET", "POST"])
def audited(request: HttpRequest, token: str) -> HttpResponse:
    """Show how far a check is, or what it found; POST reads other columns, deletes it, or imports it."""
    user = _user(request)
    if not may_check_files(user):
        return redirect_to_login(request.get_full_path())
    found = services.find_audit(user=user, token=token)
    if request.method == "GET":
        return _show(request, found)
    if "forget" in request.POST:
        services.drop_audit(audit=found)
        return redirect("annotation:audit")
    if "columns" in request.POST and found.state != AuditState.WORKING:
        return _reread(request, found)
    if "make" in request.POST and user is not None and found.state == AuditState.DONE:
        return _make_project(request, user, found)
    return redirect(_address(found, request))


def _show(
    request: HttpRequest,
    found: FileAudit,
    *,
    tables: Mapping[str, ColumnsForm] | None = None,
    make: ToProjectForm | None = None,
    status: int = 200,
) -> HttpResponse:
    about = services.findings_of(found)
    context: Values = {
        "audit": found,
        "work": services.job_of_audit(found) if not about else None,
        "about": about,
        "address": _address(found, request),
        "lasts_today": timezone.localtime(found.expires_at).date() == timezone.localdate(),
    }
    if about:
        language = _language()
        if about["items"]:
            context["findings"] = findings_view(about, language)
            context["make"] = make or _make_form(request, found, about)
        else:
            context["unread"], _remarks = remarks_view(about)
        context |= {
            "formats": formats_view(about, language),
            "columns": list((tables or _tables(found, about)).values()),
            "reading": ReadingForm(initial=found.options, auto_id="reading_%s"),
        }
    response = render(request, "annotation/audited.html", context, status=status)
    if request.headers.get("HX-Request") and found.state != AuditState.WORKING:
        response.headers["HX-Refresh"] = "true"
    return response


def _tables(found: FileAudit, about: Mapping[str, Any], data: Any = None) -> dict[str, ColumnsForm]:
    return {
        number: ColumnsForm(data, number=number, table=table, chosen=found.columns.get(number))
        for number, table in about["tables"].items()
    }


def _reread(request: HttpRequest, found: FileAudit) -> HttpResponse:
    about = services.findings_of(found) if found.state == AuditState.DONE else {"tables": {}}
    tables = _tables(found, about, request.POST)
    reading = ReadingForm(request.POST)
    if not all(form.is_valid() for form in (*tables.values(), reading)):
        return _show(request, found, tables=tables, status=400)
    options = reading.cleaned_data
    columns = {number: form.chosen() for number, form in tables.items()}
    if options.get("sheet", "") != found.options.get("sheet", ""):
        columns = {}  # the posted columns are those of the sheet that was read before
    with transaction.atomic():
        services.reread_audit(audit=found, columns=columns, options=options)
        dispatch(services.AUDIT, found.pk)
    return redirect(_address(found, request))


def _make_form(request: HttpRequest, found: FileAudit, about: Mapping[str, Any]) -> ToProjectForm | None:
    """Return the form that imports the file; None if there is no project for it."""
    user = _user(request)
    if user is None:
        return None
    initial = {
        "name": PurePath(found.names[0]).stem.replace("_", " ")[:120],
        "language": about["language"],
        "project": request.GET.get("project", "")[:40],
    }
    form = ToProjectForm(
        request.POST if request.method == "POST" and "make" in request.POST else None,
        initial=initial,
        projects=managed_by(user).filter(archived_at=None),
        may_create=bool(may_create_project(user)),
    )
    return form if form.offers_any else None


def _make_project(request: HttpRequest, user: User, found: FileAudit) -> HttpResponse:
    form = _make_form(request, found, services.findings_of(found))
    if form is None or not form.is_valid():
        return _show(request, found, make=form, status=400)
    sent = form.cleaned_data
    try:
        with transaction.atomic():
            project = sent["project"] or create_project(
                actor=user, slug=suggest_slug(sent["name"]), name=sent["name"], language=sent["language"]
            )
            upload = services.import_audited(actor=user, audit=found, project=project, purpose=ITEMS.purpose)
            dispatch(previewing(ITEMS.purpose), upload.pk)
    except ParableError as refused:
        put_errors(form, refused)
        return _show(request, found, make=form, status=400)
    return redirect(
        f"{reverse('annotation:import_items', args=[project.slug])}?{urlencode({'upload': upload.token})}"
    )


@require_GET
def audited_file(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Download the report as a page, the findings as a table, or what the command `audit` prints as JSON."""
    user = _user(request)
    if not may_check_files(user):
        return redirect_to_login(request.get_full_path())
    found = services.find_audit(user=user, token=token)
    if name == "report.html":
        page = services.stored_part(found, services.report_name(_language()))
        return _download(page, "text/html; charset=utf-8", name)
    stored = services.stored_part(found, services.AUDIT_JSON)
    if name == "audit.json":
        return _download(stored, "application/json", name)
    if name != "findings.csv":
        raise services.gone()
    rows = list(row_lines(orjson.loads(stored)))
    return table_download(
        [Sheet(_("Findings"), [_("Item"), _("Finding"), _("Verdict")], rows)], "csv", _("findings")
    )


def _download(content: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
