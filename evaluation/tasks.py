"""The background jobs of this app. Any worker prepares runs; workers for LLM calls send the calls."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evaluation import services
from evaluation.models import CalibrationStep, FileStep
from evaluation.queries.run import CALIBRATE, COMPARE_PARTIAL, IMPORT, MEASURE, TABLES
from jobs.errors import NOT_PREPARED
from jobs.job_types import Report, job_type
from jobs.services import ask_in_slot


@job_type(
    MEASURE,
    title=_("Evaluation of a model on a release"),
    on_fault=lambda run_id: services.fail_run(run_id=run_id, reason=NOT_PREPARED),
    asks_models=True,
    page=lambda slug, run_id, _about: reverse("evaluation:run", args=[slug, run_id]),
)
def prepare_run(run_id: int, _report: Report) -> None:
    """Save the questions of a run as calls, and enqueue them."""
    for call_id in services.prepare_run(run_id=run_id):
        enqueue_call(call_id)


@job_type(
    IMPORT,
    title=_("Import responses: %(name)s"),
    steps=FileStep,
    on_fault=lambda file_id: services.fail_file(file_id=file_id),
    page=lambda slug, file_id, _about: reverse("evaluation:imported", args=[slug, file_id]),
)
def read_file(file_id: int, report: Report) -> dict[str, int]:
    """Import a file of responses. If this fails, the file remains stored and can be read again."""
    return {"answers": services.read_file(file_id=file_id, report=report).answers}


@job_type(
    TABLES,
    title=_("Results of %(release)s"),
    page=lambda slug, results_id, _about: reverse("evaluation:result", args=[slug, results_id]),
)
def count_results(results_id: int, _report: Report) -> None:
    """Compute the result tables of some runs."""
    services.count_results(results_id=results_id)


@job_type(
    COMPARE_PARTIAL,
    title=_("Probe of %(model)s"),
    page=lambda slug, run_id, _about: reverse("evaluation:run", args=[slug, run_id]),
)
def compare_partial_run(run_id: int, _report: Report) -> None:
    """Compare a partial-input run with the whole items."""
    services.compare_partial_run(run_id=run_id)


@job_type(
    CALIBRATE,
    title=_("Calibration of %(release)s"),
    steps=CalibrationStep,
    page=lambda slug, calibration_id, _about: reverse("evaluation:calibration", args=[slug, calibration_id]),
)
def run_calibration(calibration_id: int, report: Report) -> None:
    """Estimate item parameters and abilities on one scale."""
    services.run_calibration(calibration_id=calibration_id, report=report)


@shared_task
def run_call(call_id: int) -> None:
    """Run a call and the calls that take over its slot; enqueue the calls that follow."""
    ran = services.run_call(call_id=call_id, goes_on=True)
    ask_in_slot(ran, go_on=services.run_claimed, enqueue=enqueue_call)


def enqueue_call(call_id: int, seconds: float = 0.0) -> None:
    """Enqueue the task that runs a call, to start after `seconds`.

    The message expires when the sweep would send another message for the same call.
    """
    run_call.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)
