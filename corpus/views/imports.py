"""The import of stories: upload, look at every row, then confirm."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.errors import Unusable, require
from corpus import services
from corpus.asking import ColumnsForm
from corpus.forms import UploadForm
from corpus.imports import FATES, ImportResult, Preview, preview_of
from corpus.services import (
    LARGEST_UPLOAD,
    Upload,
    choose_columns,
    drop_upload,
    find_preview,
    find_upload,
    keep_preview,
    keep_upload,
)
from corpus.views import MemberRequest
from corpus.views.similar import nudge_search
from corpus.views.stories import PAGE, put_errors
from parable.formats import STORY_FIELDS, read_stories, story_columns
from projects.models import Project
from projects.permissions import may_manage
from projects.queries import get_project

PURPOSE = "stories"


@login_required
@require_http_methods(["GET", "POST"])
def import_stories(request: MemberRequest, slug: str) -> HttpResponse:
    """Upload a file; look at what would become of each row; confirm or forget it."""
    project = get_project(user=request.user, slug=slug)
    require(may_manage(request.user, project))
    if request.method == "POST":
        if "columns" in request.POST:
            return _choose(request, project, request.POST.get("upload", ""))
        if "upload" in request.POST:
            return _finish(request, project, request.POST["upload"])
        return _keep(request, project)
    if "upload" in request.GET:
        return _preview(request, project, request.GET["upload"])
    return _ask(request, project, UploadForm())


def _ask(request: MemberRequest, project: Project, form: UploadForm) -> HttpResponse:
    context = {
        "project": project,
        "section": "stories",
        "form": form,
        "megabytes": LARGEST_UPLOAD // 2**20,
    }
    return render(request, "corpus/import.html", context, status=400 if form.errors else 200)


def _keep(request: MemberRequest, project: Project) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _ask(request, project, form)
    try:
        token = keep_upload(actor=request.user, project=project, purpose=PURPOSE, files=form.files_by_name())
    except Unusable as error:
        put_errors(form, Unusable(str(error), {"file": str(error)}))
        return _ask(request, project, form)
    return redirect(f"{reverse('corpus:import_stories', args=[project.slug])}?upload={token}")


def _find(request: MemberRequest, project: Project, token: str) -> Upload:
    return find_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)


def _run(request: MemberRequest, project: Project, upload: Upload, *, dry_run: bool) -> ImportResult:
    ((name, data),) = upload.read()
    reading = read_stories(data, name=name, columns=upload.columns.get("0"))
    return services.import_stories(actor=request.user, project=project, reading=reading, dry_run=dry_run)


def _columns(upload: Upload, data: QueryDict | None = None) -> list[ColumnsForm]:
    """A choice of columns for each file that is a table."""
    ((name, file),) = upload.read()
    columns = story_columns(file)
    if not columns:
        return []
    chosen = upload.columns.get("0")
    return [ColumnsForm(data, name=name, number=0, columns=columns, fields=STORY_FIELDS, chosen=chosen)]


def _choose(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    upload = _find(request, project, token)
    forms = _columns(upload, request.POST)
    if any(form.errors for form in forms):
        return _show(request, project, upload, forms)
    columns = {str(number): form.chosen() for number, form in enumerate(forms)}
    choose_columns(actor=request.user, project=project, upload=upload, columns=columns)
    return redirect(f"{reverse('corpus:import_stories', args=[project.slug])}?upload={token}")


def _preview(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    upload = _find(request, project, token)
    return _show(request, project, upload, _columns(upload))


def _rows(request: MemberRequest, project: Project, upload: Upload) -> Preview:
    """Found out afresh on the first page, and kept for the others."""
    kept = find_preview(upload) if {"page", "fate"} & request.GET.keys() else None
    if kept is None:
        kept = preview_of(_run(request, project, upload, dry_run=True))
        keep_preview(upload=upload, preview=kept)
    return kept


def _show(request: MemberRequest, project: Project, upload: Upload, forms: list[ColumnsForm]) -> HttpResponse:
    result = _rows(request, project, upload)
    fate = request.GET.get("fate", "")
    fate = fate if fate in FATES else ""
    context = {
        "project": project,
        "section": "stories",
        "result": result,
        "counts": result.counts,
        "fate": fate,
        "hidden": result.hidden(fate),
        "token": upload.token,
        "columns": forms,
        "page_obj": Paginator(result.rows_of(fate), PAGE).get_page(request.GET.get("page")),
    }
    status = 400 if any(form.errors for form in forms) else 200
    return render(request, "corpus/import_preview.html", context, status=status)


def _finish(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    again = reverse("corpus:import_stories", args=[project.slug])
    if "forget" in request.POST:
        drop_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
        messages.info(request, _("The upload is forgotten; nothing was imported."))
        return redirect(again)
    result = _run(request, project, _find(request, project, token), dry_run=False)
    if result.is_broken:
        messages.error(request, _("Nothing was imported: something has changed since you looked."))
        return redirect(f"{again}?upload={token}")
    drop_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
    nudge_search(project)
    messages.success(request, _("Imported: %(created)d new, %(changed)d changed.") % result.counts())
    return redirect("corpus:stories", project.slug)
