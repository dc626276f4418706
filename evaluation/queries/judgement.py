"""Queries for answers whose reasons people judge: which is next, the grades, and the failings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from django.db.models import Avg, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Length

from accounts.models import User
from evaluation.models import Failing, Judgement, PartialInput, Response, Run
from parable.kinds import codes, kind_of
from parable.kinds.scene import REASON
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table
from release.models import Release

EXPLAINED: Final = 30
"""The fewest characters of an answer that counts as explained, to a task without graded reasons."""

Cells = tuple[int, str, str]
"""A run, a task and a split."""


def explained(release: Release) -> QuerySet[Response]:
    """Return the answers to whole items that give reasons, annotated with `judged`, by how many people."""
    graded = codes("grades_reasons")
    found = Response.objects.filter(run__release=release, run__probe=PartialInput.WHOLE)
    found = found.annotate(length=Length("text"), judged=_judged())
    has_reason = Q(item__record__task__in=graded, given__has_key=REASON)
    return found.filter(has_reason | (~Q(item__record__task__in=graded) & Q(length__gte=EXPLAINED)))


def _judged() -> Coalesce:
    rows = Judgement.objects.filter(response=OuterRef("pk")).order_by().values(of=Value(1))
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


def is_graded(response: Response) -> bool:
    """Return whether people grade the reason of an answer: of a right one, where the task has such grades."""
    return response.correct and kind_of(response.item.record["task"]).grades_reasons


def next_to_judge(user: User, release: Release) -> Response | None:
    """Return an answer for the user to judge, or None if none is left.

    The run is drawn anew after each judgement, so that a rater does not learn whose answers these are.
    Reasons are graded by as many people as the scale says, other answers are judged by one.
    """
    raters = max(
        (scale.raters for code in codes("grades_reasons") if (scale := kind_of(code).scale)), default=1
    )
    needs_more = Q(judged=0) | Q(
        judged__lt=raters, correct=True, item__record__task__in=codes("grades_reasons")
    )
    mine = Judgement.objects.filter(rater=user)
    left = explained(release).filter(needs_more).exclude(Exists(mine.filter(response=OuterRef("pk"))))
    runs = Run.objects.filter(Exists(left.filter(run=OuterRef("pk"))), release=release)
    numbers = list(runs.order_by("pk").values_list("pk", flat=True))
    if not numbers:
        return None
    drawn = Random(f"{user.pk} {judged_by(user, release)}").choice(numbers)  # noqa: S311 - no secret
    return left.filter(run=drawn).select_related("item", "run").order_by("pk").first()


def judged_by(user: User, release: Release) -> int:
    """Return the number of answers that the user has judged on a release."""
    return Judgement.objects.filter(rater=user, response__run__release=release).count()


def get_explained(release: Release, pk: int) -> Response | None:
    """Return an answer of a release that can be judged, or None if there is none."""
    return explained(release).select_related("item", "run__release__project").filter(pk=pk).first()


@dataclass(frozen=True, slots=True)
class Graded:
    """Right answers to a task with graded reasons, how many are graded, and the sum of their scores.

    A score is the mean grade as a share of the highest one; a right answer without a reason scores 0.
    `points` is None until all right answers with a reason have as many grades as the scale says.
    """

    right: int
    graded: int
    points: float | None


def graded_reasons(runs: Iterable[Run]) -> dict[Cells, Graded]:
    """Return the grades of reasons by run, task and split, of tasks whose reasons are graded."""
    right = Response.objects.filter(
        run__in=list(runs), correct=True, item__record__task__in=codes("grades_reasons")
    )
    rows = right.order_by().annotate(
        n=Count("judgements", filter=Q(judgements__grade__isnull=False)), mean=Avg("judgements__grade"),
        reasoned=Q(given__has_key=REASON),
    )  # fmt: skip
    names = ("run", "item__record__task", "item__split", "n", "mean", "reasoned")
    by_cell = defaultdict[Cells, list[tuple[int, float | None, bool]]](list)
    for run, task, split, n, mean, reasoned in rows.values_list(*names):
        by_cell[run, task, split].append((n, mean, reasoned))
    return {cell: _graded(cell[1], found) for cell, found in by_cell.items()}


def _graded(task: str, found: Iterable[tuple[int, float | None, bool]]) -> Graded:
    scale = kind_of(task).scale
    if scale is None:
        raise ValueError("a task whose reasons are graded has a scale")
    answers = list(found)
    graded = [mean / scale.high for n, mean, _reasoned in answers if n >= scale.raters and mean is not None]
    open_ones = sum(reasoned and n < scale.raters for n, _mean, reasoned in answers)
    return Graded(len(answers), len(graded), None if open_ones else sum(graded))


def reason_tables(
    runs: Mapping[str, Run], asked: Mapping[str, Mapping[str, int]], splits: Iterable[str]
) -> Iterator[Table]:
    """Yield the tables of graded reasons and of failings, if people have judged answers.

    `runs`: each run by its name in the tables. `asked`: the number of questions by name and task.
    """
    judged = Judgement.objects.filter(response__run__in=list(runs.values()), response__item__split__in=splits)
    if not judged.exists():
        return
    found = graded_reasons(runs.values())
    columns = (
        Column("examinee", Kind.NAME),
        Column("task", Kind.CODE),
        *(Column(code, Kind.COUNT) for code in ("asked", "right", "graded")),
        Column("reasons", Kind.SHARE),
    )
    rows = []
    for name, run in runs.items():
        for task in codes("grades_reasons"):
            cells = [
                one
                for (pk, of, split), one in found.items()
                if (pk, of) == (run.pk, task) and split in splits
            ]
            if n := asked[name].get(task, 0):
                known = [one.points for one in cells if one.points is not None]
                share = sum(known) / n if len(known) == len(cells) else None
                counts = (sum(one.right for one in cells), sum(one.graded for one in cells))
                rows.append(Row((name, task, n, *counts, (share, None, None))))
    yield Table("reasons", columns, tuple(rows))
    yield _failings(runs, judged)


def _failings(runs: Mapping[str, Run], judged: QuerySet[Judgement]) -> Table:
    columns = (
        Column("examinee", Kind.NAME),
        Column("task", Kind.CODE),
        Column("judged", Kind.COUNT),
        *(Column("failing", Kind.COUNT, failing) for failing in Failing.values),
    )
    # an answer counts once for each failing, however many people named it
    named: dict[tuple[int, str], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    rows = judged.order_by("pk").values_list(
        "response__run", "response__item__record__task", "response", "failings"
    )
    for pk, task, response, failings in rows:
        named[pk, task][response] |= set(failings)
    cells: list[tuple[Cell, ...]] = []
    for name, run in runs.items():
        for (of, task), answers in sorted(named.items()):
            if of == run.pk:
                counts = (sum(one in found for found in answers.values()) for one in Failing.values)
                cells.append((name, task, len(answers), *counts))
    return Table("failings", columns, tuple(map(Row, cells)))
