"""Queries for calibrations and for parts of their stored results, such as one page of items."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, F, IntegerField, JSONField, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Func
from django.db.models.fields.json import KeyTransform
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from core.errors import Hidden
from evaluation.models import Calibration, PartialInput, Response, Run
from evaluation.permissions import may_see_results
from evaluation.queries.run import CALIBRATE, LARGE_OF_A_RELEASE
from jobs.models import Job, JobState
from parable.psychometrics.items.suspects import DEPENDENT, NEGATIVE, NOBODY, VOTE
from projects.models import Project
from release.models import Release, ReleaseItem

StoredFigures = dict[str, Any]
"""A row, or another part, of a calibration's results, which are stored as JSON."""

SHOWN_A_PAGE: Final = 50
REASONS: Final = {
    NEGATIVE: gettext_lazy("negative discrimination"),
    VOTE: gettext_lazy("able examinees choose a distractor"),
    NOBODY: gettext_lazy("no one answered correctly"),
    DEPENDENT: gettext_lazy("depends on another item of its story"),
}


def calibrations(project: Project) -> QuerySet[Calibration]:
    """Return the project's calibrations, newest first, annotated with `summary` and `failed`.

    `summary`: the stored summary, or None. `failed`: the reason of the failed job, or None.
    """
    failed = Job.objects.filter(kind=CALIBRATE, subject=OuterRef("pk"), state=JobState.FAILED)
    found = Calibration.objects.filter(release__project=project).defer("parameters")
    found = found.annotate(
        summary=KeyTransform("summary", KeyTransform("analysis", "parameters")),
        failed=Subquery(failed.values("reason")[:1]),
    )
    return found.select_related("release__project", "made_by").order_by("-pk")


def calibrations_in(project: Project) -> QuerySet[Calibration]:
    """Return the project's calibrations, newest first, without anything of what they computed."""
    found = Calibration.objects.filter(release__project=project).select_related("release", "made_by")
    return found.defer("parameters", *LARGE_OF_A_RELEASE).order_by("-pk")


def newest_analysis(release: Release) -> Calibration | None:
    """Return the release's newest finished calibration, or None."""
    found = calibrations(release.project).filter(release=release)
    return found.filter(parameters__analysis__summary__isnull=False).first()


def get_calibration(*, user: User, project: Project, pk: int) -> Calibration:
    """Return a calibration. Raise `Hidden` if the user may not see it."""
    found = calibrations(project).filter(pk=pk).first()
    if found is None or not may_see_results(user, project):
        raise Hidden(_("Calibration not found."))
    return found


def finished_runs(project: Project) -> QuerySet[Run]:
    """Return the project's runs that can be calibrated, newest first.

    They have responses, are not partial-input runs and have no unfinished job.
    """
    answered = Exists(Response.objects.filter(run=OuterRef("pk")))
    over = Run.objects.filter(answered, release__project=project, probe=PartialInput.WHOLE)
    unfinished = ("pending", "running", "paused")
    over = over.exclude(job__state__in=unfinished).select_related("examinee", "release__project")
    return over.defer(*LARGE_OF_A_RELEASE).order_by("-pk")


def runs_by_examinee(calibration: Calibration) -> dict[str, int]:
    """Return the id of the newest calibrated run of each examinee, by the examinee's name."""
    runs = calibration.runs.order_by("pk").values_list("examinee__name", "pk")
    return dict(runs.iterator())


def run_of(name: str, runs: Mapping[str, int]) -> int | None:
    """Return the id of an examinee's run, or None.

    The name of a person of a panel is the panel's name and the person's number.
    """
    return runs.get(name) or runs.get(name.rpartition(" ")[0])


@dataclass(frozen=True, slots=True)
class RowsPage:
    """One page of a list: its rows, its number from 1, and the number of pages."""

    rows: list[StoredFigures]
    number: int
    pages: int


def sheet(calibration: Calibration, name: str, number: int) -> RowsPage:
    """Return one page of "items" or "suspects"; a number out of range returns the nearest page."""
    at = KeyTransform(name, KeyTransform("analysis", "parameters"))
    row = Calibration.objects.filter(pk=calibration.pk)
    length = Func(at, function="jsonb_array_length", output_field=IntegerField())
    pages = row.values_list(length, flat=True).get() or 0
    number = min(max(number, 1), max(pages, 1))
    found = row.values_list(KeyTransform(str(number - 1), at), flat=True).get() if pages else []
    return RowsPage(found or [], number, pages)


def link_of(calibration: Calibration) -> StoredFigures | None:
    """Return a calibration's link to the scale of an earlier release, or None if it has none."""
    at = KeyTransform("linked", "parameters")
    found: StoredFigures | None = (
        Calibration.objects.filter(pk=calibration.pk).values_list(at, flat=True).get()
    )
    return found


WHICH: Final = {
    "same": "@.share == 0 || @.share == 1",
    "negative": "@.discrimination < 0",
    "misfit": "@.s_x2_p_adjusted < 0.05",
}
"""The condition of each statistic that counts items, as a JSON path, by the statistic's name."""


def counted_sheet(calibration: Calibration, which: str, number: int) -> RowsPage:
    """Return one page of the items that meet the condition `WHICH[which]`.

    A page number out of range gives the nearest page.
    """
    path = f"$.analysis.items[*][*] ? ({WHICH[which]})"
    rows = Func(
        F("parameters"),
        Func(Value(path), function="", template="(%(expressions)s)::jsonpath"),
        function="jsonb_path_query_array",
        output_field=JSONField(),
    )
    row = Calibration.objects.filter(pk=calibration.pk)
    length = Func(rows, function="jsonb_array_length", output_field=IntegerField())
    pages = -(-(row.values_list(length, flat=True).get() or 0) // SHOWN_A_PAGE)
    number = min(max(number, 1), max(pages, 1))
    first = (number - 1) * SHOWN_A_PAGE
    shown = Func(
        rows,
        Value(f"$[{first} to {first + SHOWN_A_PAGE - 1}]"),
        template="jsonb_path_query_array(%(expressions)s::jsonpath)",
        output_field=JSONField(),
    )
    return RowsPage(row.values_list(shown, flat=True).get(), number, pages)


def released(calibration: Calibration, names: list[str]) -> dict[str, ReleaseItem]:
    """Return the released items with these public ids, by public id.

    The items' current revisions are joined.
    """
    found = ReleaseItem.objects.filter(release=calibration.release_id, public_id__in=names)
    found = found.select_related("item__current")
    return {item.public_id: item for item in found}


def short_form(calibration: Calibration | None) -> StoredFigures | None:
    """Return the short form stored with a calibration, or None if there is no calibration or short form."""
    if calibration is None:
        return None
    at = KeyTransform("short_form", KeyTransform("analysis", "parameters"))
    found: StoredFigures | None = (
        Calibration.objects.filter(pk=calibration.pk).values_list(at, flat=True).get()
    )
    return found


def one_item(calibration: Calibration, name: str) -> StoredFigures | None:
    """Return an item's row of statistics, or None. The row of a suspect also has `reasons` and `sibling`."""
    return _named(calibration, "suspects", name) or _named(calibration, "items", name)


def _named(calibration: Calibration, part: str, name: str) -> StoredFigures | None:
    path = Value(f"$.analysis.{part}[*][*] ? (@.id == $name)")
    first = Func(
        F("parameters"),
        Func(path, function="", template="(%(expressions)s)::jsonpath"),
        Func(Value("name"), Value(name), function="jsonb_build_object"),
        function="jsonb_path_query_first",
        output_field=JSONField(),
    )
    found: StoredFigures | None = (
        Calibration.objects.filter(pk=calibration.pk).values_list(first, flat=True).get()
    )
    return found


def reasons_of(row: Mapping[str, Any]) -> list[str]:
    """Return the reasons why an item is suspect, as sentences; [] if it is not."""
    return [str(REASONS[one]) for one in row.get("reasons", []) if one in REASONS]
