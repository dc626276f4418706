"""Pages that list the downloads of a release: user, time and file."""

from typing import Final

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from parable.formats.table_writer import Sheet
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.queries.release import downloads
from release.views import opened_release
from web.downloads import table_download
from web.requests import MemberRequest

PAGE: Final = 50


@project_page(Permission.SEE_RELEASES)
@require_GET
def show_downloads(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show all downloads of a release with user, time and file."""
    release = opened_release(request, project, version)
    context = {
        "project": release.project,
        "section": "release",
        "release": release,
        "page_obj": Paginator(downloads(release), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "release/downloads.html", context)


@project_page(Permission.SEE_RELEASES)
@require_GET
def export_downloads(request: MemberRequest, project: Project, version: str, kind: str) -> HttpResponse:
    """Return the downloads of a release as a table in a file."""
    release = opened_release(request, project, version)
    heading = (_("Time (UTC)"), _("User"), _("User name"), _("File"), _("Release"))
    rows = (
        (
            event.at.strftime("%Y-%m-%d %H:%M:%S"),
            event.actor.name,
            event.actor.username,
            event.detail["file"],
            release.version,
        )
        for event in downloads(release).iterator()
    )
    sheet = Sheet(_("Downloads"), heading, rows)
    return table_download([sheet], kind, f"{release.project.slug}-{release.version}-downloads")
