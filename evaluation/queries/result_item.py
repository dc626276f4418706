"""Queries for the released items behind a cell of the result tables, with each examinee's correct answers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from django.db.models import (
    BooleanField,
    CharField,
    Count,
    F,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    Window,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Lag, RowNumber

from evaluation.models import (
    AnswerRule,
    ExamineeKind,
    OptionOrder,
    Portion,
    ReadingKind,
    Response,
    ResultTables,
    Run,
)
from evaluation.queries.run import items_in, names_of, sampled_ids
from jobs.models import Call, CallState
from parable.llm.published import read_put_by_filter
from parable.psychometrics.results.evaluation import LETTERS
from parable.psychometrics.results.tables import RANDOM, Column, Row, Table
from parable.splits import SPLITS
from release.models import ReleaseItem

RIGHT: Final = "right"
WRONG: Final = "wrong"
REPEATED: Final = "repeated"
DIFFER: Final = "differ"
FLIPS: Final = "flips"
FIRST_TWO: Final = "first_two"
ONLY_FIRST: Final = "only_first"
ONLY_SECOND: Final = "only_second"
PLACED: Final = {"excess": "chosen_at", "found": "key_at"}
"""Table columns about a position, by their outcome: the position was chosen, or the key is there."""
AT: Final = tuple(f"{outcome}_{letter}" for outcome in PLACED.values() for letter in LETTERS)
REPEATS: Final = (REPEATED, DIFFER, FLIPS, FIRST_TWO)
OUTCOMES: Final = (RIGHT, WRONG, *REPEATS, ONLY_FIRST, ONLY_SECOND, *AT, *ReadingKind.values)
ANY_RULE: Final = ("", REPEATED)
"""The outcomes that do not depend on the rule by which answers are parsed."""
_PAIR: Final = (ONLY_FIRST, ONLY_SECOND)
_WHOLE: Final = (
    *("items", "stories", "asked", "score", "difference", "sign_flips", "holm", "clustered", "design_effect"),
    *("benchmark", "generalised", "askings", "distance"),
    *("first_accuracy", "accuracy_rank", "ability", "ability_rank"),
    *("measure", "mean", "mean_low", "mean_high"),
    *("accuracy_before", "accuracy_after", "correction", "rank_before", "rank_after"),
)
"""Columns whose figures cover all items of a row."""
_CONTENTS: Final = ("contents", "type_counts", "figures")
"""Tables that are about the release, not about runs."""


@dataclass(frozen=True, slots=True)
class CellItems:
    """The filters that select the items behind a cell: one or two runs, split, task, type, style and outcome.

    `run`: None if the cell is about the release. `same_order`: compare only answers to the same order of
    options.
    """

    run: int | None = None
    second: int | None = None
    split: str = ""
    task: str = ""
    type: str = ""
    style: str = ""
    outcome: str = ""
    same_order: bool = False

    def parameters(self) -> dict[str, str]:
        """Return the filters as query parameters."""
        return {name: str(value) for name, value in asdict(self).items() if value} | (
            {"run": "0"} if self.run is None else {}
        )


def cells_of(
    table: Table, row: Row, runs: Mapping[str, int], rule: str = AnswerRule.PARABLE
) -> list[CellItems | None]:
    """Return the filters that select the items behind each cell of a row.

    A cell without items has None. `runs` maps row names to run ids. Outcomes are stored only for Parable's
    rule, so under another rule a cell that depends on the outcome has no items.
    """
    found = [_cell(table, row, column, runs) for column in table.columns]
    if rule != AnswerRule.PARABLE:
        return [cell if cell and cell.outcome in ANY_RULE else None for cell in found]
    return found


def _cell(table: Table, row: Row, column: Column, runs: Mapping[str, int]) -> CellItems | None:
    name = str(row.cells[0])
    if table.code in _CONTENTS:  # these count released items, whether or not a run asked them
        split = column.of if column.of in SPLITS else Portion.ALL
        if table.code == "type_counts":
            return CellItems(split=split, type=name)
        return CellItems(split=split, task="" if name == "all" else name)
    if table.code == "variance":
        return CellItems(task=name) if column.code in {"items", "stories"} else None
    if row.kind == RANDOM or name not in runs:
        return None
    second = runs.get(str(row.cells[1])) if table.columns[1].code == "second" else None
    cells_by_code = {one.code: str(cell) for one, cell in zip(table.columns, row.cells, strict=True)}
    whole = CellItems(runs[name], second, task=cells_by_code.get("task", ""))
    if table.code == "repeats":
        outcomes = {"differ": DIFFER, "any_differ": DIFFER, "flips": FLIPS, "first_two": FIRST_TWO}
        outcomes |= {"examinee": REPEATED, "items": REPEATED, "askings": REPEATED}
        if column.code not in outcomes:
            return None
        is_same = cells_by_code["orders"] == "same_order"
        return replace(whole, outcome=outcomes[column.code], same_order=is_same)
    narrowed: dict[str, dict[str, Any]] = {
        **{code: {} for code in ("examinee", "first")},
        "accuracy": {"style" if table.code == "styles" else "task": column.of},
        "strict": {"task": column.of},
        "error": {"type": column.of, "outcome": WRONG},
        **{code: {} for code in _WHOLE},
        **{code: {"outcome": code} for code in (RIGHT, *_PAIR, *ReadingKind.values)},
        **{code: {"outcome": ReadingKind.CHOSEN} for code in ("answered", "spread", "preference_p")},
        **{code: {"outcome": f"{outcome}_{column.of}"} for code, outcome in PLACED.items()},
    }
    return replace(whole, **narrowed[column.code]) if column.code in narrowed else None


def runs_of(results: ResultTables) -> QuerySet[Run]:
    """Return the runs of the tables, ordered by examinee name."""
    return results.runs.select_related("examinee").order_by("examinee__name", "pk")


def runs_by_name(runs: Sequence[Run]) -> dict[str, int]:
    """Return the run id for each row name in the tables."""
    return {name: pk for pk, name in names_of(runs).items()}


def items_behind(results: ResultTables, cell: CellItems, runs: Mapping[int, Run]) -> QuerySet[ReleaseItem]:
    """Return the items behind a cell in release order, annotated with `got`, `expected` and `right` answers.

    Without a run there are no annotations. With two runs, `first_right` and `second_right` are added: whether
    the first answer of each run is correct; a missing answer is wrong. Answers are parsed by Parable's rule;
    for another rule, see `read_by_rule`.
    """
    found = items_in(results.release, cell.split or results.split)
    wanted: dict[str, Any] = {"record__task": cell.task, "record__style": cell.style}
    found = found.filter(**{name: value for name, value in wanted.items() if value})
    if cell.type:
        found = found.filter(record__types__contains=[cell.type])
    if cell.run is None:
        return found
    for pk in filter(None, (cell.run, cell.second)):
        found = _asked(found, runs[pk])
    run = runs[cell.run]
    answers = Response.objects.filter(run=run, item=OuterRef("pk"))
    found = found.annotate(
        got=_count(answers), right=_count(answers.filter(correct=True)), expected=_expected(run)
    )
    if cell.second is not None:
        found = found.annotate(first_right=_first(cell.run), second_right=_first(cell.second))
    return _narrowed(found, cell, runs[cell.run])


def read_by_rule(results: ResultTables, cell: CellItems, items: Sequence[Any]) -> None:
    """Set `right`, `first_right` and `second_right` of these items by the parsing rule of the results."""
    if results.rule == AnswerRule.PARABLE or cell.run is None:
        return
    known = {one.pk: one for one in items}
    right: dict[tuple[int, int], list[bool]] = {}
    answers = Response.objects.filter(run__in=[cell.run, cell.second], item__in=known)
    for one in answers.order_by("repeat", "rotation", "pk"):
        right.setdefault((one.run_id, one.item_id), []).append(_is_right(one, known[one.item_id].record))
    for one in items:
        mine = right.get((cell.run, one.pk), [])
        one.right, one.first_right = sum(mine), bool(mine and mine[0])
        one.second_right = bool(right.get((cell.second or 0, one.pk), [False])[0])


def _is_right(one: Response, record: Mapping[str, Any]) -> bool:
    """Return whether a response counts as correct when its text is read by the CRMUS filter."""
    if not one.text or one.given is not None:
        return one.correct
    _outcome, choice = read_put_by_filter(one.text, choices=record["choices"], order=one.order)
    return bool(choice == record["answer"])


def _asked(found: QuerySet[ReleaseItem], run: Run) -> QuerySet[ReleaseItem]:
    """Filter items to those that a run asks or, for panels, those with an answer."""
    if run.examinee.kind == ExamineeKind.PANEL:
        return found.filter(pk__in=Response.objects.filter(run=run).values("item"))
    if run.sample_size is not None:
        return found.filter(pk__in=[pk for pk, _name in sampled_ids(run)])
    return found.filter(split__in=Portion(run.split).splits)


def _count(rows: QuerySet[Any]) -> Coalesce:
    grouped = rows.order_by().values(of=Value(1)).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(grouped, output_field=IntegerField()), 0)


def _expected(run: Run) -> Any:
    """Return an expression for the expected number of answers to an item; for panels, the received number."""
    if run.examinee.kind == ExamineeKind.PANEL:
        return F("got")
    if run.order == OptionOrder.CIRCULAR:
        size = Func(F("record__choices"), function="jsonb_array_length", output_field=IntegerField())
        return size * Value(run.repeats)
    return Value(run.repeats)


def _first(run: int) -> Coalesce:
    """Return a query expression for whether the first answer to an item is correct."""
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
    if outcome in REPEATS:
        return _asked_again(found, run, outcome, ["item", "order"] if cell.same_order else ["item"])
    if outcome in AT:
        return found.filter(pk__in=_at(answers, outcome).values("item"))
    if outcome in {ReadingKind.REFUSED, ReadingKind.FAILED}:
        # items lacking a response: refused by a content filter, or never answered
        answered = Response.objects.filter(run=run, reading=outcome).values("item")
        calls = Call.objects.filter(job=run.job_id, state=CallState.REFUSED)
        calls = calls.annotate(of=Cast(KeyTextTransform("item", "subject"), IntegerField()))
        if outcome == ReadingKind.REFUSED:
            return found.filter(Q(pk__in=answered) | Q(pk__in=calls.values("of")))
        found = found.annotate(refused=_count(calls.filter(of=OuterRef("pk"))))
        return found.filter(Q(pk__in=answered) | Q(expected__gt=F("got") + F("refused")))
    if outcome in ReadingKind.values:
        return found.filter(pk__in=answers.filter(reading=outcome).values("item"))
    return found


_SAID: Final = Coalesce(
    Cast("choice", CharField()), Cast("given", CharField()), F("reading"), output_field=CharField()
)
"""The answer as text: the chosen option, the given positions, or the outcome if no option was chosen."""


def _asked_again(found: QuerySet[Any], run: Run, outcome: str, alike: Sequence[str]) -> QuerySet[ReleaseItem]:
    """Filter items by the repeated answers within each group of equal values in the columns `alike`.

    `REPEATED`: at least two answers; `DIFFER`: different answers; `FLIPS`: correct and wrong answers;
    `FIRST_TWO`: the first two answers differ. Calls refused without a response are not counted.
    """
    answers = Response.objects.filter(run=run).exclude(reading=ReadingKind.FAILED).order_by()
    if outcome == FIRST_TWO:
        by = ["repeat", "rotation", "pk"]
        second = answers.annotate(said=_SAID).annotate(
            nth=Window(RowNumber(), partition_by=list(alike), order_by=by),
            before=Window(Lag("said"), partition_by=list(alike), order_by=by),
        )
        return found.filter(pk__in=second.filter(nth=2).exclude(before=F("said")).values("item"))
    groups = answers.values(*alike).annotate(
        n=Count("pk"), said=Count(_SAID, distinct=True), hits=Count("pk", filter=Q(correct=True))
    )
    narrowed = {
        REPEATED: Q(n__gt=1),
        DIFFER: Q(said__gt=1),
        FLIPS: Q(hits__gt=0, hits__lt=F("n")),
    }
    return found.filter(pk__in=groups.filter(narrowed[outcome]).values("item"))


def _at(answers: QuerySet[Response], outcome: str) -> QuerySet[Response]:
    """Filter answers by the position in `outcome`: either it was chosen, or the key was there."""
    called, _under, letter = outcome.rpartition("_")
    place = LETTERS.index(letter)
    key = Cast(KeyTextTransform("answer", "item__record"), IntegerField())
    answers = answers.filter(choice__isnull=False).annotate(
        stood=Cast(KeyTextTransform(place, "order"), IntegerField()), key=key
    )
    return answers.filter(stood=F("choice" if called == PLACED["excess"] else "key"))
