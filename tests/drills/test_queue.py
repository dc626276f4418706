"""Two hundred people at one queue at once: no place twice, none lost, nobody two of one wording."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import Count, F
from django.utils import timezone
from psycopg.conninfo import make_conninfo

from annotation.models import Item, State
from benchmarks.seeding import REVIEWS
from review.models import RequestState, Review, ReviewRequest, Stage
from tests.drills.crowd import Crowd, again_and_again, steady, troubled

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

PEOPLE, PLACES, PLACES_IN_TROUBLE = 200, 2000, 600

# As a cable that is cut: whatever the connection was doing ends here.
KILL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name <> 'drill' AND xact_start IS NOT NULL
ORDER BY random() LIMIT 1
"""
EXPIRE = """
UPDATE review_reviewrequest SET lease_expires_at = now() - interval '1 second' WHERE id IN (
    SELECT id FROM review_reviewrequest WHERE state = 'claimed' ORDER BY random() LIMIT 3
    FOR UPDATE SKIP LOCKED
)
"""


def where() -> str:
    """The test's own database, for a connection beside Django's."""
    settings = connection.settings_dict
    return make_conninfo(
        "",
        dbname=settings["NAME"],
        user=settings["USER"],
        password=settings["PASSWORD"],
        host=settings["HOST"],
        port=settings["PORT"],
    )


def held_to_its_promises(count: int) -> None:
    """What is true of the queue when it has been worked dry."""
    places = ReviewRequest.objects.filter(stage=Stage.CROSS_CHECK)
    judged = Review.objects.filter(stage=Stage.CROSS_CHECK, judged_at__isnull=False)
    assert places.count() == count
    assert places.exclude(state=RequestState.DONE).count() == 0, "none lost"
    assert judged.count() == count, "one verdict a place"
    assert judged.values("request").distinct().count() == count
    many = judged.values("revision").annotate(n=Count("pk"), people=Count("reviewer", distinct=True))
    assert set(many.values_list("n", "people")) == {(REVIEWS, REVIEWS)}, "as many as wanted, each by another"
    assert not Review.objects.filter(item__revisions__author=F("reviewer")).exists(), "the one law"
    assert not judged.exclude(reviewer=F("request__claimed_by")).exists()
    assert set(Item.objects.values_list("state", flat=True)) == {State.IN_VERIFICATION}


def test_it_gives_each_of_2000_places_once_to_200_people_who_ask_at_once() -> None:
    crowd = Crowd(PEOPLE, PLACES)
    crowd.work_dry(steady)
    held_to_its_promises(PLACES)
    assert len(crowd.claimed) == PLACES == len({place for place, _person in crowd.claimed}), "no place twice"
    assert Review.objects.count() == PLACES


def test_it_holds_when_connections_die_leases_run_out_and_people_come_late() -> None:
    crowd = Crowd(PEOPLE, PLACES_IN_TROUBLE)
    with again_and_again(KILL, 0.15, where) as killed, again_and_again(EXPIRE, 0.1, where) as expired:
        crowd.work_dry(troubled)
    ReviewRequest.objects.filter(state=RequestState.CLAIMED).update(lease_expires_at=timezone.now())
    crowd.work_dry(steady)
    held_to_its_promises(PLACES_IN_TROUBLE)
    assert sum(killed) > 10
    assert sum(expired) > 10
    notes = Review.objects.filter(late_at__isnull=False)
    assert not notes.filter(judged_at__isnull=False).exists(), "a late one is a note, never one more verdict"
    print(f"{sum(killed)} connections cut, {sum(expired)} leases run out, {notes.count()} late notes")
