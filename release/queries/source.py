"""Queries for the items of a release, returned as plain values instead of model instances."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from annotation.content import ItemContent, OptionContent
from annotation.kinds import item_kind
from annotation.models import Option, Revision
from annotation.queries.item import source_id, types_in_order
from corpus.models import Story
from corpus.queries import group_names
from generation.queries.batch import generators_of
from parable.formats.records import ItemRecord
from projects.models import Project
from release.assembly.assembly_items import AssemblyItem
from release.assembly.number_order import ascending
from release.assembly.recipe import Recipe
from release.queries.choice import chosen_items

AT_ONCE: Final = 2000


class _Story(NamedTuple):
    """The values that all items of a story share. `id` is the name of the story's group, if it has one."""

    id: str
    language: str
    genre: str
    title: str
    text: str


class _Row(NamedTuple):
    """An item with the columns of its current revision."""

    item: int
    task: str
    style: str
    ref: str
    story: int
    revision: int
    stem: str
    explanation: str


_COLUMNS: Final = (
    *("pk", "task", "style", "ref", "story", "current"),
    *("current__stem", "current__explanation"),
)
Options = Sequence[tuple[int, OptionContent]]
"""Options in the writer's order, each with its stored position."""


def sources(project: Project, recipe: Recipe, *, only: Collection[int] | None = None) -> list[AssemblyItem]:
    """Return the items that match the recipe, with their keys.

    With `only`, return only these item ids. The rows are read in bulk as plain values: model instances of a
    large release would need more memory than its files.
    """
    items = chosen_items(project, recipe)
    generators, names = generators_of(items), group_names(project)
    told = Story.objects.filter(pk__in=items.order_by().values("story")).values_list(
        "pk", "ref", "language", "genre", "current__title", "current__text"
    )
    stories = {pk: _Story(names.get(pk, ref), *shared) for pk, ref, *shared in told.iterator(AT_ONCE)}
    rows = map(_Row._make, items.values_list(*_COLUMNS).iterator(AT_ONCE))
    taken = (row for row in rows if only is None or row.item in only)
    found: list[AssemblyItem] = []
    while some := list(islice(taken, AT_ONCE)):
        revisions = [row.revision for row in some]
        options, types, own = _options(revisions), _types(revisions), _own(some)
        for row in some:
            content = ItemContent(
                stem=row.stem,
                options=tuple(option for _position, option in options.get(row.revision, ())),
                types=types.get(row.revision, ()),
                explanation=row.explanation,
                own=own.get(row.revision, {}),
            )
            story = stories[row.story]
            record = ItemRecord(
                id=row.ref,
                task=row.task,
                story_id=story.id,
                title=story.title,
                story=story.text,
                question=content.stem,
                **item_kind(row.task).answer_fields(content),
                types=content.types,
                style=row.style,
                generators=generators[row.item],
                explanation=content.explanation or None,
                language=story.language,
                source_id=source_id(row.ref),
            )
            found.append(
                AssemblyItem(
                    handle=row.item,
                    record=record,
                    revision=row.revision,
                    positions=tuple(position for position, _option in options.get(row.revision, ())),
                    genre=story.genre,
                    in_order=ascending(record.choices)
                    if recipe.keep_order and record.answer is not None
                    else (),
                )
            )
    return found


def _options(revisions: Iterable[int]) -> dict[int, Options]:
    rows = Option.objects.filter(revision__in=revisions).order_by("revision", "position")
    found: dict[int, list[tuple[int, OptionContent]]] = {}
    for revision, position, text, is_key, rank in rows.values_list(
        "revision", "position", "text", "is_key", "rank"
    ):
        found.setdefault(revision, []).append((position, OptionContent(text, is_key, rank=rank)))
    return dict(found)


def _types(revisions: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Return the type codes of each revision, in the order in which they were assigned."""
    found: dict[int, tuple[str, ...]] = {}
    links = types_in_order().filter(revision__in=revisions)
    for revision, code in links.values_list("revision", "type__code"):
        found[revision] = (*found.get(revision, ()), code)
    return found


def _own(rows: Iterable[_Row]) -> dict[int, Mapping[str, Any]]:
    """Return the additional data of revisions by id, for tasks that store such data in their own tables."""
    of_task: dict[str, list[int]] = {}
    for row in rows:
        if item_kind(row.task).prefetched:
            of_task.setdefault(row.task, []).append(row.revision)
    found: dict[int, Mapping[str, Any]] = {}
    for task, revisions in of_task.items():
        kind = item_kind(task)
        worded = Revision.objects.filter(pk__in=revisions).prefetch_related(*kind.prefetched)
        found |= {revision.pk: kind.own_of(revision) for revision in worded}
    return found
