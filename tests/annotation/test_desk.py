"""The desk and the lists: what lies here for whom."""

import re
import uuid
from contextlib import nullcontext
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Cause, Item, KeyExposure, State, WritingAssignment
from annotation.services import (
    apply_verdict,
    give_back_story,
    name_writers,
    restore_assignment,
    save_draft,
    take_story,
)
from core.errors import Conflict
from corpus.models import MoralOrigin, Story
from tests.annotation.conftest import SeenBy
from tests.factories import Cast, content, make_project, make_story, submit_item, wording

pytestmark = pytest.mark.django_db

MORAL = "Slow and steady wins."


def page_of(cast: Cast, rest: str) -> str:
    return f"/p/{cast.project.slug}{rest}"


def queries_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_it_gives_the_next_story_and_takes_it_back(cast: Cast, seen_by: SeenBy) -> None:
    story, client = make_story(cast, title="The Tortoise"), seen_by(cast.writer)
    assert b"You have no stories." in client.get(page_of(cast, "/write")).content
    taken = client.post(page_of(cast, "/write/next"))
    assert taken["Location"] == page_of(cast, f"/write/story/{story.pk}")
    desk = client.get(page_of(cast, "/write")).content.decode()
    assert "The Tortoise" in desk
    assert "0 of 4 submitted" in desk
    assignment = WritingAssignment.objects.get()
    address = page_of(cast, f"/write/assignments/{assignment.pk}/give-back")
    assert seen_by(cast.writer2).post(address).status_code == 404
    assert client.post(address).status_code == 302
    assignment.refresh_from_db()
    assert assignment.given_back_at is not None


@pytest.mark.parametrize(("returned", "more"), [(2, 0), (3, 1)])
def test_it_shows_the_newest_returned_items_and_counts_all(
    cast: Cast, seen_by: SeenBy, monkeypatch: pytest.MonkeyPatch, returned: int, more: int
) -> None:
    monkeypatch.setattr("annotation.views.desk.MOST_TO_REVISE", 2)
    items = [submit_item(cast) for _n in range(returned)]
    for item in items:
        apply_verdict(
            actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=State.RETURNED,
            cause=Cause.ALL_RETURN,
        )  # fmt: skip
    desk = seen_by(cast.writer).get(page_of(cast, "/write"))
    assert [item.pk for item in desk.context["returned"]] == [item.pk for item in items[::-1][:2]]
    assert f"{returned} returned" in desk.content.decode()
    assert ("and 1 more" in desk.content.decode()) is bool(more)
    listed = seen_by(cast.writer).get(page_of(cast, f"/items?state=returned&writer={cast.writer.pk}"))
    assert all(page_of(cast, f"/items/{item.pk}") in listed.content.decode() for item in items)


def test_it_undoes_giving_a_story_back_with_its_due_date(cast: Cast, seen_by: SeenBy) -> None:
    story, client = make_story(cast, title="The Tortoise"), seen_by(cast.writer)
    [named] = name_writers(actor=cast.manager, story=story, writers=[cast.writer], due_on=date(2030, 1, 31))
    address = page_of(cast, f"/write/assignments/{named.pk}/give-back")
    page = client.post(address)["Location"]
    assert page == page_of(cast, f"/write?given_back={named.pk}")
    response = client.get(page).content.decode()
    assert "“The Tortoise” was given back. Your items stay." in response
    assert re.search(f'<form method="post" action="{address}">.*?name="again".*?Undo', response)
    assert seen_by(cast.manager).post(address, {"again": "1"}).status_code == 403
    assert client.post(address, {"again": "1"})["Location"] == page_of(cast, "/write")
    assert client.post(address, {"again": "1"}).status_code == 302, "sent twice it is once"
    held = WritingAssignment.objects.get()
    assert (held.given_back_at, held.due_on) == (None, date(2030, 1, 31))
    assert "was given back" not in client.get(page).content.decode()
    for odd in ("x", "0", "9" * 30, str(named.pk + 1)):
        assert client.get(page_of(cast, f"/write?given_back={odd}")).status_code == 200


@pytest.mark.parametrize(
    ("caps", "written", "refused"),
    [
        ({}, 0, ""),
        ({"writers_per_story": 1}, 0, "already has enough writers"),
        ({"most_stories_in_hand": 1}, 0, "the most this project allows"),
        ({"most_stories_in_hand": 1}, 4, ""),  # what is finished is not in hand
        ({"most_items_per_person": 6}, 2, "would exceed the limit"),
        ({"most_items_per_person": 8}, 2, ""),  # two more here and four there
    ],
)
def test_it_undoes_giving_back_unless_the_place_or_the_cap_is_taken(
    caps: dict[str, Any], written: int, refused: str
) -> None:
    cast = make_project(**caps)
    story = make_story(cast)
    taken = take_story(actor=cast.writer, story=story)
    for number in range(written):
        submit_item(cast, story=story, words=content(f"Why did the hare lose, part {number}?"))
    give_back_story(actor=cast.writer, assignment=taken)
    take_story(actor=cast.writer2, story=story)
    name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer])
    with pytest.raises(Conflict, match=refused) if refused else nullcontext():
        restore_assignment(actor=cast.writer, assignment=taken)
    assert WritingAssignment.objects.filter(pk=taken.pk, given_back_at=None).exists() is not bool(refused)


def test_it_says_why_there_is_no_next_story(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.writer)
    client.post(page_of(cast, "/write/next"))
    assert "has no stories yet" in client.get(page_of(cast, "/write")).content.decode()
    make_story(cast)
    client.post(page_of(cast, "/write/next"))
    client.post(page_of(cast, "/write/next"))
    assert "that need" in client.get(page_of(cast, "/write")).content.decode()


def test_it_lets_a_writer_take_a_story_that_still_wants_one(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast)
    address = page_of(cast, f"/write/story/{story.pk}/take")
    assert seen_by(cast.writer).post(address).status_code == 302
    name_writers(actor=cast.manager, story=story, writers=[cast.writer2])
    assert seen_by(cast.manager).post(address).status_code == 409
    assert seen_by(cast.reviewer).post(address).status_code == 403


def test_it_counts_what_is_done_and_names_the_types_that_are_missing(cast: Cast, seen_by: SeenBy) -> None:
    story, client = make_story(cast), seen_by(cast.writer)
    client.post(page_of(cast, "/write/next"))
    submit_item(cast, story=story, words=content(types=("social", "spatial")))
    desk = client.get(page_of(cast, "/write")).content.decode()
    assert "1 of 4 submitted" in desk
    assert "Biological, Temporal, Physical" in desk


def test_it_shows_what_came_back_with_the_reason(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    assert item.current is not None
    apply_verdict(
        actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=State.RETURNED,
        cause=Cause.ALL_RETURN, reason="The stem gives it away.",
    )  # fmt: skip
    mine = seen_by(cast.writer).get(page_of(cast, "/write")).content.decode()
    assert "The stem gives it away." in mine
    primary = re.search(r'href="([^"]+)"[^>]*data-primary', mine.partition('id="foot"')[2])
    assert primary is not None
    assert primary[1] == page_of(cast, f"/write/item/{item.pk}")
    theirs = seen_by(cast.writer2).get(page_of(cast, "/write")).content.decode()
    assert "The stem gives it away." not in theirs


def test_it_is_no_place_for_strangers(cast: Cast, seen_by: SeenBy) -> None:
    for rest in ("/write", "/items", "/items/import"):
        assert seen_by(cast.outsider).get(page_of(cast, rest)).status_code == 404
        assert Client().get(page_of(cast, rest)).status_code == 302
    assert seen_by(cast.outsider).post(page_of(cast, "/write/next")).status_code == 404


def test_it_asks_the_database_as_often_for_many_as_for_few(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.writer)

    def more(count: int) -> None:
        for _number in range(count):
            story = make_story(cast)
            name_writers(actor=cast.manager, story=story, writers=[cast.writer])
            submit_item(cast, story=story)
            back = submit_item(cast, story=story)
            assert back.current is not None
            apply_verdict(
                actor=cast.reviewer, item=back, revision_id=wording(back).pk, to_state=State.RETURNED,
                cause=Cause.ALL_RETURN,
            )  # fmt: skip
            save_draft(
                actor=cast.writer, project=cast.project, story=story, task="commonsense",
                client_id=uuid.uuid4(), sequence=1, content={},
            )  # fmt: skip

    pages = [page_of(cast, "/write"), page_of(cast, "/items"), page_of(cast, "/stories")]
    more(2)
    few = [queries_of(client, page) for page in pages]
    managed = queries_of(seen_by(cast.manager), pages[1])
    more(3)
    assert [queries_of(client, page) for page in pages] == few
    assert queries_of(seen_by(cast.manager), pages[1]) == managed


def test_it_lists_ones_own_items_and_to_managers_all(cast: Cast, seen_by: SeenBy) -> None:
    submit_item(cast, words=content("Mine?"))
    submit_item(cast, words=content("Theirs?"), writer=cast.writer2)
    mine = seen_by(cast.writer).get(page_of(cast, "/items")).content.decode()
    assert ("Mine?" in mine, "Theirs?" in mine) == (True, False)
    everything = seen_by(cast.manager).get(page_of(cast, "/items")).content.decode()
    assert ("Mine?" in everything, "Theirs?" in everything) == (True, True)
    nothing = seen_by(cast.reviewer).get(page_of(cast, "/items")).content.decode()
    assert ("Mine?" in nothing, "Theirs?" in nothing) == (False, False)


def test_it_narrows_items_by_all_that_the_address_names(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast, title="The Tortoise")
    submit_item(cast, story=story, words=content("Social?", types=("social",)))
    submit_item(cast, words=content("Physical?", types=("physical",)), writer=cast.writer2)
    submit_item(cast, task="moral", words=content("Moral?", types=(), explanation=""), style="machine")
    client = seen_by(cast.manager)

    def found(**narrowed: str | int) -> list[str]:
        page = client.get(page_of(cast, "/items"), narrowed).content.decode()
        return [stem for stem in ("Social?", "Physical?", "Moral?") if stem in page]

    assert found() == ["Social?", "Physical?", "Moral?"]
    assert found(kind="physical") == ["Physical?"]
    assert found(task="moral") == found(style="machine") == ["Moral?"]
    assert found(writer=cast.writer2.pk) == ["Physical?"]
    assert found(story="tortoise") == found(story=story.ref) == ["Social?"]
    assert found(state="verified") == []
    assert found(state="in_review", task="commonsense") == ["Social?", "Physical?"]
    assert found(state="nonsense", writer="x", page="-1") == ["Social?", "Physical?", "Moral?"]


def test_it_marks_an_item_written_on_an_older_wording(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    words = {"title": "New", "text": "Other words.", "reason": "shorter"}
    seen_by(cast.manager).post(page_of(cast, f"/stories/{item.story_id}/edit"), words)
    listed = seen_by(cast.writer).get(page_of(cast, "/items")).content.decode()
    assert "written on an older" in listed


def test_it_shows_a_storys_items_and_the_list_counts_them(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast)
    name_writers(actor=cast.manager, story=story, writers=[cast.writer])
    submit_item(cast, story=story, words=content("Mine?"))
    address = page_of(cast, f"/stories/{story.pk}/items")
    assert "Mine?" in seen_by(cast.writer).get(address).content.decode()
    assert "Mine?" not in seen_by(cast.writer2).get(address).content.decode()
    assert seen_by(cast.reviewer).get(address).status_code == 403
    listed = seen_by(cast.reviewer).get(page_of(cast, "/stories")).content.decode()
    assert 'data-label="Items">1<' in listed
    assert 'data-label="Writers">1 / 2<' in listed


@pytest.mark.parametrize("role", ["writer", "manager"])
def test_it_shows_the_moral_on_request_and_remembers_it(cast: Cast, seen_by: SeenBy, role: str) -> None:
    story, person = make_story(cast, moral=MORAL), getattr(cast, role)
    address = page_of(cast, f"/stories/{story.pk}/moral")
    client = seen_by(person)
    assert client.get(address).status_code == 405
    assert MORAL in client.post(address).content.decode()
    fragment = client.post(address, headers={"HX-Request": "true"}).content.decode()
    assert MORAL in fragment
    assert "<html" not in fragment
    assert KeyExposure.objects.filter(user=person, story=story, task="moral").count() == 1


@pytest.mark.parametrize("role", ["reviewer", "verifier"])
def test_it_keeps_the_moral_from_who_only_judges(cast: Cast, seen_by: SeenBy, role: str) -> None:
    story, person = make_story(cast, moral=MORAL), getattr(cast, role)
    refused = seen_by(person).post(page_of(cast, f"/stories/{story.pk}/moral"))
    assert refused.status_code == 403
    assert MORAL not in refused.content.decode()
    assert not KeyExposure.objects.filter(user=person).exists()
    assert seen_by(cast.outsider).post(page_of(cast, f"/stories/{story.pk}/moral")).status_code == 404


def test_it_lets_managers_alone_change_the_moral(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast, moral=MORAL)
    address = page_of(cast, f"/stories/{story.pk}/moral")
    words = {"moral": "Haste makes waste.", "origin": "rewritten", "reason": "clearer"}
    assert seen_by(cast.writer).post(address, words).status_code == 403
    assert seen_by(cast.manager).post(address, words).status_code == 200
    current = Story.objects.select_related("current").get(pk=story.pk).current
    assert current is not None
    assert (current.moral, current.moral_origin, current.number) == (
        "Haste makes waste.", MoralOrigin.REWRITTEN, 2,
    )  # fmt: skip
    again = seen_by(cast.manager).post(address, words)
    assert again.status_code == 400
    assert "unchanged" in again.content.decode()


def test_it_hides_other_projects_items(cast: Cast, seen_by: SeenBy) -> None:
    other = submit_item(make_project())
    client = seen_by(cast.manager)
    assert client.get(page_of(cast, f"/write/item/{other.pk}")).status_code == 404
    assert client.post(page_of(cast, f"/write/item/{other.pk}/withdraw")).status_code == 404
    assert client.get(page_of(cast, f"/stories/{other.story_id}/items")).status_code == 404
    assert Item.objects.get(pk=other.pk).state == State.IN_REVIEW


@pytest.mark.parametrize("offered", [3, 4])
def test_it_names_the_task_says_what_to_write_and_folds_many_tasks(
    cast: Cast, seen_by: SeenBy, offered: int
) -> None:
    cast.project.tasks = ["commonsense", "moral", "cloze", "ordering"][:offered]
    cast.project.save()
    address = page_of(cast, f"/write/story/{make_story(cast).pk}?task=cloze")
    page = seen_by(cast.writer).get(address).content.decode()
    assert "<strong>Cloze item</strong> · Write a sentence about the story as the stem, with ____" in page
    assert "Cloze item 1: " in page
    assert page.count("?task=moral") == 1
    assert ('popovertarget="other-tasks"' in page) == (offered > 3)


@pytest.mark.parametrize(
    ("tasks", "owed", "needed"),
    [
        (["commonsense"], '<p class="label">0 of 4 submitted', True),
        (["proverb_narratives", "ordering"], '<p class="label">Narratives: 0 of 4 submitted', False),
        (["ordering"], "", False),
    ],
)
def test_it_says_what_is_owed_and_needed_of_tasks_that_have_it(
    cast: Cast, seen_by: SeenBy, tasks: list[str], owed: str, *, needed: bool
) -> None:
    cast.project.tasks = tasks
    cast.project.save()
    make_story(cast)
    client = seen_by(cast.writer)
    client.post(page_of(cast, "/write/next"))
    page = client.get(page_of(cast, "/write")).content.decode()
    assert owed in page
    assert ("of 4 submitted" in page) == bool(owed)
    assert ("Still needed:" in page) == needed
