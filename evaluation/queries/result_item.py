"""The released items behind a cell of the results, with how often each examinee was right. Reads only."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from django.db.models import (
    BooleanField,
    Count,
    F,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from evaluation.models import ExamineeKind, OptionOrder, ReadingKind, Response, ResultTables, Run
from evaluation.queries.run import items_in, names_of, sampled_ids
from jobs.models import Call, CallState
from parable.psychometrics.results.tables import RANDOM, Column, Row, Table
from release.models import ReleaseItem

RIGHT: Final = "right"
WRONG: Final = "wrong"
DIFFER: Final = "differ"
ONLY_FIRST: Final = "only_first"
ONLY_SECOND: Final = "only_second"
OUTCOMES: Final = (RIGHT, WRONG, DIFFER, ONLY_FIRST, ONLY_SECOND, *ReadingKind.values)
_PAIR: Final = (ONLY_FIRST, ONLY_SECOND)


@dataclass(frozen=True, slots=True)
class CellItems:
    """Which items a cell is about: of which run or two, task, type and style, and what was answered."""

    run: int
    second: int | None = None
    task: str = ""
    type: str = ""
    style: str = ""
    outcome: str = ""

    def parameters(self) -> dict[str, str]:
        """The same as it is written in an address."""
        return {name: str(value) for name, value in asdict(self).items() if value}


def cells_of(table: Table, row: Row, runs: Mapping[str, int]) -> list[CellItems | None]:
    """The items behind each cell of a row; `runs`: the run of each name. None where a cell has none."""
    if row.kind == RANDOM or str(row.cells[0]) not in runs:
        return [None] * len(row.cells)
    task = next(
        (str(cell) for cell, column in zip(row.cells, table.columns, strict=True) if column.code == "task"),
        "",
    )
    second = runs.get(str(row.cells[1])) if table.columns[1].code == "second" else None
    run = runs[str(row.cells[0])]
    return [_cell(table.code, column, CellItems(run, second, task)) for column in table.columns]


def _cell(table: str, column: Column, whole: CellItems) -> CellItems | None:
    narrowed: dict[str, dict[str, Any]] = {
        "accuracy": {"style" if table == "styles" else "task": column.of},
        "strict": {"task": column.of},
        "error": {"type": column.of, "outcome": WRONG},
        **{code: {"outcome": code} for code in OUTCOMES},
        "any_differ": {"outcome": DIFFER},
        **{code: {} for code in ("examinee", "items", "asked", "score", "difference", "answered")},
    }
    if column.code not in narrowed:
        return None
    return replace(whole, **narrowed[column.code])


def runs_of(results: ResultTables) -> QuerySet[Run]:
    """The runs of the tables, by name."""
    return results.runs.select_related("examinee").order_by("examinee__name", "pk")


def runs_by_name(runs: Sequence[Run]) -> dict[str, int]:
    """The number of each run by what its row is called."""
    return {name: pk for pk, name in names_of(runs).items()}


def items_behind(results: ResultTables, cell: CellItems, runs: Mapping[int, Run]) -> QuerySet[ReleaseItem]:
    """The items of a cell in the order of the release, with `got`, `right` and, of a pair, `second_right`.

    As in the tables, an answer that never came is wrong, and of a pair the first answers are compared.
    """
    found = items_in(results.release, results.split)
    wanted: dict[str, Any] = {"record__task": cell.task, "record__style": cell.style}
    found = found.filter(**{name: value for name, value in wanted.items() if value})
    if cell.type:
        found = found.filter(record__types__contains=[cell.type])
    for pk in filter(None, (cell.run, cell.second)):
        found = _asked(found, runs[pk])
    found = _counted(found, runs[cell.run])
    if cell.second is not None:
        found = found.annotate(first_right=_first(cell.run), second_right=_first(cell.second))
    return _narrowed(found, cell, runs[cell.run])


def _asked(found: QuerySet[ReleaseItem], run: Run) -> QuerySet[ReleaseItem]:
    """Those that a run asks; of people, who had a sample each, those that somebody answered."""
    if run.examinee.kind == ExamineeKind.PANEL:
        return found.filter(pk__in=Response.objects.filter(run=run).values("item"))
    if run.sample_size is not None:
        return found.filter(pk__in=[pk for pk, _name in sampled_ids(run)])
    return found if run.split == "both" else found.filter(split=run.split)


def _counted(found: QuerySet[ReleaseItem], run: Run) -> QuerySet[ReleaseItem]:
    answers = Response.objects.filter(run=run, item=OuterRef("pk"))
    return found.annotate(
        got=_count(answers), right=_count(answers.filter(correct=True)), expected=_expected(run)
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    grouped = rows.order_by().values(of=Value(1)).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(grouped, output_field=IntegerField()), 0)


def _expected(run: Run) -> Any:
    """How many answers an item was asked for; of people, as many as came."""
    if run.examinee.kind == ExamineeKind.PANEL:
        return F("got")
    if run.order == OptionOrder.CIRCULAR:
        size = Func(F("record__choices"), function="jsonb_array_length", output_field=IntegerField())
        return size * Value(run.repeats)
    return Value(run.repeats)


def _first(run: int) -> Coalesce:
    """Whether the first answer was right."""
    answers = Response.objects.filter(run=run, item=OuterRef("pk")).order_by("repeat", "rotation")
    return Coalesce(Subquery(answers.values("correct")[:1]), False, output_field=BooleanField())


def _narrowed(found: QuerySet[Any], cell: CellItems, run: Run) -> QuerySet[Any]:
    outcome = cell.outcome
    answers = Response.objects.filter(run=run)
    if outcome in _PAIR and cell.second is not None:
        return found.filter(first_right=outcome == ONLY_FIRST, second_right=outcome == ONLY_SECOND)
    if outcome == RIGHT:
        return found.filter(right__gt=0)
    if outcome == WRONG:
        return found.filter(right__lt=F("expected"))
    if outcome == DIFFER:
        differ = answers.order_by().values("item").annotate(n=Count("choice", distinct=True)).filter(n__gt=1)
        return found.filter(pk__in=differ.values("item"))
    if outcome in {ReadingKind.REFUSED, ReadingKind.FAILED}:
        return _lost(found, run, outcome)
    if outcome in ReadingKind.values:
        return found.filter(pk__in=answers.filter(reading=outcome).values("item"))
    return found


def _lost(found: QuerySet[ReleaseItem], run: Run, outcome: str) -> QuerySet[ReleaseItem]:
    """Calls that a filter stopped leave no response, nor does what never came back."""
    answered = Response.objects.filter(run=run, reading=outcome).values("item")
    calls = Call.objects.filter(job=run.job_id, state=CallState.REFUSED)
    calls = calls.annotate(of=Cast(KeyTextTransform("item", "subject"), IntegerField()))
    if outcome == ReadingKind.REFUSED:
        return found.filter(Q(pk__in=answered) | Q(pk__in=calls.values("of")))
    found = found.annotate(refused=_count(calls.filter(of=OuterRef("pk"))))
    return found.filter(Q(pk__in=answered) | Q(expected__gt=F("got") + F("refused")))
