"""Bulk actions on members."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from accounts.models import User
from dashboard.models import BulkAction, Verb
from dashboard.services.bulk_rows import Change, RowActions, each
from projects.services import give_role, take_role

_STEPS: Final[Mapping[str, Callable[..., bool]]] = {Verb.GIVE_ROLE: give_role, Verb.TAKE_ROLE: take_role}
_BACK: Final = {Verb.GIVE_ROLE: take_role, Verb.TAKE_ROLE: give_role}


def _do_to(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Give these members a role or remove it; return the changed members."""
    return _change(bulk, chunk, bulk.role, _STEPS[bulk.verb])


def _undo(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Undo the change of role for the users in `chunk` who are still members."""
    assert bulk.undoes is not None  # noqa: S101 - the caller has looked
    return _change(bulk, chunk, bulk.undoes.role, _BACK[Verb(bulk.verb)])


def _change(bulk: BulkAction, chunk: Sequence[int], role: str, act: Callable[..., bool]) -> list[Change]:
    people = User.objects.filter(pk__in=chunk).order_by("pk")
    about = {"actor": bulk.actor, "project": bulk.project, "role": role}
    return each(people, lambda user: [user.pk, None] if act(user=user, **about) else None)


MEMBER_ACTIONS: Final = RowActions(verbs=(Verb.GIVE_ROLE, Verb.TAKE_ROLE), do=_do_to, undo=_undo)
"""The bulk actions on members: give a role, or take one away from members who have several."""
