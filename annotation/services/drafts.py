"""What is being typed: saved often, checked never."""

import uuid
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Forbidden, Unusable, require
from accounts.models import User
from annotation.content import from_json, to_json
from annotation.models import Item, ItemDraft, State, Style, Task
from annotation.permissions import may_add_items, may_revise
from annotation.queries import revision_content
from annotation.services.exposures import record_exposure
from annotation.services.moves import lock_item
from corpus.models import Story
from projects.models import Project

LARGEST_DRAFT = 200_000  # characters of JSON: far more than any item, far less than a nuisance


class StaleDraft(Conflict):
    """The draft has been saved elsewhere since; `draft` is what stands there."""

    def __init__(self, draft: ItemDraft) -> None:
        super().__init__(_("This draft was changed in another window or on another device."))
        self.draft = draft


class SubmittedDraft(Conflict):
    """What was typed here has been handed in; `draft.submitted_as` is its wording."""

    def __init__(self, draft: ItemDraft) -> None:
        super().__init__(_("This has been submitted already."))
        self.draft = draft


@transaction.atomic
def save_draft(
    *,
    actor: User,
    project: Project,
    story: Story,
    task: str,
    client_id: UUID,
    sequence: int,
    content: dict[str, Any],
    style: str = Style.HUMAN,
    item: Item | None = None,
) -> ItemDraft:
    """Save what is being typed.

    `sequence` counts the saves of one draft: a save that was overtaken by another raises `StaleDraft`;
    the same save sent twice is one. A draft that has been handed in takes no more: `SubmittedDraft`.
    """
    require(may_add_items(actor, project))
    if item is not None:
        _refuse_a_second(actor, item, client_id)
    kept = to_json(from_json(content))
    if len(str(kept)) > LARGEST_DRAFT:
        raise Unusable(_("This is too long to keep; please shorten it."))
    draft, created = ItemDraft.objects.select_for_update(of=("self",)).get_or_create(
        writer=actor,
        client_id=client_id,
        defaults={
            "project": project,
            "story": story,
            "item": _revisable(actor, item),
            "task": task,
            "style": style,
            "sequence": sequence,
            "content": kept,
        },
    )
    return draft if created else _overwrite(draft, sequence, kept)


def _refuse_a_second(actor: User, item: Item, client_id: UUID) -> None:
    other = _living(actor, item).exclude(client_id=client_id).first()
    if other is not None:
        raise StaleDraft(other)


def _living(actor: User, item: Item) -> QuerySet[ItemDraft]:
    return ItemDraft.objects.filter(item=item, writer=actor, deleted_at=None, submitted_as=None)


def _revisable(actor: User, item: Item | None) -> Item | None:
    if item is None:
        return None
    require(may_revise(actor, item))
    if item.state not in {State.DRAFT, State.RETURNED}:
        raise Conflict(_("This item is not with its writer now."))
    return item


def _overwrite(draft: ItemDraft, sequence: int, content: dict[str, Any]) -> ItemDraft:
    if draft.submitted_as_id is not None:
        raise SubmittedDraft(draft)
    if draft.sequence >= sequence:
        if draft.content == content:
            return draft
        raise StaleDraft(draft)
    draft.sequence, draft.content, draft.deleted_at = sequence, content, None
    draft.save(update_fields=["sequence", "content", "deleted_at", "updated_at"])
    return draft


@transaction.atomic
def open_revision(*, actor: User, item: Item) -> ItemDraft:
    """The actor's draft of the next wording of an item, begun with its present words where there is none.

    By its writer or a manager, while the item is a draft or returned.
    """
    item = lock_item(item)
    _revisable(actor, item)
    draft = _living(actor, item).first() or ItemDraft.objects.create(
        project=item.project,
        story=item.story,
        writer=actor,
        item=item,
        task=item.task,
        style=item.style,
        client_id=uuid.uuid4(),
        sequence=1,
        content=_present_words(item),
    )
    if item.task == Task.MORAL:
        record_exposure(actor=actor, story=item.story)
    return draft


def _present_words(item: Item) -> dict[str, Any]:
    if item.current is not None:
        return to_json(revision_content(item.current))
    imported = item.drafts.filter(deleted_at=None).order_by("pk").first()
    return imported.content if imported else {}


@transaction.atomic
def discard_draft(*, actor: User, draft: ItemDraft) -> None:
    """Put a draft into the bin, from which it can be taken back."""
    _require_own(actor, draft)
    if draft.submitted_as_id is not None:
        raise SubmittedDraft(draft)
    draft.deleted_at = timezone.now()
    draft.save(update_fields=["deleted_at"])


@transaction.atomic
def restore_draft(*, actor: User, draft: ItemDraft) -> ItemDraft:
    """Take a draft out of the bin. Raises `Conflict` where its item has been begun anew since."""
    _require_own(actor, draft)
    if draft.item is not None and _living(actor, draft.item).exclude(pk=draft.pk).exists():
        raise Conflict(_("You have begun this item anew since; discard that draft first."))
    draft.deleted_at = None
    draft.save(update_fields=["deleted_at"])
    return draft


def _require_own(actor: User, draft: ItemDraft) -> None:
    if draft.writer_id != actor.pk:
        raise Forbidden(_("This is somebody else's draft."))
