"""The page for sending a release to a hub of data sets."""

from typing import Final

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from core.errors import Conflict, Unusable
from jobs.hooks import dispatch
from jobs.queries import job_of, stores_keys
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.forms import PushForm
from release.models import PushState, ReleaseState
from release.queries.push import PUSH, pushes, waiting_push, why_not_sent
from release.queries.release import artifacts
from release.views import opened_release
from web.forms import put_errors
from web.requests import MemberRequest

SHOWN: Final = 50
TONES: Final = {PushState.WAITING: "", PushState.DONE: "good", PushState.FAILED: "wrong"}


@sensitive_post_parameters("token")
@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the files that a push would send, and all pushes of the release; POST orders a push.

    No response contains the token.
    """
    release = opened_release(request, project, version)
    last = pushes(release).first()
    initial = {"repo": last.repo} if last else {}
    form = PushForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            with transaction.atomic():
                push = services.order_push(actor=request.user, release=release, **form.cleaned_data)
                dispatch(PUSH, push.pk)
        except (Conflict, Unusable) as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Push to %(repo)s ordered.") % {"repo": push.repo})
            return redirect("release:push", project.slug, version)
    running = waiting_push(release)
    work = job_of(PUSH, running.pk) if running else None
    is_ready = release.state == ReleaseState.READY
    files = list(artifacts(release)) if is_ready else []
    context = {
        "project": project,
        "section": "release",
        "release": release,
        "is_ready": is_ready,
        "hub": settings.HUB_URL,
        "stores_keys": stores_keys(),
        "files": files,
        "size": sum(file.bytes for file in files),
        "form": form,
        "running": running,
        "work": work,
        "pushes": [
            (one, TONES[PushState(one.state)], why_not_sent(one, release.version))
            for one in pushes(release)[:SHOWN]
        ],
    }
    status = 400 if request.method == "POST" else 200
    response = render(request, "release/push.html", context, status=status)
    if request.headers.get("HX-Request") and running is None:
        response.headers["HX-Refresh"] = "true"
    return response
