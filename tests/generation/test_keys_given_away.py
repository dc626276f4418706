"""What gives keys away is shown while one chooses: keys of siblings, lengths, turns of phrase."""

from __future__ import annotations

import threading
from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import connection
from django.urls import reverse

from annotation.content import ItemContent, OptionContent, to_json
from annotation.models import Item
from annotation.services import save_draft, withdraw_item
from core.errors import Unusable
from generation.models import Candidate
from generation.queries.batch import taken_keys
from generation.services import submit_machine_item
from generation.views import hint
from tests.factories import make_story, submit_item
from tests.generation.bench import Bench, wording_template, work_off
from tests.generation.test_pages import address, drafted, filled, signed_in

__all__ = ["drafted"]
pytestmark = pytest.mark.django_db
MORAL = "Slow and steady wins."


def words(bench: Bench, key: str = MORAL) -> ItemContent:
    wrong = Candidate.objects.filter(story=bench.story, template=bench.template).order_by("pk")
    return ItemContent(
        options=(
            OptionContent(key, is_key=True),
            *(OptionContent(one.text, candidate=one.pk) for one in wrong[:3]),
        )
    )


def hand_in(bench: Bench, key: str = MORAL) -> Item:
    return submit_machine_item(actor=bench.cast.writer, story=bench.story, content=words(bench, key))


def test_it_refuses_the_key_of_another_item_of_the_story_and_names_that_item(drafted: Bench) -> None:
    first = hand_in(drafted)
    with pytest.raises(Unusable, match=f"Item {first.pk} of this story has the same key"):
        hand_in(drafted, "slow and steady  wins")
    assert hand_in(drafted, "Who keeps going arrives before those who rest.").pk
    elsewhere = replace(drafted, story=make_story(drafted.cast))
    work_off(elsewhere.start().waiting)
    assert hand_in(elsewhere).pk


@pytest.mark.django_db(transaction=True)
def test_it_lets_one_of_two_submissions_at_once_have_a_key(drafted: Bench) -> None:
    start = threading.Barrier(2, timeout=10)
    came: list[str] = []

    def submit() -> None:
        try:
            start.wait()
            hand_in(drafted)
            came.append("handed in")
        except Unusable as refused:
            came.append(str(refused))
        finally:
            connection.close()

    threads = [threading.Thread(target=submit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    item = Item.objects.get()
    done, refused = sorted(came, key=len)
    assert done == "handed in"
    assert f"Item {item.pk} of this story has the same key" in refused


@pytest.mark.parametrize(("style", "severity"), [("machine", "error"), ("human", "warning")])
def test_it_warns_of_a_taken_key_on_the_desk_too(drafted: Bench, style: str, severity: str) -> None:
    first, again = hand_in(drafted), words(drafted)
    draft = save_draft(
        actor=drafted.cast.writer,
        project=drafted.cast.project,
        story=drafted.story,
        task="moral",
        style=style,
        client_id=uuid4(),
        sequence=1,
        content=to_json(replace(again, stem=drafted.cast.project.moral_stem)),
    )
    client = signed_in(drafted.cast.writer)
    answer = client.post(reverse("api_draft_check", args=[draft.client_id]), content_type="application/json")
    problems = [
        one for one in answer.json()["problems"] if f"Item {first.pk} of this story" in one["message"]
    ]
    assert [one["severity"] for one in problems] == [severity]


def test_it_frees_a_wording_when_its_item_is_withdrawn(drafted: Bench) -> None:
    first = hand_in(drafted)
    withdraw_item(actor=drafted.cast.writer, item=first)
    assert taken_keys(drafted.story) == []
    assert hand_in(drafted).pk


def test_it_shows_which_wordings_are_taken_and_offers_the_moral_no_more(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    assert "Use moral" in client.get(where).content.decode()
    first = hand_in(drafted)
    html = client.get(where).content.decode()
    assert f"key of item {first.pk}" in html
    assert f"the moral is already the key of item {first.pk}" in html
    assert "Use moral" not in html.replace("Use the moral, or reword it", "")


def test_it_marks_a_wording_of_the_moral_that_is_a_key_already(drafted: Bench) -> None:
    work_off(drafted.start(templates=[wording_template(drafted)]).waiting)
    wording = Candidate.objects.exclude(template=drafted.template).order_by("pk").first()
    assert wording is not None
    first = hand_in(drafted, wording.text)
    html = signed_in(drafted.cast.writer).get(address(drafted, "story", drafted.story.pk)).content.decode()
    card = html.split(f'data-candidate="{wording.pk}"')[1].split("data-candidate=")[0]
    assert f"key of item {first.pk}" in card


def test_it_warns_live_of_a_key_that_is_almost_taken(drafted: Bench) -> None:
    first = hand_in(drafted, "Who keeps walking at an even pace arrives first.")
    client = signed_in(drafted.cast.writer)
    sent = filled(client.get(address(drafted, "story", drafted.story.pk)).content.decode())
    sent |= {"text-0": "Who keeps walking with an even pace arrives first."}
    html = client.post(address(drafted, "checks", drafted.story.pk), sent).content.decode()
    assert f"Item {first.pk} of this story has almost the same key" in html
    assert 'name="answer-sibling_key_near@' in html


def test_it_shows_writers_their_own_share_of_longest_keys(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    for _ in range(4):
        submit_item(drafted.cast)
    assert "Your key is the longest" not in client.get(where).content.decode()
    submit_item(drafted.cast)
    assert "Your key is the longest option in 5 of 5 items." in client.get(where).content.decode()
    other = signed_in(drafted.cast.writer2).get(where).content.decode()
    assert "Your key is the longest" not in other


def test_it_names_a_phrase_that_gives_keys_away(drafted: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    cast = drafted.cast
    for number in range(12):
        options = [f"Those who try {number} times win", *(f"Birds {number} sing {n} songs" for n in range(3))]
        content = ItemContent(
            stem="Which?", options=tuple(OptionContent(text, text == options[0]) for text in options)
        )
        submit_item(cast, story=make_story(cast), task="moral", words=content)
    client = signed_in(cast.writer)
    sent = filled(client.get(address(drafted, "story", drafted.story.pk)).content.decode())
    where = address(drafted, "checks", drafted.story.pk)
    typed = sent | {"text-0": "Those who wait lose nothing."}
    page = client.post(where, typed).content.decode()
    assert "“those who” gives keys away: it is in 12 of 12 keys" in page
    assert "gives keys away" not in client.post(where, sent | {"text-0": "Patience pays."}).content.decode()
    with monkeypatch.context() as patch:  # the sample is read once, then cached
        patch.delattr(hint, "newest_items")
        assert "gives keys away" in client.post(where, typed).content.decode()
