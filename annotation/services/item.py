"""Services that submit, revise, withdraw, retire, return and restore items."""

from collections.abc import Collection, Sequence
from uuid import uuid4

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation import hooks
from annotation.check import AnsweredFinding, remarks
from annotation.content import ItemContent, from_json, says_the_same, tidy
from annotation.models import (
    Cause,
    Item,
    ItemDraft,
    Revision,
    RevisionAuthor,
    RevisionType,
    State,
    Style,
    Transition,
)
from annotation.permissions import may_add_items, may_revise, may_see_moral, may_submit
from annotation.queries.comment import commented_since_return
from annotation.queries.exposure import is_exposed
from annotation.queries.item import lacking, revision_content, spec_of, types_in_order
from annotation.services.check import judge_content, refuse_errors, refuse_open, with_answers
from annotation.services.draft import save_draft
from annotation.services.exposure import expose_authors
from annotation.services.revision import write_rows
from annotation.services.transition import begin_life, lock_item, move_item, take_back
from core.errors import Conflict, Forbidden, Unusable, require
from corpus.models import Story
from parable.kinds import kind_of
from projects.models import CommonsenseType, Project
from projects.permissions import Permission, has_permission
from projects.queries import current_guideline


def _checked(content: ItemContent, found: Sequence[AnsweredFinding]) -> ItemContent:
    """Return the content to save with a revision. Raise `Unusable`, naming the fields, if it has errors."""
    refuse_errors(found)
    return with_answers(content, found)


def _hold_keys(story: Story, style: str) -> None:
    """Lock the story of a machine-style item, so that concurrent wordings are compared with each other.

    Without the lock, neither of two wordings would be compared with the other's key. With it, the second one
    waits and is then compared with the first.
    """
    if style == Style.MACHINE:
        Story.objects.select_for_update(no_key=True).get(pk=story.pk)


def _write_revision(
    item: Item,
    content: ItemContent,
    author: User,
    based_on: Revision | None,
    contributors: Collection[int] = (),
) -> Revision:
    """Create a revision of an item, with its rows.

    A trigger adds `author` as an author of the revision; `contributors` are further authors.
    """
    revision = Revision.objects.create(
        item=item,
        number=based_on.number + 1 if based_on else 1,
        based_on=based_on,
        author=author,
        story_revision_id=Story.objects.values_list("current_id", flat=True).get(pk=item.story_id),
        guideline=current_guideline(item.project),
        stem=content.stem,
        explanation=content.explanation,
        answered_warnings=dict(content.answered_warnings),
    )
    RevisionAuthor.objects.bulk_create(
        [RevisionAuthor(revision=revision, user_id=person) for person in contributors], ignore_conflicts=True
    )
    write_rows([(revision, content)], item.task)
    # in the order of the previous revision; new types come last
    before = [link.type_id for link in types_in_order().filter(revision=based_on)] if based_on else []
    types = sorted(
        CommonsenseType.objects.filter(project=item.project, code__in=content.types),
        key=lambda kind: before.index(kind.pk) if kind.pk in before else len(before),
    )
    RevisionType.objects.bulk_create(RevisionType(revision=revision, type=kind) for kind in types)
    hooks.notify_followers(revision, content)
    return revision


@transaction.atomic
def create_item(
    *,
    actor: User,
    project: Project,
    story: Story,
    task: str,
    content: ItemContent,
    style: str = Style.HUMAN,
    contributors: Collection[int] = (),
) -> Item:
    """Create an item with its first revision, and send it to review.

    The actor becomes its writer. `contributors`, other users who wrote parts of its text, become authors,
    too. Raise `Forbidden` if the actor may not write or has not confirmed the guideline, `Unusable` naming
    what the item lacks.
    """
    require(may_submit(actor, project))
    if kind_of(task).key_from_moral:
        require(may_see_moral(actor, project))
    _hold_keys(story, style)
    found = judge_content(content, project=project, story=story, task=task, style=style, reader=actor)
    content = _checked(content, found)
    item = Item.objects.create(
        project=project, story=story, task=task, style=style, writer=actor, state=State.DRAFT
    )
    begin_life(item, actor=actor, cause=Cause.WRITTEN)
    revision = _write_revision(item, content, actor, None, contributors)
    move_item(item, State.IN_REVIEW, actor=actor, cause=Cause.WRITTEN, revision=revision)
    expose_authors(revision)
    return item


@transaction.atomic
def submit_draft(*, actor: User, draft: ItemDraft) -> Item:
    """Submit a draft as a revision of a new item, or as the next revision of its item.

    All contributors of the draft become authors. Submitting the same draft twice has no further effect.
    """
    draft = ItemDraft.objects.select_for_update().get(pk=draft.pk)
    if draft.writer_id != actor.pk:
        raise Forbidden(_("This draft belongs to someone else."))
    if draft.submitted_as is not None:
        return draft.submitted_as.item
    if draft.deleted_at is not None:
        raise Conflict(_("This draft is in the bin. Restore it first."))
    content = from_json(draft.content)
    refuse_open(
        judge_content(
            content,
            project=draft.project,
            story=draft.story,
            task=draft.task,
            item=draft.item,
            style=draft.style,
            reader=actor,
        )
    )
    contributors = draft.contributors.values_list("user", flat=True)
    if draft.item is None:
        item = create_item(
            actor=actor,
            project=draft.project,
            story=draft.story,
            task=draft.task,
            style=draft.style,
            content=content,
            contributors=contributors,
        )
    else:
        item = revise_item(actor=actor, item=draft.item, content=content, contributors=contributors)
    draft.submitted_as, draft.item = item.current, item
    draft.save(update_fields=["submitted_as", "item"])
    return item


@transaction.atomic
def submit_item(
    *,
    actor: User,
    project: Project,
    story: Story,
    task: str,
    content: dict[str, object],
    style: str = Style.HUMAN,
    item: Item | None = None,
) -> Item:
    """Submit a wording as a new item, or as the next revision of `item`, without a form.

    It is saved as a draft and submitted at once, so that the same rules hold. Raise `Unusable` naming what
    the item lacks, `Conflict` if the checks would reveal keys that the actor has not seen: what is refused
    is undone, and the exposure would be, too.
    """
    require(may_add_items(actor, project))
    if kind_of(task).exposed_by_story and not is_exposed(actor, story, task):
        raise Conflict(
            _("Items of this task share their key within a story. Open the moral, or save a draft first.")
        )
    draft = save_draft(
        actor=actor,
        project=project,
        story=story,
        task=task,
        style=style,
        item=item,
        client_id=uuid4(),
        sequence=1,
        content=content,
    )
    return submit_draft(actor=actor, draft=draft)


@transaction.atomic
def revise_item(
    *,
    actor: User,
    item: Item,
    content: ItemContent,
    to_state: str = State.IN_REVIEW,
    cause: str = Cause.REVISED,
    contributors: Collection[int] = (),
) -> Item:
    """Create the next revision of an item, and move the item to `to_state`.

    The writer, or a manager, may revise an item that is returned or a draft. A reviewer or manager may, too,
    if `cause` is the adoption of an edit or a ruling. Raise `Unusable` if a returned item is unchanged and
    its writer has not commented since.
    """
    item, is_edit = lock_item(item), cause in {Cause.EDIT_ADOPTED, Cause.RULED_MERGE}
    if is_edit:
        require(may_add_items(actor, item.project))
    else:
        require(may_submit(actor, item.project))
        if item.state not in {State.DRAFT, State.RETURNED}:
            raise Conflict(_("This item is not with its writer now."))
        require(may_revise(actor, item))
    _hold_keys(item.story, item.style)
    if is_edit:
        story = item.story.current
        lacks = lacking(
            content, task=item.task, spec=spec_of(item.project), story=story.text if story else ""
        )
        refuse_errors(remarks(content, lacks))
        content = tidy(content)
    else:
        findings = judge_content(
            content, project=item.project, story=item.story, task=item.task, item=item, reader=actor
        )
        content = _checked(content, findings)
        _require_change(actor, item, content)
    revision = _write_revision(item, content, actor, item.current, contributors)
    move_item(item, to_state, actor=actor, cause=cause, revision=revision)
    expose_authors(revision)
    return item


def _require_change(actor: User, item: Item, content: ItemContent) -> None:
    """Raise `Unusable` if a returned item is unchanged and its writer has not commented since.

    Changed reasons for warnings count as a change, since reviewers read them, too.
    """
    if item.state != State.RETURNED or item.current is None:
        return
    before = revision_content(item.current, item.task)
    is_same = says_the_same(before, content) and before.answered_warnings == content.answered_warnings
    if is_same and not commented_since_return(item, {actor.pk, item.writer_id}):
        raise Unusable(
            _(
                "Nothing has changed since this item was returned. Revise it, or comment on why it should"
                " stay as it is."
            )
        )


@transaction.atomic
def withdraw_item(*, actor: User, item: Item, reason: str = "") -> Item:
    """Withdraw an item: it stays, but is no longer reviewed or released. Only its writer and managers may."""
    item = lock_item(item)
    if item.writer_id != actor.pk:
        require(has_permission(actor, item.project, Permission.CHANGE_ITEMS))
    move_item(item, State.WITHDRAWN, actor=actor, cause=Cause.WITHDRAWN, reason=reason)
    return item


@transaction.atomic
def retire_item(*, actor: User, item: Item, reason: str) -> Item:
    """Exclude a verified item from all later releases, with a reason. Only managers may."""
    item = lock_item(item)
    require(has_permission(actor, item.project, Permission.CHANGE_ITEMS))
    _require_reason(reason)
    move_item(item, State.RETIRED, actor=actor, cause=Cause.RETIRED, reason=reason.strip())
    return item


@transaction.atomic
def request_another_look(*, actor: User, item: Item, reason: str) -> Item:
    """Send a verified item back to review, with a reason. Only managers may."""
    item = lock_item(item)
    require(has_permission(actor, item.project, Permission.CHANGE_ITEMS))
    _require_reason(reason)
    if item.state != State.VERIFIED:
        raise Conflict(_("Only verified items can be sent for re-review."))
    move_item(item, State.IN_REVIEW, actor=actor, cause=Cause.ANOTHER_LOOK, reason=reason.strip())
    return item


@transaction.atomic
def return_item(*, actor: User, item: Item, reason: str) -> Item:
    """Return an item under review to its writer, with a reason. Only managers may.

    Raise `Conflict` if the item is not under review.
    """
    item = lock_item(item)
    require(has_permission(actor, item.project, Permission.CHANGE_ITEMS))
    _require_reason(reason)
    move_item(item, State.RETURNED, actor=actor, cause=Cause.SENT_BACK, reason=reason.strip())
    return item


@transaction.atomic
def restore_item(*, actor: User, item: Item, move: Transition) -> Item:
    """Undo a manager's move of an item: its retirement, its re-review, or its return. Only managers may.

    Raise `Conflict` if `move` is not the item's last move, or if the writer has begun to revise the item. The
    caller must ensure that no review has begun since.
    """
    item = lock_item(item)
    require(has_permission(actor, item.project, Permission.CHANGE_ITEMS))
    if move.to_state == State.RETURNED and item.drafts.filter(submitted_as=None, deleted_at=None).exists():
        raise Conflict(_("The item has changed since."))
    take_back(item, move, actor=actor)
    return item


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise Unusable(_("Enter a reason."), "reason")
