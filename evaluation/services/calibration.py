"""Services that order a calibration, estimate it in a worker and store it with all item statistics."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable, require
from evaluation.models import (
    Calibration,
    CalibrationStep,
    ExamineeKind,
    Priors,
    ReadingKind,
    Response,
    ResponseModel,
    Run,
)
from evaluation.permissions import may_change_results
from evaluation.queries.calibration import SHOWN_A_PAGE
from evaluation.queries.linked import linked_with_earlier
from evaluation.queries.run import CALIBRATE
from jobs.errors import NOTHING_ANSWERED
from jobs.job_types import Report, Stopped, quiet
from jobs.queries import is_over, unfinished_subjects
from jobs.services import order_job
from parable.commands.calibrate import as_json
from parable.kinds import kind_of
from parable.psychometrics.classical import NOT_CHOSEN
from parable.psychometrics.irt import Model, PriorChoice
from parable.psychometrics.items.analysis import (
    COMPARING,
    DESCRIBING,
    DRAWING,
    ESTIMATING,
    Answered,
    analyse,
)
from parable.psychometrics.responses import ResponseMatrix
from release.models import Release, ReleaseItem

STEPS: Final = {
    ESTIMATING: CalibrationStep.ESTIMATING,
    DESCRIBING: CalibrationStep.DESCRIBING,
    COMPARING: CalibrationStep.COMPARING,
    DRAWING: CalibrationStep.DRAWING,
}
LEAST_EXAMINEES: Final = 2
MOST_RUNS: Final = 200
SEED: Final = 7
"""The seed of every bootstrap and permutation, so that the same responses give the same statistics."""
RIGHT_ANSWER, OTHER_ANSWER = 0, 1
"""The two coded choices for items not answered with one option: the correct answer, and any other."""


@transaction.atomic
def order_calibration(
    *, actor: User, release: Release, runs: Sequence[Run], model: str, priors: str = Priors.AUTO
) -> Calibration:
    """Order a calibration of these runs and return it; the caller must dispatch the job.

    Managers only. If the same order is still unfinished, return that one. Raise `Unusable` with the invalid
    fields.
    """
    require(may_change_results(actor, release.project))
    if problems := _problems(release, runs, model, priors):
        raise Unusable(problems)
    wanted = {run.pk for run in runs}
    waiting = Calibration.objects.filter(release=release, model=model, priors=priors)
    waiting = waiting.filter(pk__in=unfinished_subjects(CALIBRATE))
    for one in waiting.prefetch_related("runs"):
        if {run.pk for run in one.runs.all()} == wanted:
            return one
    ordered = Calibration.objects.create(release=release, model=model, priors=priors, made_by=actor)
    ordered.runs.set(wanted)
    about = {"release": release.version}
    order_job(actor=actor, project=release.project, kind=CALIBRATE, subject=ordered.pk, about=about)
    return ordered


def _problems(release: Release, runs: Sequence[Run], model: str, priors: str) -> dict[str, str]:
    problems, examinees = {}, {run.examinee_id for run in runs}
    if model not in ResponseModel.values:
        problems["model"] = _("Unknown response model.")
    if priors not in Priors.values:
        problems["priors"] = _("Unknown priors.")
    if not runs or len(runs) > MOST_RUNS:
        problems["runs"] = _("Select 1 to %(most)d runs.") % {"most": MOST_RUNS}
    elif any(run.release_id != release.pk for run in runs):
        problems["runs"] = _("One of these runs is of another release.")
    elif any(run.job is not None and not is_over(run.job) for run in runs):
        problems["runs"] = _("One of these runs is not finished.")
    elif len(examinees) < LEAST_EXAMINEES and runs[0].examinee.kind != ExamineeKind.PANEL:
        problems["runs"] = _("Select at least two examinees.")
    return problems


def run_calibration(*, calibration_id: int, report: Report = quiet) -> None:
    """Compute a calibration that was ordered, and report progress.

    Do nothing if it is already computed. Raise `Stopped` if the runs have no responses.
    """
    waiting = Calibration.objects.filter(pk=calibration_id, parameters={})
    found = waiting.select_related("release__project").first()
    if found is None:
        return
    report(CalibrationStep.READING)
    given = answered(found)
    if given is None:
        raise Stopped(NOTHING_ANSWERED)
    result = analyse(
        given,
        cast("Model", found.model),
        priors=cast("PriorChoice", found.priors),
        seed=SEED,
        report=lambda step, done, of: report(STEPS[step], done, of),
    )
    estimates = {} if result.found is None else as_json(result.found)
    analysis = {
        "summary": result.summary,
        "items": _pages(result.items),
        "suspects": _pages(result.suspects),
        "short_form": result.short_form,
    }
    log_likelihood = None if result.found is None else result.found.log_likelihood
    parameters = {**estimates, "analysis": analysis}
    parameters["linked"] = linked_with_earlier(found, parameters)
    waiting.update(parameters=parameters, log_likelihood=log_likelihood)


def _pages(rows: list[Any]) -> list[list[Any]]:
    """Return the rows divided into pages, so that a request has to read one page only."""
    return [rows[start : start + SHOWN_A_PAGE] for start in range(0, len(rows), SHOWN_A_PAGE)]


def answered(calibration: Calibration) -> Answered | None:
    """Return the examinees' choices in a calibration's runs, or None if there are no responses.

    The repeats, rotations and runs of an examinee are pooled: the option chosen most often counts, or in a
    tie the earliest. Each person of a panel is an examinee. Unreadable answers are wrong; missing answers are
    missing values. An answer that is not one option is coded as correct or other.
    """
    rows = Response.objects.filter(run__calibrations=calibration).exclude(reading=ReadingKind.FAILED)
    rows = rows.order_by("run_id", "repeat", "rotation", "pk")
    examinees = {run.pk: run.examinee for run in calibration.runs.select_related("examinee")}
    chosen: dict[tuple[str, int], Counter[int]] = {}
    fields = ("run_id", "item_id", "repeat", "choice", "given", "correct")
    for run, item, repeat, choice, given, correct in rows.values_list(*fields).iterator():
        who = examinees[run]
        name = f"{who.name} {repeat}" if who.kind == ExamineeKind.PANEL else who.name
        place = NOT_CHOSEN if choice is None else choice
        if given is not None:
            place = RIGHT_ANSWER if correct else OTHER_ANSWER
        chosen.setdefault((name, item), Counter())[place] += 1
    frozen = (
        "record__answer",
        "record__choices",
        "record__story_id",
        "record__style",
        "record__task",
        "record__types",
    )
    items = ReleaseItem.objects.filter(pk__in={item for _name, item in chosen}).order_by("number")
    found = list(items.values_list("pk", "public_id", *frozen))
    return _laid_out(chosen, found) if found else None


def _laid_out(chosen: dict[tuple[str, int], Counter[int]], items: list[Any]) -> Answered:
    people = sorted({name for name, _item in chosen})
    columns = {item[0]: index for index, item in enumerate(items)}
    places = {name: index for index, name in enumerate(people)}
    choices = np.full((len(people), len(items)), NOT_CHOSEN, dtype=np.int64)
    came = np.zeros(choices.shape, dtype=bool)
    for (name, item), counted in chosen.items():
        where = places[name], columns[item]
        choices[where] = counted.most_common(1)[0][0]
        came[where] = True
    are_one = [kind_of(item[6]).question.is_one_option for item in items]
    keys = np.array(
        [item[2] if is_one else RIGHT_ANSWER for item, is_one in zip(items, are_one, strict=True)],
        dtype=np.int64,
    )
    cells = np.where(came, (choices == keys).astype(np.float64), np.nan)
    matrix = ResponseMatrix(tuple(people), tuple(item[1] for item in items), cells)
    options = [
        len(item[3]) if is_one else OTHER_ANSWER + 1 for item, is_one in zip(items, are_one, strict=True)
    ]
    stories = [str(item[4]) for item in items]
    is_machine = np.array([item[5] == "machine" for item in items])
    types = [", ".join(item[7] or []) or item[6] for item in items]
    return Answered(matrix, choices, keys, options, stories, is_machine, types)
