"""The list of releases, cutting one, and one release."""

import secrets
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from core.errors import Conflict, ParableError, Unusable, require
from jobs.hooks import dispatch
from jobs.queries import work_of
from projects.models import Language, Project
from projects.queries import get_project
from release import services
from release.assembly.card import card
from release.assembly.since import Since
from release.assembly.versions import MINOR, PATCH, after
from release.forms import CutForm, WithdrawForm
from release.models import Release, ReleaseState
from release.permissions import (
    may_cut_release,
    may_invite_teams,
    may_list_releases,
    may_open_release,
    may_withdraw_release,
)
from release.queries.lineage import bases
from release.queries.release import (
    BUILD,
    artifacts,
    frozen,
    get_release,
    listed_releases,
    live_release,
    next_version,
    preview,
    releases,
)
from release.queries.report import errata_of, waiting_reports
from release.views import presentation
from web.forms import put_errors
from web.requests import MemberRequest

PAGE: Final = 50
LANGUAGES: Final = {Language.ZH: "zh-Hans", Language.EN: "en"}
LARGEST_SEED: Final = 1_000_000
SELECTION: Final = ("tasks", "styles", "min_rating")


@login_required
@require_GET
def show_list(request: MemberRequest, slug: str) -> HttpResponse:
    """All releases of the project and where each stands."""
    project = get_project(user=request.user, slug=slug)
    require(may_list_releases(request.user, project))
    page = Paginator(listed_releases(project), PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "release",
        "page_obj": page,
        "rows": [_row(release) for release in page],
        "may_cut": bool(may_cut_release(request.user, project)),
    }
    if context["may_cut"]:
        newest = _bases(project)[:2]
        context |= {
            "waiting_reports": waiting_reports(project),
            "compared": newest if len(newest) > 1 else [],
        }
    return render(request, "release/list.html", context)


def _row(release: Release) -> dict[str, Any]:
    counts = presentation.count_rows(release)
    return {
        "release": release,
        "tone": presentation.STATE_TONES[ReleaseState(release.state)],
        "note": release.why or presentation.stopped_by(release),
        "items": sum(row.all for row in counts),
        "dev": sum(row.dev for row in counts),
        "test": sum(row.test for row in counts),
    }


@login_required
@require_http_methods(["GET", "POST"])
def build(request: MemberRequest, slug: str) -> HttpResponse:
    """Say how a release is to be cut, with what it would hold; a worker then builds it."""
    project = get_project(user=request.user, slug=slug)
    require(may_cut_release(request.user, project))
    if request.method == "GET":
        form = CutForm(initial=_first_wishes(request, project), bases=_bases(project))
        return _ask(request, project, form)
    form = CutForm(request.POST, bases=_bases(project))
    if form.is_valid():
        try:
            release = _order(request, project, form)
        except (Unusable, Conflict) as error:
            _put_refusal(form, error)
        else:
            return redirect("release:detail", slug, release.version)
    return _ask(request, project, form)


def _bases(project: Project) -> list[str]:
    return list(bases(project).values_list("version", flat=True))


def _first_wishes(request: MemberRequest, project: Project) -> dict[str, Any]:
    """What the form begins with: the next version, what an earlier attempt wanted, or a patch."""
    wishes: dict[str, Any] = {
        "version": next_version(project),
        "dev_share": "0.2",
        "split": project.split_rule,
        "seed": str(secrets.randbelow(LARGEST_SEED)),
        "contact": request.build_absolute_uri(reverse("release:report")),
        "min_rating": 0,
    }
    wishes |= _wishes_after(project, request.GET.get("patch", ""))
    earlier = releases(project).filter(version=request.GET.get("like", "")).first()
    if earlier is not None:
        is_secret = earlier.recipe["withhold_test"]
        wishes |= {"extends": "", **earlier.recipe, "seed": "" if is_secret else earlier.seed}
        if earlier.state == ReleaseState.FAILED:
            wishes["version"] = earlier.version
            wishes["allow"] = [*earlier.recipe["allow"], *earlier.manifest.get("stopped", [])]
    return wishes


def _wishes_after(project: Project, patched: str) -> dict[str, Any]:
    """What follows from the release to be extended: the one named, for a patch, else the newest."""
    standing = bases(project)
    base = standing.filter(version=patched).first() if patched else standing.first()
    if base is None:
        return {}
    version = after(base.version, PATCH if patched else MINOR)
    is_secret = base.recipe["withhold_test"]
    return {
        "extends": base.version,
        "version": next_version(project) if live_release(project, version) else version,
        **{name: base.recipe[name] for name in ("dev_share", "split", "withhold_test")},
        **{name: base.recipe[name] for name in ("keep_order", *SELECTION) if name in base.recipe},
        **({"seed": ""} if is_secret else {}),
        **({"contact": base.recipe["contact"]} if "contact" in base.recipe else {}),
    }


@transaction.atomic
def _order(request: MemberRequest, project: Project, form: CutForm) -> Release:
    recipe = services.read_recipe(**form.recipe_fields())
    release = services.order_release(
        actor=request.user,
        project=project,
        version=form.cleaned_data["version"],
        seed=form.cleaned_data["seed"],
        recipe=recipe,
    )
    dispatch(BUILD, release.pk)
    return release


def _put_refusal(form: CutForm, error: ParableError) -> None:
    """Put a service's refusal on the form; a version that is taken stands beside its number."""
    if isinstance(error, Conflict):
        form.add_error("version", str(error))
    else:
        put_errors(form, error)


def _ask(request: MemberRequest, project: Project, form: CutForm) -> HttpResponse:
    wanted = preview(project)
    context = {
        "project": project,
        "section": "release",
        "form": form,
        "preview": wanted,
        "shares": [
            {
                "name": presentation.share_name(share.task, share.style),
                "verified": share.verified,
                "under_way": share.under_way,
                "retired": share.retired,
            }
            for share in wanted.shares
        ],
    }
    return render(request, "release/build.html", context, status=400 if form.errors else 200)


@login_required
@require_GET
def detail(request: MemberRequest, slug: str, version: str) -> HttpResponse:
    """One release: counts for every member; seed, gates, keys, card and files for managers."""
    release = _release(request, slug, version)
    context = _outline(release)
    if may_open_release(request.user, release):
        context |= _inside(release, request.user)
    return render(request, "release/detail.html", context)


def _release(request: MemberRequest, slug: str, version: str) -> Release:
    project = get_project(user=request.user, slug=slug)
    return get_release(user=request.user, project=project, version=version)


def _outline(release: Release) -> dict[str, Any]:
    counts = presentation.count_rows(release)
    return {
        "project": release.project,
        "section": "release",
        "release": release,
        "tone": presentation.STATE_TONES[ReleaseState(release.state)],
        "counts": counts,
        "items": sum(row.all for row in counts),
        "dev": sum(row.dev for row in counts),
        "test": sum(row.test for row in counts),
        "stories": release.manifest.get("stories", 0),
        **_how_far(release),
    }


def _how_far(release: Release) -> dict[str, Any]:
    return {
        "is_building": release.state == ReleaseState.BUILDING,
        "work": work_of(BUILD, release.pk) if release.state == ReleaseState.BUILDING else None,
    }


def _inside(release: Release, user: User) -> dict[str, Any]:
    is_ready = release.state == ReleaseState.READY
    gates = presentation.gates(release)
    return {
        "may_open": True,
        "gates": gates,
        "stopped": len({gate.id for gate in gates if gate.tone == "wrong" and not gate.allowed}),
        "keys": presentation.key_table(release),
        "files": artifacts(release) if is_ready else [],
        "since": Since.from_json(release.manifest.get("since")),
        "errata_lines": presentation.errata_lines(release),
        "errata": errata_of(release),
        "may_invite_teams": is_ready and bool(may_invite_teams(user, release)),
        "card": presentation.card_blocks(card(frozen(release))) if is_ready else [],
        "withdraw_form": WithdrawForm(),
        "lang": LANGUAGES[Language(release.project.language)],
    }


@login_required
@require_GET
def progress(request: MemberRequest, slug: str, version: str) -> HttpResponse:
    """How far a build is: a fragment that asks again until there is something to show."""
    release = _release(request, slug, version)
    may_open = bool(may_open_release(request.user, release))
    context = {"release": release, "may_open": may_open, **_how_far(release)}
    response = render(request, "release/_progress.html", context)
    if release.state != ReleaseState.BUILDING:
        response.headers["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def retry(request: MemberRequest, slug: str, version: str) -> HttpResponse:
    """Tell a worker again of a build that gives no sign of life."""
    release = _release(request, slug, version)
    require(may_cut_release(request.user, release.project))
    dispatch(BUILD, release.pk)
    messages.info(request, _("A worker has been told again."))
    return redirect("release:detail", slug, version)


@login_required
@require_POST
def withdraw(request: MemberRequest, slug: str, version: str) -> HttpResponse:
    """Take a release back, with a reason that stays visible."""
    release = _release(request, slug, version)
    require(may_withdraw_release(request.user, release))
    form = WithdrawForm(request.POST)
    if form.is_valid():
        try:
            services.withdraw_release(actor=request.user, release=release, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            return redirect("release:detail", slug, version)
    context = {**_outline(release), **_inside(release, request.user), "withdraw_form": form}
    return render(request, "release/detail.html", context, status=400)
