"""Simulated examinees' responses to a release of the sample, imported from a file."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from accounts.models import User
from dashboard.services.sample_files import Sample, read_answers
from dashboard.services.sample_jobs import finish_jobs
from evaluation.models import Calibration, ResponseModel, Run
from evaluation.queries.run import CALIBRATE, IMPORT, TABLES
from evaluation.services import order_calibration, order_import, order_results
from parable.formats.options import letter
from release.models import Release, ReleaseItem

NONE: Final = "-"


def released_items(release: Release, sample: Sample) -> dict[str, ReleaseItem]:
    """Return the items of a release by their ids in the sample's files."""
    found = ReleaseItem.objects.filter(release=release).order_by("number")
    rows = found.select_related("item__story", "item__current").prefetch_related("item__current__options")
    return {sample.name_of(one.item): one for one in rows}


def bring_answers(*, actor: User, release: Release, sample: Sample) -> None:
    """Import the responses of all simulated examinees. Importing the same file again has no effect."""
    lines = (json.dumps(line, ensure_ascii=False) for line in _lines(release, sample))
    data = "\n".join(lines).encode()
    name = sample.words["answers"]["file"]
    file = order_import(actor=actor, release=release, name=name, data=data)
    finish_jobs(IMPORT, file.pk)


def _lines(release: Release, sample: Sample) -> Iterator[dict[str, object]]:
    words, chosen = sample.words["answers"], read_answers()
    for name, released in released_items(release, sample).items():
        for examinee, choice in zip(words["examinees"], chosen[name], strict=True):
            text = words["none"]
            if choice != NONE:
                text = words["choice"].format(letter=letter(released.order.index(int(choice))))
            yield {"model": examinee, "item_id": released.public_id, "repeat": 1, "text": text}


def _runs(release: Release) -> list[Run]:
    return list(Run.objects.filter(release=release, file__isnull=False).order_by("pk"))


def count_tables(*, actor: User, release: Release, runs: Sequence[Run] = ()) -> None:
    """Compute the result tables of these runs, or of all simulated examinees, even if they exist."""
    results = order_results(actor=actor, release=release, runs=list(runs) or _runs(release))
    finish_jobs(TABLES, results.pk)


def analyse_items(*, actor: User, release: Release) -> None:
    """Run the item analysis of a release, unless it was done before."""
    if not Calibration.objects.filter(release=release).exclude(parameters={}).exists():
        ordered = order_calibration(
            actor=actor, release=release, runs=_runs(release), model=ResponseModel.TWO
        )
        finish_jobs(CALIBRATE, ordered.pk)
