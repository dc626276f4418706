"""Jobs of a project: their list, the progress of one, and its controls."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from jobs import hooks, services
from jobs.errors import sentence
from jobs.models import Job, JobState
from jobs.queries import get_job, get_job_of_any_kind, jobs_of_project, progress
from jobs.serializers import ProgressSerializer
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, body, endpoint, filters, page, page_of
from web.requests import signed_in


class JobSerializer(serializers.Serializer[Any]):
    """A job. `total` is 0 while the amount of work is unknown; only jobs that call models have costs."""

    id = serializers.IntegerField()
    kind = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    calls_models = serializers.BooleanField()
    cost = serializers.DecimalField(max_digits=14, decimal_places=6, allow_null=True)
    limit = serializers.DecimalField(max_digits=14, decimal_places=6, allow_null=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class JobFilters(serializers.Serializer[Any]):
    """Filters of the list of jobs."""

    kind = serializers.CharField(max_length=40, required=False)
    state = serializers.ChoiceField(JobState.choices, required=False)


class ResumeSerializer(serializers.Serializer[Any]):
    """A new budget of the job, if it is to change."""

    limit = serializers.DecimalField(max_digits=14, decimal_places=6, min_value=0, required=False)


class RetrySerializer(serializers.Serializer[Any]):
    """The code of a reason; without it, all failed calls are retried."""

    reason = serializers.CharField(max_length=40, default="", allow_blank=True)


@extend_schema(
    parameters=[*PAGING, JobFilters],
    responses=page_of(JobSerializer),
    operation_id="jobs_list",
    tags=["jobs"],
)
@project_endpoint(GET=Permission.SEE_PROJECT)
def jobs(request: Request, project: Project) -> Response:
    """Return the jobs of a project, newest first."""
    found = jobs_of_project(project).filter(**filters(request, JobFilters))
    return page(request, found, lambda rows: map(_row, rows))


@extend_schema(responses=ProgressSerializer, operation_id="job_progress", tags=["jobs"])
@endpoint(bound=True, GET=Scope.READ)
def job(request: Request, pk: int) -> Response:
    """Return the progress of a job: calls by state, cost, speed, remaining time, and failures by reason.

    A job that calls no models has no calls, and counts what its kind counts.
    """
    return Response(_progress(get_job_of_any_kind(user=signed_in(request), pk=pk)))


@extend_schema(request=None, responses=ProgressSerializer, operation_id="jobs_pause", tags=["jobs"])
@project_endpoint(POST=Permission.WRITE)
def pause(request: Request, project: Project, pk: int) -> Response:
    """Pause a job that calls models; calls in flight are completed. Tokens also need the scope `read`."""
    found = get_job(user=signed_in(request), project=project, pk=pk)
    return Response(_progress(services.pause_job(actor=signed_in(request), job=found)))


@extend_schema(
    parameters=[REPEATABLE],
    request=ResumeSerializer,
    responses=ProgressSerializer,
    operation_id="jobs_resume",
    tags=["jobs"],
)
@project_endpoint(heavy=True, POST=Permission.WRITE)
def resume(request: Request, project: Project, pk: int) -> Response:
    """Resume a paused job, with a new budget if given. Tokens also need the scope `read`."""
    user = signed_in(request)
    found = get_job(user=user, project=project, pk=pk)
    sent = body(request, ResumeSerializer)
    with transaction.atomic():
        found = services.resume_job(actor=user, job=found, **sent)
        hooks.dispatch_calls(found.kind, services.wake_calls(job_id=found.pk))
    return Response(_progress(found))


@extend_schema(request=None, responses=ProgressSerializer, operation_id="jobs_cancel", tags=["jobs"])
@project_endpoint(POST=Permission.WRITE)
def cancel(request: Request, project: Project, pk: int) -> Response:
    """Cancel a job that calls models; calls in flight are completed. Tokens also need the scope `read`."""
    found = get_job(user=signed_in(request), project=project, pk=pk)
    return Response(_progress(services.cancel_job(actor=signed_in(request), job=found)))


@extend_schema(
    parameters=[REPEATABLE],
    request=RetrySerializer,
    responses=ProgressSerializer,
    operation_id="jobs_retry",
    tags=["jobs"],
)
@project_endpoint(heavy=True, POST=Permission.WRITE)
def retry(request: Request, project: Project, pk: int) -> Response:
    """Retry the failed calls of a job: all, or those with one reason. Tokens also need the scope `read`."""
    user = signed_in(request)
    found = get_job(user=user, project=project, pk=pk)
    sent = body(request, RetrySerializer)
    with transaction.atomic():
        found = services.retry_failed(actor=user, job=found, reason_code=sent["reason"])
        hooks.dispatch_calls(found.kind, services.wake_calls(job_id=found.pk))
    return Response(_progress(found))


def _row(job: Job) -> dict[str, object]:
    done, total = job.meter
    budget = getattr(job, "budget", None)
    names = ("kind", "title", "state", "created_at", "started_at", "finished_at")
    return {
        "id": job.pk,
        **{name: getattr(job, name) for name in names},
        "reason": job.why,
        "done": done,
        "total": total,
        "calls_models": budget is not None,
        "cost": None if budget is None else f"{budget.spent:f}",
        "limit": None if budget is None or budget.limit is None else f"{budget.limit:f}",
        "created_by": job.created_by.username,
    }


def _progress(job: Job) -> dict[str, object]:
    calls_models = hasattr(job, "budget")  # before `progress`, which gives the job one
    seen = progress(job)
    done, total = job.meter
    found = asdict(seen) | {
        "id": job.pk,
        "title": job.title,
        "state": job.state,
        "reason": sentence(job.reason),
        "finished": seen.finished if calls_models else done,
        "total": seen.total if calls_models else total,
        "currency": job.project.currency if job.project else "",
    }
    return dict(ProgressSerializer(found).data)
