"""Services that search for similar stories, and record which of them are wordings of the same story."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Hidden, Unusable, require
from corpus.models import SimilarPair, Story, StoryGroup
from corpus.queries import SEARCH
from jobs.models import Job
from jobs.services import order_job
from parable.formats.records import StoryRecord
from parable.quality.story_groups import similar_stories
from projects.models import Project
from projects.permissions import Permission, has_permission


def order_search(*, actor: User, project: Project) -> Job:
    """Order a search for similar stories. If a search is already waiting, return its job.

    If one is running, another is ordered, so that stories added since its start are compared, too.
    """
    require(has_permission(actor, project, Permission.CHANGE_STORIES))
    return order_job(actor=actor, project=project, kind=SEARCH, subject=project.pk, again=True)


def find_similar(*, project_id: int) -> int:
    """Compare all stories of the project and save the similar pairs; return the number of stories.

    May be called twice.
    """
    rows = Story.objects.filter(project=project_id).order_by("pk")
    stories = list(rows.values_list("pk", "current__title", "current__text"))
    pairs = similar_stories(
        [title or "" for _pk, title, _text in stories], [text or "" for _pk, _title, text in stories]
    )
    with transaction.atomic():
        _lock(project_id)
        # the pairs of the last search
        SimilarPair.objects.filter(project=project_id, rejected_at=None).delete()
        SimilarPair.objects.bulk_create(
            (
                SimilarPair(
                    project_id=project_id,
                    first_id=stories[pair.first][0],
                    second_id=stories[pair.second][0],
                    similarity=pair.similarity,
                    same_title=pair.same_title,
                )
                for pair in pairs
            ),
            ignore_conflicts=True,  # pairs that a manager decided are different remain
        )
    return len(stories)


def suspected_stories(project: Project, wanted: Sequence[StoryRecord]) -> dict[int, str]:
    """Return the indexes of new stories that resemble another story, with the other story's title.

    They are indexes in `wanted`. The other story is the most similar one, in the project or earlier in
    `wanted`.
    """
    known = list(
        Story.objects.filter(project=project).order_by("pk").values_list("current__title", "current__text")
    )
    texts = [(title or "", text or "") for title, text in known] + [(new.title, new.text) for new in wanted]
    found: dict[int, str] = {}
    for pair in similar_stories([title for title, _text in texts], [text for _title, text in texts]):
        if pair.second >= len(known):
            found.setdefault(pair.second - len(known), texts[pair.first][0])
    return found


@transaction.atomic
def confirm_group(
    *, actor: User, project: Project, stories: Collection[int], others: Collection[int] = ()
) -> StoryGroup:
    """Confirm that these stories are wordings of the same story, and that `others` are not.

    Existing groups of `stories` are merged, and `others` leave them. Raises `Unusable` for fewer than two
    stories, `Hidden` for stories of another project.
    """
    chosen, rest = _held(actor, project, stories), _held(actor, project, set(others) - set(stories))
    if len(chosen) < 2:
        raise Unusable(_("Select at least two stories of the group."))
    of_them = {story.group_id for story in chosen if story.group_id}
    _leave([story.pk for story in rest if story.group_id in of_them])
    group = StoryGroup.objects.filter(pk__in=of_them).order_by("pk").first()
    if group is None:
        group = StoryGroup(project=project)
    group.confirmed_by = actor
    group.save()
    members = Story.objects.filter(Q(group__in=of_them) | Q(pk__in=[story.pk for story in chosen]))
    members.update(group=group)
    _drop_small(project)
    numbers = list(Story.objects.filter(group=group).order_by("pk").values_list("pk", flat=True))
    _between(project, numbers, numbers).update(rejected_by=None, rejected_at=None)
    _reject(actor, _between(project, numbers, [story.pk for story in rest]))
    record_event(actor=actor, verb="confirm_story_group", subject=group, detail={"stories": numbers})
    return group


Rejection = tuple[int, int, int | None, str | None]
"""The ids of the two stories of a pair, and the user and time of its rejection (None, None without)."""


class Regrouped(NamedTuple):
    """A story that a decision moved from one group to another. Can be stored as JSON.

    `before` and `after` are ids of groups, or None. `pairs` are the pairs whose rejection changed, with their
    former values.
    """

    story: int
    before: int | None
    after: int | None
    pairs: list[Rejection]


@transaction.atomic
def regroup_stories(
    *, actor: User, project: Project, stories: Collection[int], others: Collection[int] = ()
) -> list[Regrouped]:
    """Confirm a group like `confirm_group`; return the changes, for `undo_regrouping`."""
    about = [story.pk for story in _held(actor, project, {*stories, *others})]
    # the ids of the groups of these stories; their other stories may be moved, too
    groups = {group for group in _groups_of(project, about).values() if group is not None}
    around = Story.objects.filter(Q(pk__in=about) | Q(group__in=groups), project=project).order_by("pk")
    before = dict(around.values_list("pk", "group"))
    pairs = _between(project, list(before), list(before))
    were = {pair.pk: pair for pair in pairs.order_by("pk")}
    confirm_group(actor=actor, project=project, stories=stories, others=others)
    after = _groups_of(project, before)
    decided: dict[int, list[Rejection]] = {}
    for pair in pairs.order_by("pk"):
        was = were[pair.pk]
        if was.rejected_at != pair.rejected_at:
            at = was.rejected_at.isoformat() if was.rejected_at else None
            ends = (pair.first_id, pair.second_id)
            moved = next((end for end in ends if before[end] != after[end]), ends[0])
            decided.setdefault(moved, []).append((*ends, was.rejected_by_id, at))
    return [
        Regrouped(story, group, after[story], decided.get(story, []))
        for story, group in before.items()
        if group != after[story] or story in decided
    ]


@transaction.atomic
def undo_regrouping(*, actor: User, project: Project, made: Collection[Regrouped]) -> list[int]:
    """Move stories back to their former groups; return the ids of the moved stories.

    A story whose group has changed since then is not moved, and decisions about it are not undone.
    """
    require(has_permission(actor, project, Permission.CHANGE_STORIES))
    _lock(project.pk)
    now = _groups_of(project, [one.story for one in made])
    back = [one for one in made if one.story in now and now[one.story] == one.after]
    former = {one.before for one in back if one.before is not None}
    gone = former - set(StoryGroup.objects.filter(pk__in=former).values_list("pk", flat=True))
    StoryGroup.objects.bulk_create(  # with their former ids
        StoryGroup(pk=group, project=project, confirmed_by=actor) for group in sorted(gone)
    )
    for one in back:
        Story.objects.filter(pk=one.story).update(group=one.before)
    _drop_small(project)
    left = now.keys() - {one.story for one in back}
    for one in back:
        for first, second, by, at in one.pairs:
            pair = SimilarPair.objects.filter(project=project, first=first, second=second)
            untouched = pair.exclude(Q(first__in=left) | Q(second__in=left))
            untouched.update(rejected_by=by, rejected_at=at and datetime.fromisoformat(at))
    numbers = sorted(one.story for one in back)
    record_event(actor=actor, verb="undo_story_group", subject=project, detail={"stories": numbers})
    return numbers


def _groups_of(project: Project, stories: Iterable[int]) -> dict[int, int | None]:
    found = Story.objects.filter(project=project, pk__in=list(stories)).order_by("pk")
    return dict(found.values_list("pk", "group"))


@transaction.atomic
def reject_group(*, actor: User, project: Project, stories: Collection[int]) -> None:
    """Record that these stories are different, so that no search suggests them as a group again.

    Pairs inside a confirmed group are unchanged.
    """
    held = [story.pk for story in _held(actor, project, stories)]
    one_group = Q(first__group__isnull=False, first__group=F("second__group"))
    _reject(actor, _between(project, held, held).filter(~one_group))
    record_event(actor=actor, verb="reject_story_group", subject=project, detail={"stories": held})


@transaction.atomic
def split_group(*, actor: User, project: Project, group: int) -> None:
    """Dissolve a confirmed group, so that each of its stories counts separately.

    Raises `Hidden` if the project has no such group.
    """
    require(has_permission(actor, project, Permission.CHANGE_STORIES))
    _lock(project.pk)
    members = list(Story.objects.filter(project=project, group=group).values_list("pk", flat=True))
    if not members:
        raise Hidden(_("Story group not found."))
    _leave(members)
    _drop_small(project)
    reject_group(actor=actor, project=project, stories=members)


@transaction.atomic
def reopen_pair(*, actor: User, project: Project, pair: int) -> None:
    """Undo the decision that two stories are different, so that they may be suggested as a group again.

    Does nothing if the pair no longer exists.
    """
    require(has_permission(actor, project, Permission.CHANGE_STORIES))
    _lock(project.pk)
    found = SimilarPair.objects.filter(project=project, pk=pair)
    found.update(rejected_by=None, rejected_at=None)
    record_event(actor=actor, verb="reopen_story_pair", subject=project, detail={"pair": pair})


def _lock(project_id: int) -> None:
    Project.objects.select_for_update(no_key=True).get(pk=project_id)


def _held(actor: User, project: Project, stories: Collection[int]) -> list[Story]:
    """Lock the project's groups and return these stories. Raise `Hidden` if one is not in the project."""
    require(has_permission(actor, project, Permission.CHANGE_STORIES))
    _lock(project.pk)
    found = list(Story.objects.filter(project=project, pk__in=stories).order_by("pk"))
    if len(found) < len(set(stories)):
        raise Hidden(_("Story not found."))
    return found


def _between(project: Project, some: Sequence[int], others: Sequence[int]) -> "QuerySet[SimilarPair, Any]":
    """Return the pairs that have one story in `some` and the other in `others`."""
    either = Q(first__in=some, second__in=others) | Q(first__in=others, second__in=some)
    return SimilarPair.objects.filter(either, project=project)


def _reject(actor: User, pairs: "QuerySet[SimilarPair, Any]") -> None:
    pairs.filter(rejected_at=None).update(rejected_by=actor, rejected_at=timezone.now())


def _leave(stories: Collection[int]) -> None:
    Story.objects.filter(pk__in=stories).update(group=None)


def _drop_small(project: Project) -> None:
    """Delete the groups with fewer than two stories."""
    counted = StoryGroup.objects.filter(project=project).alias(n=Count("stories"))
    counted.filter(n__lt=2).delete()  # no group any more
