"""Make all tables of an evaluation from the answers, in one call."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from parable.formats.records import HUMAN, MACHINE
from parable.kinds import codes, codes_among, first_code, measure_of, score_weights
from parable.kinds.question import Released
from parable.psychometrics.results.ability_ranks import ability_ranks
from parable.psychometrics.results.accuracy import (
    LEAST,
    accuracy,
    chance,
    chance_score,
    error,
    mean_score,
    score,
    style_difference,
)
from parable.psychometrics.results.contents import Content, contents_table, type_counts_table
from parable.psychometrics.results.figures import figures_table
from parable.psychometrics.results.generality import generality_table
from parable.psychometrics.results.outlook import neighbour_table, variance_table
from parable.psychometrics.results.pairs import pair_table
from parable.psychometrics.results.positions import position_preference
from parable.psychometrics.results.repeats import Inconsistency, inconsistency
from parable.psychometrics.results.sheets import MODEL, OUTCOMES, Items, Mask, ResponseColumns
from parable.psychometrics.results.tables import (
    PEOPLE,
    RANDOM,
    REVIEWERS,
    UNEQUAL,
    Cell,
    Column,
    Kind,
    Row,
    Table,
    bare,
    figure,
)

TABLES: Final = (
    *("accuracy", "measures", "generality", "outcomes", "types", "styles", "repeats", "ranks", "positions"),
    *("pairs", "neighbours", "variance", "contents", "type_counts"),
    "figures",
)
"""The codes of the tables, in display order."""

ACROSS_ITEMS: Final = (
    *("accuracy", "measures", "generality", "types", "styles", "repeats", "ranks", "neighbours", "variance"),
)
"""Codes of tables that compare models even if these got different items; these tables say so."""

KNOWN_TYPES: Final = ("social", "biological", "temporal", "spatial", "physical")
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EXAMINEE: Final = Column("examinee", Kind.NAME)
_TASK: Final = Column("task", Kind.CODE)
Styles = Mapping[str, Mapping[str, Any]]
"""By style, and for the `difference` of styles, the accuracy as a mapping of value, low, high and n."""


def make_tables(
    items: Items,
    sheets: Iterable[ResponseColumns],
    *,
    released: Sequence[Content] = (),
    answers: Iterable[Released] = (),
    reviewed: Mapping[str, Styles] = MappingProxyType({}),
) -> list[Table]:
    """Make every table that has rows, with the best examinee first; names of sheets must be unique.

    `released`: all items of the release, even without answers. `answers`: the released lines of tasks with
    statistics of their own. `reviewed`: by task, the accuracy of reviewers' blind answers on each style, as
    stored in the release.
    """
    ordered = sorted(sheets, key=lambda sheet: (-_rank(sheet, items), sheet.name))
    found = {
        "accuracy": _accuracy_table(items, ordered),
        "measures": _measure_table(items, ordered),
        "outcomes": _outcome_table(items, ordered),
        "types": _type_table(items, ordered),
        "styles": _style_table(items, ordered, reviewed),
        "repeats": _repeat_table(items, ordered),
        "positions": _position_table(items, ordered),
        "ranks": _rank_table(items, ordered),
        "pairs": pair_table(items, ordered, _tasks(items)),
        "generality": generality_table(items, ordered, _tasks(items)),
        "neighbours": neighbour_table(items, ordered, _tasks(items)),
        "variance": variance_table(items, ordered, _tasks(items)),
        "contents": contents_table(released, _in_order(one.task for one in released)),
        "type_counts": type_counts_table(released, types_in(one.types for one in released)),
        "figures": figures_table(answers),
    }
    if unequal := _unequal(items, ordered):
        for code in ACROSS_ITEMS:
            found[code] = replace(found[code], params={**found[code].params, UNEQUAL: unequal})
    return [found[code] for code in TABLES if found[code].rows]


def _unequal(items: Items, sheets: Iterable[ResponseColumns]) -> list[tuple[str, str, int, int]]:
    """Return (task, model, items answered, items of the task) for tasks with different items by model."""
    models = [sheet for sheet in sheets if sheet.kind == MODEL]
    asked = [np.bincount(sheet.item, minlength=len(items.facts)) > 0 for sheet in models]
    return [
        (task, sheet.name, int((one & chosen).sum()), int(chosen.sum()))
        for task in _tasks(items)
        for chosen in [items.of_task(task)]
        if len({(one & chosen).tobytes() for one in asked}) > 1
        for sheet, one in zip(models, asked, strict=True)
    ]


def score_object(items: Items, sheets: Iterable[ResponseColumns]) -> dict[str, object]:
    """Return the JSON that `score` and `evaluate` print, by examinee; null for a task without answers."""
    return {"models": {sheet.name: _examinee_object(items, sheet) for sheet in sheets}}


def _examinee_object(items: Items, sheet: ResponseColumns) -> dict[str, object]:
    by_task = {
        task: _task_object(sheet, items, items.of_task(task), measure_of(task))
        for task in codes_among(items.tasks)
    }
    kinds = {kind: accuracy(sheet, items, items.of_type(kind)) for kind in types_of(items)}
    styled = items.of_task(first_code("has_machine_style"))
    styles = {style: accuracy(sheet, items, styled & items.of_style(style)) for style in (HUMAN, MACHINE)}
    return {
        **by_task,
        "by_type": {
            kind: {"n": one.asked, "wrong": one.asked - one.right, "error": _less_one(one.accuracy.value)}
            for kind, one in kinds.items()
            if one.asked
        },
        "by_style": {
            style: {"n": one.asked, "correct": one.right, "accuracy": one.accuracy.value}
            for style, one in styles.items()
            if one.asked
        },
        "score": score(sheet, items).value,
        "drafted_options": sheet.has_drafted,
    }


def _task_object(
    sheet: ResponseColumns, items: Items, chosen: Mask, task_measure: str
) -> dict[str, object] | None:
    found = accuracy(sheet, items, chosen)
    if not found.asked:
        return None
    measure = {task_measure: mean_score(sheet, items, chosen).value} if task_measure else {}
    return {
        "n": found.asked,
        "correct": found.right,
        **measure,
        **{name: found.outcomes[name] for name in OUTCOMES[1:]},
        "accuracy": found.accuracy.value,
        "low": found.accuracy.low,
        "high": found.accuracy.high,
        "strict_accuracy": found.strict.value,
    }


def _less_one(value: float | None) -> float | None:
    return None if value is None else 1 - value


def types_of(items: Items) -> list[str]:
    """Return the types of the items: known types in their fixed order, then others by name."""
    return types_in(fact.types for fact in items.facts)


def types_in(carried_by: Iterable[Iterable[str]]) -> list[str]:
    """Return the types that occur, without repeats: known types in their fixed order, then others by name."""
    carried = {kind for types in carried_by for kind in types}
    return [kind for kind in KNOWN_TYPES if kind in carried] + sorted(carried - set(KNOWN_TYPES))


def _rank(sheet: ResponseColumns, items: Items) -> float:
    whole = score(sheet, items).value
    return whole if whole is not None else float(sheet.right.mean()) if len(sheet) else 0.0


def _tasks(items: Items) -> list[str]:
    return _in_order(items.tasks)


def _in_order(tasks: Iterable[str]) -> list[str]:
    """Return tasks without repeats: known tasks in their fixed order, then others in the given order."""
    known, found = codes(), list(dict.fromkeys(tasks))
    return [task for task in known if task in found] + [task for task in found if task not in known]


def _row(sheet: ResponseColumns, *cells: Cell) -> Row:
    return Row((sheet.name, *cells), sheet.kind, sheet.has_drafted)


def _accuracy_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    tasks = _tasks(items)
    has_score = all(task in tasks for task in score_weights())
    columns = [_EXAMINEE]
    for task in tasks:
        count = int(items.of_task(task).sum())
        columns += [Column("accuracy", Kind.SHARE, task, count), Column("strict", Kind.SHARE, task)]
    rows: list[Row] = []
    for sheet in sheets:
        by_task = [accuracy(sheet, items, items.of_task(task)) for task in tasks]
        cells = [cell for one in by_task for cell in (figure(one.accuracy), bare(one.strict.value))]
        rows.append(_row(sheet, *cells, *([figure(score(sheet, items))] if has_score else [])))
    if rows:
        guesses = [cell for task in tasks for cell in (bare(chance(items, items.of_task(task))), bare(None))]
        whole = [bare(chance_score(items))] if has_score else []
        rows.append(Row((RANDOM, *guesses, *whole), RANDOM))
    if has_score:
        columns.append(Column("score", Kind.SHARE))
    stories = len(set(items.story.tolist()))
    return Table("accuracy", tuple(columns), tuple(rows), {"stories": stories, "items": len(items.facts)})


def _measure_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    """Return the table of mean scores for tasks with partial credit."""
    columns = (
        _EXAMINEE,
        _TASK,
        Column("measure", Kind.CODE),
        Column("items", Kind.COUNT),
        Column("asked", Kind.COUNT),
        *(Column(code, Kind.NUMBER) for code in ("mean", "mean_low", "mean_high")),
    )
    rows = [
        _row(sheet, task, measure, found.items, found.asked, mean.value, mean.low, mean.high)
        for sheet in sheets
        for task in _tasks(items)
        if (measure := measure_of(task))
        if (found := accuracy(sheet, items, items.of_task(task))).asked
        for mean in [mean_score(sheet, items, items.of_task(task), least=LEAST.get(measure, 0.0))]
    ]
    return Table("measures", columns, tuple(rows))


def _outcome_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    columns = [_EXAMINEE, _TASK, *(Column(code, Kind.COUNT) for code in ("items", "asked", "right"))]
    columns += [Column(outcome, Kind.COUNT) for outcome in OUTCOMES]
    rows = [
        _row(
            sheet,
            task,
            found.items,
            found.asked,
            found.right,
            *(found.outcomes[outcome] for outcome in OUTCOMES),
        )
        for sheet in sheets
        for task in _tasks(items)
        if (found := accuracy(sheet, items, items.of_task(task))).asked
    ]
    return Table("outcomes", tuple(columns), tuple(rows))


def _type_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    kinds = types_of(items)
    columns = [Column("error", Kind.SHARE, kind, int(items.of_type(kind).sum())) for kind in kinds]
    rows = [
        _row(sheet, *(figure(error(sheet, items, items.of_type(kind))) for kind in kinds))
        for sheet in sheets
        if kinds
    ]
    if rows:
        guesses = (bare(_less_one(chance(items, items.of_type(kind)))) for kind in kinds)
        rows.append(Row((RANDOM, *guesses), RANDOM))
    return Table("types", (_EXAMINEE, *columns), tuple(rows))


def _style_table(items: Items, sheets: Sequence[ResponseColumns], reviewed: Mapping[str, Styles]) -> Table:
    """Return the table for tasks with items of both styles; the row of reviewers comes last."""
    styles = (HUMAN, MACHINE)
    of_style = {
        task: [items.of_task(task) & items.of_style(style) for style in styles] for task in _tasks(items)
    }
    of_style = {task: masks for task, masks in of_style.items() if all(mask.any() for mask in masks)}
    columns = [_EXAMINEE, _TASK]
    columns += [Column("accuracy", Kind.SHARE, style) for style in styles]
    rows: list[Row] = []
    for task, masks in of_style.items():
        for sheet in sheets:
            difference = style_difference(sheet, items, items.of_task(task))
            if difference.value is not None:
                accuracies = [figure(accuracy(sheet, items, mask).accuracy) for mask in masks]
                rows.append(_row(sheet, task, *accuracies, figure(difference)))
    params: dict[str, object] = {
        style: sum(int(masks[at].sum()) for masks in of_style.values()) for at, style in enumerate(styles)
    }
    known = {task: reviewed[task] for task in of_style if task in reviewed}
    known = {task: found for task, found in known.items() if found["difference"]["value"] is not None}
    for task, found in known.items():
        figures = (found[name] for name in (*styles, "difference"))
        cells = ((one["value"], one["low"], one["high"]) for one in figures)
        rows.append(Row((REVIEWERS, task, *cells), PEOPLE))
    if known:
        params[REVIEWERS] = {style: sum(found[style]["n"] for found in known.values()) for style in styles}
    return Table("styles", (*columns, Column("difference", Kind.POINTS)), tuple(rows), params)


def _repeat_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    columns = (
        _EXAMINEE,
        _TASK,
        Column("orders", Kind.CODE),
        Column("items", Kind.COUNT),
        Column("askings", Kind.NUMBER),
        *(Column(code, Kind.SHARE) for code in ("differ", "any_differ", "flips", "first_two")),
    )
    rows: list[Row] = []
    for sheet, task in product(sheets, _tasks(items)):
        chosen = items.of_task(task)
        every = inconsistency(sheet, items, chosen) if sheet.kind == MODEL else None
        if every is None:
            continue
        rows.append(_repeat_row(sheet, task, every))
        apart = inconsistency(sheet, items, chosen, same_order=True) if every.orders_vary else None
        if apart is not None:
            rows.append(_repeat_row(sheet, task, apart))
    return Table("repeats", columns, tuple(rows))


def _repeat_row(sheet: ResponseColumns, task: str, found: Inconsistency) -> Row:
    shares = (found.differ, found.any_differ, found.flips, found.first_two)
    orders = "several_orders" if found.orders_vary else "same_order"
    return _row(sheet, task, orders, found.items, found.askings, *map(figure, shares))


def _rank_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    """Return the table of ranks of models; people are left out, as they answer only samples."""
    columns = (
        _EXAMINEE,
        _TASK,
        Column("first_accuracy", Kind.SHARE),
        Column("accuracy_rank", Kind.COUNT),
        Column("ability", Kind.NUMBER),
        Column("ability_rank", Kind.COUNT),
    )
    models = [sheet for sheet in sheets if sheet.kind == MODEL]
    rows = [
        _row(one.sheet, task, bare(one.accuracy), one.accuracy_rank, one.ability, one.ability_rank)
        for task in _tasks(items)
        for one in ability_ranks(models, items, items.of_task(task))
    ]
    return Table("ranks", columns, tuple(rows))


def _position_table(items: Items, sheets: Sequence[ResponseColumns]) -> Table:
    everything = items.is_one
    found = [
        (sheet, one)
        for sheet in sheets
        if sheet.kind == MODEL and (one := position_preference(sheet, items, everything)) is not None
    ]
    most = max((len(one.places) for _sheet, one in found), default=0)
    columns = [_EXAMINEE, Column("answered", Kind.COUNT)]
    columns += [Column("excess", Kind.POINTS, letter) for letter in LETTERS[:most]]
    columns += [Column("found", Kind.SHARE, letter) for letter in LETTERS[:most]]
    rows = [
        _row(
            sheet,
            one.answers,
            *(figure(place.excess) for place in one.places),
            *(bare(None) for _ in range(most - len(one.places))),
            *(bare(place.found) for place in one.places),
            *(bare(None) for _ in range(most - len(one.places))),
            bare(one.spread),
            one.p_value,
        )
        for sheet, one in found
    ]
    return Table(
        "positions",
        (*columns, Column("spread", Kind.POINTS), Column("preference_p", Kind.P_VALUE)),
        tuple(rows),
    )
