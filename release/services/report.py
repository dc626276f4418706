"""Services for errors in released items: anyone reports, managers answer, the next release has the fix."""

import secrets
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event, system_account
from accounts.tokens import token_hash
from annotation.models import State
from annotation.services import request_another_look, retire_item
from core.errors import Conflict, Unusable, require
from core.invariants import present
from release.models import Erratum, ErrorKind, ErrorReport, ReleaseItem, Remedy
from release.permissions import may_answer_reports
from release.queries.report import errata_on, named_item

REPORT_LIMITS: Final = {"report": "10/h/ip,40/d/ip"}
"""The limits on the number of reports from one IP address."""
LONGEST_REPORT = 4000
LONGEST_NAME = 150
LONGEST_CONTACT = 200


@transaction.atomic
def report_error(
    *,
    actor: User | None,
    item_id: str,
    fault: str,
    text: str,
    release: str = "",
    name: str = "",
    contact: str = "",
) -> str:
    """Store an error report and return the token of the link to its answer.

    The result does not reveal whether the item exists: a report on an unknown item is stored, too. Raise
    `Unusable` with the invalid fields.
    """
    given = {"item_id": item_id, "text": text}
    wrong = {field: _("This field is required.") for field, value in given.items() if not value.strip()}
    if fault not in ErrorKind.values:
        wrong["fault"] = _("Select the problem.")
    if wrong:
        raise Unusable(_("The report is incomplete."), wrong)
    token = secrets.token_urlsafe(24)
    report = ErrorReport.objects.create(
        item_id_given=item_id.strip()[:120],
        release_given=release.strip()[:80],
        released=named_item(item_id=item_id, release=release),
        fault=fault,
        text=text.strip()[:LONGEST_REPORT],
        name=name.strip()[:LONGEST_NAME],
        contact=contact.strip()[:LONGEST_CONTACT],
        reporter=actor,
        token_hash=token_hash(token),
    )
    record_event(actor=actor or system_account(), verb="report_error", subject=report)
    return token


@transaction.atomic
def answer_report(
    *, actor: User, report: ErrorReport, answer: str, remedy: str = "", note: str = ""
) -> ErrorReport:
    """Answer an error report, and issue an erratum if a remedy is given. Managers only.

    Raise `Unusable` if the answer or the note is missing, `Conflict` if the report was already answered or
    the state of the item does not permit the remedy.
    """
    report = ErrorReport.objects.select_for_update(of=("self",)).get(pk=report.pk)
    released = present(report.released, "the getter gives reports of a project alone")
    require(may_answer_reports(actor, released.release.project))
    if not answer.strip():
        raise Unusable(_("Enter a reply."), "answer")
    if report.answered_at is not None:
        raise Conflict(_("This report was already answered."))
    if remedy:
        report.erratum = issue_erratum(actor=actor, released=released, remedy=remedy, note=note)
    report.answer, report.answered_by, report.answered_at = answer.strip(), actor, timezone.now()
    report.save(update_fields=["answer", "answered_by", "answered_at", "erratum"])
    record_event(actor=actor, verb="answer_report", subject=report, detail={"remedy": remedy})
    return report


@transaction.atomic
def issue_erratum(*, actor: User, released: ReleaseItem, remedy: str, note: str) -> Erratum:
    """Issue an erratum for a released item, and retire the item or send it to re-review. Managers only.

    If an erratum has already done so, return that erratum. Raise `Unusable` if the remedy or the note is
    missing, `Conflict` if the state of the item does not permit the remedy.
    """
    require(may_answer_reports(actor, released.release.project))
    if remedy not in Remedy.values:
        raise Unusable(_("Select a resolution."), "remedy")
    if not note.strip():
        sentence = _("Enter an erratum for readers of the next release; do not reveal withheld answers.")
        raise Unusable(sentence, "note")
    joined = _move(actor, released, remedy, note.strip())
    if joined is not None:
        return joined
    erratum = Erratum.objects.create(
        released=released, remedy=remedy, note=note.strip()[:LONGEST_REPORT], created_by=actor
    )
    record_event(actor=actor, verb="issue_erratum", subject=erratum, detail={"remedy": remedy})
    return erratum


def _move(actor: User, released: ReleaseItem, remedy: str, note: str) -> Erratum | None:
    """Retire a verified item, or send it to re-review, and return None.

    If the item is not verified, return its last erratum. Raise `Conflict` if the state of the item does not
    permit the remedy.
    """
    item = released.item
    item.refresh_from_db(fields=["state"])
    reason = _("Erratum of %(version)s: %(note)s") % {"version": released.release.version, "note": note}
    if item.state == State.VERIFIED:
        move = retire_item if remedy == Remedy.RETIRE else request_another_look
        move(actor=actor, item=item, reason=reason)
        return None
    if remedy == Remedy.MEND and item.state == State.RETIRED:
        raise Conflict(_("The item is retired and can no longer be fixed."))
    if remedy == Remedy.RETIRE and item.state != State.RETIRED:
        raise Conflict(_("The item is in re-review; it can be retired once it is verified."))
    return errata_on(item).first()
