"""Tables of results: ordered by a manager, counted and drawn by a worker, kept until somebody asks again."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Unusable, require
from accounts.models import User
from evaluation.models import ExamineeKind, Portion, ReadingKind, Response, ResultPlot, ResultTables, Run
from evaluation.permissions import may_measure
from evaluation.queries import asked_items, items_in, places_of
from jobs.models import Call, CallState
from jobs.queries import is_over
from parable.commands.results.plots import plot
from parable.commands.results.words import LANGUAGES
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
from release.models import Release

MOST_RUNS: Final = 60


@transaction.atomic
def order_results(
    *, actor: User, release: Release, runs: Sequence[Run], split: str = Portion.BOTH
) -> ResultTables:
    """Ask for the tables of some runs; tell a worker once the transaction stands.

    The same runs give the same row, counted afresh. Raises `Unusable` naming the field.
    """
    require(may_measure(actor, release.project))
    if problems := _problems(release, runs, split):
        raise Unusable(" ".join(problems.values()), problems)
    numbers = sorted(run.pk for run in runs)
    key = hashlib.sha256(f"{split}|{numbers}".encode()).hexdigest()
    found, is_new = ResultTables.objects.update_or_create(
        release=release,
        key=key,
        defaults={"wanted_at": timezone.now(), "has_failed": False},
        create_defaults={"split": split, "made_by": actor, "wanted_at": timezone.now()},
    )
    if is_new:
        found.runs.set(numbers)
    return found


def _problems(release: Release, runs: Sequence[Run], split: str) -> dict[str, str]:
    if split not in Portion.values:
        return {"split": _("This release has no items in this split.")}
    if not runs:
        return {"runs": _("Choose at least one run.")}
    if len(runs) > MOST_RUNS:
        return {"runs": _("Choose at most %(most)d runs.") % {"most": MOST_RUNS}}
    if any(run.release_id != release.pk for run in runs):
        return {"runs": _("One of these runs is of another release.")}
    if any(run.job is not None and not is_over(run.job) for run in runs):
        return {"runs": _("One of these runs is still being answered.")}
    return {}


def count_results(*, results_id: int, languages: Sequence[str] = LANGUAGES) -> None:
    """Count the tables and draw them in these languages; safe to run twice."""
    results = ResultTables.objects.select_related("release").get(pk=results_id)
    begun = timezone.now()
    runs = list(results.runs.select_related("release", "examinee", "job").order_by("pk"))
    upto = Response.objects.filter(run__in=runs).aggregate(newest=Max("pk"))["newest"] or 0
    tables = _tables(results, runs)
    pictures = [
        ResultPlot(results=results, table=table.code, language=language, svg=plot(table, language))
        for table in tables
        for language in languages
    ]
    with transaction.atomic():
        # Said to be as old as the moment counting began: a wish that came meanwhile is not yet fulfilled.
        ResultTables.objects.filter(pk=results_id).update(
            counted_at=begun,
            counted_upto=upto,
            has_failed=False,
            tables=[table.as_json() for table in tables],
        )
        ResultPlot.objects.filter(results=results).delete()
        ResultPlot.objects.bulk_create(pictures)


def fail_results(*, results_id: int) -> None:
    """Note that a fault of ours ended the counting."""
    ResultTables.objects.filter(pk=results_id).update(has_failed=True)


def _tables(results: ResultTables, runs: Sequence[Run]) -> list[Table]:
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
