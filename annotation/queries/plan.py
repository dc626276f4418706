"""Queries of the types that stories lack according to the targets, and of the type to write next."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, Case, Count, F, Func, QuerySet, Value, When

from accounts.models import User
from annotation.models import Item, Reservation, RevisionType, TypeTarget, WritingPlaces
from annotation.plan import StoryNeed, Suggestion, Target, asked_of, in_order, still_needed, suggest
from annotation.queries.assignment import free_places
from annotation.queries.item import NOT_COUNTED, TypeCount, type_counts
from annotation.queries.pilot import stories_withheld_from
from annotation.queries.reservation import TypeReserved, reserved_types
from projects.models import CommonsenseType, Project
from projects.queries import current_types
from web.cached_counts import COUNTED_ANEW, cached, named

ITEMS_COMPARED: Final = 1_000
"""The number of a writer's newest items that are counted to find the type they have written least."""
STORIES_COMPARED: Final = 200
"""The number of stories that are compared, fewest writers first. The limit bounds the time to take a story.
"""


def targets_of(project: Project) -> dict[int, Target]:
    """Return the targets of the project's current types by type id, in the order of the types."""
    found = TypeTarget.objects.filter(type__project=project, type__retired_at=None)
    rows = found.order_by("type__order", "type__code").values_list("type", "per_story", "share")
    return {kind: Target(per_story, share) for kind, per_story, share in rows}


def has_reservations(project: Project) -> bool:
    """Return whether the project has any reservation. Reservations apply even without targets."""
    return Reservation.objects.filter(story__project=project).exists()


def next_places(project: Project, writer: User) -> QuerySet[WritingPlaces]:
    """Return the rows of the stories that the writer may take, best first.

    Stories reserved for this writer come first, then those with the fewest writers; among equals, those whose
    types suit the writer best.
    """
    free, targets = free_places(project, writer), targets_of(project)
    if not (targets or has_reservations(project)):
        return free
    mine = list(free.filter(story__reservations__writer=writer).distinct().values_list("pk", flat=True))
    compared = list(free.values_list("pk", flat=True)[:STORIES_COMPARED])
    needs = needs_of([*mine, *compared], writer)
    order = in_order(targets, needs, written_by(writer, project))
    reserved = [Case(When(pk__in=mine, then=Value(0)), default=Value(1))] if mine else []
    numbers = Value(order, output_field=ArrayField(BigIntegerField()))
    rank = Func(numbers, F("story"), function="array_position")
    return free.filter(pk__in=order).order_by(*reserved, "writers", rank)


def needs_of(stories: Iterable[int], writer: User) -> dict[int, StoryNeed]:
    """Return a `StoryNeed` of each story for this writer, by story id."""
    wanted = list(dict.fromkeys(stories))
    counts: dict[int, list[TypeCount]] = {story: [] for story in wanted}
    for one in type_counts(wanted, writer):
        counts[one.story].append(one)
    reserved: dict[int, list[TypeReserved]] = {story: [] for story in wanted}
    for each in reserved_types(wanted):
        reserved[each.story].append(each)
    return {story: _need(counts[story], reserved[story], writer.pk) for story in wanted}


def needs_in(project: Project, stories: Iterable[int], writer: User) -> dict[int, StoryNeed]:
    """Return `needs_of` these stories of one project. Without a task that has types, no query is run."""
    return needs_of(stories, writer) if project.has_types else {story: StoryNeed() for story in stories}


def _need(counts: Iterable[TypeCount], reserved: Iterable[TypeReserved], writer: int) -> StoryNeed:
    items, written = Counter[int](), set[tuple[int, int | None]]()
    for one in counts:
        items[one.type] += one.n
        written |= {(one.type, one.writer), (one.type, None)}
    left = [(one.type, one.writer) for one in reserved if (one.type, one.writer) not in written]
    return StoryNeed(
        items,
        mine=frozenset(kind for kind, whose in left if whose == writer),
        open_to_all=frozenset(kind for kind, whose in left if whose is None),
        others=frozenset(kind for kind, whose in left if whose not in (writer, None)),
    )


def written_by(writer: User, project: Project) -> Counter[int]:
    """Return the number of items by type among the user's newest `ITEMS_COMPARED` items in the project."""
    mine = Item.objects.filter(writer=writer, project=project).exclude(current=None)
    newest = mine.exclude(state__in=NOT_COUNTED).order_by("-pk").values("current")[:ITEMS_COMPARED]
    return _by_type(RevisionType.objects.filter(revision__in=newest))


def written_in(project: Project, reader: User) -> Counter[int]:
    """Return the number of the project's items by type.

    Items that a pilot hides from the reader do not count.
    """
    counted = cached(
        named("written:1", project),
        lambda: _by_type(_links(project)),
        is_large=lambda found: found.total() > COUNTED_ANEW,
    )
    hidden = _links(project).filter(revision__item__story__in=stories_withheld_from(reader, project))
    return counted - _by_type(hidden.exclude(revision__item__writer=reader))


def _links(project: Project) -> QuerySet[RevisionType]:
    current = RevisionType.objects.filter(
        revision__item__project=project, revision=F("revision__item__current")
    )
    return current.exclude(revision__item__state__in=NOT_COUNTED)


def _by_type(links: QuerySet[RevisionType]) -> Counter[int]:
    return Counter(dict(links.order_by().values_list("type").annotate(n=Count("pk"))))


class Hint(NamedTuple):
    """The type to write next about a story, the reason, and the type's targets."""

    type: CommonsenseType
    suggestion: Suggestion
    target: Target


def hints(project: Project, needs: Mapping[int, StoryNeed], writer: User) -> Mapping[int, Hint]:
    """Return the type that this writer should write next about each story, by story id.

    Return {} if the project has no types, or neither targets nor reservations.
    """
    targets = targets_of(project)
    if not project.has_types or not (targets or has_reservations(project)):
        return {}
    written = written_by(writer, project)
    # the whole project is counted only if a story needs no type
    covered = any(not asked_of(targets, need) for need in needs.values())
    shared = any(target.share for target in targets.values())
    whole = written_in(project, writer) if covered and shared else Counter[int]()
    kinds = {kind.pk: kind for kind in current_types(project)}
    found: dict[int, Hint] = {}
    for story, need in needs.items():
        if suggestion := suggest(targets, need, written, whole):
            target = targets.get(suggestion.type, Target())
            found[story] = Hint(kinds[suggestion.type], suggestion, target)
    return found


def types_needed(project: Project, needs: Mapping[int, StoryNeed]) -> dict[int, list[CommonsenseType]]:
    """Return the types that each story still needs to meet the targets, by story id.

    Without targets, a story needs one item of each type. If no task of the project has types, none are
    needed.
    """
    if not project.has_types:
        return {story: [] for story in needs}
    kinds = {kind.pk: kind for kind in current_types(project)}
    targets = targets_of(project) or dict.fromkeys(kinds, Target())
    return {story: [kinds[kind] for kind in still_needed(targets, need)] for story, need in needs.items()}
