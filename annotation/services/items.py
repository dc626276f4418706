"""Items from their first wording to their last state."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Forbidden, Unusable, require
from accounts.models import User
from annotation.content import ItemContent, Problem, from_json, tidy
from annotation.models import (
    Cause,
    Comment,
    Item,
    ItemDraft,
    Option,
    Revision,
    RevisionType,
    State,
    Style,
    Task,
)
from annotation.permissions import may_add_items, may_revise, may_see_item, may_submit
from annotation.queries import lacking
from annotation.services.exposures import record_exposure
from annotation.services.moves import begin_life, lock_item, move_item
from corpus.models import Story
from parable.formats.options import normalise_option
from projects.models import CommonsenseType, Project
from projects.permissions import may_manage
from projects.queries import current_guideline


def describe(problem: Problem) -> str:
    """The sentence for something an item lacks, in the reader's language."""
    sentences = {
        "no_type": _("Choose at least one commonsense type."),
        "unknown_type": _("“%(type)s” is not a commonsense type of this project."),
        "no_stem": _("The stem is empty."),
        "too_long": _("This is too long: at most %(limit)d characters."),
        "control_character": _("The text holds an invisible control character; please type it afresh."),
        "wrong_number_of_options": _("Options filled in: %(found)d; this project wants %(wanted)d."),
        "options_out_of_range": _("Options filled in: %(found)d; an item needs 2 to 8."),
        "equal_options": _("Options %(first)d and %(second)d are equal."),
        "no_key": _("Mark the option that is the key."),
        "two_keys": _("Mark one key only."),
        "empty_key": _("The option marked as the key is empty."),
        "no_explanation": _("Explain why the key is right."),
    }
    return sentences[problem.code] % problem.params


def _refuse(found: Sequence[Problem]) -> None:
    if found:
        fields = {problem.field: describe(problem) for problem in reversed(found)}
        raise Unusable(" ".join(describe(problem) for problem in found), fields)


def _checked(content: ItemContent, project: Project, task: str) -> ItemContent:
    """The content as it will be kept. Raises `Unusable` naming each field that will not do."""
    _refuse(lacking(content, project=project, task=task))
    return tidy(content)


def _write_revision(item: Item, content: ItemContent, author: User, based_on: Revision | None) -> Revision:
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
    Option.objects.bulk_create(
        Option(
            revision=revision,
            position=position,
            text=option.text,
            normalised=normalise_option(option.text),
            is_key=option.is_key,
        )
        for position, option in enumerate(content.options)
    )
    types = CommonsenseType.objects.filter(project=item.project, code__in=content.types)
    RevisionType.objects.bulk_create(RevisionType(revision=revision, type=kind) for kind in types)
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
) -> Item:
    """Submit a new item: its first revision goes to review.

    Raises `Forbidden` where the actor may not write or has not acknowledged the guideline, `Unusable`
    naming what the item lacks.
    """
    require(may_submit(actor, project))
    content = _checked(content, project, task)
    item = Item.objects.create(
        project=project, story=story, task=task, style=style, writer=actor, state=State.DRAFT
    )
    begin_life(item, actor=actor, cause=Cause.WRITTEN)
    revision = _write_revision(item, content, actor, None)
    move_item(item, State.IN_REVIEW, actor=actor, cause=Cause.WRITTEN, revision=revision)
    if task == Task.MORAL:
        record_exposure(actor=actor, story=story)
    return item


@transaction.atomic
def submit_draft(*, actor: User, draft: ItemDraft) -> Item:
    """Turn what was typed into a revision and hand it in: a new item, or the next wording of an old one.

    Handing in the same draft twice is once.
    """
    draft = ItemDraft.objects.select_for_update().get(pk=draft.pk)
    if draft.writer_id != actor.pk:
        raise Forbidden(_("This is somebody else's draft."))
    if draft.submitted_as is not None:
        return draft.submitted_as.item
    if draft.deleted_at is not None:
        raise Conflict(_("This draft lies in the bin. Take it out first."))
    content = from_json(draft.content)
    if draft.item is None:
        item = create_item(
            actor=actor,
            project=draft.project,
            story=draft.story,
            task=draft.task,
            style=draft.style,
            content=content,
        )
    else:
        item = revise_item(actor=actor, item=draft.item, content=content)
    draft.submitted_as, draft.item = item.current, item
    draft.save(update_fields=["submitted_as", "item"])
    return item


@transaction.atomic
def revise_item(
    *,
    actor: User,
    item: Item,
    content: ItemContent,
    to_state: str = State.IN_REVIEW,
    cause: str = Cause.REVISED,
) -> Item:
    """Write the next revision of an item and move it on.

    By its writer from `returned` or `draft`; by a reviewer where `cause` says that their edit is adopted.
    """
    item = lock_item(item)
    if cause == Cause.EDIT_ADOPTED:
        require(may_add_items(actor, item.project))
    else:
        require(may_submit(actor, item.project))
        _require_turn(actor, item)
    content = _checked(content, item.project, item.task)
    revision = _write_revision(item, content, actor, item.current)
    move_item(item, to_state, actor=actor, cause=cause, revision=revision)
    if item.task == Task.MORAL:
        record_exposure(actor=actor, story=item.story)
    return item


def _require_turn(actor: User, item: Item) -> None:
    if item.state not in {State.DRAFT, State.RETURNED}:
        raise Conflict(_("This item is not with its writer now."))
    require(may_revise(actor, item))


@transaction.atomic
def apply_verdict(
    *, actor: User, item: Item, revision: Revision, to_state: str, cause: str, reason: str = ""
) -> Item:
    """Move an item as its reviewers decided. Raises `Conflict` where it has a newer revision by now."""
    item = lock_item(item)
    if item.current_id != revision.pk:
        raise Conflict(_("The item has been reworded since; this verdict speaks of an older wording."))
    move_item(item, to_state, actor=actor, cause=cause, reason=reason)
    return item


@transaction.atomic
def withdraw_item(*, actor: User, item: Item, reason: str = "") -> Item:
    """Take an item back; it stays, but goes nowhere any more. Its writer, or a manager."""
    item = lock_item(item)
    if item.writer_id != actor.pk:
        require(may_manage(actor, item.project))
    move_item(item, State.WITHDRAWN, actor=actor, cause=Cause.WITHDRAWN, reason=reason)
    return item


@transaction.atomic
def retire_item(*, actor: User, item: Item, reason: str) -> Item:
    """Leave a verified item out of every later release. Managers only, with a reason."""
    item = lock_item(item)
    require(may_manage(actor, item.project))
    _require_reason(reason)
    move_item(item, State.RETIRED, actor=actor, cause=Cause.RETIRED, reason=reason.strip())
    return item


@transaction.atomic
def request_another_look(*, actor: User, item: Item, reason: str) -> Item:
    """Send a verified item back to review. Managers only, with a reason."""
    item = lock_item(item)
    require(may_manage(actor, item.project))
    _require_reason(reason)
    if item.state != State.VERIFIED:
        raise Conflict(_("Only a verified item is sent to another look."))
    move_item(item, State.IN_REVIEW, actor=actor, cause=Cause.ANOTHER_LOOK, reason=reason.strip())
    return item


@transaction.atomic
def contest_rejection(*, actor: User, item: Item, reason: str) -> Item:
    """Ask for adjudication of a rejection: its writer, once an item, with a reason."""
    item = lock_item(item)
    if item.writer_id != actor.pk:
        raise Forbidden(_("Only the writer of this item may contest its rejection."))
    _require_reason(reason)
    if item.transitions.filter(from_state=State.REJECTED, to_state=State.IN_ADJUDICATION).exists():
        raise Conflict(_("This item's rejection has been contested before; the ruling stands."))
    move_item(item, State.IN_ADJUDICATION, actor=actor, cause=Cause.CONTESTED, reason=reason.strip())
    return item


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise Unusable(_("Please give a reason."), {"reason": _("empty")})


@transaction.atomic
def add_comment(*, actor: User, item: Item, text: str) -> Comment:
    """Say something about an item as it stands now."""
    require(may_see_item(actor, item))
    if not text.strip():
        raise Unusable(_("The comment is empty."), {"text": _("empty")})
    return Comment.objects.create(item=item, revision=item.current, author=actor, text=text.strip()[:4000])
