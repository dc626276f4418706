"""Celery tasks of the app `dashboard`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from celery import shared_task
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError

from dashboard import services
from dashboard.queries import overview_counts
from dashboard.queries.bulk import BULK
from dashboard.queries.sample import FILL, SampleStep
from jobs.job_types import Report, job_type
from projects.models import Project
from web.cached_counts import CACHE_SECONDS


@job_type(
    FILL,
    title=_("The rest of the sample project"),
    steps=SampleStep,
    page=lambda slug, _project_id, _about: reverse("dashboard:project", args=[slug]),
)
def fill_sample(project_id: int, report: Report) -> None:
    """Fill a sample project."""
    services.fill_sample(project_id=project_id, report=report)


@job_type(
    BULK,
    title=_("Bulk action"),
    on_fault=lambda bulk_id: services.close_bulk(bulk_id=bulk_id),
    page=lambda slug, _bulk_id, about: reverse(f"dashboard:{about.get('listing', 'items')}", args=[slug]),
)
def carry_out_bulk(bulk_id: int, report: Report) -> None:
    """Carry out a bulk action on rows of a list."""
    services.carry_out_bulk(bulk_id=bulk_id, report=report)


@shared_task
def send_daily_mail() -> None:
    """Send today's mail to all due subscribers."""
    services.send_daily_mail()


@shared_task
def recount_overview(project_id: int, wanted: Mapping[str, Any], group: str, zone: str) -> None:
    """Count an overview anew, with days of the time zone `zone`."""
    project = Project.objects.filter(pk=project_id).first()
    if project is not None:
        with timezone.override(zone):
            overview_counts.recount_overview(project, wanted=wanted, group=group)


def order_recount(project: Project, wanted: Mapping[str, Any], group: str) -> None:
    """Have a worker count an overview anew. Without one, counts stay as they are until they expire."""
    asked = (project.pk, dict(wanted), group, timezone.get_current_timezone_name())
    with suppress(OperationalError):
        recount_overview.apply_async(asked, expires=CACHE_SECONDS, retry=False)
