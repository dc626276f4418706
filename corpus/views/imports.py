"""The import of stories: upload, look at every row, then confirm."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.errors import Unusable, require
from corpus import services
from corpus.forms import UploadForm
from corpus.imports import FATES, ImportResult, preview_rows
from corpus.services import LARGEST_UPLOAD, drop_upload, find_upload, keep_upload
from corpus.views import MemberRequest
from corpus.views.stories import PAGE, put_errors
from parable.formats import read_stories
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


def _run(request: MemberRequest, project: Project, token: str, *, dry_run: bool) -> ImportResult:
    upload = find_upload(actor=request.user, project=project, purpose=PURPOSE, token=token)
    ((name, data),) = upload.read()
    return services.import_stories(
        actor=request.user, project=project, reading=read_stories(data, name=name), dry_run=dry_run
    )


def _preview(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    result = _run(request, project, token, dry_run=True)
    fate = request.GET.get("fate", "")
    rows = preview_rows(result, fate if fate in FATES else "")
    context = {
        "project": project,
        "section": "stories",
        "result": result,
        "counts": result.counts(),
        "fate": fate,
        "token": token,
        "page_obj": Paginator(rows, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "corpus/import_preview.html", context)


def _finish(request: MemberRequest, project: Project, token: str) -> HttpResponse:
    again = reverse("corpus:import_stories", args=[project.slug])
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
    return redirect("corpus:stories", project.slug)
