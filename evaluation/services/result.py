"""Services that order result tables and compute them in a worker."""

import hashlib
from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable, require
from evaluation.models import AnswerRule, Portion, Response, ResultTables, Run
from evaluation.permissions import may_change_results
from evaluation.queries.run import TABLES
from jobs.queries import is_over
from jobs.services import order_job
from parable.splits import TRAIN
from release.models import Release

MOST_RUNS: Final = 60


@transaction.atomic
def order_results(
    *,
    actor: User,
    release: Release,
    runs: Sequence[Run],
    split: str = Portion.BOTH,
    rule: str = AnswerRule.PARABLE,
) -> ResultTables:
    """Order the result tables of these runs and return them; the caller must dispatch the job.

    Existing tables of the same runs, split and rule are computed again. Raise `Unusable` with the invalid
    fields.
    """
    require(may_change_results(actor, release.project))
    if problems := _problems(release, runs, split) or (
        {} if rule in AnswerRule.values else {"rule": _("Unknown rule for reading answers.")}
    ):
        raise Unusable(problems)
    numbers = sorted(run.pk for run in runs)
    wanted = f"{split}|{numbers}" + (f"|{rule}" if rule != AnswerRule.PARABLE else "")
    key = hashlib.sha256(wanted.encode()).hexdigest()
    details = {"split": split, "rule": rule, "made_by": actor}
    found, is_new = ResultTables.objects.get_or_create(release=release, key=key, defaults=details)
    if is_new:
        found.runs.set(numbers)
    about = {"release": release.version}
    order_job(actor=actor, project=release.project, kind=TABLES, subject=found.pk, about=about, again=True)
    return found


def _problems(release: Release, runs: Sequence[Run], split: str) -> dict[str, str]:
    if split not in Portion.values or (
        TRAIN in Portion(split).splits and not release.recipe.get("train_share")
    ):
        return {"split": _("This release has no items in this split.")}
    if not runs:
        return {"runs": _("Select at least one run.")}
    if len(runs) > MOST_RUNS:
        return {"runs": _("Select at most %(most)d runs.") % {"most": MOST_RUNS}}
    if any(run.release_id != release.pk for run in runs):
        return {"runs": _("One of these runs is of another release.")}
    if any(run.job is not None and not is_over(run.job) for run in runs):
        return {"runs": _("One of these runs is not finished.")}
    wanted = {*Portion(split).splits}
    if all(wanted.isdisjoint(Portion(run.split).splits) for run in runs):
        return {"split": _("None of these runs covers this split. Select the split that was run.")}
    return {}


def count_results(*, results_id: int) -> None:
    """Compute and store the result tables. Safe to call twice."""
    # NumPy and SciPy take seconds to load, and no other service needs them.
    from evaluation.queries.result import tables_of

    results = ResultTables.objects.select_related("release").get(pk=results_id)
    begun = timezone.now()
    runs = list(results.runs.select_related("release", "examinee", "job").order_by("pk"))
    upto = Response.objects.filter(run__in=runs).aggregate(newest=Max("pk"))["newest"] or 0
    tables = tables_of(results, runs)
    # The time at which the computation began: an order made after it is not considered fulfilled.
    ResultTables.objects.filter(pk=results_id).update(
        counted_at=begun, counted_upto=upto, tables=[table.as_json() for table in tables]
    )
