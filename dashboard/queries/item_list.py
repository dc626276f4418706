"""Queries of the list of items, with its columns and filters."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.kinds import task_choices
from annotation.models import Item, State, Style
from annotation.queries.assignment import WITH_WRITER
from annotation.queries.item import item_writers, items_seen_by, typed
from annotation.queries.search import KEY, OPTIONS, STEM, WORDS, all_keys_known, holding
from core.numbers import whole_number
from corpus.models import Story
from dashboard.models import Verb
from dashboard.queries.overview import fell_for
from dashboard.queries.pace import DONE, REVIEWED, SUBMITTED, VERIFIED, start_of, work_rows
from projects.models import CommonsenseType, Project
from release.queries.release import items_released_as
from review.models import Flaw, RequestState, ReviewRequest, Stage
from review.queries import STATE_OF
from review.queries.blocked import blocked_in_project
from review.queries.item import without_those_to_solve
from web.long_list import Asked, Column, Filter, Listing, day

ITEMS: Final = "items"
ANY_STAGE: Final = "any"
"""The value of the filter `blocked` for items that no one can take in whatever stage."""

AGES: Final = {"1": -1, "7": -7, "30": -30, "older7": 7, "older30": 30}
"""Filters by the number of days since the last change.

A negative number selects items changed in these last days, a positive number items unchanged for longer.
"""


def items_listing(project: Project, *, sees_all: bool, kinds: Iterable[CommonsenseType]) -> Listing:
    """Return the columns and filters of the list of items.

    With `sees_all`, include those for users who may see all items.
    """
    language = get_language() or ""
    writer = Column("writer", _("Writer"), ("writer__name", "-pk"))
    blind = Column("blind", _("Blind answers"))
    people = [(str(person.pk), str(person)) for person in item_writers(project)] if sees_all else []
    return Listing(
        ITEMS,
        columns=(
            Column("item", _("Item"), ("pk",), always=True),
            Column("story", _("Story"), ("story__current__title", "pk"), complete=True),
            Column("task", _("Task"), ("task", "pk")),
            *((writer,) if sees_all else ()),
            Column("state", _("State"), ("state", "pk")),
            *((blind,) if sees_all else ()),
            Column("changed", _("Updated"), ("changed_at", "pk"), number=True),
            Column("number", _("ID"), ("pk",), shown=False, number=True),
            Column("revision", _("Revision"), shown=False, number=True),
            *((Column("key", _("All keys"), shown=False),) if sees_all else ()),
        ),
        filters=(
            Filter("state", _("State"), tuple(State.choices)),
            Filter("task", _("Task"), tuple(task_choices())),
            Filter("style", _("Style"), tuple(Style.choices)),
            Filter("kind", _("Type"), tuple((kind.code, kind.name_in(language)) for kind in kinds)),
            *((Filter("writer", _("Writer"), tuple(people)),) if people else ()),
            Filter("changed", _("Updated"), (
                ("1", _("last 24 hours")), ("7", _("last 7 days")), ("30", _("last 30 days")),
                ("older7", _("more than 7 days ago")), ("older30", _("more than 30 days ago")),
            ), several=False),
            Filter("story", _("Story"), several=False),
            *(linked_filters(project) if sees_all else ()),
        ),
        sort="-changed",
        scopes=(
            (STEM, _("Stem")),
            (OPTIONS, _("Options")),
            *(((KEY, _("Correct option (keys you know)")),) if sees_all else ()),
        ),
    )  # fmt: skip


def linked_filters(project: Project) -> tuple[Filter, ...]:
    """Return the filters that only links from managers' pages can set."""
    works = (
        (SUBMITTED, _("Submitted")), (REVIEWED, _("Reviewed")), (VERIFIED, _("Verified")), *Stage.choices,
    )  # fmt: skip
    return (
        Filter("of", _("Story"), several=False, linked=True, named=partial(_story_name, project)),
        Filter("reviewer", _("Reviewer"), several=False, linked=True, named=partial(_person_name, project)),
        Filter("flaw", _("Flaw"), tuple(Flaw.choices), several=False, linked=True),
        Filter("done", _("Work"), works, several=False, linked=True),
        Filter("by", _("Person"), several=False, linked=True, named=partial(_person_name, project)),
        Filter("since", _("From"), several=False, linked=True),
        Filter("until", _("To"), several=False, linked=True),
        Filter(
            "blocked",
            _("Blocked: no one can take it"),
            ((ANY_STAGE, _("all stages")), *Stage.choices),
            several=False,
            linked=True,
        ),
    )


def _person_name(project: Project, pk: str) -> str:
    person = User.objects.filter(pk=whole_number(pk) or 0, memberships__project=project).first()
    return str(person) if person else gettext("not a member of this project")


def _story_name(project: Project, pk: str) -> str:
    story = Story.objects.filter(pk=whole_number(pk) or 0, project=project).select_related("current").first()
    return str(story) if story else gettext("not a story of this project")


def _linked(user: User, project: Project, found: QuerySet[Item], asked: Asked) -> QuerySet[Item]:
    """Return the items that also pass the filters of `linked_filters`."""
    if story := asked.one("of"):
        found = found.filter(story=whole_number(story) or 0)
    if reviewer := asked.one("reviewer"):
        judged, _when, person = work_rows(REVIEWED)
        found = found.filter(
            Exists(judged.filter(item=OuterRef("pk"), **{person: whole_number(reviewer) or 0}))
        )
    if flaw := asked.one("flaw"):
        fell = fell_for(flaw).filter(item=OuterRef("pk"))
        found = without_those_to_solve(user, project, found.filter(Exists(fell)))
    if (work := asked.one("done")) in DONE:
        rows, when, person = work_rows(work)
        only: dict[str, object] = {person: whole_number(by) or 0} if (by := asked.one("by")) else {}
        for end, name, later in (("gte", "since", 0), ("lt", "until", 1)):
            if found_day := day(asked.one(name)):
                only[f"{when}__{end}"] = start_of(found_day + timedelta(days=later))
        found = found.filter(Exists(rows.filter(item=OuterRef("pk"), **only)))
    if (where := asked.one("blocked")) in (ANY_STAGE, *Stage):
        stages = Stage if where == ANY_STAGE else (Stage(where),)
        found = found.filter(pk__in=blocked_in_project(project, stages).values("item"))
    return found


def items_asked(user: User, project: Project, asked: Asked) -> QuerySet[Item]:
    """Return the items that match the list's query string and that this user may see.

    A search of keys covers only the keys that this user has seen, so that its results reveal no other key.
    """
    found = items_seen_by(user, project)
    for name, path in (("state", "state"), ("task", "task"), ("style", "style"), ("writer", "writer")):
        if values := asked.values.get(name):
            found = found.filter(**{f"{path}__in": values})
    if kinds := asked.values.get("kind"):
        found = found.filter(current__in=typed(project, kinds))
    found = _linked(user, project, found, asked)
    if story := asked.one("story"):
        found = found.filter(Q(story__ref=story) | Q(story__current__title__icontains=story))
    if days := AGES.get(asked.one("changed")):
        since = timezone.now() - timedelta(days=abs(days))
        found = found.filter(Q(changed_at__gte=since) if days < 0 else Q(changed_at__lt=since))
    if asked.q and asked.scope == KEY:
        found = found.filter(all_keys_known(user))
    if not asked.q:
        return found
    if asked.scope == WORDS and (released := items_released_as(user, [project], asked.q)):
        return found.filter(pk__in=released)
    return found.filter(holding(asked.terms, asked.scope))


def shows_keys(asked: Asked) -> bool:
    """Return whether the list shows the column of keys."""
    return "key" in asked.columns


_IN_QUEUE: Final = tuple(state.value for state in STATE_OF.values())
STATES: Final[dict[str, tuple[str, ...]]] = {
    Verb.RETURN: (State.VERIFIED,),
    Verb.SEND_BACK: _IN_QUEUE,
    Verb.FIRST: _IN_QUEUE,
    Verb.NORMAL: _IN_QUEUE,
    Verb.ASSIGN: WITH_WRITER,
    Verb.RETIRE: (State.VERIFIED,),
}
"""For each bulk action, the states of the items to which it can be applied."""


def items_able(project: Project, verb: str) -> QuerySet[Item]:
    """Return the items to which this bulk action can be applied."""
    found = Item.objects.filter(project=project, state__in=STATES[verb])
    if verb == Verb.SEND_BACK:
        found = found.exclude(Exists(claimed_of(OuterRef("pk"))))
    return found


def claimed_of(item: int | OuterRef) -> QuerySet[ReviewRequest]:
    """Return the claimed review requests of an item."""
    return ReviewRequest.objects.filter(item=item, state=RequestState.CLAIMED)
