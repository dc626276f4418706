"""The page of candidates answers for its items as the writer's desk does."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Item
from generation.models import Candidate
from generation.queries.batch import open_draft
from tests.generation.bench import Bench
from tests.generation.test_pages import address, drafted, filled, hidden, signed_in

__all__ = ["drafted"]
pytestmark = pytest.mark.django_db

LONG_KEY = "Slow and steady wins, as every patient walker finds out sooner or later on the long road home."


def typed(client: Client, bench: Bench, *, key: str, first: str = "") -> dict[str, str]:
    """The slots filled: this key, and the three candidates, the first reworded where words are given."""
    sent = filled(client.get(address(bench, "story", bench.story.pk)).content.decode())
    for place, candidate in enumerate(Candidate.objects.filter(story=bench.story).order_by("pk"), start=1):
        sent |= {f"text-{place}": candidate.text, f"candidate-{place}": str(candidate.pk)}
    return sent | {"text-0": key} | ({"text-1": first} if first else {})


def answer_field(html: str, check: str) -> str:
    found = re.search(rf'name="(answer-{check}@[^"]+)"', html)
    assert found, check
    return found[1]


def test_it_shows_what_is_wrong_while_one_chooses_and_keeps_nothing(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    sent = typed(client, drafted, key=LONG_KEY)
    html = client.post(address(drafted, "checks", drafted.story.pk), sent).content.decode()
    assert "characters, the longest distractor" in html
    assert answer_field(html, "longest_key")
    assert "<html" not in html
    assert open_draft(drafted.cast.writer, drafted.story) is None
    sent["candidate-0"] = sent["candidate-1"]
    html = client.post(address(drafted, "checks", drafted.story.pk), sent).content.decode()
    assert "A wrong moral cannot be the key." in html
    for user, status in ((drafted.cast.reviewer, 403), (drafted.cast.outsider, 404)):
        assert signed_in(user).post(address(drafted, "checks", drafted.story.pk), sent).status_code == status


def test_it_says_nothing_of_slots_that_are_still_empty(drafted: Bench) -> None:
    html = signed_in(drafted.cast.writer).get(address(drafted, "story", drafted.story.pk)).content.decode()
    assert "check-line" not in html


def test_it_hands_an_item_in_once_each_warning_is_answered_and_keeps_the_answer(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    refused = client.post(where, typed(client, drafted, key=LONG_KEY) | {"submit": "1"})
    html = refused.content.decode()
    assert refused.status_code == 400
    assert "explain why the text is right" in html
    assert not Item.objects.exists()
    given = filled(html) | {answer_field(html, "longest_key"): "The moral needs its second half."}
    assert client.post(where, given | {"submit": "1"}).status_code == 302
    revision = Item.objects.get().current
    assert revision is not None
    assert revision.answered_warnings == {"longest_key": "The moral needs its second half."}


def test_it_keeps_an_answer_with_the_draft_and_drops_it_with_the_words_it_was_about(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    sent = typed(client, drafted, key=LONG_KEY)
    field = answer_field(client.post(where, sent | {"submit": "1"}).content.decode(), "longest_key")
    html = client.get(where).content.decode()
    body = {
        "client_id": hidden(html, "client_id"),
        "sequence": int(hidden(html, "sequence")) + 1,
        "slots": [
            {"text": sent[f"text-{index}"], "candidate": int(sent[f"candidate-{index}"] or 0) or None}
            for index in range(4)
        ],
        "answered_warnings": {field.removeprefix("answer-"): "So be it."},
    }
    api = reverse("api_slots", args=[drafted.cast.project.slug, drafted.story.pk])
    assert client.put(api, body, content_type="application/json").status_code == 200
    html = client.get(where).content.decode()
    assert "So be it." in html
    longer = filled(html) | {field: "So be it.", "text-0": f"{LONG_KEY} And back again."}
    refused = client.post(where, longer | {"submit": "1"})
    assert refused.status_code == 400
    assert "So be it." not in refused.content.decode()


def test_it_lets_no_reason_stand_for_an_error(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    sent = typed(client, drafted, key="All of the above") | {"answer-all_of_the_above@0": "I like it."}
    answer = client.post(where, sent | {"submit": "1"})
    assert answer.status_code == 400
    assert "refers to other options by position" in answer.content.decode()
    assert not Item.objects.exists()


def test_it_asks_little_of_the_database(drafted: Bench) -> None:
    client, where = signed_in(drafted.cast.writer), address(drafted, "checks", drafted.story.pk)
    sent = typed(client, drafted, key=LONG_KEY)
    client.post(where, sent)
    with CaptureQueriesContext(connection) as asked:
        client.post(where, sent)
    assert len(asked) <= 10
