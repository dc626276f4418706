"""Services that assign stories to writers."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.services import record_event
from annotation.models import AssignmentSource, Item, ItemDraft, WritingAssignment, WritingPlaces
from annotation.permissions import may_write
from annotation.queries.assignment import (
    Limits,
    NoStory,
    free_places,
    is_assigned,
    is_first_wording,
    lacking_writers,
    limits_of,
    why_no_story,
    with_submitted,
)
from annotation.queries.plan import next_places
from annotation.queries.reservation import held_back_for, reserved_for_others
from core.errors import Conflict, Forbidden, Hidden, Unusable, require
from corpus.models import Story
from projects.models import Project
from projects.permissions import Permission, has_permission

MOST_NAMED_AT_ONCE = 500


@transaction.atomic
def take_next_story(*, actor: User, project: Project) -> WritingAssignment | None:
    """Assign the first story of `next_places` to the actor.

    Return None if no story can be assigned; `annotation.queries.assignment.why_no_story` explains why. If
    other requests have locked all free stories, wait and try again.
    """
    require(may_write(actor, project))
    _hold_writer(actor)
    if limits_of(actor, project).reached:
        return None
    place = _lock_free_place(actor, project)
    if place is None:
        return None
    return _assign(place.story_id, actor, project)


def _lock_free_place(writer: User, project: Project) -> WritingPlaces | None:
    """Lock and return the first free `WritingPlaces` row that is not locked; if all are, wait and retry.

    Return None if no story is free.

    The order of stories is read first; then one statement decides whether a story is free, and locks its row.
    If PostgreSQL has waited for a row that turns out not to be free, it keeps the row's lock. To continue
    with this lock could cause a deadlock, so each attempt is rolled back before the next one.
    """
    free = free_places(project, writer)
    while True:
        with transaction.atomic():
            if place := next_places(project, writer).select_for_update(skip_locked=True).first():
                return place
            transaction.set_rollback(True)
        waited_for = free.first()
        if waited_for is None:
            return None
        with transaction.atomic():
            WritingPlaces.objects.select_for_update().get(pk=waited_for.pk)
            if place := free.filter(pk=waited_for.pk).first():
                return place
            transaction.set_rollback(True)


def _hold_writer(writer: User) -> None:
    """Lock the writer's row, so that concurrent requests cannot exceed the writer's limits."""
    User.objects.select_for_update(no_key=True).get(pk=writer.pk)


def _assign(story: int, writer: User, project: Project) -> WritingAssignment:
    due = timezone.localdate() + timedelta(days=project.days_to_write) if project.days_to_write else None
    return WritingAssignment.objects.create(story_id=story, writer=writer, due_on=due)


@transaction.atomic
def take_story(*, actor: User, story: Story) -> WritingAssignment:
    """Assign this story to the actor.

    Raise `Conflict` if it has enough writers, is held back or reserved, or if the actor has too many stories.
    """
    require(may_write(actor, story.project))
    _hold_writer(actor)
    place = WritingPlaces.objects.select_for_update().get(story=story)
    mine = WritingAssignment.objects.filter(story=story, writer=actor, given_back_at=None).first()
    if mine:
        return mine
    if place.is_held_back and story.pk not in held_back_for(actor, [story.project]):
        raise Conflict(_("This story is held back. A manager can assign it to you."))
    if not WritingPlaces.objects.filter(is_first_wording(), pk=place.pk).exists():
        raise Conflict(_("This story is another wording of an earlier one. Write for that one."))
    _check_room(place, actor, story.project)
    _check_limits(limits_of(actor, story.project))
    return _assign(story.pk, actor, story.project)


def _check_room(place: WritingPlaces, actor: User, project: Project) -> None:
    """Raise `Conflict` if the story has enough writers, counting reservations for others as writers."""
    if not lacking_writers(WritingPlaces.objects.filter(pk=place.pk), project.writers_per_story).exists():
        raise Conflict(_("This story already has enough writers."))
    # all writers that the story still needs may have a reservation
    reserved = reserved_for_others(actor, place.story_id).select_related("writer").order_by("pk")
    names = {reservation.writer_id: str(reservation.writer) for reservation in reserved}
    free = project.writers_per_story - place.writers
    if len(names) >= free:
        named = _(", ").join(list(names.values())[:free])
        raise Conflict(_("This story is reserved for %(names)s.") % {"names": named})


def _check_limits(limits: Limits) -> None:
    if limits.reached:
        raise Conflict(describe_limit(limits))


def describe_limit(limits: Limits) -> str:
    """Return a sentence that explains which limit a writer has reached."""
    if limits.has_hands_full:
        return ngettext(
            "You have %(n)d unfinished story, the most this project allows. Finish it or give it back first.",
            "You have %(n)d unfinished stories, the most this project allows. Finish or give back one first.",
            limits.assigned,
        ) % {"n": limits.assigned}
    return _(
        "This project allows %(most)d commonsense items per person. You have written"
        " %(written)d and have %(owed)d left to write; another story would exceed the"
        " limit."
    ) % {"most": limits.most_items, "written": limits.written, "owed": limits.owed}


def describe_no_story(user: User, project: Project) -> str:
    """Return sentences that explain why `take_next_story` has found no story for the user."""
    why = why_no_story(user, project)
    if why.limits.reached:
        return describe_limit(why.limits)
    if not why.stories:
        return _("The project has no stories yet. A manager can import them.")
    if why.free:
        return _("A story just became available. Take it now.")
    start = _("No stories to take.")
    if not (why.theirs or why.given_back or why.kept or why.held_back):
        start = ngettext(
            "No stories to take: each has its %(n)d writer.",
            "No stories to take: each has its %(n)d writers.",
            project.writers_per_story,
        ) % {"n": project.writers_per_story}
    return " ".join([start, *_own_part(why)])


def _own_part(why: NoStory) -> list[str]:
    """Return sentences about the stories that need a writer but are not free for this user.

    Return [] if there are none.
    """
    lines = []
    if why.theirs:
        words = ngettext(
            "You already have the %(n)d story that needs another writer.",
            "You already have the %(n)d stories that need another writer.",
            why.theirs,
        )
        lines.append(words % {"n": why.theirs})
    if why.given_back:
        words = ngettext(
            "%(n)d story still needs a writer, but you gave it back; you can take it again"
            " from the list of stories.",
            "%(n)d stories still need a writer, but you gave them back; you can take them"
            " again from the list of stories.",
            why.given_back,
        )
        lines.append(words % {"n": why.given_back})
    if why.kept:
        words = ngettext(
            "%(n)d story is reserved for another writer.",
            "%(n)d stories are reserved for other writers.",
            why.kept,
        )
        lines.append(words % {"n": why.kept})
    if why.held_back:
        words = ngettext(
            "%(n)d story is held back until a manager assigns it.",
            "%(n)d stories are held back until a manager assigns them.",
            why.held_back,
        )
        lines.append(words % {"n": why.held_back})
    if lines:
        lines.append(_("All others have enough writers."))
    return lines


@transaction.atomic
def name_writers(
    *, actor: User, story: Story, writers: Sequence[User], due_on: date | None = None
) -> list[WritingAssignment]:
    """Assign the story to these writers. Existing assignments stay the same. Only managers may.

    Limits and the number of writers per story do not apply.
    """
    return name_writers_for(
        actor=actor, project=story.project, stories=[story], writers=writers, due_on=due_on
    )


@transaction.atomic
def name_writers_for(
    *,
    actor: User,
    project: Project,
    stories: Sequence[Story],
    writers: Sequence[User],
    due_on: date | None = None,
) -> list[WritingAssignment]:
    """Assign all of these stories to all of these writers.

    Existing assignments stay the same. Only managers may. Raise `Unusable` if a writer may not write in the
    project, or the due date has passed.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    if not stories:
        raise Unusable(_("Select at least one story."), "stories")
    if len(stories) > MOST_NAMED_AT_ONCE:
        raise Unusable(_("At most %(most)d stories at once.") % {"most": MOST_NAMED_AT_ONCE}, "stories")
    if not writers:
        raise Unusable(_("Select at least one writer."), "writers")
    for writer in writers:
        if not may_write(writer, project):
            raise Unusable(_("%(name)s is not a writer in this project.") % {"name": writer}, "writers")
    if due_on is not None and due_on < timezone.localdate():
        raise Unusable(_("This date is in the past."), "due_on")
    places = WritingPlaces.objects.filter(project=project, story__in=stories).order_by("story")
    held_still = [place.story_id for place in places.select_for_update()]
    has = set(
        WritingAssignment.objects.filter(story__in=held_still, given_back_at=None).values_list(
            "story", "writer"
        )
    )
    made = WritingAssignment.objects.bulk_create(
        WritingAssignment(story_id=story, writer=writer, source=AssignmentSource.NAMED, due_on=due_on)
        for story in held_still
        for writer in writers
        if (story, writer.pk) not in has
    )
    for story in stories:
        detail = {"writers": [writer.pk for writer in writers], "due_on": due_on and due_on.isoformat()}
        record_event(actor=actor, verb="name_writers", subject=story, detail=detail)
    return made


@transaction.atomic
def give_back_story(*, actor: User, assignment: WritingAssignment) -> None:
    """End an assignment; its items and drafts remain. Only the writer and managers may."""
    if assignment.writer_id != actor.pk:
        require(has_permission(actor, assignment.story.project, Permission.CHANGE_WRITING))
    assignment = WritingAssignment.objects.select_for_update().get(pk=assignment.pk)
    if assignment.given_back_at is not None:
        raise Hidden(_("This story was already given back."))
    assignment.given_back_at = timezone.now()
    assignment.save(update_fields=["given_back_at"])


@transaction.atomic
def restore_assignment(*, actor: User, assignment: WritingAssignment) -> None:
    """Undo the return of a story: assign it to its former writer with the former due date.

    Only the writer may. Raise `Conflict` if the story has enough writers now, or if the writer now has too
    many stories.
    """
    story = assignment.story
    if assignment.writer_id != actor.pk:
        raise Forbidden(_("Only the writer can undo this."))
    require(may_write(actor, story.project))
    _hold_writer(actor)
    place = WritingPlaces.objects.select_for_update().get(story=story)
    if is_assigned(actor, story):
        return
    _check_room(place, actor, story.project)
    given_back = WritingAssignment.objects.filter(pk=assignment.pk)
    left = story.project.items_per_writer - with_submitted(given_back).get().submitted
    if left > 0:
        _check_limits(replace(limits_of(actor, story.project), per_story=left))
    given_back.update(given_back_at=None)


@transaction.atomic
def take_back_story(*, actor: User, assignment: WritingAssignment) -> None:
    """Delete an assignment that a manager made, as if it had never existed. Only managers may.

    Raise `Conflict` if the writer has begun to write, or has given the story back.
    """
    story = assignment.story
    require(has_permission(actor, story.project, Permission.CHANGE_WRITING))
    # saving a draft does not take this lock, as a draft belongs to its writer, with or without the story
    WritingPlaces.objects.select_for_update().get(story=story)
    held = WritingAssignment.objects.filter(pk=assignment.pk, given_back_at=None)
    of_writer = Q(story=assignment.story_id, writer=assignment.writer_id)
    items = Item.objects.filter(of_writer, created_at__gte=assignment.created_at)
    drafts = ItemDraft.objects.filter(of_writer, updated_at__gte=assignment.created_at)
    if not held.exists() or items.exists() or drafts.exists():
        raise Conflict(_("The writer has begun to work on this story."))
    record_event(actor=actor, verb="take_back_story", subject=story, detail={"writer": assignment.writer_id})
    held.delete()  # assigned by mistake, and not begun


@transaction.atomic
def hold_back_stories(
    *,
    actor: User,
    project: Project,
    stories: Iterable[int],
    is_held_back: bool,
    since: Collection[int] | None = None,
) -> list[tuple[int, int]]:
    """Hold stories back, so that writers cannot take them, or make them available. Only managers may.

    Return (story id, id of the audit event) for each changed story. With `since`, ids of earlier such events,
    change only stories whose last change was one of these events, so that later decisions stay.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    others = WritingPlaces.objects.filter(project=project, story__in=list(stories)).exclude(
        is_held_back=is_held_back
    )
    if since is not None:
        others = others.filter(hold_event__in=since)
    changed = [place.story_id for place in others.order_by("story").select_for_update()]
    if not changed:
        return []
    detail = {"stories": changed, "is_held_back": is_held_back}
    event = record_event(actor=actor, verb="hold_back_stories", subject=project, detail=detail)
    WritingPlaces.objects.filter(story__in=changed).update(is_held_back=is_held_back, hold_event=event)
    return [(story, event.pk) for story in changed]
