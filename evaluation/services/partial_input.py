"""Services that compare partial-input runs with runs on whole items."""

from dataclasses import asdict
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict, require
from evaluation.models import PartialInput, Run
from evaluation.permissions import may_change_results
from evaluation.queries.partial_input import whole_run
from evaluation.queries.run import COMPARE_PARTIAL
from jobs.models import Job
from jobs.queries import is_over
from jobs.services import order_job

MOST_NAMED: Final = 500
"""The maximum number of items that are stored by name; counts include all items."""


@transaction.atomic
def order_partial_comparison(*, actor: User, run: Run) -> Job:
    """Order the comparison of a partial-input run with whole items; the caller must dispatch the job.

    Raise `Conflict` if the run has whole items, is not finished, or has no run on whole items to compare
    with.
    """
    project = run.release.project
    require(may_change_results(actor, project))
    if run.probe == PartialInput.WHOLE:
        raise Conflict(_("This run asks whole items."))
    whole = whole_run(run)
    if whole is None:
        raise Conflict(_("First run the same model on the whole items."))
    if any(one.job is not None and not is_over(one.job) for one in (run, whole)):
        raise Conflict(_("One of these runs is not finished."))
    about = {"model": run.examinee.name}
    return order_job(
        actor=actor, project=project, kind=COMPARE_PARTIAL, subject=run.pk, about=about, again=True
    )


def compare_partial_run(*, run_id: int) -> None:
    """Compute and store the statistics of a partial-input run; safe to run twice.

    If no item was answered in both runs, only the number of items, 0, is stored.
    """
    # NumPy and SciPy take seconds to load, and no other service needs them.
    from evaluation.queries.partial_input_rows import asked_both_ways  # noqa: PLC0415 - loads NumPy
    from parable.psychometrics.results.partial_inputs import compare_partial_inputs  # noqa: PLC0415 - loads SciPy

    run = Run.objects.get(pk=run_id)
    whole = whole_run(run)
    found = compare_partial_inputs(list(asked_both_ways(run, whole))) if whole is not None else None
    if whole is None or found is None:
        kept: dict[str, object] = {"items": 0}
    else:
        kept = {**asdict(found), "against": whole.pk, "n_named": len(found.named)}
        kept["named"] = [asdict(one) for one in found.named[:MOST_NAMED]]
    Run.objects.filter(pk=run_id).update(probe_figures=kept)
