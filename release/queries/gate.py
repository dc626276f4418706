"""Queries for unreleased items, for the parts that the gates check separately, and for stored results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.kinds import item_kind
from annotation.models import Item, Revision, State, Style, Transition
from annotation.queries.item import items as items_of
from annotation.queries.item import revision_content
from core.invariants import present
from corpus.models import Story
from corpus.queries import group_names, rights_of, what_is_grouped
from parable.formats.records import ItemRecord
from parable.quality.gates import GATES, Gate, ItemSet
from parable.quality.gates.base import ALL, STYLE, WRITER
from parable.quality.slices.whole import Known
from projects.models import CommonsenseType, Project
from release.models import GateCheck, GateSlice, Release, ReleaseItem, ReleaseState
from web.cached_counts import COUNTED_ANEW, cached, named

GATE_CHECK: Final = "check_gates"
"""The kind of the jobs that run the gates on a project's unreleased items."""

GATE_SLICE: Final = "check_gate_slice"
"""The kind of the jobs that read a slice of these items for the gates."""
_AT_ONCE: Final = 2_000

FEWEST_OF_A_WRITER: Final = 20
"""A writer with fewer items gets no results, because these would say nothing about the writer."""

ON_THEIR_WAY: Final = (
    State.IN_REVIEW,
    State.IN_VERIFICATION,
    State.IN_ADJUDICATION,
    State.RETURNED,
    State.VERIFIED,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the unreleased items: all items, items of one `style`, or items of one writer (`user`)."""

    kind: str
    items: ItemSet
    style: str = ""
    user: int | None = None

    @property
    def gates(self) -> Sequence[Gate]:
        """The gates that apply to parts of this kind."""
        return tuple(gate for gate in GATES.values() if self.kind in gate.parts)


def unreleased_items(project: Project) -> QuerySet[Item]:
    """Return the submitted items that are in no ready release and are in a state of `ON_THEIR_WAY`."""
    released = ReleaseItem.objects.filter(item=OuterRef("pk"), release__state=ReleaseState.READY)
    return (
        items_of(project)
        .filter(~Exists(released), state__in=ON_THEIR_WAY, current__isnull=False)
        .order_by("pk")
    )


def count_unreleased(project: Project) -> int:
    """Return the number of unreleased items; large counts are cached for a minute."""
    return cached(
        named("unreleased:1", project),
        unreleased_items(project).order_by().count,
        is_large=lambda n: n > COUNTED_ANEW,
    )


def bounds(project: Project, most: int) -> list[tuple[int, int]]:
    """Return the first and last primary key of each slice of at most so many unreleased items."""
    keys = unreleased_items(project).values_list("pk", flat=True)
    found: list[tuple[int, int]] = []
    first, last, many = 0, 0, 0
    for key in keys.iterator(_AT_ONCE):
        if many == most:
            found.append((first, last))
            many = 0
        first = first if many else key
        last, many = key, many + 1
    return [*found, (first, last)] if many else found


def records_between(project: Project, first: int, last: int) -> Iterator[list[ItemRecord]]:
    """Yield the unreleased items between two primary keys, some at a time; their ids are primary keys."""
    names = group_names(project)
    rows = unreleased_items(project).filter(pk__lte=last)
    while some := list(rows.filter(pk__gte=first)[:_AT_ONCE]):
        yield [_record(item, names.get(item.story_id, item.story.ref)) for item in some]
        first = some[-1].pk + 1


def writers_of(project: Project) -> list[int]:
    """Return the writers who have enough unreleased items to be checked."""
    many = unreleased_items(project).order_by().values("writer_id").annotate(many=Count("pk"))
    return sorted(many.filter(many__gte=FEWEST_OF_A_WRITER).values_list("writer_id", flat=True))


def part_of(project: Project, writer: int) -> Part:
    """Return the unreleased items of one writer as a part."""
    names = group_names(project)
    items = unreleased_items(project).filter(writer=writer)
    records = tuple(_record(item, names.get(item.story_id, item.story.ref)) for item in items)
    return Part(WRITER, _foreign(records, frozenset({project.moral_stem})), user=writer)


def known_of(project: Project) -> Known:
    """Return what the gates know of all unreleased items besides these."""
    kinds = CommonsenseType.objects.filter(project=project).values_list("code", flat=True)
    stories = Story.objects.filter(pk__in=unreleased_items(project).values("story"))
    return Known(rights_of(stories, group_names(project)), tuple(sorted(kinds)), suspected={})


def gate_slices(project: Project) -> QuerySet[GateSlice]:
    """Return the slices of the check in progress, if its items are checked in slices."""
    return GateSlice.objects.filter(project=project)


def progress_of_slices(project: Project) -> tuple[int, int]:
    """Return how many slices of the check in progress are done, and how many there are."""
    found = gate_slices(project).aggregate(all=Count("pk"), open=Count("pk", filter=Q(states={})))
    return found["all"] - found["open"], found["all"]


def parts(project: Project) -> list[Part]:
    """Return all unreleased items as one part, followed by a part for each style and for each writer.

    The ids of the records are primary keys. Writers with fewer than `FEWEST_OF_A_WRITER` items are omitted.
    """
    names = group_names(project)
    rows = [
        (item.style, item.writer_id, _record(item, names.get(item.story_id, item.story.ref)))
        for item in unreleased_items(project)
    ]
    whole = tuple(record for _style, _writer, record in rows)
    if not whole:
        return []
    kinds = CommonsenseType.objects.filter(project=project).values_list("code", flat=True)
    stems = frozenset({project.moral_stem})
    rights = rights_of(Story.objects.filter(pk__in=unreleased_items(project).values("story")), names)
    found = [Part(ALL, ItemSet(whole, rights, stems, tuple(sorted(kinds)), is_foreign=True))]
    for style in Style.values:
        chosen = tuple(record for of_style, _writer, record in rows if of_style == style)
        if chosen and len(chosen) < len(whole):
            found.append(Part(STYLE, _foreign(chosen, stems), style=style))
    by_writer: dict[int, list[ItemRecord]] = {}
    for _style, writer, record in rows:
        by_writer.setdefault(writer, []).append(record)
    return found + [
        Part(WRITER, _foreign(tuple(records), stems), user=writer)
        for writer, records in sorted(by_writer.items())
        if len(records) >= FEWEST_OF_A_WRITER
    ]


def _foreign(items: tuple[ItemRecord, ...], stems: frozenset[str]) -> ItemSet:
    """Return an item set without rights and types. The options are in the writers' order."""
    return ItemSet(items, standard_stems=stems, is_foreign=True)


def _record(item: Item, story: str) -> ItemRecord:
    revision = present(item.current, "only drafts lack a revision")
    wording = present(item.story.current, "every story has a first revision")
    content = revision_content(revision, item.task)
    return ItemRecord(
        id=str(item.pk),
        task=item.task,
        story_id=story,
        title=wording.title,
        story=wording.text,
        question=revision.stem,
        **item_kind(item.task).answer_fields(content),
        types=tuple(kind.code for kind in revision.types.all()),
        style=item.style,
        language=item.story.language,
    )


def what_stands(project: Project) -> list[int]:
    """Return a fingerprint of the gates' input: transitions, revisions, ready releases and story groups."""
    moved = Transition.objects.filter(item__project=project).aggregate(last=Max("pk"))["last"]
    worded = Revision.objects.filter(item__project=project).aggregate(last=Max("pk"))["last"]
    ready = Release.objects.filter(project=project, state=ReleaseState.READY).count()
    return [moved or 0, worded or 0, ready, *what_is_grouped(project)]


def gate_check(project: Project) -> GateCheck | None:
    """Return the latest results of the gates, or None if they have not run yet."""
    return GateCheck.objects.filter(project=project).first()


def projects_to_check() -> list[Project]:
    """Return the projects whose unreleased items have changed since the last check."""
    waiting = Item.objects.filter(project=OuterRef("pk"), state__in=ON_THEIR_WAY)
    seen = dict(GateCheck.objects.values_list("project_id", "seen"))
    found = Project.objects.filter(Exists(waiting)).order_by("pk")
    return [project for project in found if seen.get(project.pk) != what_stands(project)]
