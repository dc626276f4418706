"""Queries of items, revisions and their content."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, F, Prefetch, Q, QuerySet, Value
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.check import view_content
from annotation.content import ItemContent, OptionContent, from_json, trim
from annotation.kinds import item_kind
from annotation.models import (
    Item,
    Option,
    Revision,
    RevisionAuthor,
    RevisionType,
    State,
    Transition,
)
from annotation.permissions import may_see_item
from annotation.queries.pilot import visible_to
from core.errors import Hidden
from corpus.models import Story
from corpus.queries import exported_id, has_exported_id, in_units, story_unit, units_of
from parable.formats import CHINESE_LABELS
from parable.formats.limits import MAX_EXPLANATION_CHARS
from parable.kinds import kind_of
from parable.quality.item import ERROR, Finding, ItemSpec, lacks
from parable.reading.differences import Part, word_diff
from projects.models import CommonsenseType, Project
from projects.permissions import Permission, permissions_of
from projects.queries import current_types
from web.rows import Values

GONE: Final = (State.DRAFT, State.WITHDRAWN, State.REJECTED)
NOT_COUNTED: Final = (*GONE, State.RETIRED)
"""The states in which an item does not count for the types of its story."""
STOPPED: Final = (State.WITHDRAWN, State.REJECTED)
"""The states in which an item does not count for the number of items of its story."""


def items(project: Project) -> QuerySet[Item]:
    """Return the project's items with story, writer and current wording prefetched."""
    return items_of([project])


def items_of(projects: Iterable[Project]) -> QuerySet[Item]:
    """Return the items of several projects with story, writer and current wording prefetched."""
    return (
        Item.objects.filter(project__in=list(projects))
        .select_related("story__current", "writer", "current")
        .prefetch_related("current__types", Prefetch("current__options", Option.objects.order_by("position")))
    )


def get_item(*, user: User, project: Project, pk: int) -> Item:
    """Return an item with its key. Raise `Hidden` if there is none, or if the user may not see its key."""
    item = items(project).filter(pk=pk).first()
    if item is None or not may_see_item(user, item):
        raise Hidden(_("Item not found."))
    return item


def get_seen(*, user: User, project: Project, pk: int) -> Item:
    """Return an item without its wording, by one statement. Raise `Hidden` like `get_item`."""
    item = items_seen_by(user, project).filter(pk=pk).first()
    if item is None:
        raise Hidden(_("Item not found."))
    item.project = project
    return item


MADE_REF: Final = re.compile("row-[0-9a-f]{16}")
"""The id that an import generates for a row without an id: a hash of its texts."""


def source_id(ref: str) -> str:
    """Return the id that the imported file gave an item, or "" if the import generated the id.

    Generated ids are not published with a release.
    """
    return "" if MADE_REF.fullmatch(ref) else ref


def types_in_order() -> QuerySet[RevisionType]:
    """Return the types of revisions as `RevisionType` rows, in the order that writers chose."""
    return RevisionType.objects.select_related("type").order_by("pk")


def revision_content(revision: Revision, task: str = "") -> ItemContent:
    """Return a revision's content, with options in the writer's order.

    `task` is the item's task, if the caller knows it.
    """
    options = sorted(revision.options.all(), key=lambda option: option.position)
    return ItemContent(
        stem=revision.stem,
        options=tuple(OptionContent(option.text, option.is_key, rank=option.rank) for option in options),
        types=tuple(kind.code for kind in revision.types.all()),
        explanation=revision.explanation,
        answered_warnings=revision.answered_warnings,
        own=item_kind(task or revision.item.task).own_of(revision),
    )


class Change(NamedTuple):
    """One changed part of an item, such as `stem`, `option` (with its number), `key` or `explanation`."""

    place: str
    number: int
    parts: list[Part]


def wording_changes(before: ItemContent, after: ItemContent, task: str) -> list[Change]:
    """Return the differences between two wordings of an item, in the order of the form.

    If the new text is far longer than the old one, only its beginning is compared.
    """
    return [
        Change(place, number, word_diff(old, new[: max(2 * len(old), MAX_EXPLANATION_CHARS)]))
        for place, number, old, new in item_kind(task).compared(before, after)
        if old != new
    ]


def number_of_options(project: Project, task: str) -> int:
    """Return the number of options in the form.

    Some tasks fix it; otherwise it is that of the project.
    """
    return len(shared_options(project, task)) or project.options_per_item


def shared_options(project: Project, task: str) -> tuple[str, ...]:
    """Return the options that all items of the task share, in the project's language.

    Return () if each item has its own options.
    """
    return kind_of(task).options.get(project.language, ())


def spec_of(project: Project, types: Iterable[CommonsenseType] | None = None) -> ItemSpec:
    """Return the project's requirements for items. `types`: its current types, if the caller knows them."""
    kinds = current_types(project) if types is None else types
    return ItemSpec(project.options_per_item, frozenset(kind.code for kind in kinds))


def lacking(content: ItemContent, *, task: str, spec: ItemSpec, story: str) -> tuple[Finding, ...]:
    """Return the errors that prevent this content from being submitted, in the order of the form."""
    trimmed = trim(content)
    view = view_content(trimmed, task=task, language="", spec=spec, story=story)
    own = [finding for finding in item_kind(task).find(view, trimmed) if finding.severity == ERROR]
    return (*lacks(view), *own)


def present_words(item: Item) -> ItemContent:
    """Return the content of the newest revision or, if there is none, of the imported draft."""
    if item.current is not None:
        return revision_content(item.current, item.task)
    imported = item.drafts.filter(deleted_at=None).order_by("pk").first()
    return from_json(imported.content if imported else None)


def items_by_ref(project: Project, refs: Collection[str]) -> dict[tuple[str, str], int]:
    """Return the ids of the project's items with these ids in exports, by task and that id."""
    found = Item.objects.filter(has_exported_id(refs), project=project).only("pk", "task", "ref")
    return {(item.task, exported_id(item)): item.pk for item in found}


def my_items(user: User, project: Project) -> QuerySet[Item]:
    """Return the items this user wrote, newest first."""
    return items(project).filter(writer=user).order_by("-pk")


def returned_to(user: User, project: Project) -> QuerySet[Item]:
    """Return this writer's returned items, newest first.

    `returns` of an item are its transitions to the state `returned`.
    """
    moves = Transition.objects.filter(to_state=State.RETURNED).select_related("actor").order_by("-pk")
    return (
        my_items(user, project)
        .filter(state=State.RETURNED)
        .prefetch_related(Prefetch("transitions", moves, to_attr="returns"))
    )


def written_on(user: User, story: Story, task: str) -> QuerySet[Item]:
    """Return this user's items of a task about a story, oldest first. Withdrawn items are left out."""
    return (
        Item.objects.filter(writer=user, story=story, task=task)
        .exclude(state=State.WITHDRAWN)
        .select_related("current")
        .order_by("pk")
    )


def items_seen_by(user: User, project: Project) -> QuerySet[Item]:
    """Return the items of the project that this user may see.

    Without permission to see all items, these are the user's own.
    """
    return Item.objects.filter(is_seen_by(user, [project]), project=project)


def is_seen_by(user: User, projects: Sequence[Project]) -> Q:
    """Return the condition of `items_seen_by` as a `Q` on the items of several projects."""
    seen = [one.pk for one in projects if Permission.SEE_ITEMS in permissions_of(user, one)]
    if len(seen) == len(projects):
        return Q()
    return Q(project__in=seen) | Q(writer=user) | Q(pk__in=RevisionAuthor.objects.items_by(user))


def find_items(*, user: User, project: Project) -> QuerySet[Item]:
    """Return the items that this user may see, newest first.

    The relations that lists need are prefetched.
    """
    seen = items_seen_by(user, project).values("pk")
    return items(project).filter(pk__in=seen).prefetch_related("drafts").order_by("-pk")


def listed(found: QuerySet[Item]) -> QuerySet[Item, Values]:
    """Return items as the values that a list shows; `captions_of` has the stems of a page of them.

    No other table is joined: for the last pages, the planner would read all rows of the joined tables.
    """
    rows: QuerySet[Item, Values] = found.values(
        *("id", "ref", "story", "task", "style", "state", "writer", "current"),
        *("offered_at", "created_at", "changed_at"),
    )
    return rows


class Caption(NamedTuple):
    """What a list shows of a revision: its number, its stem, and the codes of its types."""

    number: int
    stem: str
    types: list[str]


def captions_of(revisions: Collection[int]) -> dict[int, Caption]:
    """Return what a list shows of these revisions, by id. Types are in the order that writers chose."""
    types = ArrayAgg(
        "type_links__type__code",
        filter=Q(type_links__isnull=False),
        order_by="type_links__pk",
        default=Value([]),
    )
    found = Revision.objects.filter(pk__in=revisions).order_by().annotate(codes=types)
    return {
        pk: Caption(number, stem, codes)
        for pk, number, stem, codes in found.values_list("pk", "number", "stem", "codes")
    }


def typed(project: Project, kinds: Iterable[str]) -> QuerySet[RevisionType, int]:
    """Return the ids of the project's revisions with one of these commonsense types."""
    # filter by ids of types: with a join, the planner expects one row, and its plan takes seconds
    named = CommonsenseType.objects.filter(project=project, code__in=list(kinds))
    links = RevisionType.objects.filter(type__in=list(named.values_list("pk", flat=True)))
    return links.values_list("revision", flat=True)


def item_writers(project: Project) -> QuerySet[User]:
    """Return all users who have written an item of the project."""
    return User.objects.filter(pk__in=Item.objects.filter(project=project).values("writer")).order_by("name")


class TypeCount(NamedTuple):
    """The number of items of a type that one writer has written about a story."""

    story: int
    type: int
    writer: int
    n: int


def type_counts(stories: Iterable[int], reader: User) -> list[TypeCount]:
    """Return the number of items by story, type and writer.

    All wordings of a story count as one story. Items of other writers that a running pilot hides from the
    reader do not count.
    """
    wanted: dict[int, list[int]] = {}
    for story, unit in units_of(stories).items():
        wanted.setdefault(unit, []).append(story)
    links = (
        RevisionType.objects.filter(in_units(wanted, "revision__item__story"))
        .filter(visible_to(reader, "revision__item"), revision=F("revision__item__current"))
        .exclude(revision__item__state__in=NOT_COUNTED)
        .order_by()
        .values_list(story_unit("revision__item__story"), "type", "revision__item__writer")
    )
    counted = links.annotate(n=Count("pk"))
    return [TypeCount(story, *row) for unit, *row in counted for story in wanted[unit]]


def story_was_reworded(item: Item) -> bool:
    """Return whether the story has been reworded since the item's current wording was written."""
    return bool(item.current and item.story.current_id != item.current.story_revision_id)


def states(project: Project) -> dict[str, int]:
    """Return the number of items in each state."""
    counted = Item.objects.filter(project=project).values("state").annotate(n=Count("pk"))
    return {row["state"]: row["n"] for row in counted}


def by_story(project: Project) -> QuerySet[Story]:
    """Return the project's stories with their numbers of items, writers and verified items."""
    live = ~Q(items__state__in=STOPPED)
    return (
        Story.objects.filter(project=project)
        .select_related("current")
        .annotate(
            item_count=Count("items", filter=live, distinct=True),
            verified_count=Count("items", filter=Q(items__state=State.VERIFIED), distinct=True),
            writer_count=Count("assignments", filter=Q(assignments__given_back_at=None), distinct=True),
        )
        .order_by(F("pk"))
    )


def type_codes(project: Project) -> dict[str, str]:
    """Return the codes of the project's commonsense types, by each name that files may use for a type."""
    kinds = list(current_types(project))
    published = {label: code for code, label in CHINESE_LABELS.items() if code in {k.code for k in kinds}}
    names = {name: kind.code for kind in kinds for name in (kind.name_zh, kind.name_en)}
    return published | names | {kind.code: kind.code for kind in kinds}
