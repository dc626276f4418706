"""Pages for teams: managers create their links; teams upload responses and see the totals."""

from typing import Final

from allauth.core.internal.ratelimit import consume
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Conflict, Unusable, require
from jobs.hooks import dispatch
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.forms import TeamForm, UploadForm, UploadLimitForm
from release.models import Release, Team, Upload
from release.permissions import may_invite_teams
from release.queries.team import (
    SCORE,
    all_uploads,
    get_team,
    is_team,
    left,
    provable,
    refusal_of,
    scored_on,
    team_of,
    teams,
    uploads,
)
from release.score import LARGEST_UPLOAD
from release.views import opened_release, presentation
from web.files import takes_files
from web.forms import put_errors
from web.requests import MemberRequest

SHOWN: Final = 50


def _managed(request: MemberRequest, project: Project, version: str) -> Release:
    release = opened_release(request, project, version)
    require(may_invite_teams(request.user, release))
    return release


@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the teams of a release and their results.

    POST invites a team and displays its link once, or sets the limit on all uploads.
    """
    release = _managed(request, project, version)
    if request.method == "GET":
        return _page(request, release)
    return (_limit if "uploads_in_all" in request.POST else _invite)(request, release)


def _invite(request: MemberRequest, release: Release) -> HttpResponse:
    form = TeamForm(request.POST)
    if form.is_valid():
        try:
            invited = services.invite_team(actor=request.user, release=release, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            link = request.build_absolute_uri(reverse("release:score", args=[invited.token]))
            return _page(request, release, issued=(invited.team, link))
    return _page(request, release, form=form)


def _limit(request: MemberRequest, release: Release) -> HttpResponse:
    form = UploadLimitForm(request.POST)
    if not form.is_valid():
        return _page(request, release, limit_form=form)
    services.limit_uploads(actor=request.user, release=release, **form.cleaned_data)
    messages.success(request, _("Limit saved."))
    return redirect("release:teams", release.project.slug, release.version)


def _page(
    request: MemberRequest,
    release: Release,
    form: TeamForm | None = None,
    limit_form: UploadLimitForm | None = None,
    issued: tuple[Team, str] | None = None,
) -> HttpResponse:
    form = form or TeamForm()
    limit_form = limit_form or UploadLimitForm(initial={"uploads_in_all": release.uploads_in_all})
    context = {
        "project": release.project,
        "section": "release",
        "release": release,
        "teams": teams(release),
        "uploads": _shown(all_uploads(release)),
        "form": form,
        "limit_form": limit_form,
        "scored": scored_on(release),
        "provable": provable(release),
        "issued": issued,
    }
    status = 400 if form.errors or limit_form.errors else 200
    return render(request, "release/teams.html", context, status=status)


def _shown(found: QuerySet[Upload]) -> list[tuple[Upload, list[tuple[str, str]], str]]:
    return [(one, presentation.totals(one), refusal_of(one)) for one in found[:SHOWN]]


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def revoke(request: MemberRequest, project: Project, version: str, pk: int) -> HttpResponse:
    """Revoke a team's link."""
    release = _managed(request, project, version)
    team = get_team(release, pk)
    services.revoke_team(actor=request.user, team=team)
    messages.success(request, _("The link of %(name)s was withdrawn.") % {"name": team.name})
    return redirect("release:teams", project.slug, version)


@takes_files(LARGEST_UPLOAD, admits=is_team)
@require_http_methods(["GET", "POST"])
def score(request: HttpRequest, token: str) -> HttpResponse:
    """Show the upload form and the totals to anyone with a team's link; POST uploads responses."""
    team = team_of(token)
    if request.method == "GET":
        return _score_page(request, team, UploadForm())
    if not consume(request, app="release", action="score", config=services.SCORE_LIMITS):
        return render(request, "release/report_limit.html", {"is_upload": True}, status=429)
    form = UploadForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            _take(token, form.cleaned_data["file"].read())
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            return redirect("release:score", token)
    return _score_page(request, team, form)


@transaction.atomic
def _take(token: str, content: bytes) -> None:
    upload = services.upload_responses(token=token, content=content)
    dispatch(SCORE, upload.pk)


def _score_page(request: HttpRequest, team: Team, form: UploadForm) -> HttpResponse:
    context: dict[str, object] = {
        "team": team,
        "release": team.release,
        "uploads": _shown(uploads(team)),
        "left": left(team),
        "form": form,
    }
    return render(request, "release/score.html", context, status=400 if form.errors else 200)
