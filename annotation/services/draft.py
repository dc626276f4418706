"""Services of drafts. Drafts are saved often and without checks."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid5

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.active_time import active_seconds
from annotation.content import from_json, to_json
from annotation.kinds import item_kind
from annotation.models import DraftContributor, Item, ItemDraft, State, Style
from annotation.permissions import may_add_items, may_revise, may_see_moral
from annotation.queries.draft import living_drafts
from annotation.services.exposure import record_exposure, record_key_exposures
from core.errors import Conflict, Forbidden, Unusable, require
from corpus.models import Story
from parable.kinds import kind_of
from projects.models import Project

BIN_KEEPS: Final = timedelta(days=30)
LARGEST_DRAFT = 200_000  # characters of JSON: far more than any item needs


class StaleDraft(Conflict):
    """Raised if a newer save of the draft exists; `draft` is the draft as it is stored."""

    def __init__(self, draft: ItemDraft) -> None:
        super().__init__(_("This draft was changed in another window or on another device."))
        self.draft = draft


class SubmittedDraft(Conflict):
    """Raised if the draft has already been submitted; `draft.submitted_as` is its revision."""

    def __init__(self, draft: ItemDraft) -> None:
        super().__init__(_("This item was already submitted."))
        self.draft = draft


class ItemMoved(Conflict):
    """Raised if the writer can no longer revise the item; `item` has its state."""

    def __init__(self, item: Item) -> None:
        super().__init__(_("This item is not with its writer now."))
        self.item = item


@transaction.atomic
def save_draft(
    *,
    actor: User,
    project: Project,
    story: Story,
    task: str,
    client_id: UUID,
    sequence: int,
    content: dict[str, object],
    style: str = Style.HUMAN,
    item: Item | None = None,
) -> ItemDraft:
    """Save a draft and return it.

    `sequence` counts the saves of one draft: an older save raises `StaleDraft`, and repeating a save has no
    further effect. Raise `SubmittedDraft` if the draft has been submitted, `ItemMoved` if the writer can no
    longer revise its item. In these cases, `keep_apart` can save the text as a new draft.
    """
    require(may_add_items(actor, project))
    if kind_of(task).key_from_moral:  # the checks of a draft reveal the moral and the keys of others
        require(may_see_moral(actor, project))
    saved = ItemDraft.objects.filter(writer=actor, client_id=client_id)
    if item is None and task not in project.tasks and not saved.exists():  # a draft may outlive its task
        raise Unusable(_("Items of this task are not written in this project."))
    if item is not None:
        other = living_drafts(actor, item).exclude(client_id=client_id).first()
        if other is not None:
            raise StaleDraft(other)
    cleaned = clean(content, task)
    if len(str(cleaned)) > LARGEST_DRAFT:
        raise Unusable(_("The text is too long to save. Shorten it."))
    if item is not None:
        require(may_revise(actor, item))
        if item.state not in {State.DRAFT, State.RETURNED}:
            raise ItemMoved(item)
    draft, created = ItemDraft.objects.select_for_update(of=("self",)).get_or_create(
        writer=actor,
        client_id=client_id,
        defaults={
            "project": project,
            "story": story,
            "item": item,
            "task": task,
            "style": style,
            "sequence": sequence,
            "content": cleaned,
        },
    )
    if created and kind_of(task).exposed_by_story:
        record_exposure(actor=actor, story=story, task=task)
    return draft if created else _overwrite(draft, sequence, cleaned)


def clean(content: object, task: str) -> dict[str, object]:
    """Return a draft's JSON in the form in which it is saved: without parts malformed for its task."""
    read = from_json(content)
    return to_json(replace(read, own=item_kind(task).clean(read.own)))


@transaction.atomic
def keep_apart(
    *,
    actor: User,
    project: Project,
    story: Story,
    task: str,
    client_id: UUID,
    content: dict[str, object],
    style: str = Style.HUMAN,
    item: Item | None = None,
) -> ItemDraft:
    """Save text as a new draft if it arrived after its draft had been submitted elsewhere.

    Contributors of the submitted draft become contributors of the new one. The new draft is for the next
    wording of `item` if the actor can revise it and has no other draft of it, else for a new item. If the
    same text is saved twice, only one draft is created.
    """
    cleaned = clean(content, task)
    own_id = uuid5(client_id, json.dumps(cleaned, sort_keys=True))
    already = ItemDraft.objects.filter(writer=actor, client_id=own_id).first()
    if already is not None:
        return already
    draft = save_draft(
        actor=actor,
        project=project,
        story=story,
        task=task,
        style=style,
        item=item if item is not None and _may_begin(actor, item) else None,
        client_id=own_id,
        sequence=1,
        content=cleaned,
    )
    earlier = DraftContributor.objects.filter(draft__client_id=client_id, draft__project=project)
    add_contributors(draft, earlier.values_list("user", flat=True))
    return draft


def add_contributors(draft: ItemDraft, people: Iterable[int]) -> None:
    """Add further contributors to a draft. A trigger adds the users who save text into it."""
    DraftContributor.objects.bulk_create(
        [DraftContributor(draft=draft, user_id=person) for person in sorted(set(people))],
        ignore_conflicts=True,
    )


def _may_begin(actor: User, item: Item) -> bool:
    """Return whether the user may begin a draft of a new wording of the item now."""
    turn = item.state in {State.DRAFT, State.RETURNED} and bool(may_revise(actor, item))
    return turn and not living_drafts(actor, item).exists()


def _overwrite(draft: ItemDraft, sequence: int, content: dict[str, object]) -> ItemDraft:
    if draft.submitted_as_id is not None:
        raise SubmittedDraft(draft)
    if draft.sequence >= sequence:
        if draft.content == content:
            return draft
        raise StaleDraft(draft)
    draft.active_seconds += active_seconds(draft.updated_at, timezone.now())
    draft.sequence, draft.content, draft.deleted_at = sequence, content, None
    draft.save(update_fields=["sequence", "content", "deleted_at", "active_seconds", "updated_at"])
    return draft


def record_draft_read(*, actor: User, draft: ItemDraft) -> None:
    """Record that the actor has read a draft, which may have the text, and the key, of another writer.

    Raise `Forbidden` if the actor may not see morals, and the draft states one.
    """
    if kind_of(draft.task).key_from_moral:
        require(may_see_moral(actor, draft.project))
    if kind_of(draft.task).exposed_by_story:
        record_exposure(actor=actor, story=draft.story, task=draft.task)
    if draft.item_id is not None:
        record_key_exposures(actor=actor, items=[draft.item_id])


@transaction.atomic
def discard_draft(*, actor: User, draft: ItemDraft) -> None:
    """Discard a draft. It can be restored."""
    _require_own(actor, draft)
    if draft.submitted_as_id is not None:
        raise SubmittedDraft(draft)
    draft.deleted_at = timezone.now()
    draft.save(update_fields=["deleted_at"])


@transaction.atomic
def restore_draft(*, actor: User, draft: ItemDraft) -> ItemDraft:
    """Restore a discarded draft. Raise `Conflict` if the user has another draft of its item now."""
    _require_own(actor, draft)
    if draft.item is not None and living_drafts(actor, draft.item).exclude(pk=draft.pk).exists():
        raise Conflict(_("There is a newer draft of this item. Discard that draft first."))
    draft.deleted_at = None
    draft.save(update_fields=["deleted_at"])
    return draft


@transaction.atomic
def empty_bin() -> int:
    """Delete the unsubmitted drafts that were discarded more than `BIN_KEEPS` ago; return their number."""
    old = timezone.now() - BIN_KEEPS
    # drafts that were never submitted
    _all, by_model = ItemDraft.objects.filter(submitted_as=None, deleted_at__lte=old).delete()
    return by_model.get(ItemDraft._meta.label, 0)


def _require_own(actor: User, draft: ItemDraft) -> None:
    if draft.writer_id != actor.pk:
        raise Forbidden(_("This draft belongs to someone else."))
