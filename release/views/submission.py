"""Pages on which a team submits a prompt or a model; the link of the team is the credential."""

from collections.abc import Callable
from typing import Final

from allauth.core.internal.ratelimit import consume
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Conflict, Unusable
from release import services
from release.forms import ModelForm, PromptForm
from release.models import Submission, SubmissionKind, Team
from release.queries.submission import prompt_fields
from release.queries.team import left, team_of
from web.forms import put_errors

TEMPLATE: Final = "release/submit.html"


@require_http_methods(["GET", "POST"])
def prompt(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of a team's prompts, filled with the usual ones; POST submits them."""
    team = team_of(token)
    form = PromptForm(prompt_fields(team.release), request.POST if request.method == "POST" else None)

    def submit() -> Submission:
        return services.submit_prompt(token=token, name=form.cleaned_data["name"], texts=form.texts)

    return _page(request, token, team, form, SubmissionKind.PROMPT, submit)


@sensitive_post_parameters("key")
@require_http_methods(["GET", "POST"])
def model(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of a team's model behind an address; POST submits it. No response contains the key."""
    team = team_of(token)
    form = ModelForm(request.POST if request.method == "POST" else None)

    def submit() -> Submission:
        return services.submit_model(token=token, **form.cleaned_data)

    return _page(request, token, team, form, SubmissionKind.MODEL, submit)


def _page(
    request: HttpRequest,
    token: str,
    team: Team,
    form: forms.Form,
    kind: SubmissionKind,
    submit: Callable[[], Submission],
) -> HttpResponse:
    if request.method == "POST":
        limits = services.SUBMISSION_LIMITS
        if not consume(request, app="release", action="submission", config=limits):
            return render(request, "release/report_limit.html", {"is_upload": True}, status=429)
        if form.is_valid():
            try:
                submission = submit()
            except (Unusable, Conflict) as error:
                put_errors(form, error)
            else:
                messages.success(request, _("“%(name)s” was submitted.") % {"name": submission.name})
                return redirect("release:score", token)
    context = {"team": team, "token": token, "form": form, "kind": kind, "left": left(team)}
    return render(request, TEMPLATE, context, status=400 if form.errors else 200)


@require_POST
def withdraw(request: HttpRequest, token: str, pk: int) -> HttpResponse:
    """Withdraw one of the team's own submissions."""
    submission = services.withdraw_submission(token=token, pk=pk)
    messages.success(request, _("“%(name)s” was withdrawn.") % {"name": submission.name})
    return redirect("release:score", token)
