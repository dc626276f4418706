"""Nudges of this app. The rows say what is to be done."""

from __future__ import annotations

import logging

from celery import shared_task

from jobs.hooks import enqueue
from jobs.outages import find_outage
from release import services
from release.models import Failure, UploadState
from release.queries import silent_builds
from release.teams import silent_uploads
from release.unreleased import silent_checks

logger = logging.getLogger(__name__)


@shared_task
def finish_release(release_id: int) -> None:
    """Build an ordered release; a fault of ours ends it with a reason, not with a spinner."""
    try:
        services.finish_release(release_id=release_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("release %d could not be built", release_id)
        services.fail_release(release_id=release_id, failure=Failure.FAULT, details={"number": release_id})


@shared_task
def sweep_builds() -> None:
    """Nudge the builds that a killed worker or a lost message left behind."""
    for release in silent_builds():
        enqueue(finish_release, release.pk, project_id=release.project_id)


@shared_task
def check_gates(project_id: int) -> None:
    """Look at a project's items that are not released yet; a fault of ours ends it with a word."""
    try:
        services.run_gate_check(project_id=project_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("the gates of project %d could not be checked", project_id)
        services.fail_gate_check(project_id=project_id)


@shared_task
def check_gates_nightly() -> None:
    """Look at every project in which something has moved since the last time."""
    for project_id in services.order_nightly_checks():
        enqueue(check_gates, project_id, project_id=project_id)


@shared_task
def sweep_gate_checks() -> None:
    """Nudge the checks that a killed worker or a lost message left behind."""
    for project_id in silent_checks():
        enqueue(check_gates, project_id, project_id=project_id)


@shared_task
def score_upload(upload_id: int) -> None:
    """Score what a team has uploaded; a fault of ours ends it, and does not count for the team."""
    try:
        services.score_upload(upload_id=upload_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("upload %d could not be scored", upload_id)
        services.close_upload(upload_id=upload_id, state=UploadState.FAILED)


@shared_task
def sweep_uploads() -> None:
    """Nudge the uploads that a killed worker or a lost message left behind."""
    for upload in silent_uploads():
        enqueue(score_upload, upload.pk, project_id=upload.team.release.project_id)
