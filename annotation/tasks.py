"""Celery tasks of the app `annotation`."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from annotation import services
from annotation.auditor import check_files
from annotation.importer import ITEMS
from annotation.models import AuditStep
from corpus.queries import SEARCH
from corpus.upload import register_jobs
from jobs.hooks import dispatch
from jobs.job_types import Report, job_type


@shared_task
def empty_bin() -> None:
    """Delete the drafts that were discarded more than 30 days ago."""
    services.empty_bin()


@shared_task
def index_words() -> None:
    """Index the texts of imported stories and items. Until then, searches read their whole texts."""
    services.index_words()


@shared_task
def forget_audits() -> None:
    """Delete the checked files whose time is over, with their findings."""
    services.forget_audits()


@job_type(
    services.AUDIT,
    title=_("Check of a file"),
    steps=AuditStep,
    on_fault=services.fail_audit,
    longest=timedelta(minutes=5),
)
def audit_files(audit_id: int, report: Report) -> None:
    """Check files that belong to no project."""
    services.run_audit(audit_id=audit_id, check=check_files, report=report)


register_jobs(
    ITEMS,
    address="annotation:import_items",
    after=lambda project_id: dispatch(SEARCH, project_id),  # if the import has added stories
)
