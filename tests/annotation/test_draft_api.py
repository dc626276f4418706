"""Saving and checking while somebody types."""

import uuid
from typing import Any

import pytest
from django.test import Client

from annotation.content import to_json
from annotation.models import Cause, Item, ItemDraft, State
from annotation.services import apply_verdict
from tests.annotation.conftest import SeenBy
from tests.annotation.sheets import draft_api, draft_page, save_of, sheet
from tests.factories import Cast, content, make_project, make_story, submit_item, wording

pytestmark = pytest.mark.django_db


def put(client: Client, client_id: uuid.UUID, body: dict[str, Any]) -> Any:
    return client.put(draft_api(client_id), body, content_type="application/json")


def post_apart(client: Client, client_id: uuid.UUID, body: dict[str, Any]) -> Any:
    return client.post(f"{draft_api(client_id)}separate/", body, content_type="application/json")


def send_back(cast: Cast, item: Item) -> None:
    assert item.current is not None
    apply_verdict(
        actor=cast.reviewer,
        item=item,
        revision_id=wording(item).pk,
        to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )


def test_it_saves_whatever_has_been_typed(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    empty = put(client, client_id, save_of(cast, story) | {"content": {}})
    assert empty.status_code == 200
    assert empty.json()["sequence"] == 1
    assert empty.json()["saved"].startswith("saved ")
    half = {"stem": " Why ", "options": [{"text": ""}, {"text": "a", "is_key": True}], "types": ["nonsense"]}
    assert put(client, client_id, save_of(cast, story, sequence=2) | {"content": half}).status_code == 200
    draft = ItemDraft.objects.get()
    assert (draft.content["stem"], draft.content["types"], draft.sequence) == (" Why ", ["nonsense"], 2)
    assert [option["is_key"] for option in draft.content["options"]] == [False, True]


def test_it_answers_an_overtaken_save_with_what_is_saved(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    put(client, client_id, save_of(cast, story, content("Theirs?"), sequence=1))
    stale = put(client, client_id, save_of(cast, story, content("Mine?"), sequence=1))
    assert stale.status_code == 409
    assert stale.json()["submitted"] is False
    assert stale.json()["sequence"] == 1
    assert stale.json()["content"] == to_json(content("Theirs?"))
    assert put(client, client_id, save_of(cast, story, content("Theirs?"), sequence=1)).status_code == 200
    assert put(client, client_id, save_of(cast, story, content("Mine?"), sequence=2)).status_code == 200
    assert ItemDraft.objects.get().content["stem"] == "Mine?"


def test_it_takes_no_late_save_of_what_has_been_submitted(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    client.post(draft_page(cast, client_id), sheet(story))
    late = put(client, client_id, save_of(cast, story, content("Late?"), sequence=9))
    assert (late.status_code, late.json()["submitted"]) == (409, True)
    assert ItemDraft.objects.count() == Item.objects.count() == 1


def test_it_keeps_late_words_of_what_has_been_submitted_as_one_new_draft(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    client.post(draft_page(cast, client_id), sheet(story))
    late = save_of(cast, story, content("Late?"), sequence=9)
    kept = [post_apart(client, client_id, late) for _time in range(2)]
    assert [answer.status_code for answer in kept] == [200, 200]
    assert kept[0].json() == kept[1].json()
    draft = ItemDraft.objects.get(submitted_as=None)
    assert (draft.content["stem"], draft.item, draft.story) == ("Late?", None, story)
    assert kept[0].json()["page"] == draft_page(cast, draft.client_id)
    assert put(client, draft.client_id, late | {"sequence": 2}).status_code == 200
    other = post_apart(client, client_id, save_of(cast, story, content("Later still?"), sequence=9))
    assert other.json()["client_id"] != str(draft.client_id)
    assert post_apart(seen_by(cast.outsider), client_id, late).status_code == 404


def test_it_takes_late_words_into_the_next_wording_where_the_item_is_with_its_writer(
    cast: Cast, seen_by: SeenBy
) -> None:
    client_id, client, story = uuid.uuid4(), seen_by(cast.writer), make_story(cast)
    client.post(draft_page(cast, client_id), sheet(story))
    item = Item.objects.get()
    send_back(cast, item)
    kept = post_apart(client, client_id, save_of(cast, story, content("Late?"), item=item.pk))
    draft = ItemDraft.objects.get(submitted_as=None)
    assert (kept.json()["client_id"], draft.item) == (str(draft.client_id), item)
    again = post_apart(client, client_id, save_of(cast, story, content("Another?"), item=item.pk))
    apart = ItemDraft.objects.get(client_id=again.json()["client_id"])
    assert apart.item is None  # an item has one draft


def test_it_shows_a_late_save_of_an_item_that_has_moved_on_what_stands_there(
    cast: Cast, seen_by: SeenBy
) -> None:
    item, client = submit_item(cast), seen_by(cast.writer)
    late = put(client, uuid.uuid4(), save_of(cast, item.story, content("Late?"), item=item.pk))
    assert (late.status_code, late.json()["submitted"]) == (409, True)
    assert late.json()["content"]["stem"] == "Why did the hare fall asleep?"
    assert post_apart(client, uuid.uuid4(), save_of(cast, item.story, item=item.pk)).status_code == 200
    assert ItemDraft.objects.get().item is None


def test_it_keeps_one_draft_of_an_item_in_two_windows(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    send_back(cast, item)
    client = seen_by(cast.writer)
    assert put(client, uuid.uuid4(), save_of(cast, item.story, item=item.pk)).status_code == 200
    second = put(client, uuid.uuid4(), save_of(cast, item.story, content("Second?"), item=item.pk))
    assert second.status_code == 409
    assert ItemDraft.objects.count() == 1


def test_it_saves_nothing_for_strangers_nor_into_what_is_not_theirs(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    assert put(Client(), client_id, save_of(cast, story)).status_code == 401
    assert put(seen_by(cast.outsider), client_id, save_of(cast, story)).status_code == 404
    elsewhere = make_story(make_project())
    assert put(seen_by(cast.writer), client_id, save_of(cast, elsewhere)).status_code == 404
    item = submit_item(cast)
    assert put(seen_by(cast.writer2), client_id, save_of(cast, story, item=item.pk)).status_code == 404
    assert put(seen_by(cast.writer), client_id, save_of(cast, story, item=item.pk)).status_code == 409
    assert not ItemDraft.objects.exists()


def test_it_makes_two_peoples_drafts_of_one_id(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    for person in (cast.writer, cast.writer2):
        assert put(seen_by(person), client_id, save_of(cast, story)).status_code == 200
    assert ItemDraft.objects.count() == 2


def test_it_wants_the_token_that_keeps_other_sites_out(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.writer)
    assert put(client, uuid.uuid4(), save_of(cast, make_story(cast))).status_code == 403


@pytest.mark.parametrize(
    "broken",
    [
        {"sequence": 0},
        {"sequence": 2**70},
        {"story": 2**70},
        {"story": "x"},
        {"task": "riddle"},
        {"content": []},
        {"content": {"stem": "a\x00b"}},
        {"content": {"stem": "a\ud800b"}},
        {"content": {"stem": "x" * 100_001}},
        {"content": {"options": [{"text": "a"}] * 27}},
        {"content": {"options": ["a"]}},
        {"content": {"options": [{"candidate": -1}]}},
        {"content": {"stem": "x" * 99_999, "explanation": "y" * 99_999, "options": [{"text": "z" * 9_999}]}},
    ],
)
def test_it_refuses_what_no_sheet_sends(cast: Cast, seen_by: SeenBy, broken: dict[str, Any]) -> None:
    answer = put(seen_by(cast.writer), uuid.uuid4(), save_of(cast, make_story(cast)) | broken)
    assert answer.status_code == 400
    assert not ItemDraft.objects.exists()


def test_it_says_what_a_draft_lacks_in_sentences(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    put(client, client_id, save_of(cast, story, content("", "a", "b", "c", key=9)))
    found = client.post(f"{draft_api(client_id)}check/").json()["problems"]
    assert [(problem["code"], problem["field"]) for problem in found] == [
        ("stem_missing", "stem"), ("number_of_options", "options"), ("key_missing", "key"),
    ]  # fmt: skip
    assert found[0]["message"] == "The stem is empty."
    put(client, client_id, save_of(cast, story, sequence=2))
    assert client.post(f"{draft_api(client_id)}check/").json() == {"problems": []}


def test_it_checks_nobody_elses_draft(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    put(seen_by(cast.writer), client_id, save_of(cast, story))
    assert seen_by(cast.manager).post(f"{draft_api(client_id)}check/").status_code == 404


def test_it_has_its_shapes_in_the_schema(cast: Cast, seen_by: SeenBy) -> None:
    schema = seen_by(cast.writer).get("/api/v1/schema/").json()
    save = schema["paths"]["/api/v1/drafts/{client_id}/"]["put"]
    assert set(save["responses"]) == {"200", "409", "4XX"}
    assert "/api/v1/drafts/{client_id}/check/" in schema["paths"]
