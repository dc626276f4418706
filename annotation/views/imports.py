"""The import of items: upload, look at every row, then confirm."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
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
from corpus.asking import ColumnsForm
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
from parable.formats import AUTO, ITEM_TABLE_FIELDS, TABLE, item_columns, read_items, story_columns
from parable.formats.tables import Column
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
        if "columns" in request.POST:
            return _choose(request, project, request.POST.get("upload", ""))
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


def _find(request: MemberRequest, project: Project, token: str) -> Upload:
    return find_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)


def _run(request: MemberRequest, project: Project, upload: Upload, *, dry_run: bool) -> ImportResult:
    codes, chosen = type_codes(project), upload.columns
    return import_items_as(
        actor=request.user,
        project=project,
        readings=[
            read_items(
                data, name=name, format=upload.options["format"], types=codes, columns=chosen.get(str(number))
            )
            for number, (name, data) in enumerate(upload.read())
        ],
        state=upload.options["state"],
        writer_name=upload.options["writer"],
        dry_run=dry_run,
    )


def _columns(upload: Upload, data: QueryDict | None = None) -> dict[str, ColumnsForm]:
    """A choice of columns for each file that is a table, by the file's number."""
    if upload.options["format"] not in {AUTO, TABLE}:
        return {}
    forms = {}
    for number, (name, file) in enumerate(upload.read()):
        if columns := item_columns(file):
            chosen = upload.columns.get(str(number))
            forms[str(number)] = ColumnsForm(
                data, name=name, number=number, columns=columns, fields=ITEM_TABLE_FIELDS, chosen=chosen
            )
    return forms


def _choose(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    upload = _find(request, project, token)
    forms = _columns(upload, request.POST)
    if any(form.errors for form in forms.values()):
        return _show(request, project, upload, forms)
    columns = {number: form.chosen() for number, form in forms.items()}
    choose_columns(actor=request.user, project=project, upload=upload, columns=columns)
    return redirect(f"{reverse('annotation:import_items', args=[project.slug])}?upload={token}")


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


def _looks_like_stories(upload: Upload) -> bool:
    """Whether each file is a table with the text of stories and without a stem."""

    def filled(columns: tuple[Column, ...]) -> set[str]:
        return {column.field for column in columns}

    return all(
        "text" in filled(story_columns(data)) and "question" not in filled(item_columns(data))
        for _name, data in upload.read()
    )


def _show(
    request: MemberRequest, project: Project, upload: Upload, forms: dict[str, ColumnsForm]
) -> HttpResponse:
    result = _rows(request, project, upload)
    fate = request.GET.get("fate", "")
    fate = fate if fate in FATES else ""
    context = {
        "project": project,
        "section": "items",
        "result": result,
        "are_stories": _looks_like_stories(upload),
        "counts": result.counts,
        "fate": fate,
        "hidden": result.hidden(fate),
        "token": upload.token,
        "columns": list(forms.values()),
        "page_obj": Paginator(result.rows_of(fate), PAGE).get_page(request.GET.get("page")),
    }
    status = 400 if any(form.errors for form in forms.values()) else 200
    return render(request, "annotation/import_preview.html", context, status=status)


def _finish(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    again = reverse("annotation:import_items", args=[project.slug])
    if "forget" in request.POST:
        drop_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
        messages.info(request, _("The upload is forgotten; nothing was imported."))
        return redirect(again)
    result = _run(request, project, _find(request, project, token), dry_run=False)
    if result.is_broken:
        messages.error(request, _("Nothing was imported: something has changed since you looked."))
        return redirect(f"{again}?upload={token}")
    drop_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
    messages.success(request, _("Imported: %(created)d new, %(changed)d changed.") % result.counts())
    return redirect("annotation:items", project.slug)
