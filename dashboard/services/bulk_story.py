"""Bulk actions on stories."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Q, QuerySet

from annotation.models import Item, WritingAssignment
from annotation.services import hold_back_stories, name_writers, take_back_story
from corpus.models import Story
from corpus.services import Regrouped, regroup_stories, set_rights, undo_regrouping
from dashboard.models import BulkAction, Verb
from dashboard.services.bulk_item import PRIORITIES, UNDONE, prioritise
from dashboard.services.bulk_rows import Change, RowActions, before_of, each, receiver_of
from parable.formats.records import FURTHER_FIELDS


def _do_to(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Apply the action to these stories; return pairs of story id and undo data."""
    if bulk.verb == Verb.ASSIGN:
        stories = Story.objects.filter(pk__in=chunk).select_related("project").order_by("pk")
        return each(stories, lambda story: _assign(bulk, story))
    if bulk.verb in PRIORITIES:
        changed = prioritise(bulk, Q(story__in=chunk), PRIORITIES[Verb(bulk.verb)])
        return _by_story([item for item, _was in changed])
    if bulk.verb == Verb.GROUP:
        return _group(bulk)
    if bulk.verb == Verb.RIGHTS:
        return each(_locked(chunk), lambda story: _state_rights(bulk, story))
    moved = hold_back_stories(
        actor=bulk.actor, project=bulk.project, stories=chunk, is_held_back=bulk.verb == Verb.HOLD_BACK
    )
    return [list(change) for change in moved]


def _undo(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Undo the action for these stories, except stories on which work or a decision has followed."""
    before = before_of(bulk)
    if bulk.verb == Verb.ASSIGN:
        made = WritingAssignment.objects.filter(pk__in=[before[story] for story in chunk])
        found = made.select_related("story__project").order_by("story")
        return each(found, lambda assignment: _take_back(bulk, assignment))
    if bulk.verb in UNDONE:
        items = [item for story in chunk for item in before[story]]
        changed = prioritise(bulk, Q(item__in=items), UNDONE[Verb(bulk.verb)])
        return _by_story([item for item, _was in changed])
    if bulk.verb == Verb.GROUP:
        return _ungroup(bulk, before)
    if bulk.verb == Verb.RIGHTS:
        return each(_locked(chunk), lambda story: _restore_rights(bulk, story, *before[story.pk]))
    moved = hold_back_stories(
        actor=bulk.actor,
        project=bulk.project,
        stories=chunk,
        is_held_back=bulk.verb != Verb.HOLD_BACK,
        since={before[story] for story in chunk},
    )
    return [list(change) for change in moved]


def _assign(bulk: BulkAction, story: Story) -> Change | None:
    made = name_writers(actor=bulk.actor, story=story, writers=[receiver_of(bulk)])
    return [story.pk, made[0].pk] if made else None


def _take_back(bulk: BulkAction, assignment: WritingAssignment) -> Change:
    story = assignment.story_id
    take_back_story(actor=bulk.actor, assignment=assignment)
    return [story, None]


def _group(bulk: BulkAction) -> list[Change]:
    """Confirm all groups at the first call. Confirming a part of a group would make another group."""
    if bulk.position:
        return []
    groups = bulk.groups or [(bulk.rows, [])]

    def confirm(group: tuple[Sequence[int], Sequence[int]]) -> list[Regrouped]:
        stories, others = group
        return regroup_stories(actor=bulk.actor, project=bulk.project, stories=stories, others=others)

    return [[one.story, one] for made in each(groups, confirm) for one in made]


def _ungroup(bulk: BulkAction, before: Mapping[int, Sequence[Any]]) -> list[Change]:
    if bulk.position:
        return []
    made = [Regrouped(*one) for one in before.values()]
    return [[story, None] for story in undo_regrouping(actor=bulk.actor, project=bulk.project, made=made)]


def _locked(stories: Sequence[int]) -> QuerySet[Story]:
    found = Story.objects.select_for_update(of=("self",)).filter(pk__in=stories)
    return found.select_related("project").order_by("pk")


def _metadata(story: Story) -> dict[str, str]:
    further = {name: getattr(story, name) for name in FURTHER_FIELDS}
    return {"rights": story.rights, "evidence": story.rights_evidence, **further}


def _state_rights(bulk: BulkAction, story: Story) -> Change | None:
    """Set the given metadata of a story.

    Return the values before and after, or None if nothing changes.
    """
    before = _metadata(story)
    after = before | bulk.metadata
    if before == after:
        return None
    set_rights(actor=bulk.actor, story=story, **after)
    return [story.pk, [before, after]]


def _restore_rights(
    bulk: BulkAction, story: Story, before: dict[str, str], after: dict[str, str]
) -> Change | None:
    """Restore the former metadata of a story; return None if the metadata was changed since."""
    if not after.items() <= _metadata(story).items():  # a story has fields that an older action lacks
        return None
    set_rights(actor=bulk.actor, story=story, **before)
    return [story.pk, None]


def _by_story(items: Sequence[int]) -> list[Change]:
    """Return the ids of these items by story, as pairs of story id and item ids."""
    found: dict[int, list[int]] = {}
    for item, story in Item.objects.filter(pk__in=items).order_by("pk").values_list("pk", "story"):
        found.setdefault(story, []).append(item)
    return [[story, theirs] for story, theirs in sorted(found.items())]


STORY_ACTIONS: Final = RowActions(
    verbs=(Verb.ASSIGN, Verb.HOLD_BACK, Verb.RELEASE, Verb.FIRST, Verb.NORMAL, Verb.GROUP, Verb.RIGHTS),
    do=_do_to,
    undo=_undo,
)
"""The bulk actions on stories: assign, hold back, release, group, set metadata, and change the priority of
their items.
"""
