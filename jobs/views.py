"""Pages of jobs, with progress and controls, and of the servers that may receive API keys."""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import Conflict, Unusable, require
from jobs import hooks, services
from jobs.errors import BUDGET, sentence
from jobs.forms import BindingForm, HostForm, ResumeForm
from jobs.models import CallState, Job, JobState
from jobs.permissions import may_allow_hosts, may_steer_job
from jobs.queries import (
    address_of,
    allowed_hosts,
    get_allowed_host,
    get_job,
    get_key_binding,
    is_over,
    key_bindings,
    progress,
    recent_jobs,
    running_jobs,
    unserved,
)
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors
from web.requests import MemberRequest

LISTED: Final = 50
TONES: Final = {JobState.DONE: "good", JobState.FAILED: "wrong"}


@project_page(Permission.SEE_PROJECT)
@require_GET
def show_list(request: MemberRequest, project: Project) -> HttpResponse:
    """Show a project's unfinished and finished jobs. Only managers and observers may."""
    running = list(running_jobs(project)[:LISTED])
    page = Paginator(recent_jobs(project), LISTED).get_page(request.GET.get("page"))
    context = {
        "project": project,
        # the worker of a job that makes calls may send no heartbeat for minutes
        "running": [(job, address_of(job), job.is_silent and not hasattr(job, "budget")) for job in running],
        "page_obj": page,
        "recent": [
            (job, address_of(job), sentence(job.reason), TONES.get(JobState(job.state), "")) for job in page
        ],
    }
    return render(request, "jobs/list.html", context)


@project_page(Permission.SEE_CANDIDATES)
@require_GET
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the page of a job, or only its progress for a polling request."""
    job = _job(request, project, pk)
    template = "jobs/_progress.html" if request.headers.get("HX-Request") else "jobs/job.html"
    seen = progress(job)
    context = {
        "project": job.project,
        "section": "candidates",
        "job": job,
        "progress": seen,
        "reason": sentence(job.reason) if job.reason else "",
        "is_over": is_over(job),
        "unserved": unserved(job, hooks.queue_of(job.kind)),
        "may_steer": bool(may_steer_job(request.user, job)),
        "needs_money": job.reason == BUDGET,
        "counts": [
            (label, seen.by_state[state]) for state, label in CallState.choices if seen.by_state.get(state)
        ],
        "runs": job.state in {JobState.PENDING, JobState.RUNNING},
        "minutes_left": -(-seen.seconds_left // 60) if seen.seconds_left is not None else None,
    }
    return render(request, template, context)


def _job(request: MemberRequest, project: Project, pk: int) -> Job:
    return get_job(user=request.user, project=project, pk=pk)


@project_page(Permission.WRITE)
@require_POST
def pause(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Pause the job, so that no more of its calls are dispatched."""
    job = _job(request, project, pk)
    try:
        services.pause_job(actor=request.user, job=job)
    except Conflict as error:
        messages.error(request, str(error))
    return redirect("jobs:job", project.slug, pk)


@project_page(Permission.WRITE)
@require_POST
def resume(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Resume the job, with a new budget limit if given."""
    job, form = _job(request, project, pk), ResumeForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["limit"])))
        return redirect("jobs:job", project.slug, pk)
    try:
        services.resume_job(actor=request.user, job=job, limit=form.cleaned_data["limit"])
    except (Conflict, Unusable) as error:
        messages.error(request, str(error))
    else:
        hooks.dispatch_calls(job.kind, services.wake_calls(job_id=job.pk))
    return redirect("jobs:job", project.slug, pk)


@project_page(Permission.WRITE)
@require_POST
def cancel(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Cancel the job; calls in flight are completed."""
    job = _job(request, project, pk)
    try:
        services.cancel_job(actor=request.user, job=job)
    except Conflict as error:
        messages.error(request, str(error))
    return redirect("jobs:job", project.slug, pk)


@project_page(Permission.WRITE)
@require_POST
def retry(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Retry the job's failed calls: all, or those with one reason."""
    job = _job(request, project, pk)
    try:
        services.retry_failed(actor=request.user, job=job, reason_code=request.POST.get("reason", ""))
    except Conflict as error:
        messages.error(request, str(error))
    else:
        hooks.dispatch_calls(job.kind, services.wake_calls(job_id=job.pk))
    return redirect("jobs:job", project.slug, pk)


@login_required
@require_http_methods(["GET", "POST"])
def hosts(request: MemberRequest) -> HttpResponse:
    """Show the servers that may receive API keys, with a form to add one. Only administrators may."""
    require(may_allow_hosts(request.user))
    form = HostForm(request.POST or None, initial={"address": request.GET.get("host", "")[:400]})
    if form.is_valid():
        try:
            host = services.allow_host(actor=request.user, **form.cleaned_data)
        except Unusable as error:
            form.add_error("address", str(error))
        else:
            messages.success(request, _("Keys can now be sent to %(host)s.") % {"host": host})
            return redirect("jobs:hosts")
    return _render_hosts(request, form=form)


def _render_hosts(
    request: MemberRequest, *, form: HostForm | None = None, binding_form: BindingForm | None = None
) -> HttpResponse:
    asked_for = {
        "variable": request.GET.get("variable", "")[:80],
        "address": request.GET.get("host", "")[:400],
    }
    context = {
        "form": form or HostForm(),
        "binding_form": binding_form or BindingForm(initial=asked_for, auto_id="binding_%s"),
        "hosts": allowed_hosts(),
        "bindings": key_bindings(),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "jobs/hosts.html", context, status=status)


@login_required
@require_POST
def withdraw_host(request: MemberRequest, pk: int) -> HttpResponse:
    """Disallow sending API keys to a server. Only administrators may."""
    require(may_allow_hosts(request.user))
    host = get_allowed_host(pk)
    services.withdraw_host(actor=request.user, host=host)
    messages.success(request, _("Keys are no longer sent to %(host)s.") % {"host": host})
    return redirect("jobs:hosts")


@login_required
@require_POST
def bind_key(request: MemberRequest) -> HttpResponse:
    """Bind the API key in an environment variable to one server. Only administrators may."""
    require(may_allow_hosts(request.user))
    form = BindingForm(request.POST, auto_id="binding_%s")
    if form.is_valid():
        try:
            binding = services.bind_key(actor=request.user, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            about = {"variable": binding.variable, "host": binding.host}
            messages.success(request, _("%(variable)s is sent to %(host)s only.") % about)
            return redirect("jobs:hosts")
    return _render_hosts(request, binding_form=form)


@login_required
@require_POST
def unbind_key(request: MemberRequest, pk: int) -> HttpResponse:
    """Remove the binding of an environment variable, so that its key is sent to no server.

    Only administrators may.
    """
    require(may_allow_hosts(request.user))
    binding = get_key_binding(pk)
    services.unbind_key(actor=request.user, binding=binding)
    messages.success(
        request, _("%(variable)s is no longer sent to any server.") % {"variable": binding.variable}
    )
    return redirect("jobs:hosts")
