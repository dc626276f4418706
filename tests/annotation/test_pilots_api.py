"""Pilots, reservations and the activity by the programming interface."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import Pilot, Reservation, WritingAssignment
from projects.models import CommonsenseType
from tests.factories import Cast, make_story
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db


def address(cast: Cast, name: str, *rest: int) -> str:
    return reverse(f"api_{name}", args=[cast.project.slug, *rest])


def test_a_pilot_is_started_annotated_and_ended(cast: Cast) -> None:
    token, stories = token_of(cast.manager), [make_story(cast).pk for _each in range(2)]
    writers = [cast.writer.pk, cast.writer2.pk]
    sent = {"name": "First", "stories": stories, "writers": writers, "due_on": "2027-01-31"}
    made = ask(token, "post", address(cast, "pilots"), sent)
    pilot = Pilot.objects.get()
    assert (made.status_code, made["Location"]) == (201, address(cast, "pilot", pilot.pk))
    assert made.json()["writers"] == sorted(writers)
    assert WritingAssignment.objects.filter(story__in=stories, writer__in=writers).count() == 4
    noted = ask(token, "put", address(cast, "pilot_note", pilot.pk, stories[1]), {"note": "Too easy."})
    assert noted.json()["stories"] == [
        {"story": stories[0], "note": ""},
        {"story": stories[1], "note": "Too easy."},
    ]
    assert ask(token, "put", address(cast, "pilot_note", pilot.pk, 0), {"note": "x"}).status_code == 404
    ended = ask(token, "post", address(cast, "pilot_end", pilot.pk))
    assert ended.json()["ended_at"]
    assert ask(token, "post", address(cast, "pilot_end", pilot.pk)).status_code == 409
    (listed,) = ask(token, "get", address(cast, "pilots")).json()["results"]
    assert (listed["name"], listed["story_count"], listed["writer_count"]) == ("First", 2, 2)


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"writers": []}, "writers"), ({"stories": []}, "stories"), ({"name": " "}, "name")],
)
def test_a_pilot_that_cannot_be_started_names_the_field(
    cast: Cast, changes: dict[str, object], field: str
) -> None:
    right = {"name": "First", "stories": [make_story(cast).pk], "writers": [cast.writer.pk, cast.writer2.pk]}
    refused = ask(token_of(cast.manager), "post", address(cast, "pilots"), right | changes)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert not Pilot.objects.exists()


def test_a_story_is_reserved_and_freed(cast: Cast) -> None:
    token, story = token_of(cast.manager), make_story(cast)
    code = CommonsenseType.objects.filter(project=cast.project)[0].code
    made = ask(token, "post", address(cast, "reservations"), {"story": story.pk, "type": code})
    found = Reservation.objects.get()
    assert (made.status_code, made.json()["type"], made.json()["writer"]) == (201, code, None)
    assert ask(token, "get", address(cast, "reservations")).json()["results"] == [made.json()]
    for changes, field in (({}, "type"), ({"type": "no"}, "type"), ({"writer": cast.reviewer.pk}, "writer")):
        refused = ask(token, "post", address(cast, "reservations"), {"story": story.pk, **changes})
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    one = address(cast, "reservation", found.pk)
    assert ask(token_of(cast.writer), "delete", one).status_code == 403
    assert ask(token, "delete", one).status_code == 204
    assert not Reservation.objects.exists()


def test_the_activity_is_that_of_the_page(cast: Cast) -> None:
    token, story = token_of(cast.manager), make_story(cast)
    ask(token, "post", address(cast, "reservations"), {"story": story.pk, "writer": cast.writer.pk})
    url = address(cast, "project_activity")
    (found,) = ask(token, "get", f"{url}?action=reserve_story&person=Mia").json()["results"]
    assert (found["actor"], found["action"], found["detail"]) == (
        str(cast.manager),
        "reserved a story",
        str(cast.writer),
    )
    assert ask(token, "get", f"{url}?action=reserve_story&until=2020-01-01").json()["results"] == []
    assert ask(token, "get", f"{url}?action=nothing").status_code == 400
    assert ask(token_of(cast.writer), "get", url).status_code == 403
    assert ask(token, "get", reverse("api_activity")).status_code == 403
