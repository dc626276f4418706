"""Services for uploads: they store files from the upload to the import, for one user and at most a day.

A request stores the files and orders a job; a worker reads them. So requests are short for files of any size.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, Protocol

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict, Hidden, Unusable, require
from corpus.models import Upload, UploadState, UploadStep
from corpus.outcome import ImportResult, Preview, preview_of
from jobs.job_types import Report, quiet
from jobs.services import order_job
from parable.formats.records import Reading
from parable.formats.source_file import SourceFile
from projects.models import Project
from projects.permissions import may_manage

LARGEST_UPLOAD: Final = 16 * 1024 * 1024
"""The most bytes of one import in the browser; the commands read larger files."""
MOST_FILES: Final = 20
KEPT_FOR: Final = timedelta(days=1)
PREVIEW: Final = "preview.json"


Files = Sequence[tuple[str, SourceFile]]
"""Pairs (name, file) of an upload's files."""


class Importer(Protocol):
    """The interface of an importer, which reads the files of an upload and imports their records."""

    purpose: str

    def read(self, upload: Upload, files: Files) -> Sequence[Reading[Any]]:
        """Return the records of each file."""

    def run(self, upload: Upload, readings: Sequence[Reading[Any]], *, dry_run: bool) -> ImportResult:
        """Import the records; with `dry_run`, write nothing. Return the outcome of each row."""

    def describe(self, upload: Upload, files: Files) -> Mapping[str, Any]:
        """Return additional JSON-compatible data for the preview, such as the columns of tables."""


def previewing(purpose: str) -> str:
    """Return the job kind for previews of uploads with this purpose."""
    return f"preview_{purpose}"


def importing(purpose: str) -> str:
    """Return the job kind for imports of uploads with this purpose."""
    return f"import_{purpose}"


@transaction.atomic
def keep_upload(
    *,
    actor: User,
    project: Project,
    purpose: str,
    files: Sequence[tuple[str, "File[bytes]"]],
    options: Mapping[str, str] | None = None,
    columns: Mapping[str, Mapping[str, str | list[str]]] | None = None,
) -> Upload:
    """Store files as an upload, and order a job that previews them. `columns`: see `choose_columns`.

    Deletes the actor's earlier upload for the same purpose, and all users' uploads that are older than a day.
    Raises `Unusable` if there are too many files or their total size is too large.
    """
    require(may_manage(actor, project))
    if len(files) > MOST_FILES or sum(file.size for _name, file in files) > LARGEST_UPLOAD:
        message = _("At most %(files)d files and %(megabytes)d MB at once.") % {
            "files": MOST_FILES,
            "megabytes": LARGEST_UPLOAD // 2**20,
        }
        raise Unusable(message, "files")
    for old in Upload.objects.filter(created_at__lt=timezone.now() - KEPT_FOR):
        _forget(old)
    for earlier in Upload.objects.filter(created_by=actor, project=project, purpose=purpose):
        if earlier.state != UploadState.IMPORTING:
            _forget(earlier)
    upload = Upload.objects.create(
        token=secrets.token_urlsafe(24),
        project=project,
        created_by=actor,
        purpose=purpose,
        names=[name for name, _file in files],
        options=dict(options or {}),
        columns={number: dict(chosen) for number, chosen in (columns or {}).items()},
        language=translation.get_language(),
    )
    for number, (_name, file) in enumerate(files):
        default_storage.save(f"{upload.folder}/{number}", file)
    _order(upload, previewing(purpose))
    return upload


@transaction.atomic
def choose_columns(
    *,
    actor: User,
    upload: Upload,
    columns: Mapping[str, Mapping[str, str | list[str]]],
    options: Mapping[str, str] | None = None,
) -> None:
    """Save the mapping from fields to columns for each file of an upload, and order a new preview.

    `columns` is by the number of the file. `options` update the reading options of the upload. Does nothing
    unless the upload is ready to import.
    """
    held = _hold(actor, upload)
    if held.state == UploadState.READY:
        held.options = {**held.options, **(options or {})}
        held.columns = {number: dict(chosen) for number, chosen in columns.items()}
        _begin(held, UploadState.READING)


@transaction.atomic
def order_import(*, actor: User, upload: Upload) -> None:
    """Order the import of a previewed upload. Repeating it has no effect."""
    held = _hold(actor, upload)
    if held.state == UploadState.READY:
        _begin(held, UploadState.IMPORTING)


@transaction.atomic
def retry_upload(*, actor: User, upload: Upload) -> None:
    """Order a new preview of an upload that failed. Do nothing in any other state."""
    held = _hold(actor, upload)
    if held.state == UploadState.FAILED:
        _begin(held, UploadState.READING)


@transaction.atomic
def show_keys(*, actor: User, upload: Upload) -> None:
    """Record that the actor has seen the keys and morals in the preview of an upload."""
    held = _hold(actor, upload)
    held.keys_shown = True
    held.save(update_fields=["keys_shown"])


def find_upload(*, actor: User, project: Project, purpose: str, token: str) -> Upload:
    """Return the actor's upload with this token. Raise `Hidden` if it is another user's or was deleted."""
    mine = Upload.objects.filter(created_by=actor, project=project, purpose=purpose)
    upload = mine.select_related("project", "created_by").filter(token=token).first()
    if upload is None:
        raise Hidden(_("This upload is no longer kept. Please upload the file again."))
    return upload


@transaction.atomic
def drop_upload(*, actor: User, upload: Upload) -> None:
    """Delete an upload and its files, unless it is being imported."""
    held = _hold(actor, upload)
    if held.state != UploadState.IMPORTING:
        _forget(held)


def find_preview(upload: Upload) -> Preview:
    """Return the stored preview of the upload."""
    return Preview.from_json(read_stored(f"{upload.folder}/{PREVIEW}"))


def preview_upload(*, upload_id: int, importer: Importer, report: Report = quiet) -> None:
    """Read the files of an upload, and store their preview.

    Does nothing if the upload has a preview or was deleted.
    """
    upload = _waiting(upload_id, UploadState.READING)
    if upload is not None:
        with translation.override(upload.language):
            _preview(upload, importer, report)
        _move(upload, UploadState.READY)


def import_upload(*, upload_id: int, importer: Importer, report: Report = quiet) -> int | None:
    """Import a confirmed upload; return the project's id, or None if nothing was imported.

    If the project has changed so that a row is now invalid, nothing is imported, and the upload gets a new
    preview.
    """
    upload = _waiting(upload_id, UploadState.IMPORTING)
    if upload is None:
        return None
    with translation.override(upload.language):
        report(UploadStep.READING)
        readings = importer.read(upload, _files(upload))
        report(UploadStep.IMPORTING)
        try:
            result = _import(upload, importer, readings)
        except Conflict:
            result = None
        if result is None or result.is_broken:
            _preview(upload, importer, report)
            _move(upload, UploadState.READY, is_outdated=True)
            return None
    remove_stored(upload.folder)
    return upload.project_id


def fail_upload(upload_id: int) -> None:
    """Set an upload to failed after a fault in Parable. Its files remain, so that it can be retried."""
    unfinished = Upload.objects.filter(state__in=[UploadState.READING, UploadState.IMPORTING])
    unfinished.filter(pk=upload_id).update(state=UploadState.FAILED)


@transaction.atomic
def _import(upload: Upload, importer: Importer, readings: Sequence[Reading[Any]]) -> ImportResult:
    """Import the records and set the upload to done, in one transaction."""
    held = Upload.objects.select_for_update(of=("self",)).get(pk=upload.pk)
    result = importer.run(held, readings, dry_run=False)
    if not result.is_broken:
        _move(held, UploadState.DONE, counts=result.counts())
    return result


def _preview(upload: Upload, importer: Importer, report: Report) -> None:
    report(UploadStep.READING)
    files = _files(upload)
    readings, about = importer.read(upload, files), importer.describe(upload, files)
    del files  # the decoded text is not needed besides the records
    report(UploadStep.COMPARING)
    result = importer.run(upload, readings, dry_run=True)
    preview = preview_of(result, readings, about=about)
    default_storage.delete(f"{upload.folder}/{PREVIEW}")
    default_storage.save(f"{upload.folder}/{PREVIEW}", ContentFile(preview.to_json()))


def _files(upload: Upload) -> Files:
    """Return pairs (name, file) for all files. Each file decodes its content only once."""
    return [
        (name, SourceFile(read_stored(f"{upload.folder}/{number}")))
        for number, name in enumerate(upload.names)
    ]


def _waiting(upload_id: int, state: str) -> Upload | None:
    found = Upload.objects.select_related("project", "created_by")
    return found.filter(pk=upload_id, state=state).first()


def _hold(actor: User, upload: Upload) -> Upload:
    require(may_manage(actor, upload.project))
    mine = Upload.objects.select_for_update(of=("self",)).filter(created_by=actor)
    held = mine.filter(pk=upload.pk).first()
    if held is None:
        raise Hidden(_("This upload is no longer kept. Please upload the file again."))
    return held


def _begin(upload: Upload, state: str) -> None:
    upload.state, upload.is_outdated = state, False
    upload.save(update_fields=["state", "is_outdated", "columns", "options"])
    kind = previewing if state == UploadState.READING else importing
    _order(upload, kind(upload.purpose))


def _order(upload: Upload, kind: str) -> None:
    about = {"name": str(upload)[:200], "token": upload.token}
    order_job(actor=upload.created_by, project=upload.project, kind=kind, subject=upload.pk, about=about)


def _move(upload: Upload, state: str, **more: Any) -> None:
    Upload.objects.filter(pk=upload.pk).update(state=state, **more)


def read_stored(name: str) -> bytes:
    """Return the content of a file in the storage of uploads."""
    with default_storage.open(name, "rb") as file:
        data: bytes = file.read()
    return data


def _forget(upload: Upload) -> None:
    upload.delete()  # forgotten, or a day old
    transaction.on_commit(lambda: remove_stored(upload.folder), robust=True)


def remove_stored(folder: str) -> None:
    """Delete a folder in the storage of uploads, with its files."""
    with suppress(FileNotFoundError):
        for file in default_storage.listdir(folder)[1]:
            default_storage.delete(f"{folder}/{file}")
        default_storage.delete(folder)
