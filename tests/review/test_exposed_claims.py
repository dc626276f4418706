"""Somebody who has seen every key finds the next place as fast as anybody, in a queue of any length."""

from __future__ import annotations

import pytest
from django.db import connection

from annotation.models import Item
from annotation.services import record_key_exposures
from benchmarks import seeding
from review.models import Stage
from review.services import claim_next
from tests.factories import Cast, make_project


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def looked_up() -> int:
    """How often this transaction has looked for an exposure."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_scan + idx_scan FROM pg_stat_xact_user_tables"
            " WHERE relname = 'annotation_keyexposure'"
        )
        row = cursor.fetchone()
    return int(row[0])


def fill(cast: Cast, begin: int, end: int) -> None:
    """Items of two writers in the queue, begun at this number, two places each."""
    writers = [cast.writer.pk, cast.writer2.pk]
    seeded = seeding.Seeded(cast.project, writers, cast.verifier.pk, cast.reviewer2.pk)
    seeding.fill(seeded, begin, end, cast.manager.pk)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE review_reviewrequest; ANALYZE annotation_item")


def test_it_looks_at_as_many_places_however_many_wait(cast: Cast) -> None:
    fill(cast, 0, 2000)
    record_key_exposures(actor=cast.reviewer, items=Item.objects.filter(project=cast.project))
    before = looked_up()
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is not None
    assert looked_up() - before < 2000, "of 4,000 places"


def test_it_finds_what_was_written_since_they_saw_the_rest(cast: Cast) -> None:
    fill(cast, 0, 1000)
    record_key_exposures(actor=cast.reviewer, items=Item.objects.filter(project=cast.project))
    seen = set(Item.objects.filter(project=cast.project).values_list("pk", flat=True))
    fill(cast, 1000, 1010)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    assert request.item_id not in seen
