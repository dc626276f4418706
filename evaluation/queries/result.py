"""Tables of results, computed from the responses of runs. Reads only."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F, Value

from evaluation.models import AnswerRule, ExamineeKind, Portion, ReadingKind, Response, ResultTables, Run
from evaluation.queries.response import response_lines
from evaluation.queries.run import asked_items, items_in, names_of, places_of
from jobs.models import Call, CallState
from parable.commands.results.every_eval_ever import Files, Measured, record_files
from parable.formats.records import ItemRecord
from parable.formats.responses import FAILED, ResponseRecord, served_of
from parable.kinds import KINDS, kind_of
from parable.kinds import Kind as ItemKind
from parable.kinds.question import Given
from parable.llm.published import read_put_by_filter
from parable.psychometrics.linking.errata import corrected, erratum, erratum_table, rescored
from parable.psychometrics.results.contents import Content
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.figures import has_figures
from parable.psychometrics.results.sheets import (
    MODEL,
    PEOPLE,
    Answer,
    Asked,
    ItemFact,
    Items,
    ResponseColumns,
    code_of,
    item_fact,
    make_sheet,
)
from parable.psychometrics.results.tables import Table
from release.card.facts import Facts
from release.files.folder import MANIFEST
from release.models import Release
from release.queries.file import stored_at
from release.queries.lineage import last_extension
from release.queries.release import frozen_items, get_artifact

Choices = Mapping[str, tuple[str, ...]]
"""The options of each item by its public id, in released order."""
Rights = Mapping[int, tuple[ItemKind, Given]]
"""The kind and the correct answer by item, for kinds where a different answer may count as correct."""


def tables_of(results: ResultTables, runs: Sequence[Run]) -> list[Table]:
    """Return all tables of these runs on the split of the results; [] if no run covers this split."""
    known = _Known(results)
    taken = [_taken(run, known) for run in runs]
    asked = {name for one in taken for name in one.names()}
    items = known.items(asked)
    called = names_of(runs)
    sheets = [_sheet(one, called[one.run.pk], items) for one in taken]
    reviewed = Facts.from_json(results.release.manifest["facts"]).styles
    released = items_in(results.release, Portion.ALL)
    contents = released.values_list("record__task", "split", "record__types").iterator()
    # the items whose tasks have statistics of their own
    with_figures = released.filter(record__task__in=[task for task in KINDS if has_figures(task)])
    records = with_figures.order_by("number").values_list("record", "public_id", "split").iterator()
    tables = make_tables(
        items,
        sheets,
        released=[Content(task, split, _texts(types)) for task, split, types in contents],
        answers=[{**record, "id": public_id, "split": split} for record, public_id, split in records],
        reviewed=reviewed,
    )
    models = {called[one.run.pk]: one for one in taken if one.asked is not None}
    return [*tables, *_corrections(results, models, asked)]


def records_of(results: ResultTables, runs: Sequence[Run]) -> Files:
    """Return the models' responses as files in the Every Eval Ever format, counted as in the tables.

    Panels are omitted, because each person answers a sample. Raise `Hidden` if the release has no files.
    """
    about = json.loads(stored_at(get_artifact(results.release, MANIFEST).sha256).read_bytes())
    called, at = names_of(runs), results.counted_at.timestamp() if results.counted_at else 0.0
    known = _Known(results)
    released = {one.public_id: one.item() for one in frozen_items(results.release)}
    return (
        file
        for run in runs
        if run.examinee.kind != ExamineeKind.PANEL
        for file in _run_records(
            Measured(called[run.pk], about["name"], about["version"], about["canary"], at),
            run,
            known,
            released,
        )
    )


def _run_records(about: Measured, run: Run, known: "_Known", released: Mapping[str, ItemRecord]) -> Files:
    taken = _taken(run, known)
    items = known.items(taken.names())
    asked = [one for one in taken.asked or () if one[0] in items.row]  # a run may cover more than the results
    read = {(one.item, one.repeat, one.rotation): one for one in taken.answers}
    return record_files(
        about,
        items,
        released.__getitem__,
        (_response(about.model, line) for line in response_lines(run)),
        lambda _sheet: asked,
        lambda one, _item: read.get(
            (one.item_id, one.repeat, one.rotation),
            Answer(one.item_id, FAILED, repeat=one.repeat, rotation=one.rotation),
        ),
    )


def _response(model: str, line: Mapping[str, Any]) -> ResponseRecord:
    return ResponseRecord(
        model=model,
        item_id=line["item_id"],
        repeat=line["repeat"],
        rotation=line["rotation"],
        order=tuple(line.get("order", ())) or None,
        text=None if "outcome" in line else line.get("text"),
        choice=line.get("choice"),
        outcome=line.get("outcome"),
        served=served_of(line),
    )


def _corrections(results: ResultTables, models: Mapping[str, "_Taken"], asked: set[str]) -> Iterator[Table]:
    """Yield a table of how each model's results change with the errata of the newest version."""
    later = last_extension(results.release)
    if later is None or not models:
        return
    before = [one for one in _records(results.release, results.split) if one.id in asked]
    old, new = (Items(map(item_fact, of)) for of in (before, corrected(before, _records(later))))
    sheets = [[_sheet(one, name, of) for name, one in models.items()] for of in (old, new)]
    found = erratum(*rescored(old, new, *sheets))
    if found is not None and found.changed:
        yield erratum_table(found, later.version)


def _records(release: Release, split: str = Portion.BOTH) -> list[ItemRecord]:
    """Return the items answered with one option. Only these can be scored again with a corrected key."""
    items = (one.item() for one in frozen_items(release) if one.split in Portion(split).splits)
    return [one for one in items if kind_of(one.task).question.is_one_option]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A run with its answers. `asked`: its questions; None for a panel, where each person has a sample."""

    run: Run
    answers: list[Answer]
    asked: list[Asked] | None

    def names(self) -> set[str]:
        """Return the public ids of the items that the run covers."""
        came = {one.item for one in self.answers}
        return came if self.asked is None else came | {item for item, _repeat, _rotation in self.asked}


class _Known:
    """The items of some results: public ids by id, and the options or correct answers for parsing."""

    def __init__(self, results: ResultTables) -> None:
        self._rows = items_in(results.release, results.split).values_list("pk", "public_id", "record")
        self.names = {pk: public_id for pk, public_id, _record in self._rows}
        self.choices: Choices = {
            public_id: _texts(record["choices"])
            for _pk, public_id, record in self._rows
            if results.rule == AnswerRule.CRMUS and kind_of(record["task"]).question.is_one_option
        }
        self.rights: Rights = {
            pk: (kind, kind.question.right(record))
            for pk, _public_id, record in self._rows
            for kind in [kind_of(record["task"])]
            if kind.agrees_from < 1 or not kind.has_options
        }

    def items(self, asked: set[str]) -> Items:
        """Return the items with these public ids."""
        return Items(_fact(public_id, record) for _pk, public_id, record in self._rows if public_id in asked)


def _taken(run: Run, known: _Known) -> _Taken:
    answers = [*_responses(run, known.names, known.choices, known.rights), *_refused(run, known.names)]
    is_panel = run.examinee.kind == ExamineeKind.PANEL
    return _Taken(run, answers, None if is_panel else _asked(run, answers))


def _fact(public_id: str, record: dict[str, object]) -> ItemFact:
    question = kind_of(str(record["task"])).question
    return ItemFact(
        id=public_id,
        task=str(record["task"]),
        story=str(record["story_id"]),
        key=code_of(question.right(record)),
        options=len(_texts(record["choices"])),
        types=_texts(record["types"]),
        style=str(record["style"]),
        generators=_texts(record["generators"]),
        chance=question.chance(record),
        is_one=question.is_one_option,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _sheet(taken: _Taken, name: str, items: Items) -> ResponseColumns:
    run = taken.run
    sheet = make_sheet(
        name,
        items,
        taken.answers,
        asked=taken.asked,
        kind=MODEL if taken.asked is not None else PEOPLE,
        also_named=(run.examinee.name, run.examinee.model, str(run.settings.get("model", ""))),
    )
    return replace(sheet, has_drafted=sheet.has_drafted or bool(run.settings.get("drafted")))


def _responses(run: Run, names: dict[int, str], choices: Choices, rights: Rights) -> Iterator[Answer]:
    """Yield a run's answers as stored or, for items in `choices`, as parsed by the CRMUS filter."""
    rows = Response.objects.filter(run=run, item__in=names).order_by("pk")
    text = F("text") if choices else Value("")
    own = ("given", "strict_given", "score")
    fields = ("item_id", "reading", "choice", "strict_choice", "repeat", "rotation", "order", "said", *own)
    for one in rows.annotate(said=text).values(*fields).iterator():
        name, order = names[one["item_id"]], tuple(one["order"])
        outcome, choice, strict = one["reading"], one["choice"], one["strict_choice"]
        if one["given"] is not None:
            choice, strict = one["given"], one["strict_given"]
            if one["item_id"] in rights:  # an answer that is close enough counts as the correct one
                kind, right = rights[one["item_id"]]
                choice, strict = kind.counted(choice, right), kind.counted(strict, right)
            choice, strict = code_of(choice), code_of(strict)
        elif one["said"] and name in choices:
            outcome, choice = read_put_by_filter(one["said"], choices=choices[name], order=order)
        yield Answer(name, outcome, choice, strict, one["repeat"], one["rotation"], order, score=one["score"])


def _refused(run: Run, names: dict[int, str]) -> Iterator[Answer]:
    """Yield an answer for each call that a content filter refused. Such a call is not a failure."""
    if run.job_id is None:
        return
    calls = Call.objects.filter(job=run.job_id, state=CallState.REFUSED)
    for about in calls.values_list("subject", flat=True):
        if name := names.get(about["item"]):
            yield Answer(name, ReadingKind.REFUSED, repeat=about["repeat"], rotation=about["rotation"])


def _asked(run: Run, answers: Sequence[Answer]) -> list[Asked]:
    """Return every question of a run as (public id, repeat, rotation).

    Repeats of imported answers are numbered as in their file.
    """
    places = places_of(run, asked_items(run))
    given = sorted({one.repeat for one in answers})
    spare = (number for number in range(1, run.repeats + len(given) + 1) if number not in given)
    numbers = [*given[: run.repeats], *(next(spare) for _n in range(run.repeats - len(given)))]
    return [(place.item.public_id, numbers[place.repeat - 1], place.rotation) for place in places]
