"""Queries of a project's items for export in the layouts of published data sets."""

from collections.abc import Iterator

from django.db.models import Count, Prefetch

from annotation.kinds import item_kind
from annotation.models import Item, ItemDraft, State
from annotation.queries.item import present_words
from core.invariants import present
from parable.formats.records import ItemRecord
from parable.kinds import KINDS
from projects.models import Project

LEFT_OUT = (State.REJECTED, State.WITHDRAWN, State.RETIRED)
"""The states in which items are not exported."""
_ROWS_AT_ONCE = 500


def published_tasks(project: Project) -> list[tuple[str, int]]:
    """Return (code, number of items) for each task of the project that has a published layout."""
    tasks = [code for code, kind in KINDS.items() if kind.published]
    items = Item.objects.filter(project=project, task__in=tasks).exclude(state__in=LEFT_OUT).order_by()
    counts = dict(items.values_list("task").annotate(n=Count("pk")))
    return [(code, counts[code]) for code in tasks if code in counts]


def published_items(project: Project, task: str) -> Iterator[ItemRecord]:
    """Yield the items of a task as records, oldest first.

    The ids are those that files gave. Imported drafts without an answer are included.
    """
    kind = item_kind(task)
    rows = Item.objects.filter(project=project, task=task).exclude(state__in=LEFT_OUT)
    rows = rows.select_related("story__current", "current__story_revision", "project").prefetch_related(
        "current__options",
        "current__types",
        *(f"current__{name}" for name in kind.prefetched),
        Prefetch("drafts", ItemDraft.objects.filter(deleted_at=None)),
    )
    for item in rows.order_by("pk").iterator(_ROWS_AT_ONCE):
        words = present_words(item)
        wording = present(item.story.current, "every story has a first revision")
        yield ItemRecord(
            id=item.ref or f"{project.slug}-{item.pk}",
            task=task,
            story_id=item.story.ref,
            title=wording.title,
            story=item.current.story_revision.text if item.current else wording.text,
            question=words.stem,
            explanation=words.explanation or None,
            language=item.story.language,
            **kind.answer_fields(words),
        )
