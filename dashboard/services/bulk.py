"""Services that apply an action to many rows, through the services for single rows, and undo it."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from dashboard.models import BulkAction, Verb
from dashboard.queries.bulk import ABLE, BULK
from dashboard.queries.item_list import ITEMS
from dashboard.queries.member_list import MEMBERS
from dashboard.queries.run_list import RUNS
from dashboard.queries.story_list import STORIES
from dashboard.services.bulk_item import ITEM_ACTIONS
from dashboard.services.bulk_member import MEMBER_ACTIONS
from dashboard.services.bulk_rows import RowActions
from dashboard.services.bulk_run import RUN_ACTIONS
from dashboard.services.bulk_story import STORY_ACTIONS
from jobs.job_types import Report, quiet
from jobs.services import order_job
from projects.models import Project, Role
from projects.permissions import Permission, has_permission
from web.long_list import MOST

AT_ONCE: Final = 200
"""Up to this number of rows are changed within the request. With more rows, a job changes all of them."""
_CHUNK: Final = 100
_ACTIONS: Final[Mapping[str, RowActions]] = {
    ITEMS: ITEM_ACTIONS,
    STORIES: STORY_ACTIONS,
    RUNS: RUN_ACTIONS,
    MEMBERS: MEMBER_ACTIONS,
}


@transaction.atomic
def order_bulk(
    *,
    actor: User,
    project: Project,
    listing: str,
    verb: str,
    rows: Iterable[int],
    reason: str = "",
    receiver: User | None = None,
    role: str = "",
    groups: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
    metadata: Mapping[str, str] = MappingProxyType({}),
) -> BulkAction:
    """Order a bulk action on `rows`; rows to which it cannot be applied are left out. Managers only.

    `groups`: if the rows form several groups, for each group a pair of the rows that belong together and the
    rows that do not. `metadata`: `rights`, `evidence` and `genre` of stories; empty values change nothing. Up
    to `AT_ONCE` rows are done on return; more rows are done by a job. Raise `Unusable` naming `reason`,
    `receiver`, `role` or `rights` if this value is missing, `Conflict` if there is nothing to do.
    """
    require(has_permission(actor, project, Permission.CHANGE_ITEMS))
    metadata = {name: words for name, said in metadata.items() if (words := said.strip())}
    _check(listing, verb, reason, receiver, role, metadata)
    able = ABLE[listing](project, verb).filter(pk__in=list(rows)[:MOST])
    chosen = list(able.order_by("pk").values_list("pk", flat=True))
    if verb == Verb.GROUP and len(chosen) < 2:
        raise Conflict(_("Select at least two stories."))
    if not chosen:
        raise Conflict(_("None of the selected rows can be changed this way."))
    made = BulkAction.objects.create(
        project=project,
        actor=actor,
        listing=listing,
        verb=verb,
        reason=reason.strip(),
        receiver=receiver,
        role=role,
        rows=chosen,
        groups=groups,
        metadata=metadata,
    )
    detail = {"verb": verb, listing: len(chosen)}
    record_event(actor=actor, verb="bulk_action", subject=made, detail=detail)
    return _begin(made)


def _check(
    listing: str, verb: str, reason: str, receiver: User | None, role: str, metadata: Mapping[str, str]
) -> None:
    if verb not in _ACTIONS[listing].verbs:
        raise Unusable(_("Select an action."), "verb")
    if verb in _ACTIONS[listing].asks_reason and not reason.strip():
        raise Unusable(_("Enter a reason."), "reason")
    if verb == Verb.ASSIGN and receiver is None:
        raise Unusable(_("Select a writer."), "receiver")
    if verb in (Verb.GIVE_ROLE, Verb.TAKE_ROLE) and role not in Role.values:
        raise Unusable(_("Select a role."), "role")
    if verb == Verb.RIGHTS and not metadata:
        missing = _("Enter rights, evidence or a genre.")
        raise Unusable(missing, "rights")


@transaction.atomic
def undo_bulk(*, actor: User, bulk: BulkAction) -> BulkAction:
    """Undo a bulk action for the rows that have not changed since. Managers only.

    Raise `Conflict` if the action has been undone, is still running, is itself an undoing, or cannot be
    undone.
    """
    bulk = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk.pk)
    require(has_permission(actor, bulk.project, Permission.CHANGE_ITEMS))
    if bulk.undoes_id or BulkAction.objects.filter(undoes=bulk).exists():
        raise Conflict(_("This was already undone."))
    if bulk.finished_at is None:
        raise Conflict(_("Still in progress. You can undo it when it has ended."))
    if bulk.verb in _ACTIONS[bulk.listing].final:
        raise Conflict(_("This cannot be undone."))
    made = BulkAction.objects.create(
        project=bulk.project,
        actor=actor,
        listing=bulk.listing,
        verb=bulk.verb,
        undoes=bulk,
        receiver=bulk.receiver,
        rows=[row for row, _before in bulk.changed],
    )
    record_event(actor=actor, verb="undo_bulk_action", subject=bulk, detail={bulk.listing: len(made.rows)})
    return _begin(made)


def _begin(made: BulkAction) -> BulkAction:
    if len(made.rows) <= AT_ONCE:
        return carry_out_bulk(bulk_id=made.pk)
    about = {"listing": made.listing}
    order_job(actor=made.actor, project=made.project, kind=BULK, subject=made.pk, about=about)
    return made


def carry_out_bulk(*, bulk_id: int, report: Report = quiet) -> BulkAction:
    """Carry out a bulk action in transactions of `_CHUNK` rows.

    Rows already done are skipped.
    """
    while True:
        bulk = _do_some(bulk_id)
        report(0, bulk.position, len(bulk.rows))
        if bulk.finished_at is not None:
            return bulk


@transaction.atomic
def _do_some(bulk_id: int) -> BulkAction:
    bulk = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk_id)
    chunk = bulk.rows[bulk.position : bulk.position + _CHUNK]
    actions = _ACTIONS[bulk.listing]
    bulk.changed += actions.undo(bulk, chunk) if bulk.undoes_id else actions.do(bulk, chunk)
    bulk.position += len(chunk)
    if bulk.position >= len(bulk.rows):
        bulk.finished_at = bulk.finished_at or timezone.now()
    bulk.save(update_fields=["changed", "position", "finished_at"])
    return bulk


@transaction.atomic
def close_bulk(*, bulk_id: int) -> None:
    """Set the end of a bulk action that an error has stopped, so that its changes can be undone."""
    bulk = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk_id)
    bulk.finished_at = bulk.finished_at or timezone.now()
    bulk.save(update_fields=["finished_at"])
