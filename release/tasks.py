"""Nudges of this app. The rows say what is to be done."""

from __future__ import annotations

import logging

from celery import shared_task

from release import services
from release.models import Failure
from release.queries import silent_builds

logger = logging.getLogger(__name__)


@shared_task
def finish_release(release_id: int) -> None:
    """Build an ordered release; a fault of ours ends it with a reason, not with a spinner."""
    try:
        services.finish_release(release_id=release_id)
    except Exception:
        logger.exception("release %d could not be built", release_id)
        services.fail_release(release_id=release_id, failure=Failure.FAULT, details={"number": release_id})


@shared_task
def sweep_builds() -> None:
    """Nudge the builds that a killed worker or a lost message left behind."""
    for release in silent_builds():
        finish_release.delay(release.pk)
