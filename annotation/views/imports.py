"""The import of items: upload, look at every row, then confirm."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.errors import Unusable, require
from annotation.forms import UploadForm
from annotation.queries import type_codes
from annotation.services import import_items_as
from annotation.views import MemberRequest
from annotation.views.items import PAGE
from corpus.imports import FATES, ImportResult, preview_rows
from corpus.services import LARGEST_UPLOAD, drop_upload, find_upload, keep_upload
from parable.formats import read_items
from projects.models import Project
from projects.permissions import may_manage
from projects.queries import get_project

PURPOSE = "items"
CHOSEN = ("format", "state", "writer")


@login_required
@require_http_methods(["GET", "POST"])
def import_items(request: MemberRequest, slug: str) -> HttpResponse:
    """Upload files; look at what would become of each row; confirm or forget them."""
    project = get_project(user=request.user, slug=slug)
    require(may_manage(request.user, project))
    if request.method == "POST":
        if "upload" in request.POST:
            return _finish(request, project, request.POST["upload"])
        return _keep(request, project)
    if "upload" in request.GET:
        return _preview(request, project, request.GET["upload"])
    return _ask(request, project, UploadForm())


def _ask(request: MemberRequest, project: Project, form: UploadForm) -> HttpResponse:
    context = {"project": project, "section": "items", "form": form, "megabytes": LARGEST_UPLOAD // 2**20}
    return render(request, "annotation/import.html", context, status=400 if form.errors else 200)


def _keep(request: MemberRequest, project: Project) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _ask(request, project, form)
    sent = form.cleaned_data
    try:
        token = keep_upload(
            actor=request.user,
            project=project,
            purpose=PURPOSE,
            files=[(file.name, file) for file in sent["file"]],
            options={name: sent[name] for name in CHOSEN},
        )
    except Unusable as refused:
        form.add_error("file", str(refused))
        return _ask(request, project, form)
    return redirect(f"{reverse('annotation:import_items', args=[project.slug])}?upload={token}")


def _run(request: MemberRequest, project: Project, token: str, *, dry_run: bool) -> ImportResult:
    upload = find_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
    codes = type_codes(project)
    return import_items_as(
        actor=request.user,
        project=project,
        readings=[
            read_items(data, name=name, format=upload.options["format"], types=codes)
            for name, data in upload.read()
        ],
        state=upload.options["state"],
        writer_name=upload.options["writer"],
        dry_run=dry_run,
    )


def _preview(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    result = _run(request, project, token, dry_run=True)
    fate = request.GET.get("fate", "")
    rows = preview_rows(result, fate if fate in FATES else "")
    context = {
        "project": project,
        "section": "items",
        "result": result,
        "counts": result.counts(),
        "fate": fate,
        "token": token,
        "page_obj": Paginator(rows, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "annotation/import_preview.html", context)


def _finish(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    again = reverse("annotation:import_items", args=[project.slug])
    if "forget" in request.POST:
        drop_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
        messages.info(request, _("The upload is forgotten; nothing was imported."))
        return redirect(again)
    result = _run(request, project, token, dry_run=False)
    if result.is_broken:
        messages.error(request, _("Nothing was imported: something has changed since you looked."))
        return redirect(f"{again}?upload={token}")
    drop_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
    messages.success(request, _("Imported: %(created)d new, %(changed)d changed.") % result.counts())
    return redirect("annotation:items", project.slug)
