"""Teams outside the project: their links, for managers; uploading responses and reading totals, for them."""

from functools import partial
from typing import Any, Final

from allauth.core.internal.ratelimit import consume
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.asking import MemberRequest, put_errors
from accounts.bodies import takes_files
from accounts.errors import Conflict, Unusable, require
from release import services
from release.forms import TeamForm, UploadForm
from release.models import Release, Team
from release.permissions import may_invite_teams
from release.scoring import LARGEST_UPLOAD
from release.tasks import score_upload
from release.teams import all_uploads, get_team, is_team, left_this_week, team_of, teams, uploads
from release.views import opened_release, shown

SHOWN: Final = 50
LIMITS: Final = {"score": "30/h/ip"}


def _managed(request: MemberRequest, slug: str, version: str) -> Release:
    release = opened_release(request, slug, version)
    require(may_invite_teams(request.user, release))
    return release


@login_required
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, slug: str, version: str) -> HttpResponse:
    """The teams of a release and what they were told; inviting another one shows its link once."""
    release = _managed(request, slug, version)
    if request.method == "GET":
        return _page(request, release, TeamForm())
    form = TeamForm(request.POST)
    if form.is_valid():
        try:
            invited = services.invite_team(actor=request.user, release=release, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            link = request.build_absolute_uri(reverse("release:score", args=[invited.token]))
            return _page(request, release, TeamForm(), issued=(invited.team, link))
    return _page(request, release, form)


def _page(
    request: MemberRequest, release: Release, form: TeamForm, issued: tuple[Team, str] | None = None
) -> HttpResponse:
    context = {
        "project": release.project,
        "section": "release",
        "release": release,
        "teams": teams(release),
        "uploads": [(one, shown.totals(one)) for one in all_uploads(release)[:SHOWN]],
        "form": form,
        "issued": issued,
    }
    return render(request, "release/teams.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def revoke(request: MemberRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """Let a team's link work no more."""
    release = _managed(request, slug, version)
    team = get_team(release, pk)
    services.revoke_team(actor=request.user, team=team)
    messages.success(request, _("The link of %(name)s no longer works.") % {"name": team.name})
    return redirect("release:teams", slug, version)


@takes_files(LARGEST_UPLOAD, admits=is_team)
@require_http_methods(["GET", "POST"])
def score(request: HttpRequest, token: str) -> HttpResponse:
    """Upload responses and read totals, for whoever holds a team's link."""
    team = team_of(token)
    if request.method == "GET":
        return _score_page(request, team, UploadForm())
    if not consume(request, app="release", action="score", config=LIMITS):
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
    transaction.on_commit(partial(score_upload.delay, upload.pk), robust=True)


def _score_page(request: HttpRequest, team: Team, form: UploadForm) -> HttpResponse:
    context: dict[str, Any] = {
        "team": team,
        "release": team.release,
        "uploads": [(one, shown.totals(one)) for one in uploads(team)[:SHOWN]],
        "left": left_this_week(team),
        "form": form,
    }
    return render(request, "release/score.html", context, status=400 if form.errors else 200)
