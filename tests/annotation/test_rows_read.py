"""Statements of pages read the rows that they show something about, not all rows of a large project."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from annotation.models import Item, ItemText, WritingAssignment
from annotation.queries.assignment import _OF_ALL, _OF_ONE, assigned_work
from annotation.queries.search import holding
from benchmarks import seeding
from corpus.models import Story
from tests.factories import Cast, make_project
from web.bigrams import index_waiting

pytestmark = pytest.mark.django_db

ITEMS = 2_000
LIKE_1777 = 12
"""The number of items that have the bigrams of 1777 in another order, and itself."""


@pytest.fixture
def large() -> Cast:
    """Return a project of 2,000 items about 100 stories, all of one writer, who has one of the stories."""
    cast = make_project()
    nobody = cast.outsider.pk
    seeded = seeding.Seeded(cast.project, [cast.writer.pk], nobody, nobody, oldest=0)
    seeding.fill(seeded, 0, ITEMS, cast.manager.pk)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = origin")
        cursor.execute("SELECT parable_index_items(ARRAY(SELECT id FROM annotation_item))")
        index_waiting(ItemText, ["ids", "stem", "options"], ITEMS)
        WritingAssignment.objects.create(story=Story.objects.order_by("pk")[7], writer=cast.writer)
        cursor.execute("ANALYZE")
        cursor.execute("SET LOCAL enable_seqscan = off")  # 2,000 rows are few enough to be read all the same
    return cast


def rows_read(table: str, statement: str, parameters: Any) -> int:
    """Return how many rows of a table a statement's plan passes on."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + statement, parameters)
        plan = cursor.fetchone()[0][0]["Plan"]
    of_table = [node for node in nodes(plan) if node.get("Relation Name") == table]
    passed: float = sum(node["Actual Rows"] * node["Actual Loops"] for node in of_table)
    removed: float = sum(node.get("Rows Removed by Filter", 0) for node in of_table)
    return round(passed + removed)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a node of a plan and all below it."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


@pytest.mark.parametrize("statement", [_OF_ALL, _OF_ONE])
def test_progress_reads_the_items_of_assigned_stories_alone(large: Cast, statement: str) -> None:
    asked = {"projects": [large.project.pk], "tasks": ["commonsense"], "today": "2026-11-30"}
    read = rows_read("annotation_item", statement, asked | {"writer": large.writer.pk})
    assert read == seeding.ITEMS_A_STORY
    work = assigned_work([large.project])[large.project.pk, large.writer.pk]
    assert (work.stories, work.written) == (1, large.project.items_per_writer)


def test_a_search_for_two_words_reads_the_items_that_have_both(large: Cast) -> None:
    found = Item.objects.filter(holding(["pebble", "1777"]))
    assert [item.ref for item in found] == ["i1777"]
    read = rows_read("annotation_itemtext", *found.query.sql_with_params())
    assert read <= LIKE_1777
