"""The expected precision of a planned run, estimated from earlier answers or typical variances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Final

from django.db.models import Count, F, Sum

from evaluation.models import AnswerRule, Examinee, ResultTables
from evaluation.queries.run import Asking, items_in
from jobs.models import Endpoint
from parable.kinds import codes_among
from parable.psychometrics.plans.components import Components
from parable.psychometrics.plans.precision import TYPICAL, Design, least_difference, stories_needed
from parable.psychometrics.plans.prospects import Prospect, components_from, prospects
from parable.psychometrics.results.tables import Table
from release.models import Release
from web.cached_counts import COUNTED_ANEW, cached, named

MOST_PAIRS: Final = 6


@dataclass(frozen=True, slots=True)
class PairPlan:
    """Two models with different accuracies, and the number of stories and items needed to detect this.

    `is_enough`: whether the planned run is large enough.
    """

    first: str
    second: str
    difference: float
    stories: int
    items: int | None
    is_enough: bool


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The expected precision for a task, and the stories and items needed to detect the difference.

    `models`: the number of models that the variances were estimated from, 0 for typical variances. `stories`
    and `items` are None if no number of stories is enough.
    """

    task: str
    models: int
    designs: Mapping[str, Prospect]
    stories: int | None
    items: int | None
    pairs: Sequence[PairPlan]


@dataclass(frozen=True, slots=True)
class Basis:
    """The results that variances are estimated from. `is_other`: whether they are of another release."""

    results: ResultTables | None
    is_other: bool = False


def plan_of(asking: Asking, endpoints: Iterable[Endpoint], difference: float) -> tuple[Basis, list[TaskPlan]]:
    """Return the results used for the estimate, and the expected precision of a planned run by task.

    `difference` is the smallest difference to detect, as a share. Responses are not read, only counts and
    stored tables.
    """
    basis = basis_of(asking.release)
    stored = basis.results.tables if basis.results else ()
    tables = {one["code"]: Table.from_json(one) for one in stored if one["code"] in {"accuracy", "variance"}}
    designs = designs_of(asking)
    names = set(Examinee.objects.filter(endpoint__in=endpoints).values_list("name", flat=True))
    return basis, [
        _task_plan(task, designs[task], tables, names, difference)
        for task in codes_among(designs)
        if task in designs
    ]


def basis_of(release: Release) -> Basis:
    """Return the newest results of two or more runs.

    Results of this release come first, then those of others in the project.
    """
    found = ResultTables.objects.filter(release__project=release.project_id, rule=AnswerRule.PARABLE)
    several = found.annotate(n=Count("runs")).filter(n__gte=2, counted_at__isnull=False)
    newest = several.order_by("-counted_at").select_related("release")
    own = newest.filter(release=release).first()
    if own is not None:
        return Basis(own)
    other = newest.first()
    return Basis(other, is_other=other is not None)


def designs_of(asking: Asking) -> dict[str, Design]:
    """Return the expected design of a run by task: its stories, items and repeats."""
    release = asking.release

    def sums_by_task() -> dict[str, dict[str, int]]:
        asked = items_in(release, asking.split).order_by()
        sums = {}
        for task in asked.values_list("item__task", flat=True).distinct():
            sized = asked.filter(item__task=task).values("item__story").annotate(n=Count("pk"))
            # `squares`: the sum over stories of the squared number of items
            sums[task] = sized.aggregate(stories=Count("*"), items=Sum("n"), squares=Sum(F("n") * F("n")))
        return sums

    found = cached(
        named("designs:1", release, asking.split),
        sums_by_task,
        is_large=lambda sums: sum(one["items"] for one in sums.values()) > COUNTED_ANEW,
    )
    whole = sum(sums["items"] for sums in found.values())
    share = 1.0 if asking.sample_size is None or not whole else min(1.0, asking.sample_size / whole)
    return {task: _design(**sums, share=share, repeats=asking.repeats) for task, sums in found.items()}


def _design(*, stories: int, items: int, squares: int, share: float, repeats: int) -> Design:
    size = items / stories
    left = max(1, round(stories * (1 - (1 - share) ** size)))
    even = items * items / squares / stories
    return Design(left, max(left, round(items * share)), repeats, even)


def _task_plan(
    task: str, design: Design, tables: Mapping[str, Table], names: set[str], difference: float
) -> TaskPlan:
    known = tables["variance"].params["of"].get(task) if "variance" in tables else None
    of = components_from(known["variances"]) if known else TYPICAL
    stories = stories_needed(of, design, difference)
    return TaskPlan(
        task=task,
        models=known["models"] if known else 0,
        designs=prospects(of, design),
        stories=stories,
        items=_items(design, stories),
        pairs=list(_pairs(task, of, design, tables, names)) if known else [],
    )


def _items(design: Design, stories: int | None) -> int | None:
    return None if stories is None else design.with_stories(stories).items


def _pairs(
    task: str, of: Components, design: Design, tables: Mapping[str, Table], names: set[str]
) -> Iterable[PairPlan]:
    """Yield a plan for each pair of planned models that were evaluated before.

    The closest pairs come first. If there are no such pairs, use all evaluated models that are neighbours
    by accuracy. Omit pairs that no number of stories could distinguish. Yield at most `MOST_PAIRS`.
    """
    known = _accuracies(tables.get("accuracy"), task)
    asked = [name for name in known if name in names]
    pairs = list(combinations(asked, 2)) or list(zip(known, list(known)[1:], strict=False))
    pairs.sort(key=lambda pair: abs(known[pair[0]] - known[pair[1]]))
    least = least_difference(of, design)
    differing = ((first, second, known[first] - known[second]) for first, second in pairs)
    needed = ((*one, stories) for one in differing if (stories := stories_needed(of, design, one[2])))
    for first, second, apart, stories in islice(needed, MOST_PAIRS):
        yield PairPlan(
            first,
            second,
            abs(apart),
            stories,
            _items(design, stories),
            least is not None and abs(apart) >= least,
        )


def _accuracies(table: Table | None, task: str) -> dict[str, float]:
    """Return the accuracy of each model on a task by name, highest first."""
    if table is None or (("accuracy", task) not in {(one.code, one.of) for one in table.columns}):
        return {}
    at = table.column("accuracy", task)
    cells = {str(row.cells[0]): row.cells[at] for row in table.rows if row.kind == "model"}
    found = {name: cell[0] for name, cell in cells.items() if isinstance(cell, tuple)}
    return dict(sorted(((n, v) for n, v in found.items() if v is not None), key=lambda one: -one[1]))
