"""From the rows of runs to tables: what was asked and what came, item by item. Nothing is written here."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluation.models import ExamineeKind, ReadingKind, Response, ResultTables, Run
from evaluation.queries import asked_items, items_in, places_of
from jobs.models import Call, CallState
from parable.commands.results.plots import plot as draw
from parable.psychometrics.results.evaluating import make_tables
from parable.psychometrics.results.sheets import (
    MODEL,
    PEOPLE,
    Answer,
    Asked,
    ItemFact,
    Items,
    Sheet,
    make_sheet,
)
from parable.psychometrics.results.tables import Table

__all__ = ["draw", "tables_of"]


def tables_of(results: ResultTables, runs: Sequence[Run]) -> list[Table]:
    """Every table of these runs on the items of one choice."""
    rows = items_in(results.release, results.split).values_list("pk", "public_id", "record")
    names = {pk: public_id for pk, public_id, _record in rows}
    items = Items(_fact(public_id, record) for _pk, public_id, record in rows)
    called = _called(runs)
    return make_tables(items, [_sheet(run, called[run.pk], items, names) for run in runs])


def _fact(public_id: str, record: dict[str, object]) -> ItemFact:
    return ItemFact(
        id=public_id,
        task=str(record["task"]),
        story=str(record["story_id"]),
        key=int(str(record["answer"])),
        options=len(_texts(record["choices"])),
        types=_texts(record["types"]),
        style=str(record["style"]),
        generators=_texts(record["generators"]),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _called(runs: Sequence[Run]) -> dict[int, str]:
    """What each run's row is called: its examinee, with the run's number where that was chosen twice."""
    names = [run.examinee.name for run in runs]
    return {
        run.pk: name if names.count(name) == 1 else f"{name} #{run.pk}"
        for run, name in zip(runs, names, strict=True)
    }


def _sheet(run: Run, name: str, items: Items, names: dict[int, str]) -> Sheet:
    """What a run was asked and what came; of people only what came, since each had a sample."""
    is_panel = run.examinee.kind == ExamineeKind.PANEL
    answers = [*_responses(run, names), *_refused(run, names)]
    sheet = make_sheet(
        name,
        items,
        answers,
        asked=None if is_panel else _asked(run, answers),
        kind=PEOPLE if is_panel else MODEL,
        also_named=(run.examinee.name, run.examinee.model, str(run.settings.get("model", ""))),
    )
    return replace(sheet, has_drafted=sheet.has_drafted or bool(run.settings.get("drafted")))


def _responses(run: Run, names: dict[int, str]) -> Iterator[Answer]:
    rows = Response.objects.filter(run=run, item__in=names).order_by("pk")
    fields = ("item_id", "reading", "choice", "strict_choice", "repeat", "rotation", "order")
    for item, reading, choice, strict, repeat, rotation, order in rows.values_list(*fields).iterator():
        yield Answer(names[item], reading, choice, strict, repeat, rotation, tuple(order))


def _refused(run: Run, names: dict[int, str]) -> Iterator[Answer]:
    """Calls that a content filter stopped have no response, and are no failures."""
    if run.job_id is None:
        return
    calls = Call.objects.filter(job=run.job_id, state=CallState.REFUSED)
    for about in calls.values_list("subject", flat=True):
        if name := names.get(about["item"]):
            yield Answer(name, ReadingKind.REFUSED, repeat=about["repeat"], rotation=about["rotation"])


def _asked(run: Run, answers: Sequence[Answer]) -> list[Asked]:
    """Every question of a run, by item, repeat and rotation.

    Repeats of answers that were brought in are numbered as their file numbers them.
    """
    places = places_of(run, asked_items(run))
    given = sorted({one.repeat for one in answers})
    spare = (number for number in range(1, run.repeats + len(given) + 1) if number not in given)
    numbers = [*given[: run.repeats], *(next(spare) for _n in range(run.repeats - len(given)))]
    return [(place.item.public_id, numbers[place.repeat - 1], place.rotation) for place in places]
