"""Queries for partial-input runs, in which a part of each item is left out or replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from evaluation.models import PartialInput, Run
from release.models import ReleaseItem


def whole_run(probe: Run) -> Run | None:
    """Return the newest run of the same examinee on whole items of the same release, or None."""
    found = Run.objects.filter(release=probe.release_id, examinee=probe.examinee_id, probe=PartialInput.WHOLE)
    return found.order_by("-pk").first()


def partial_runs_of(run: Run) -> QuerySet[Run]:
    """Return the partial-input runs of the same examinee on the same release, newest first."""
    found = Run.objects.filter(release=run.release_id, examinee=run.examinee_id)
    return (
        found.exclude(probe=PartialInput.WHOLE)
        .only("pk", "probe", "created_at", "release", "examinee")
        .order_by("-pk")
    )


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item in the figures of a partial-input run: its id, its stem and its row of counts."""

    item: int
    stem: str
    row: Mapping[str, Any]


def named_items(run: Run, rows: Sequence[Mapping[str, Any]]) -> list[NamedItem]:
    """Return the items that some rows of a run's partial-input figures are about, in the same order."""
    found = ReleaseItem.objects.filter(release=run.release_id, public_id__in=[row["item"] for row in rows])
    known = {
        name: (item, str(stem))
        for name, item, stem in found.values_list("public_id", "item", "record__question")
    }
    return [NamedItem(*known[row["item"]], row) for row in rows if row["item"] in known]
