"""Services for checks of files without a project: they store files and findings for an hour or a day.

A request stores the files and orders a job, as for an import; a worker checks them. Nothing about them is
written elsewhere.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import orjson
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import system_account
from annotation.models import AuditState, FileAudit, State
from annotation.permissions import may_check_files
from core.errors import Busy, Hidden, Unusable, require
from corpus.models import Upload
from corpus.services import MOST_FILES, Files, keep_upload, read_stored, remove_stored, show_keys
from jobs.job_types import Report, quiet
from jobs.models import Job
from jobs.queries import job_of
from jobs.services import order_job
from parable.formats.items import AUTO
from parable.formats.source_file import SourceFile
from projects.models import Project
from web.rows import Values

AUDIT: Final = "audit_files"
"""The kind of the job that checks files."""
KEPT_FOR: Final = timedelta(days=1)
KEPT_FOR_STRANGERS: Final = timedelta(hours=1)
"""How long the files and findings of a person without an account are there."""
LARGEST_AUDIT: Final = 16 * 2**20
LARGEST_OF_STRANGERS: Final = 4 * 2**20
MOST_OF_STRANGERS: Final = 100
"""The most checks of people without an account that may be there at once."""
AUDIT_LIMITS: Final = {"audit": "20/h/ip,60/d/ip"}
"""The limits on the number of checks by people without an account from one IP address."""
AUDIT_FINDINGS: Final = "findings.json"
AUDIT_JSON: Final = "audit.json"
"""The names under which findings for the page, and those that the command prints, are stored."""

Check = Callable[[Files, Mapping[str, Mapping[str, Any]], Mapping[str, str], Report], Mapping[str, bytes]]
"""A function that checks files, by chosen columns and options; it returns what is to be stored, by name."""


@transaction.atomic
def order_audit(
    *,
    actor: User | None,
    files: Sequence[tuple[str, "File[bytes]"]],
    options: Mapping[str, str] | None = None,
) -> FileAudit:
    """Store files, and order a job that checks them. `actor` is None for a person without an account.

    Raises `Unusable` if there are too many files or their total size is too large, `Busy` if too many checks
    of people without an account are there.
    """
    require(may_check_files(actor))
    most = LARGEST_OF_STRANGERS if actor is None else LARGEST_AUDIT
    if len(files) > MOST_FILES or sum(file.size for _name, file in files) > most:
        about = {"files": MOST_FILES, "megabytes": most // 2**20}
        raise Unusable(_("At most %(files)d files and %(megabytes)d MB at once.") % about, "file")
    now = timezone.now()
    if (
        actor is None
        and FileAudit.objects.filter(created_by=None, expires_at__gt=now).count() >= MOST_OF_STRANGERS
    ):
        raise Busy(_("Many files are being checked right now. Try again in a few minutes."))
    audit = FileAudit.objects.create(
        token=secrets.token_urlsafe(24),
        created_by=actor,
        expires_at=now + (KEPT_FOR_STRANGERS if actor is None else KEPT_FOR),
        names=[name for name, _file in files],
        options=dict(options or {}),
    )
    _order(audit)  # may refuse, before any file is stored
    try:
        for number, (_name, file) in enumerate(files):
            default_storage.save(f"{audit.folder}/{number}", file)
    except BaseException:
        remove_stored(audit.folder)
        raise
    return audit


@transaction.atomic
def reread_audit(
    *, audit: FileAudit, columns: Mapping[str, Mapping[str, Any]], options: Mapping[str, str]
) -> None:
    """Order a new check of the files, which reads the chosen columns. Do nothing while they are checked.

    The caller has found the audit for the person, who may therefore change it.
    """
    held = FileAudit.objects.select_for_update().get(pk=audit.pk)
    if held.state == AuditState.WORKING:
        return
    held.columns = {number: dict(chosen) for number, chosen in columns.items()}
    held.options = {**held.options, **options}
    held.state = AuditState.WORKING
    held.save(update_fields=["columns", "options", "state"])
    _order(held)


@transaction.atomic
def drop_audit(*, audit: FileAudit) -> None:
    """Delete the files and the findings. The caller has found the audit for the person."""
    _forget(audit)


def forget_audits() -> int:
    """Delete the checks whose time is over; return their number."""
    over = list(FileAudit.objects.filter(expires_at__lte=timezone.now()))
    for audit in over:
        with transaction.atomic():
            _forget(audit)
    return len(over)


def fail_audit(audit_id: int) -> None:
    """Set a check to failed after a fault in Parable."""
    FileAudit.objects.filter(pk=audit_id).update(state=AuditState.FAILED)


@transaction.atomic
def import_audited(*, actor: User, audit: FileAudit, project: Project, purpose: str) -> Upload:
    """Store the files of a check as an upload of a project, and order its preview. Only managers may.

    The columns are read as in the check. The page of the check shows keys, so the actor has seen them.
    """
    files = [
        (name, ContentFile(read_stored(f"{audit.folder}/{number}"), name=name))
        for number, name in enumerate(audit.names)
    ]
    options = {"format": AUTO, "state": State.IN_REVIEW.value, "writer": _("Imported"), **audit.options}
    upload = keep_upload(
        actor=actor,
        project=project,
        purpose=purpose,
        files=files,
        options=options,
        columns=audit.columns,
    )
    show_keys(actor=actor, upload=upload)
    return upload


def find_audit(*, user: User | None, token: str) -> FileAudit:
    """Return the check with this token: the user's own, or one of a person without an account.

    Raise `Hidden` if there is none or its time is over, or if people without an account may check no files.
    """
    mine = Q(created_by=None) if user is None else Q(created_by=None) | Q(created_by=user)
    found = FileAudit.objects.filter(mine, token=token, expires_at__gt=timezone.now()).first()
    if found is None or not may_check_files(user):
        raise gone()
    return found


def job_of_audit(audit: FileAudit) -> Job | None:
    """Return the newest job that checks the files."""
    return job_of(AUDIT, audit.pk)


def findings_of(audit: FileAudit) -> Values:
    """Return what was found, as the worker has stored it; {} if the files are still being checked."""
    return orjson.loads(stored_part(audit, AUDIT_FINDINGS)) if audit.state == AuditState.DONE else {}


def stored_part(audit: FileAudit, name: str) -> bytes:
    """Return a stored part of the result. Raise `Hidden` if there is none."""
    try:
        return read_stored(f"{audit.folder}/{name}")
    except FileNotFoundError as missing:
        raise gone() from missing


def gone() -> Hidden:
    """Return the refusal for a check that is not there."""
    return Hidden(_("This check is no longer kept. Check the file again."))


def run_audit(*, audit_id: int, check: Check, report: Report = quiet) -> None:
    """Check the files by `check`, and store the result. Do nothing if they are checked or deleted."""
    audit = FileAudit.objects.filter(pk=audit_id, state=AuditState.WORKING).first()
    if audit is None or audit.expires_at <= timezone.now():
        return
    files = [
        (name, SourceFile(read_stored(f"{audit.folder}/{number}"))) for number, name in enumerate(audit.names)
    ]
    for name, content in check(files, audit.columns, audit.options, report).items():
        default_storage.delete(f"{audit.folder}/{name}")
        default_storage.save(f"{audit.folder}/{name}", ContentFile(content))
    if not FileAudit.objects.filter(pk=audit.pk).update(state=AuditState.DONE):
        remove_stored(audit.folder)  # deleted while it was checked


def report_name(language: str) -> str:
    """Return the name under which the report in a language is stored."""
    return f"report.{language}.html"


def _order(audit: FileAudit) -> None:
    """Order the job. It keeps no name of a file, as it is there for longer than the files are."""
    actor = audit.created_by or system_account()
    order_job(actor=actor, project=None, kind=AUDIT, subject=audit.pk)


def _forget(audit: FileAudit) -> None:
    folder = audit.folder
    audit.delete()  # its time is over, or the person has asked for it
    transaction.on_commit(lambda: remove_stored(folder), robust=True)
