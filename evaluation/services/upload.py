"""Services that import responses as runs, one for each model.

Responses are parsed by the same rules as our own. The request stores the file. A worker then imports all of
its responses in one transaction, or none.
"""

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Unusable, require
from evaluation.models import (
    Examinee,
    ExamineeKind,
    FileState,
    FileStep,
    OptionOrder,
    Portion,
    ReadingKind,
    Response,
    ResponseFile,
    Run,
)
from evaluation.permissions import may_change_results
from evaluation.queries.response import answer_columns
from evaluation.queries.run import IMPORT, asked_items, portion_of
from evaluation.services.exposure import exposure_of
from evaluation.services.run import free_name
from jobs.job_types import Report, quiet
from jobs.services import order_job
from parable.formats.answer_log import log_labels
from parable.formats.asked_items import Words
from parable.formats.errors import FILE, SENTENCES, ErrorCode, InputError
from parable.formats.json_reader import is_json
from parable.formats.logs.inspect_ai import is_archived
from parable.formats.responses import FAILED, ResponseRecord, Responses, read_responses
from parable.formats.sources import decode, load
from parable.kinds import kind_of
from parable.kinds.question import Answered
from release.models import Release, ReleaseItem, ReleaseState, Upload, UploadState
from release.queries.file import stored_at
from web.file_store import read_upload

LARGEST_UPLOAD: Final = 20_000_000
BATCH: Final = 1000
GLANCE: Final = 65_536
"""The number of bytes that are checked before a file is stored: they must be text and look like JSON."""
ROOT: Final = "responses"
CLOSED: Final = (FileState.WAITING, FileState.DONE)
"""The states in which a file that is uploaded again is not read again."""

Read = tuple[ResponseRecord, Answered]


@transaction.atomic
def order_import(*, actor: User, release: Release, name: str, data: bytes) -> ResponseFile:
    """Store a file of responses for a worker to read; the caller must dispatch the job.

    Managers only. The same file is stored once: if it was refused or failed it is read again, otherwise it is
    returned unchanged. Raise `Unusable` for a file that cannot contain responses.
    """
    require(may_change_results(actor, release.project))
    if release.state != ReleaseState.READY:
        raise Unusable(_("Only a finished release can be evaluated."), "release")
    _glance_at(data)
    given = {"name": name[:255], "bytes": len(data), "created_by": actor}
    rows = ResponseFile.objects.select_for_update(of=("self",))
    sha256 = hashlib.sha256(data).hexdigest()
    file, is_new = rows.get_or_create(release=release, sha256=sha256, defaults=given)
    if not is_new and file.state in CLOSED:
        return file
    if file.kept_as:  # the stored copy of a file whose reading failed
        _delete_later(file.kept_as)
    fresh = {
        "kept_as": default_storage.save(f"{ROOT}/{sha256}.jsonl", ContentFile(data)),
        "state": FileState.WAITING, "answers": 0, "problems": [],
        "ordered_at": timezone.now(), "finished_at": None,
    }  # fmt: skip
    for field, value in (given | fresh).items():
        setattr(file, field, value)
    file.save()
    _order_reading(actor, file)
    return file


def order_team_import(*, actor: User, upload: Upload) -> ResponseFile:
    """Store the responses that a team has had scored as a file to import, named after the team.

    Managers only; the caller must dispatch the job. Raise `Unusable` for an upload that was not scored.
    """
    if upload.state != UploadState.DONE:
        raise Unusable(_("Only responses that were scored can be imported."), FILE)
    name = f"{upload.team.name.replace('/', '-')}.jsonl"  # the model of predictions has the name of the file
    data = stored_at(upload.sha256).read_bytes()
    return order_import(actor=actor, release=upload.team.release, name=name, data=data)


def _order_reading(actor: User, file: ResponseFile) -> None:
    about = {"name": file.name}
    order_job(actor=actor, project=file.release.project, kind=IMPORT, subject=file.pk, about=about)


def _delete_later(name: str) -> None:
    transaction.on_commit(lambda: default_storage.delete(name), robust=True)


def _glance_at(data: bytes) -> None:
    if is_archived(BytesIO(data)):
        return
    try:
        text = decode(load(data)[:GLANCE])
    except InputError as refused:
        is_other = refused.code in {ErrorCode.IS_SPREADSHEET, ErrorCode.OTHER_FILE, ErrorCode.NOT_UTF8}
        if not is_other or data.startswith((b"[", b"{")):
            raise Unusable(_(SENTENCES[refused.code]) % refused.params, FILE) from refused
        text = ""  # a workbook or a picture: another encoding does not help
    if not is_json(text):
        message = _(
            "This is not a file of answers. Supported: JSON lines, a JSON list of objects, and logs of"
            " %(logs)s."
        )
        raise Unusable(message % {"logs": log_labels()}, FILE)


def read_file(*, file_id: int, report: Report = quiet) -> ResponseFile:
    """Import all responses of an uploaded file, or refuse the file and store its errors.

    Do nothing if that is already done. Safe to call again after an interruption.
    """
    file = ResponseFile.objects.select_related("release__project", "created_by").get(pk=file_id)
    if file.state != FileState.WAITING:
        return file
    report(FileStep.LINES)
    items = {item.public_id: item for item in asked_items(Run(release=file.release, split=Portion.ALL))}
    found = _parsed(file, items)
    if found.errors or not found.records:
        problems: list[dict[str, object]] = []
        for error in found.errors:
            # an error names the user's file, not our copy
            params = error.params | ({"file": file.name} if "file" in error.params else {})
            problems.append({"row": error.row, "field": error.field, "code": error.code, "params": params})
        return _close(file, FileState.REFUSED, problems=problems)
    read = []
    for done, record in enumerate(found.records):
        report(FileStep.ANSWERS, done, len(found.records))
        read.append((record, _read(record, items[record.item_id])))
    return _keep_all(file, items, read, report)


def _parsed(file: ResponseFile, items: Mapping[str, ReleaseItem]) -> Responses:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / (Path(file.name).name or "responses")  # logs name the model by their file
        copy.write_bytes(read_upload(file.kept_as, sha256=file.sha256))
        options = {public_id: len(item.record["choices"]) for public_id, item in items.items()}
        tasks = {public_id: item.record["task"] for public_id, item in items.items()}
        words = (
            Words(public_id, one["story"], one["question"], tuple(one["choices"]))
            for public_id, one in ((public_id, item.record) for public_id, item in items.items())
        )
        sources = ((item.record.get("source_id", ""), public_id) for public_id, item in items.items())
        return read_responses([copy], options=options, tasks=tasks, words=words, sources=sources)


def _read(record: ResponseRecord, item: ReleaseItem) -> Answered:
    if record.text is not None:
        question = kind_of(item.record["task"]).question
        return question.read_as_ended(record.text, item.record, _order(record, item), record.finish_reason)
    if record.choice is not None:
        given = list(record.choice) if isinstance(record.choice, tuple) else record.choice
        return Answered(ReadingKind.CHOSEN, given, given)
    return Answered(ReadingKind.REFUSED)


def _order(record: ResponseRecord, item: ReleaseItem) -> tuple[int, ...]:
    return record.order or tuple(range(len(item.record["choices"])))


def _keep_all(
    file: ResponseFile, items: Mapping[str, ReleaseItem], read: Sequence[Read], report: Report
) -> ResponseFile:
    report(FileStep.KEEPING, 0, len(read))
    by_model: dict[str, list[Read]] = defaultdict(list)
    for record, answered in read:
        by_model[record.model].append((record, answered))
    with transaction.atomic():
        held = ResponseFile.objects.select_for_update(of=("self",)).get(pk=file.pk)
        if held.state != FileState.WAITING:
            return held  # another worker was faster
        for model, answers in by_model.items():
            _keep(file, model, answers, items)
        return _close(file, FileState.DONE, answers=len(read))


@transaction.atomic
def _close(
    file: ResponseFile, state: str, *, problems: Sequence[dict[str, object]] = (), answers: int = 0
) -> ResponseFile:
    """Record the outcome of a file unless it has one. Delete the stored copy, except after a failure."""
    held = ResponseFile.objects.select_for_update(of=("self",)).get(pk=file.pk)
    if held.state != FileState.WAITING:
        return held
    if state != FileState.FAILED:
        _delete_later(held.kept_as)
        held.kept_as = ""
    held.state, held.problems, held.finished_at = state, list(problems), timezone.now()
    held.answers = answers
    held.save()
    return held


def fail_file(*, file_id: int) -> None:
    """Close a file whose reading failed because of an error in Parable.

    The stored copy is not deleted, so that the file can be read again.
    """
    _close(ResponseFile.objects.get(pk=file_id), FileState.FAILED)


@transaction.atomic
def retry_file(*, actor: User, file: ResponseFile) -> ResponseFile:
    """Order the file to be read again after an error in Parable; the caller must dispatch the job."""
    require(may_change_results(actor, file.release.project))
    held = ResponseFile.objects.select_for_update(of=("self",)).get(pk=file.pk)
    if held.state == FileState.FAILED:
        held.state, held.ordered_at, held.finished_at = FileState.WAITING, timezone.now(), None
        held.save()
        _order_reading(actor, held)
    return held


def _keep(file: ResponseFile, model: str, read: Sequence[Read], items: Mapping[str, ReleaseItem]) -> Run:
    """Save the responses of one model as a run and return the run.

    In every repeat, all items of each split with a response count as asked.
    """
    records = [record for record, _answered in read]
    portion = portion_of(items[record.item_id].split for record in records)
    asked = [item for item in items.values() if item.split in portion.splits]
    repeats = {record.repeat for record in records}
    has_rotations = any(record.rotation for record in records)
    each = sum(max(1, len(item.record["choices"])) for item in asked) if has_rotations else len(asked)
    known = Examinee.objects.filter(project=file.release.project, name=model[:120])
    examinee = known.exclude(kind=ExamineeKind.PANEL).first() or Examinee.objects.create(
        project=file.release.project,
        name=free_name(file.release.project, model),
        kind=ExamineeKind.IMPORTED,
        model=model[:120],
        created_by=file.created_by,
    )
    run = Run.objects.create(
        release=file.release,
        examinee=examinee,
        split=portion,
        repeats=len(repeats),
        order=OptionOrder.CIRCULAR if has_rotations else OptionOrder.RELEASED,
        asked=each * len(repeats),
        settings={"model": model, "file": file.name} | exposure_of(file.release, asked, model),
        file=file,
        created_by=file.created_by,
    )
    # Failed answers have no row, as in a run of our own.
    came = [(record, answered) for record, answered in read if record.outcome != FAILED]
    for start in range(0, len(came), BATCH):  # in chunks, as the rows are large
        Response.objects.bulk_create(
            _response(run, record, answered, items[record.item_id])
            for record, answered in came[start : start + BATCH]
        )
    record_event(actor=file.created_by, verb="import_responses", subject=run, detail={"file": file.name})
    return run


def _response(run: Run, record: ResponseRecord, read: Answered, item: ReleaseItem) -> Response:
    return Response(
        run=run,
        item_id=item.pk,
        repeat=record.repeat,
        rotation=record.rotation,
        order=_order(record, item),
        text=_storable(record.text or ""),
        served={name: _storable(one) if isinstance(one, str) else one for name, one in record.served.items()},
        **answer_columns(item.record, read),
    )


def _storable(text: str) -> str:
    """Return the text with the characters replaced that PostgreSQL cannot store."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
