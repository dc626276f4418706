"""Pages of releases: the list, and the tabs of a single release."""

from typing import Final

from django.contrib import messages
from django.core.cache import cache
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from core.errors import Unusable, require
from jobs.hooks import dispatch
from jobs.queries import job_of
from projects.models import Language, Project
from projects.page import project_page
from projects.permissions import Permission, has_permission
from release import services
from release.card.blocks import Block
from release.card.card import card
from release.card.changes import Changes
from release.files.instruction import TAUGHT
from release.forms import WithdrawForm
from release.models import Release, ReleaseState
from release.permissions import (
    may_invite_teams,
    may_open_release,
)
from release.queries.draft import discarded_drafts, draft_of, drafts
from release.queries.lineage import bases
from release.queries.release import (
    BUILD,
    artifacts,
    frozen,
    get_release,
    listed_releases,
    why_ended,
)
from release.queries.report import errata_of, reports_in, waiting_reports
from release.views import presentation
from web.cached_counts import named
from web.forms import put_errors
from web.requests import MemberRequest

PAGE: Final = 50
CARD_KEPT_SECONDS: Final = 24 * 3600
DISCARDED: Final = 10
"""The maximum number of discarded drafts in the list."""
LANGUAGES: Final = {Language.ZH: "zh-Hans", Language.EN: "en"}


@project_page()
@require_GET
def show_list(request: MemberRequest, project: Project) -> HttpResponse:
    """Show all releases of the project with their states."""
    page = Paginator(listed_releases(project), PAGE).get_page(request.GET.get("page"))
    rows = []
    for release in page:
        counts = presentation.count_rows(release)
        rows.append(
            {
                "release": release,
                "tone": presentation.STATE_TONES[ReleaseState(release.state)],
                "note": release.why or presentation.stopped_by(release),
                "icon": presentation.STATE_ICONS[ReleaseState(release.state)],
                "items": sum(row.all for row in counts),
                "in_splits": presentation.in_splits(counts),
                "since": Changes.from_json(release.manifest.get("since")),
            }
        )
    context = {
        "project": project,
        "section": "release",
        "page_obj": page,
        "rows": rows,
    }
    if has_permission(request.user, project, Permission.SEE_RELEASES):
        newest = list(bases(project).values_list("version", flat=True)[:2])
        context |= {
            "waiting_reports": waiting_reports(project),
            "drafts": drafts(project),
            "discarded": discarded_drafts(project)[:DISCARDED],
            "compared": newest if len(newest) > 1 else [],
        }
    return render(request, "release/list.html", context)


@project_page()
@require_GET
def detail(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show a release. Users who may open it also see its files, or the gates if it is not ready."""
    release = _release(request, project, version)
    context = _outline(release)
    if may_open_release(request.user, release):
        has_files = release.state == ReleaseState.READY
        context |= _inside(release, request.user, "files" if has_files else "gates")
    return render(request, "release/detail.html", context)


@project_page(Permission.SEE_RELEASES)
@require_GET
def gates(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the results of the gates at the time of the build, and the positions of the keys."""
    return _tab(request, project, version, "gates")


@project_page(Permission.SEE_RELEASES)
@require_GET
def show_card(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the data card of the release."""
    return _tab(request, project, version, "card")


@project_page(Permission.SEE_RELEASES)
@require_GET
def reports(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show reported errors, errata, and changes since the extended release."""
    return _tab(request, project, version, "reports")


def _tab(request: MemberRequest, project: Project, version: str, tab: str) -> HttpResponse:
    release = _release(request, project, version)
    require(may_open_release(request.user, release))
    return render(
        request, "release/detail.html", {**_outline(release), **_inside(release, request.user, tab)}
    )


def _release(request: MemberRequest, project: Project, version: str) -> Release:
    return get_release(user=request.user, project=project, version=version)


def _outline(release: Release) -> dict[str, object]:
    counts = presentation.count_rows(release)
    return {
        "project": release.project,
        "section": "release",
        "release": release,
        "tone": presentation.STATE_TONES[ReleaseState(release.state)],
        "counts": counts,
        "why": why_ended(release),
        "splits": presentation.splits_of(release.manifest.get("counts", {})),
        "items": sum(row.all for row in counts),
        "in_splits": presentation.in_splits(counts),
        "has_examples": any(row.of_split.get(split) for row in counts for split in TAUGHT),
        "stories": release.manifest.get("stories", 0),
        **_how_far(release),
    }


def _how_far(release: Release) -> dict[str, object]:
    return {
        "is_building": release.state == ReleaseState.BUILDING,
        "work": job_of(BUILD, release.pk) if release.state == ReleaseState.BUILDING else None,
    }


def _inside(release: Release, user: User, tab: str) -> dict[str, object]:
    """Return the context of one tab, for users who may open the release."""
    is_ready = release.state == ReleaseState.READY
    gates = presentation.gates(release)
    context = {
        "tab": tab,
        "tabs": presentation.tabs(release, gates),
        "is_ready": is_ready,
        "draft": draft_of(release),
        "excluded": len(release.recipe.get("without", [])),
        "stopped": len({gate.id for gate in gates if gate.tone == "wrong" and not gate.allowed}),
        "since": Changes.from_json(release.manifest.get("since")),
        "lang": LANGUAGES[Language(release.project.language)],
    }
    return context | _PARTS[tab](release, user, gates)


def _gates_part(release: Release, _user: User, gates: list[presentation.GateView]) -> dict[str, object]:
    return {
        "gates": [gate for gate in gates if gate.applies],
        "idle": [gate for gate in gates if not gate.applies],
        "keys": presentation.key_table(release),
    }


def _files_part(release: Release, user: User, _gates: list[presentation.GateView]) -> dict[str, object]:
    is_ready = release.state == ReleaseState.READY
    return {
        "files": artifacts(release) if is_ready else [],
        "other_formats": presentation.other_formats(release) if is_ready else [],
        "may_invite_teams": is_ready and bool(may_invite_teams(user, release)),
        "withdraw_form": WithdrawForm(),
    }


def _card_part(release: Release, _user: User, _gates: list[presentation.GateView]) -> dict[str, object]:
    if release.state != ReleaseState.READY:
        return {"card": []}
    # cached for a day, as a built release never changes
    name = named("release-card:2", release)
    found: list[Block] | None = cache.get(name)
    if found is None:
        found = card(frozen(release))
        cache.set(name, found, CARD_KEPT_SECONDS)
    return {"card": presentation.card_blocks(found)}


def _reports_part(release: Release, _user: User, _gates: list[presentation.GateView]) -> dict[str, object]:
    return {
        "errata_lines": presentation.errata_lines(release),
        "errata": errata_of(release),
        "reports": list(reports_in(release)[:PAGE]),
    }


_PARTS: Final = {
    "gates": _gates_part,
    "files": _files_part,
    "card": _card_part,
    "reports": _reports_part,
}


@project_page()
@require_GET
def progress(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the progress of a build, as a fragment that polls until the build ends."""
    release = _release(request, project, version)
    response = render(request, "release/_progress.html", {"release": release, **_how_far(release)})
    if release.state != ReleaseState.BUILDING:
        response.headers["HX-Refresh"] = "true"
    return response


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def retry(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Dispatch the job of a build again."""
    release = _release(request, project, version)
    dispatch(BUILD, release.pk)
    messages.info(request, _("The job was queued again."))
    return redirect("release:detail", project.slug, version)


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def withdraw(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Withdraw a release with a reason, which remains visible."""
    release = _release(request, project, version)
    form = WithdrawForm(request.POST)
    if form.is_valid():
        try:
            services.withdraw_release(actor=request.user, release=release, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            return redirect("release:detail", project.slug, version)
    context = {**_outline(release), **_inside(release, request.user, "files"), "withdraw_form": form}
    return render(request, "release/detail.html", context, status=400)
