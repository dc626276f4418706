"""Answers that others collected, kept as runs: one a model, read in the same way as our own."""

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.errors import Unusable, require
from accounts.models import User
from accounts.services import record_event
from evaluation.models import Examinee, ExamineeKind, OptionOrder, Portion, ReadingKind, Response, Run
from evaluation.permissions import may_measure
from evaluation.queries import AskedItem, asked_items
from evaluation.services.exposure import exposure_of
from evaluation.services.runs import free_name
from parable.formats.errors import SENTENCES, RowError
from parable.formats.responses import FAILED, ResponseRecord, read_responses
from parable.llm import posing
from release.models import Release, ReleaseState

SHOWN_ERRORS: Final = 5
BATCH: Final = 1000


@transaction.atomic
def import_responses(*, actor: User, release: Release, name: str, data: bytes) -> list[Run]:
    """Keep the responses of a JSONL file, a run for each model it names; `name` is the file's.

    Every item that the release holds in a split that was answered counts as asked, in every repeat. Raises
    `Unusable` naming lines and fields; then nothing is kept.
    """
    require(may_measure(actor, release.project))
    if release.state != ReleaseState.READY:
        raise _refuse("release", _("Only a release that is ready can be answered."))
    whole = Run(release=release, split=Portion.BOTH)
    items = {item.public_id: item for item in asked_items(whole)}
    by_model: dict[str, list[ResponseRecord]] = defaultdict(list)
    for record in _read(name, data, {key: len(item.record["choices"]) for key, item in items.items()}):
        by_model[record.model].append(record)
    if not by_model:
        raise _refuse("file", _("There are no responses in this file."))
    return [_keep(actor, release, name, model, records, items) for model, records in by_model.items()]


def _refuse(field: str, message: str) -> Unusable:
    return Unusable(message, {field: message})


def _read(name: str, data: bytes, options: Mapping[str, int]) -> Sequence[ResponseRecord]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "responses.jsonl"
        path.write_bytes(data)
        found = read_responses([path], options=options)
    if found.errors:
        said = [_sentence(name, error) for error in found.errors[:SHOWN_ERRORS]]
        if len(found.errors) > SHOWN_ERRORS:
            said.append(_("and %(n)d more.") % {"n": len(found.errors) - SHOWN_ERRORS})
        raise _refuse("file", " ".join(said))
    return found.records


def _sentence(name: str, error: RowError) -> str:
    told = _(SENTENCES[error.code]) % error.params
    place = _("%(file)s, line %(row)d, %(field)s:") % {"file": name, "row": error.row, "field": error.field}
    return f"{place} {told}"


def _keep(
    actor: User,
    release: Release,
    name: str,
    model: str,
    records: Sequence[ResponseRecord],
    items: Mapping[str, AskedItem],
) -> Run:
    splits = {items[record.item_id].split for record in records}
    asked = [item for item in items.values() if item.split in splits]
    repeats = {record.repeat for record in records}
    has_rotations = any(record.rotation for record in records)
    each = sum(len(item.record["choices"]) for item in asked) if has_rotations else len(asked)
    run = Run.objects.create(
        release=release,
        examinee=_examinee(actor, release, model),
        split=splits.pop() if len(splits) == 1 else Portion.BOTH,
        repeats=len(repeats),
        order=OptionOrder.CIRCULAR if has_rotations else OptionOrder.RELEASED,
        asked=each * len(repeats),
        settings={"model": model, "file": name} | exposure_of(release, asked, model),
        created_by=actor,
    )
    # What failed has no row, as in a run of our own.
    rows = (_response(run, record, items[record.item_id]) for record in records if record.outcome != FAILED)
    Response.objects.bulk_create(rows, batch_size=BATCH)
    record_event(actor=actor, verb="import_responses", subject=run, detail={"file": name})
    return run


def _examinee(actor: User, release: Release, model: str) -> Examinee:
    known = Examinee.objects.filter(project=release.project, name=model[:120])
    return known.exclude(kind=ExamineeKind.PANEL).first() or Examinee.objects.create(
        project=release.project,
        name=free_name(release.project, model),
        kind=ExamineeKind.IMPORTED,
        model=model[:120],
        created_by=actor,
    )


def _response(run: Run, record: ResponseRecord, item: AskedItem) -> Response:
    choices = item.record["choices"]
    order = record.order or tuple(range(len(choices)))
    if record.text is not None:
        read = posing.read_put(record.text, choices=choices, order=order)
    elif record.choice is not None:
        read = posing.Answered(ReadingKind.CHOSEN, record.choice, record.choice)
    else:
        read = posing.Answered(ReadingKind.REFUSED, None, None)
    return Response(
        run=run,
        item_id=item.pk,
        repeat=record.repeat,
        rotation=record.rotation,
        order=order,
        text=(record.text or "").replace("\x00", "\ufffd"),
        reading=read.outcome,
        choice=read.choice,
        strict_choice=read.strict_choice,
        correct=read.choice is not None and read.choice == item.record["answer"],
    )
