"""Services for drafts of releases: settings, excluded items and overridden gates."""

import secrets
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Item, State
from annotation.services import request_another_look
from core.errors import Conflict, Unusable, require
from jobs.models import Job
from jobs.services import order_job
from parable.kinds import codes_among
from parable.quality.gates import GATES
from projects.models import Project
from release.assembly.recipe import Recipe
from release.models import DraftExclusion, DraftFinding, DraftOverride, Release, ReleaseDraft
from release.options import FIXED, RECIPE_OPTIONS, FormData, Kind, blank, typed_of
from release.permissions import may_create_release
from release.queries.draft import (
    DRAFT_CHECK,
    HELD,
    excluded_numbers,
    is_checked,
    listed_items,
    recipe_of,
    unresolved,
)
from release.queries.release import live_release
from release.services.order import check_order, order_checked
from release.services.recipe import SECRET_BYTES, check_version, read_recipe, read_seed

MOST_RETURNED: Final = 200
"""The maximum number of items returned for review in one request."""
LONGEST_REASON: Final = 1000
LONGEST_NUMBER: Final = 6
_Read = TypeVar("_Read")


@transaction.atomic
def create_draft(*, actor: User, project: Project, data: FormData) -> ReleaseDraft:
    """Create a draft of a release and order a check by the gates. Managers only.

    Raise `Unusable` with the invalid fields: unlike later changes, the first settings must be valid.
    """
    require(may_create_release(actor, project))
    draft = ReleaseDraft(
        project=project, created_by=actor, secret_seed=secrets.token_hex(SECRET_BYTES), wishes=blank()
    )
    if wrong := _take(draft, data):
        raise Unusable(wrong)
    draft.save()
    record_event(actor=actor, verb="create_release_draft", subject=draft, detail={"version": draft.version})
    order_draft_check(actor=actor, draft=draft)
    return draft


@transaction.atomic
def save_form_data(*, actor: User, draft: ReleaseDraft, data: FormData) -> dict[str, str]:
    """Save the settings as typed, even if invalid; return the error messages by field.

    If there are no errors and the settings have changed, order another check by the gates.
    """
    draft = _lock(actor, draft)
    before = draft.version, draft.seed, draft.recipe
    wrong = _take(draft, data)
    draft.save(update_fields=["wishes", "version", "seed", "recipe"])
    if not wrong and (draft.version, draft.seed, draft.recipe) != before:
        order_draft_check(actor=actor, draft=draft)
    return wrong


def find_problems(draft: ReleaseDraft) -> dict[str, str]:
    """Return the error messages for the last typed settings, by field.

    General errors have the field "".
    """
    return _read(draft)[1]


def _is_taken(draft: ReleaseDraft) -> bool:
    """Return whether the typed settings, if parsed now, equal the stored settings.

    The gates checked the stored settings. The two can differ although nothing was typed since: invalid
    settings can become valid, for example because another release failed or an item was verified.
    """
    found, _wrong = _read(draft)
    kept = (draft.version, draft.seed, draft.recipe)
    return found is not None and (*found[:2], found[2].as_json()) == kept


def _take(draft: ReleaseDraft, data: FormData) -> dict[str, str]:
    """Set the typed settings on a draft, and the recipe if all are valid; return the errors by field."""
    draft.wishes = {**blank(), **draft.wishes, **data}
    base = live_release(draft.project, draft.wishes["extends"]) if draft.wishes["extends"] else None
    if base:  # a release that extends another has its split rule, among other settings
        draft.wishes |= dict.fromkeys(FIXED, "") | typed_of(base.recipe, FIXED)
    found, wrong = _read(draft)
    if found is not None:
        draft.version, draft.seed, recipe = found
        draft.recipe = recipe.as_json()
    return wrong


def _read(draft: ReleaseDraft) -> tuple[tuple[str, str, Recipe] | None, dict[str, str]]:
    """Return ((version, seed, recipe), errors by field); the first is None if a setting is invalid."""
    data = blank() | draft.wishes  # an older draft lacks the fields of options that were added later
    wrong: dict[str, str] = {}
    version = _try(wrong, lambda: check_version(data["version"].strip()))
    recipe = _try(wrong, lambda: _recipe(draft.project, data))
    seed = draft.secret_seed
    if not data["withhold_test"]:
        seed = _try(wrong, lambda: read_seed(data["seed"].strip(), is_secret=False)) or ""
    if version is not None and recipe is not None:
        _try(wrong, lambda: check_order(draft.project, version, recipe))
    return (None if wrong or version is None or recipe is None else (version, seed, recipe)), wrong


def _recipe(project: Project, data: FormData) -> Recipe:
    given: dict[str, Any] = {}
    for option in RECIPE_OPTIONS:
        if option.kind is Kind.COUNTS:
            counts = {task: _whole(data, field) for field, task in option.parts.items()}
            given[option.name] = {task: count for task, count in counts.items() if count}
        elif option.split and data["split"] != option.split:
            continue
        else:
            is_number = option.kind is Kind.NUMBER
            given[option.name] = _whole(data, option.name) if is_number else data[option.name]
    return read_recipe(**given, offered=codes_among(project.tasks))


def _whole(data: FormData, field: str) -> int:
    """Return the integer typed into a field, or 0 if it is empty. Raise `Unusable` for other input."""
    typed = data.get(field, "").strip() or "0"
    if not typed.isdecimal() or len(typed) > LONGEST_NUMBER:
        message = _("Enter a whole number.")
        raise Unusable(message, field)
    return int(typed)


def _try(wrong: dict[str, str], read: Callable[[], _Read]) -> _Read | None:
    """Return the result of `read`. If it raises an error, add the messages to `wrong` and return None."""
    try:
        return read()
    except Unusable as error:
        wrong.update(error.fields or {"": str(error)})
    except Conflict as error:
        wrong["version"] = str(error)
    return None


# --- gates ----------------------------------------------------------------------------------


@transaction.atomic
def order_draft_check(*, actor: User, draft: ReleaseDraft) -> Job:
    """Order a check of a draft by the gates; the caller must dispatch the job. Managers only.

    If a check is already running, another check is ordered, because the first may have read outdated data.
    """
    require(may_create_release(actor, draft.project))
    if not _take(draft, {}):
        draft.save(update_fields=["version", "seed", "recipe"])
    about = {"version": draft.version, "draft": draft.pk}
    return order_job(
        actor=actor, project=draft.project, kind=DRAFT_CHECK, subject=draft.pk, about=about, again=True
    )


@transaction.atomic
def exclude_items(
    *, actor: User, draft: ReleaseDraft, gate: str, task: str = "", items: Iterable[int] | None = None
) -> int:
    """Exclude items of a gate's finding from the draft, and return their number. They remain verified.

    By default, the items that the gate proposes are excluded. If `gate` is "", `items` may be any items of
    the draft.
    """
    draft = _lock(actor, draft)
    behind = _behind(draft, gate, task, items) if gate else _held(draft, items or ())
    chosen = sorted(set(behind) - set(excluded_numbers(draft)))
    DraftExclusion.objects.bulk_create(
        DraftExclusion(draft=draft, item_id=item, gate=gate, task=task, excluded_by=actor) for item in chosen
    )
    _record_change(actor, draft, "exclude_from_release", {"gate": gate, "task": task, "items": chosen})
    return len(chosen)


@transaction.atomic
def include_items(
    *,
    actor: User,
    draft: ReleaseDraft,
    gate: str | None = None,
    task: str = "",
    items: Iterable[int] | None = None,
) -> int:
    """Include excluded items again, limited to a finding or to `items` if given; return their number."""
    draft = _lock(actor, draft)
    found = DraftExclusion.objects.filter(draft=draft)
    if gate is not None:
        found = found.filter(gate=gate, task=task)
    if items is not None:
        found = found.filter(item__in=list(items))
    numbers = sorted(found.values_list("item", flat=True))
    found.delete()  # exclusions that are undone
    _record_change(actor, draft, "include_in_release", {"items": numbers})
    return len(numbers)


@transaction.atomic
def return_items(
    *,
    actor: User,
    draft: ReleaseDraft,
    gate: str,
    reason: str,
    task: str = "",
    items: Iterable[int] | None = None,
) -> int:
    """Return items of a gate's finding to review with a reason; return the number of items.

    They are then no longer verified and so leave the draft. Items that are not verified are skipped. Raise
    `Conflict` for more than `MOST_RETURNED` items.
    """
    draft = _lock(actor, draft)
    said = _reason(reason, _("Enter what to revise; writers and reviewers see it."))
    chosen = _behind(draft, gate, task, items)
    if len(chosen) > MOST_RETURNED:
        raise Conflict(
            _("At most %(most)d items are returned at once. Show the items and select some.")
            % {"most": MOST_RETURNED}
        )
    moving = Item.objects.filter(pk__in=chosen, project=draft.project, state=State.VERIFIED).order_by("pk")
    moved = [request_another_look(actor=actor, item=item, reason=said).pk for item in moving]
    _record_change(actor, draft, "return_from_release", {"gate": gate, "task": task, "items": moved})
    return len(moved)


@transaction.atomic
def override_gate(*, actor: User, draft: ReleaseDraft, gate: str, reason: str) -> DraftOverride:
    """Override a gate, so that it does not stop the build. The card has the reason and the user's name."""
    draft = _lock(actor, draft)
    if gate not in GATES:
        raise Unusable(_("There is no such gate."))
    said = _reason(reason, _("Give a reason. It is printed in the data card."))
    made, _is_new = DraftOverride.objects.update_or_create(
        draft=draft,
        gate=gate,
        defaults={"reason": said, "overridden_by": actor, "overridden_at": timezone.now()},
    )
    record_event(actor=actor, verb="override_gate", subject=draft, detail={"gate": gate, "reason": said})
    return made


@transaction.atomic
def remove_override(*, actor: User, draft: ReleaseDraft, gate: str) -> None:
    """Remove the override of a gate, so that it can stop the build again."""
    draft = _lock(actor, draft)
    DraftOverride.objects.filter(draft=draft, gate=gate).delete()  # undone; the event stays
    record_event(actor=actor, verb="remove_override", subject=draft, detail={"gate": gate})


def _behind(draft: ReleaseDraft, gate: str, task: str, items: Iterable[int] | None) -> list[int]:
    """Return the ids of the items that the gate proposes to exclude.

    With `items`, return those that are in the finding. Raise `Conflict` if there is no finding, `Unusable`
    if there are no such items.
    """
    found = DraftFinding.objects.filter(draft=draft, gate=gate, task=task).first()
    if found is None:
        raise Conflict(_("This gate has not been checked yet."))
    chosen = found.leave_out if items is None else sorted(set(items) & set(found.items))
    if not chosen:
        raise Unusable(_("Select at least one item."))
    return list(chosen)


def _held(draft: ReleaseDraft, items: Iterable[int]) -> list[int]:
    """Return which of these item ids are in the draft. Raise `Unusable` if none are."""
    chosen = listed_items(draft, HELD).filter(pk__in=list(items)).values_list("pk", flat=True)
    if not chosen:
        raise Unusable(_("Select at least one item."))
    return list(chosen)


def _reason(reason: str, missing: str) -> str:
    said = reason.strip()
    if not said or len(said) > LONGEST_REASON:
        sentence = missing if not said else _("Use at most %(most)d characters.") % {"most": LONGEST_REASON}
        raise Unusable(sentence, "reason")
    return said


def _record_change(actor: User, draft: ReleaseDraft, verb: str, detail: dict[str, object]) -> None:
    """Record a change of a draft's exclusions in the audit trail, and order another check by the gates."""
    record_event(actor=actor, verb=verb, subject=draft, detail=detail)
    order_draft_check(actor=actor, draft=draft)


# --- its end --------------------------------------------------------------------------------


@transaction.atomic
def build_draft(*, actor: User, draft: ReleaseDraft) -> Release:
    """Order the build of a draft as a release; the caller must dispatch the job.

    Raise `Conflict` if a setting is invalid, a gate fails, or the gates have not checked the current state.
    """
    draft = _lock(actor, draft)
    if find_problems(draft):
        raise Conflict(_("Correct the settings first."))
    if not is_checked(draft) or not _is_taken(draft):
        raise Conflict(_("Items or settings have changed. Check the gates again first."))
    if unresolved(draft):
        raise Conflict(_("A gate fails. Exclude items, return them for review, or override the gate."))
    draft.release = order_checked(
        actor=actor,
        project=draft.project,
        version=draft.version,
        seed=draft.seed,
        recipe=recipe_of(draft),
    )
    draft.save(update_fields=["release"])
    return draft.release


@transaction.atomic
def discard_draft(*, actor: User, draft: ReleaseDraft) -> ReleaseDraft:
    """Discard a draft. A discarded draft can be restored."""
    draft = _lock(actor, draft)
    draft.discarded_at = timezone.now()
    draft.save(update_fields=["discarded_at"])
    record_event(actor=actor, verb="discard_release_draft", subject=draft)
    return draft


@transaction.atomic
def restore_draft(*, actor: User, draft: ReleaseDraft) -> ReleaseDraft:
    """Restore a discarded draft."""
    require(may_create_release(actor, draft.project))
    draft = ReleaseDraft.objects.select_for_update(of=("self",)).select_related("project").get(pk=draft.pk)
    draft.discarded_at = None
    draft.save(update_fields=["discarded_at"])
    record_event(actor=actor, verb="restore_release_draft", subject=draft)
    return draft


def _lock(actor: User, draft: ReleaseDraft) -> ReleaseDraft:
    """Lock the row of a draft until the transaction ends, and return it. Raise `Conflict` if it is closed."""
    require(may_create_release(actor, draft.project))
    found = ReleaseDraft.objects.select_for_update(of=("self",)).select_related("project", "release")
    draft = found.get(pk=draft.pk)
    if not draft.is_open:
        raise Conflict(_("This draft can no longer be changed: it has been built or discarded."))
    return draft
