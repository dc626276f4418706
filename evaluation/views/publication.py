"""The public page of a release, and the page on which managers open it or close it."""

from typing import Final

from django.conf import settings as site_settings
from django.contrib import messages
from django.core.cache import cache
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import Conflict
from evaluation import services
from evaluation.models import Publication
from evaluation.queries.publication import (
    FILES,
    INDEX,
    dev_items,
    get_publication,
    items_page,
    page,
    publication_of,
)
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission, roles_of
from release.queries.release import get_artifact, get_release, stored_at
from release.services import record_file_exposure, record_released_key_exposures
from web.requests import MemberRequest, signed_in

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
}
FRESH: Final = 600
"""The number of seconds for which a page is cached, because its leaderboard counts all responses."""
PLAIN: Final = "text/plain; charset=utf-8"


@require_GET
def show(request: HttpRequest, slug: str, version: str, name: str = INDEX) -> HttpResponseBase:
    """Return one file of the public page. No account is needed."""
    publication = get_publication(slug=slug, version=version)
    _remember_keys(request, publication, name)
    suffix = name[name.rfind(".") :] if "." in name else ""
    kind = TYPES.get(suffix, PLAIN)
    if name.startswith(FILES):
        file = get_artifact(publication.release, name.removeprefix(FILES))
        plain_name = file.name.replace("/", "-")
        opened = stored_at(file.sha256).open("rb")
        return FileResponse(opened, as_attachment=True, filename=plain_name, content_type=kind)
    key = f"parable:public:{publication.pk}:{publication.changed_at.timestamp()}:{name}"
    made = cache.get_or_set(key, lambda: page(publication, name, site=site_settings.SITE_URL), FRESH)
    return HttpResponse(made, content_type=kind)


def _remember_keys(request: HttpRequest, publication: Publication, name: str) -> None:
    """Record that a signed-in member has seen keys on the public page, and so cannot answer blind."""
    if not request.user.is_authenticated or not roles_of(signed_in(request), publication.release.project):
        return
    if name.startswith(FILES):
        record_file_exposure(
            actor=signed_in(request), release=publication.release, name=name.removeprefix(FILES)
        )
    elif (number := items_page(name)) is not None:
        record_released_key_exposures(
            actor=signed_in(request), released=[item.pk for item in dev_items(publication.release, number)]
        )


@project_page(Permission.SEE_RESULTS, change=Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the settings of the public page; POST opens or closes the page."""
    release = get_release(user=request.user, project=project, version=version)
    error = ""
    if request.method == "POST":
        try:
            services.set_publication(
                actor=request.user,
                release=release,
                is_open="is_open" in request.POST,
                shows_scores="shows_scores" in request.POST,
            )
        except Conflict as refused:
            error = str(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("evaluation:publication", project.slug, version)
    context = {
        "project": project,
        "section": "release",
        "release": release,
        "publication": publication_of(release),
        "error": error,
    }
    return render(request, "evaluation/publication.html", context, status=409 if error else 200)
