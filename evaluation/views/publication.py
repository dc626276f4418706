"""The public page of a release, and the page on which managers open it or close it."""

import hashlib
from typing import Final

from django.conf import settings as site_settings
from django.contrib import messages
from django.core.cache import cache
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import Conflict, Unusable, require
from evaluation import services
from evaluation.models import Publication
from evaluation.queries.dataset import archive_name, dataset
from evaluation.queries.publication import (
    FILES,
    INDEX,
    archive,
    dev_items,
    get_newest,
    get_publication,
    known_authors,
    page,
    page_name,
    public_address,
    publication_of,
)
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission, has_permission, roles_of
from release.permissions import may_open_release
from release.queries.file import stored_at
from release.queries.release import get_artifact, get_release
from release.queries.sample import sample_items
from release.services import EVERYTHING, record_file_exposure, record_released_key_exposures
from web.charts import svg_response
from web.requests import MemberRequest, signed_in

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
}
FRESH: Final = 600
"""The number of seconds for which a page is cached, because its leaderboard counts all responses."""
PLAIN: Final = "text/plain; charset=utf-8"


@require_GET
def newest(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the public page of the newest version. No account is needed."""
    return redirect(public_address(get_newest(slug).release))


@require_GET
def show(request: HttpRequest, slug: str, version: str, name: str = INDEX) -> HttpResponseBase:
    """Return one file of the public page. No account is needed."""
    publication = get_publication(slug=slug, version=version)
    release = publication.release
    _remember_keys(request, publication, name)
    suffix = name[name.rfind(".") :] if "." in name else ""
    kind = TYPES.get(suffix, PLAIN)
    if name.startswith(FILES):
        file = get_artifact(release, name.removeprefix(FILES))
        plain_name = file.name.replace("/", "-")
        opened = stored_at(file.sha256).open("rb")
        size = {"Content-Length": str(file.bytes)}
        return FileResponse(opened, as_attachment=True, filename=plain_name, content_type=kind, headers=size)
    if name == archive_name(release):
        saved_as = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(archive(release), content_type="application/zip", headers=saved_as)
    asked = page_name(name)
    if asked is not None and not asked.language and (code := _language(request)):
        name = f"{asked.stem}.{code}.html"
    response = HttpResponse(_made(request, publication, name), content_type=kind)
    if asked is not None:
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return svg_response(response.content) if suffix == ".svg" else response


def _made(request: HttpRequest, publication: Publication, name: str) -> bytes:
    """Return a file from the cache. Its key has the newest version, so that older ones name it at once."""
    site = site_settings.SITE_URL
    here = site or request.build_absolute_uri("/").rstrip("/")
    newest_version = get_newest(publication.release.project.slug)
    parts = (
        publication.pk,
        publication.changed_at.timestamp(),
        newest_version.pk,
        here,
        get_language(),
        name,
    )
    key = "parable:public:" + hashlib.sha256(repr(parts).encode()).hexdigest()
    made: bytes | None = cache.get(key)
    if made is None:
        made = page(publication, name, site=site, here=here)
        cache.set(key, made, FRESH)
    return made


def _language(request: HttpRequest) -> str:
    """Return the code of the reader's language, or "" if the request does not say which that is."""
    says = "Accept-Language" in request.headers or site_settings.LANGUAGE_COOKIE_NAME in request.COOKIES
    if not (says or request.user.is_authenticated):
        return ""
    return "zh" if (get_language() or "").startswith("zh") else "en"


def _remember_keys(request: HttpRequest, publication: Publication, name: str) -> None:
    """Record that a signed-in member has seen keys on the public page, and so cannot answer blind."""
    release = publication.release
    if not request.user.is_authenticated or not roles_of(signed_in(request), release.project):
        return
    actor = signed_in(request)
    if name.startswith(FILES):
        record_file_exposure(actor=actor, release=release, name=name.removeprefix(FILES))
    elif name == archive_name(release):
        record_file_exposure(actor=actor, release=release, name=EVERYTHING)
    elif (asked := page_name(name)) is not None:
        shown = dev_items(release, asked.number) if asked.number else sample_items(release)
        record_released_key_exposures(actor=actor, released=[item.pk for item in shown])


@project_page(Permission.SEE_RESULTS, change=Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the settings of the public page; POST opens or closes the page."""
    release = get_release(user=request.user, project=project, version=version)
    error, status = "", 200
    if request.method == "POST":
        try:
            services.set_publication(
                actor=request.user,
                release=release,
                is_open="is_open" in request.POST,
                shows_scores="shows_scores" in request.POST,
                authors=request.POST.get("authors", ""),
            )
        except (Conflict, Unusable) as refused:
            error, status = str(refused), refused.status
        else:
            messages.success(request, _("Saved."))
            return redirect("evaluation:publication", project.slug, version)
    context = {
        "project": project,
        "section": "release",
        "release": release,
        "publication": (publication := publication_of(release)),
        "authors": request.POST.get(
            "authors", publication.authors if publication else known_authors(project)
        ),
        "error": error,
    }
    return render(request, "evaluation/publication.html", context, status=status)


@project_page(Permission.SEE_RELEASES)
@require_GET
def show_dataset(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show a release as a data set: the part of its page that is that of its public page, without keys."""
    release = get_release(user=request.user, project=project, version=version)
    require(may_open_release(request.user, release))
    get_artifact(release, "README.md")  # a release that is not ready has no files
    site = site_settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")
    may_see_scores = has_permission(request.user, project, Permission.SEE_RESULTS)
    publication = publication_of(release)
    context = dataset(release, publication, site=site, shows_scores=bool(may_see_scores))
    return render(request, "evaluation/dataset/_member.html", context | {"publication": publication})
