"""Nudges of this app: runs are prepared by any worker, and answered by those that wait for models."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings

from evaluation import services
from evaluation.calibrations import waiting_calibrations
from evaluation.models import Run
from evaluation.queries import uncounted_results, unprepared_jobs
from evaluation.underway import silent_files
from jobs.errors import NOT_PREPARED
from jobs.hooks import enqueue
from jobs.outages import find_outage
from jobs.services import go_through_lane

logger = logging.getLogger(__name__)


@shared_task
def prepare_run(run_id: int) -> None:
    """Write down what a run asks, and tell workers; a fault of ours ends it with a reason."""
    try:
        waiting = services.prepare_run(run_id=run_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("run %d could not be prepared", run_id)
        services.fail_run(run_id=run_id, reason=NOT_PREPARED)
        return
    for call_id in waiting:
        tell(call_id)


@shared_task
def sweep_runs() -> None:
    """Nudge the runs that a killed worker or a lost message left unprepared."""
    for run in Run.objects.filter(job__in=unprepared_jobs()).select_related("release"):
        enqueue(prepare_run, run.pk, project_id=run.release.project_id)


@shared_task
def read_file(file_id: int) -> None:
    """Read a file of responses that somebody brought; a fault of ours ends it, and it can be tried again."""
    try:
        services.read_file(file_id=file_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("the file of responses %d could not be read", file_id)
        services.fail_file(file_id=file_id)


@shared_task
def sweep_files() -> None:
    """Nudge the files that a killed worker or a lost message left behind."""
    for file in silent_files().defer("problems").select_related("release"):
        enqueue(read_file, file.pk, project_id=file.release.project_id)


@shared_task
def count_results(results_id: int) -> None:
    """Count the tables that somebody asked for; a fault of ours is noted with them."""
    try:
        services.count_results(results_id=results_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("results %d could not be counted", results_id)
        services.fail_results(results_id=results_id)


@shared_task
def sweep_results() -> None:
    """Count what was asked for and lost."""
    for results in uncounted_results().select_related("release"):
        enqueue(count_results, results.pk, project_id=results.release.project_id)


@shared_task
def run_calibration(calibration_id: int) -> None:
    """Estimate a calibration that somebody asked for; a fault of ours is noted with it."""
    try:
        services.run_calibration(calibration_id=calibration_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("calibration %d could not be estimated", calibration_id)
        services.fail_calibration(calibration_id=calibration_id)


@shared_task
def sweep_calibrations() -> None:
    """Nudge the calibrations that a killed worker or a lost message left behind."""
    for calibration in waiting_calibrations().select_related("release"):
        enqueue(run_calibration, calibration.pk, project_id=calibration.release.project_id)


@shared_task
def run_call(call_id: int) -> None:
    """Ask one call and those that take over its lane, and tell workers of what may go next."""
    ran = services.run_call(call_id=call_id, goes_on=True)
    go_through_lane(ran, go_on=services.run_claimed, tell=tell)


def tell(call_id: int, seconds: float = 0.0) -> None:
    """Tell a worker of a call. Who hears of it too late lets it be: by then somebody else was told."""
    run_call.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)
