"""Creates a project with a queue of any length, in a few statements.

Triggers are disabled; `check` tests afterwards for rows that they would have refused.
"""

# ruff: noqa: S608 - numbers of ours, and nothing that anybody typed

from typing import Any, NamedTuple

READING = "A crow found a tall jar on day {n}. She could not reach the water, so she dropped in pebbles. " * 6
REVIEWS = 2
"""The number of reviews per item, and so of adjacent requests, no two of which one user may take."""
ITEMS_A_STORY = 20
PROJECT_APART, KIND_APART = 10_000_000_000, 1_000_000_000
KINDS = ("item", "revision", "move", "place", "story", "wording", "option")

AFTER_ALL = 1_000_000_000_000_000
WRITTEN = ("review_review", "annotation_transition", "review_reviewrequest", "annotation_revisiontype")


class Seeded(NamedTuple):
    """A project with a queue; the ids of related rows can be computed from each other."""

    project: Any
    writers: list[int]
    skipped_oldest: int
    skipped_most: int
    oldest: int = 500
    """The number of the oldest items that the user `skipped_oldest` has skipped; 500 items have 1,000
    requests.
    """

    def first(self, kind: str) -> int:
        """Return the id before that of the first row of a kind."""
        return int(self.project.pk) * PROJECT_APART + KINDS.index(kind) * KIND_APART

    def kin(self, place: int) -> dict[str, int]:
        """Return the ids of all rows that belong to a request, by kind."""
        item = (place - self.first("place")) // REVIEWS
        numbers = {kind: self.first(kind) + item for kind in ("item", "revision", "move")}
        story = item // ITEMS_A_STORY
        numbers |= {kind: self.first(kind) + story for kind in ("story", "wording")}
        return numbers | {"place": place}


def statements(seeded: Seeded, begin: int, end: int, actor: int) -> list[str]:
    """Return SQL that creates the items from `begin` up to `end`, exclusive, with their requests."""
    at = {kind: seeded.first(kind) for kind in KINDS}
    project, writers = seeded.project.pk, "ARRAY" + str(seeded.writers)
    writer = f"({writers})[1 + n %% {len(seeded.writers)}]"
    items = f"generate_series({begin}::bigint, {end - 1}::bigint) AS n"
    stories = f"generate_series({begin // ITEMS_A_STORY}, {(end - 1) // ITEMS_A_STORY}) AS n"
    text = READING.replace("{n}", "' || n || '")
    oldest = f"CASE WHEN n < {seeded.oldest} THEN ARRAY[{seeded.skipped_oldest}] ELSE '{{}}' END"
    most = f"CASE WHEN n %% 10 <> 0 THEN ARRAY[{seeded.skipped_most}] ELSE '{{}}' END"
    return [
        f"""INSERT INTO corpus_story (id, project_id, ref, language, source, rights, rights_evidence,
                text_hash, current_id, created_by_id, created_at)
            SELECT {at["story"]} + n, {project}, 's' || n, 'en', '', '', '', md5(n::text) || md5(n::text),
                {at["wording"]} + n, {actor}, now() FROM {stories} ON CONFLICT DO NOTHING""",
        f"""INSERT INTO corpus_storyrevision (id, story_id, number, title, text, moral, moral_origin, cause,
                reason, author_id, created_at)
            SELECT {at["wording"]} + n, {at["story"]} + n, 1, 'The crow ' || n, '{text}', '', 'none',
                'imported', '', {actor}, now() FROM {stories} ON CONFLICT DO NOTHING""",
        f"""INSERT INTO annotation_item (id, project_id, story_id, task, style, writer_id, state, ref,
                generators, current_id, created_at)
            SELECT {at["item"]} + n, {project}, {at["story"]} + n / {ITEMS_A_STORY}, 'commonsense', 'human',
                {writer}, 'in_review', 'i' || n, '{{}}', {at["revision"]} + n, now() FROM {items}""",
        f"""INSERT INTO annotation_revision (id, item_id, number, author_id, story_revision_id, stem,
                explanation, answered_warnings, created_at)
            SELECT {at["revision"]} + n, {at["item"]} + n, 1, {writer},
                {at["wording"]} + n / {ITEMS_A_STORY}, 'Why did the crow drop pebble ' || n || '?',
                'Stones take up room, so the water rises.', '{{}}', now() FROM {items}""",
        f"""INSERT INTO annotation_revisionauthor (revision_id, item_id, user_id)
            SELECT {at["revision"]} + n, {at["item"]} + n, {writer} FROM {items}""",
        f"""INSERT INTO annotation_option (id, revision_id, position, text, normalised, is_key)
            SELECT {at["option"]} + n * 4 + place, {at["revision"]} + n, place, words, lower(words), place = 0
            FROM {items}, LATERAL (SELECT place, (ARRAY['To raise the water', 'To hear it ring',
                'To hide the pebble', 'To count to'])[place + 1] || ' ' || n AS words
                FROM generate_series(0, 3) AS place) AS option""",
        f"""INSERT INTO annotation_revisiontype (revision_id, type_id)
            SELECT {at["revision"]} + n, (SELECT min(id) FROM projects_commonsensetype
                WHERE project_id = {project}) FROM {items}""",
        f"""INSERT INTO annotation_transition (id, item_id, revision_id, from_state, to_state, actor_id,
                cause, reason, at)
            SELECT {at["move"]} + n, {at["item"]} + n, {at["revision"]} + n, '', 'in_review', {actor},
                'imported', '', now() FROM {items}""",
        f"""INSERT INTO review_reviewrequest (id, project_id, story_id, item_id, revision_id, stage, number,
                opened_by_id, option_count, state, priority, task, excluded, freed_order, drawn_order,
                opened_at)
            SELECT {at["place"]} + n * {REVIEWS} + place, {project}, {at["story"]} + n / {ITEMS_A_STORY},
                {at["item"]} + n, {at["revision"]} + n, 'cross_check', place + 1, {at["move"]} + n, 4, 'open',
                0, 'commonsense', ARRAY(SELECT DISTINCT who FROM unnest(ARRAY[{writer}] || {oldest} || {most})
                AS who ORDER BY who), '{{}}', '{{}}', now()
            FROM {items}, generate_series(0, {REVIEWS - 1}) AS place""",
    ]


def fill(seeded: Seeded, begin: int, end: int, actor: int) -> None:
    """Create the items from `begin` up to `end`, exclusive."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements(seeded, begin, end, actor):
            cursor.execute(statement.replace("%%", "%"))


def number_what_follows() -> None:
    """Set the id sequences, so that rows created one by one follow all seeded ones."""
    from django.db import connection

    with connection.cursor() as cursor:
        for place, table in enumerate(WRITTEN, start=1):
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, AFTER_ALL + place * KIND_APART]
            )


CHECKS = {
    "requests whose writer is not excluded": """
        SELECT count(*) FROM review_reviewrequest AS request JOIN annotation_item AS item ON item.id = item_id
        WHERE request.state = 'open' AND NOT request.excluded @> ARRAY[item.writer_id]""",
    "requests of another revision than their item's": """
        SELECT count(*) FROM review_reviewrequest AS request JOIN annotation_item AS item ON item.id = item_id
        WHERE request.state = 'open' AND item.current_id <> request.revision_id""",
    "items whose state is not their last move's": """
        SELECT count(*) FROM annotation_item AS item WHERE state <> (
            SELECT to_state FROM annotation_transition WHERE item_id = item.id ORDER BY id DESC LIMIT 1)""",
    "revisions without one key, two options or a type": """
        SELECT count(*) FROM annotation_revision AS revision
        WHERE (SELECT count(*) FILTER (WHERE is_key) = 1 AND count(*) BETWEEN 2 AND 8
               FROM annotation_option WHERE revision_id = revision.id) IS NOT TRUE
           OR NOT EXISTS (SELECT 1 FROM annotation_revisiontype WHERE revision_id = revision.id)""",
    "revisions without their author": """
        SELECT count(*) FROM annotation_revision AS revision WHERE NOT EXISTS (
            SELECT 1 FROM annotation_revisionauthor AS author
            WHERE author.revision_id = revision.id AND author.user_id = revision.author_id)""",
    "stories without their wording": """
        SELECT count(*) FROM corpus_story AS story LEFT JOIN corpus_storyrevision AS wording
        ON wording.id = story.current_id AND wording.story_id = story.id WHERE wording.id IS NULL""",
}


def check() -> None:
    """Assert that there are no rows that the triggers would have refused."""
    from django.db import connection

    with connection.cursor() as cursor:
        for name, statement in CHECKS.items():
            cursor.execute(statement)
            found = cursor.fetchone()[0]
            assert found == 0, f"{found} {name}"
