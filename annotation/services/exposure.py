"""Services that record which users have seen a key or a moral.

These users can no longer solve its items blind. A key exposes the user to its item alone or, in tasks whose
items share the key, to all items of the task about the story. A moral exposes to all tasks whose key is the
moral. One statement records the exposures of a page or file, however many items it has.
"""

from collections.abc import Iterable
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.services import record_event
from annotation.models import Item, KeyExposure, Revision, RevisionAuthor
from corpus.models import Story
from parable.kinds import codes, kind_of
from projects.models import Project
from web.rows import Rows

# Rows that exist are skipped before the insert, as most pages are viewed more than once.
_RECORD: Final = """
INSERT INTO annotation_keyexposure (user_id, story_id, item_id, task, at)
SELECT DISTINCT person.id, by_story.story_id, by_item.item_id, shown.task, now()
FROM annotation_item AS shown
JOIN accounts_user AS person ON person.id = ANY(%s)
LEFT JOIN LATERAL (SELECT shown.story_id WHERE shown.task = ANY(%s)) AS by_story ON true
LEFT JOIN LATERAL (SELECT shown.id AS item_id WHERE by_story.story_id IS NULL) AS by_item ON true
WHERE shown.id IN ({items}) AND NOT EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen
    WHERE seen.user_id = person.id AND seen.item_id = by_item.item_id
) AND NOT EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen
    WHERE seen.user_id = person.id AND seen.story_id = by_story.story_id AND seen.task = shown.task
)
ON CONFLICT DO NOTHING
"""
_EXPOSURES: Final = Rows(KeyExposure)


def record_exposure(*, actor: User, story: Story, task: str = "") -> None:
    """Record the actor's exposure to the items of the task about this story.

    The actor can no longer solve these items blind. Recording twice has no effect. Without a task, the
    actor has seen the moral, and so the keys of all tasks whose key is the moral.
    """
    tasks = (task,) if task else codes("key_from_moral")
    KeyExposure.objects.bulk_create(
        [KeyExposure(user=actor, story=story, task=one) for one in tasks],
        ignore_conflicts=True,
    )


def record_key_exposures(*, actor: User, items: Iterable[int] | QuerySet[Item]) -> None:
    """Record that the actor has seen the keys of these items, given as ids or as a queryset."""
    _record([actor.pk], items)


def record_key_exposure(*, actor: User, item_id: int, story_id: int, task: str) -> None:
    """Record that the actor has seen the key of an item about this story and of this task."""
    of = {"story_id": story_id} if kind_of(task).exposed_by_story else {"item_id": item_id}
    _EXPOSURES.insert(KeyExposure(user=actor, task=task, **of), unless_there=True)


def _record(people: Iterable[int], items: Iterable[int] | QuerySet[Item]) -> None:
    before: list[Any] = [list(people), list(codes("exposed_by_story"))]
    values: tuple[Any, ...]
    if isinstance(items, QuerySet):
        sql, values = _numbers(items)
    else:
        sql, values = "SELECT unnest(%s::bigint[])", (list(items),)
    with connection.cursor() as cursor:
        cursor.execute(_RECORD.format(items=sql), [*before, *values])


def _numbers(rows: QuerySet[Any]) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL and the parameters that select the ids of a queryset, for use in another statement."""
    query = rows.order_by().values("pk").query
    # compile even a query that cannot match
    sql, values = query.get_compiler(connection=connection, elide_empty=False).as_sql()
    return sql, tuple(values)


def expose_authors(revision: Revision) -> None:
    """Record that the authors of a revision know the key, if items of its task and story share the key."""
    if kind_of(revision.item.task).exposed_by_story:
        authors = RevisionAuthor.objects.filter(revision=revision).values_list("user", flat=True)
        _record(authors, [revision.item_id])


@transaction.atomic
def record_table_taken_out(
    *,
    actor: User,
    project: Project,
    table: str,
    kind: str,
    keys: Iterable[int] | QuerySet[Item] | None = None,
    morals: QuerySet[Story] | None = None,
) -> None:
    """Record in the audit trail that the actor exported a table, and record the exposure to its contents.

    `keys`: the items whose keys the table contains, as ids or as a queryset. `morals`: the stories whose
    morals it contains.
    """
    record_event(actor=actor, verb="table_taken_out", subject=project, detail={"table": table, "kind": kind})
    if keys is not None:
        record_key_exposures(actor=actor, items=keys)
    if morals is not None:
        record_moral_exposures(actor=actor, stories=morals)


_RECORD_MORALS: Final = """
INSERT INTO annotation_keyexposure (user_id, story_id, task, at)
SELECT %s, story.id, task, now() FROM corpus_story AS story
JOIN corpus_storyrevision AS wording ON wording.story_id = story.id
CROSS JOIN unnest(%s::text[]) AS task
WHERE wording.moral <> '' AND story.id IN ({stories})
GROUP BY story.id, task
ON CONFLICT DO NOTHING
"""


def record_moral_exposures(*, actor: User, stories: QuerySet[Story]) -> None:
    """Record that the actor has seen the morals of these stories. Stories without a moral are ignored."""
    sql, values = _numbers(stories)
    with connection.cursor() as cursor:
        cursor.execute(_RECORD_MORALS.format(stories=sql), [actor.pk, list(codes("key_from_moral")), *values])
