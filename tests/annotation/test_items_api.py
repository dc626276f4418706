"""Items by the programming interface, with tokens: lists, keys and exposures, what people do with items."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.content import to_json
from annotation.models import Cause, Comment, Item, KeyExposure, Revision, State
from annotation.services import apply_verdict
from review.models import Stage
from review.services import claim_next
from tests.factories import Cast, content, make_project, make_story, submit_item, wording
from tests.projects.test_tokens import ask, token_of
from tests.review.practice_cast import verified

pytestmark = pytest.mark.django_db


def at(name: str, cast: Cast, *args: Any, **query: Any) -> str:
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(name, args=[cast.project.slug, *args]) + (f"?{asked}" if asked else "")


def move(cast: Cast, item: Item, state: str, cause: str) -> None:
    pk = wording(item).pk
    apply_verdict(actor=cast.reviewer, item=item, revision_id=pk, to_state=state, cause=cause)


def send_back(cast: Cast, item: Item) -> None:
    move(cast, item, State.RETURNED, Cause.ALL_RETURN)


def new(cast: Cast, **more: Any) -> dict[str, Any]:
    return {"story": make_story(cast).pk, "task": "commonsense", "content": to_json(content())} | more


# --- lists ---


def test_a_list_shows_items_without_their_keys(cast: Cast) -> None:
    item = submit_item(cast)
    answer = ask(token_of(cast.manager, "read"), "get", at("api_items", cast))
    (row,) = answer.json()["results"]
    assert row["id"] == item.pk
    assert (row["state"], row["revision"], row["types"]) == ("in_review", 1, ["social"])
    assert (row["stem"], row["writer"]) == ("Why did the hare fall asleep?", cast.writer.pk)
    assert "felt sure of winning" not in answer.content.decode()
    assert not KeyExposure.objects.filter(user=cast.manager).exists()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, {"first", "second", "moral"}),
        ({"state": "returned"}, {"second"}),
        ({"task": "moral"}, {"moral"}),
        ({"style": "machine"}, set()),
        ({"type": "social"}, {"first", "second"}),
        ({"type": "none"}, set()),
        ({"writer": "writer2"}, {"second"}),
        ({"story": "first"}, {"first"}),
        ({"source_id": "x"}, set()),
        ({"changed_since": "tomorrow"}, set()),
        ({"changed_since": "yesterday"}, {"first", "second", "moral"}),
        ({"state": "returned", "writer": "writer"}, set()),
    ],
)
def test_a_list_is_filtered(cast: Cast, asked: dict[str, str], found: set[str]) -> None:
    made = {
        "first": submit_item(cast),
        "second": submit_item(cast, writer=cast.writer2),
        "moral": submit_item(cast, task="moral"),
    }
    send_back(cast, made["second"])
    values: dict[str, Any] = {
        "writer": cast.writer.pk,
        "writer2": cast.writer2.pk,
        "first": made["first"].story_id,
        "tomorrow": (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "yesterday": (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    address = at("api_items", cast, **{name: values.get(value, value) for name, value in asked.items()})
    rows = ask(token_of(cast.manager), "get", address).json()["results"]
    assert {row["id"] for row in rows} == {made[name].pk for name in found}


@pytest.mark.parametrize("wrong", ["state=lost", "writer=me", "changed_since=now", "writer__password=x"])
def test_a_filter_that_does_not_exist_is_named(cast: Cast, wrong: str) -> None:
    answer = ask(token_of(cast.manager), "get", f"{at('api_items', cast)}?{wrong}")
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [wrong.partition("=")[0]]


def test_everybody_sees_own_items_and_managers_all(cast: Cast) -> None:
    mine, other = submit_item(cast), submit_item(cast, writer=cast.writer2)
    for person, seen in (
        (cast.writer, {mine.pk}),
        (cast.writer2, {other.pk}),
        (cast.reviewer, set()),
        (cast.verifier, set()),
        (cast.manager, {mine.pk, other.pk}),
    ):
        rows = ask(token_of(person), "get", at("api_items", cast)).json()["results"]
        assert {row["id"] for row in rows} == seen, person
    assert ask(token_of(cast.outsider), "get", at("api_items", cast)).status_code == 404


@pytest.mark.parametrize("size", [3, 12])
def test_a_page_costs_six_statements_of_whatever_size(
    cast: Cast, size: int, django_assert_max_num_queries: Any
) -> None:
    story = make_story(cast)
    for number in range(size):
        submit_item(cast, story=story, words=content(f"Why {number}?", *(f"{number} {x}" for x in "abcd")))
    for person in (cast.manager, cast.writer):
        text = token_of(person)
        for query in ("?limit=1000", "?type=social&state=in_review"):
            with django_assert_max_num_queries(6):
                rows = ask(text, "get", at("api_items", cast) + query).json()["results"]
            assert len(rows) == size


def test_pages_follow_each_other_without_gaps(cast: Cast) -> None:
    story, text = make_story(cast), token_of(cast.manager)
    made = [
        submit_item(cast, story=story, words=content(f"Why {n}?", *(f"{n} {x}" for x in "abcd"))).pk
        for n in range(5)
    ]
    seen, address = [], at("api_items", cast, limit=2)
    while address:
        answer = ask(text, "get", address).json()
        seen += [row["id"] for row in answer["results"]]
        address = answer["next"]
    assert seen == made[::-1]


# --- one item ---


def test_an_item_is_shown_with_its_key_and_that_is_recorded(cast: Cast) -> None:
    item = submit_item(cast)
    answer = ask(token_of(cast.manager, "read"), "get", at("api_item", cast, item.pk))
    assert answer.json()["content"] == to_json(content())
    assert answer.json()["contestable"] == ""
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists()
    tag = {"If-None-Match": answer.headers["ETag"]}
    again = ask(token_of(cast.manager), "get", at("api_item", cast, item.pk), **tag)
    assert (again.status_code, again.content) == (304, b"")


SUBS = ("api_item", "api_item_revisions", "api_item_transitions", "api_item_comments")


@pytest.mark.parametrize("name", SUBS)
def test_whoever_may_solve_an_item_is_shown_nothing_of_it(cast: Cast, name: str) -> None:
    item, foreign = submit_item(cast), submit_item(make_project())
    for person in (cast.reviewer, cast.verifier, cast.writer2):
        text = token_of(person)
        absent = ask(text, "get", at(name, cast, 2_000_000_000))
        for pk in (item.pk, foreign.pk):
            answer = ask(text, "get", at(name, cast, pk))
            assert (answer.status_code, answer.json()) == (404, absent.json()), person
    assert not KeyExposure.objects.filter(item=item).exists()


@pytest.mark.parametrize("name", SUBS[1:])
def test_what_may_quote_a_key_exposes_to_it(cast: Cast, name: str) -> None:
    item = submit_item(cast)
    assert ask(token_of(cast.manager), "get", at(name, cast, item.pk)).status_code == 200
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists()


def test_wordings_and_changes_of_state_are_listed_newest_first(cast: Cast) -> None:
    item, text = submit_item(cast), token_of(cast.writer)
    send_back(cast, item)
    sent = {"content": to_json(content("Why did it sleep?"))}
    made = ask(text, "post", at("api_item_revisions", cast, item.pk), sent)
    assert (made.status_code, made.json()["revision"]) == (201, 2)
    assert made.json()["state"] == "in_review"
    rows = ask(text, "get", at("api_item_revisions", cast, item.pk)).json()["results"]
    assert [(row["number"], row["content"]["stem"]) for row in rows] == [
        (2, "Why did it sleep?"),
        (1, "Why did the hare fall asleep?"),
    ]
    moves = ask(text, "get", at("api_item_transitions", cast, item.pk)).json()["results"]
    assert [(one["to_state"], one["cause"]) for one in moves[:2]] == [
        ("in_review", "revised"),
        ("returned", "all_return"),
    ]
    assert [one["revision"] for one in moves[:2]] == [2, 1]


@pytest.mark.parametrize("name", SUBS[1:])
def test_lists_about_an_item_cost_the_same_at_any_length(
    cast: Cast, name: str, django_assert_max_num_queries: Any
) -> None:
    item, text = submit_item(cast), token_of(cast.writer)
    for number in range(3):
        send_back(cast, item)
        sent = {"content": to_json(content(f"Why {number}?"))}
        assert ask(text, "post", at("api_item_revisions", cast, item.pk), sent).status_code == 201
        ask(text, "post", at("api_item_comments", cast, item.pk), {"text": f"{number}"})
        item.refresh_from_db()
    with django_assert_max_num_queries(9):
        assert ask(text, "get", at(name, cast, item.pk)).status_code == 200


# --- writing ---


def test_a_writer_submits_an_item(cast: Cast) -> None:
    text, sent = token_of(cast.writer, "read", "write"), new(cast)
    key = {"Idempotency-Key": "one"}
    made, again = (ask(text, "post", at("api_items", cast), sent, **key) for _time in range(2))
    assert made.status_code == again.status_code == 201
    assert made.json() == again.json()
    item = Item.objects.get()
    assert (item.state, item.writer, item.pk) == (State.IN_REVIEW, cast.writer, made.json()["id"])
    assert made.headers["Location"] == at("api_item", cast, item.pk)
    assert ask(text, "get", made.headers["Location"]).headers["ETag"] == made.headers["ETag"]


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"content": to_json(content("")) | {"stem": ""}}, ["stem"]),
        ({"content": to_json(content(types=()))}, ["types"]),
        ({"task": "none"}, ["task"]),
        ({"story": "x"}, ["story"]),
        ({"colour": "red"}, ["colour"]),
    ],
)
def test_an_item_that_lacks_something_names_it(cast: Cast, change: dict[str, Any], fields: list[str]) -> None:
    answer = ask(token_of(cast.writer), "post", at("api_items", cast), new(cast) | change)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, fields)
    assert not Item.objects.exists()


def test_warnings_are_explained_or_fixed_as_in_the_form(cast: Cast) -> None:
    long = content(
        "Why?", "It was raining", "It felt far too sure of winning to run on " * 3, "It hid", "Ill"
    )
    sent = new(cast, content=to_json(long))
    refused = ask(token_of(cast.writer), "post", at("api_items", cast), sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["warnings"])


def test_who_may_not_write_submits_nothing(cast: Cast) -> None:
    sent = new(cast)
    assert ask(token_of(cast.writer, "read"), "post", at("api_items", cast), sent).status_code == 403
    assert ask(token_of(cast.outsider), "post", at("api_items", cast), sent).status_code == 404
    assert not Item.objects.exists()


def test_a_moral_item_is_submitted_by_who_has_asked_to_see_the_moral(cast: Cast) -> None:
    story, text = make_story(cast), token_of(cast.writer)
    words = content("What does it teach?", "Slow and steady wins.", "Run", "Sleep", "Eat", key=0, types=())
    sent = {"story": story.pk, "task": "moral", "content": to_json(words)}
    refused = ask(text, "post", at("api_items", cast), sent)
    assert refused.status_code == 409
    assert not KeyExposure.objects.exists()
    shown = ask(text, "post", at("api_story_moral", cast, story.pk))
    assert shown.json() == {"moral": "Slow and steady wins.", "origin": "source"}
    answer = ask(text, "post", at("api_items", cast), sent)
    assert answer.status_code in (201, 400)
    assert answer.status_code == 201 or "warnings" in answer.json()["fields"]
    assert ask(token_of(cast.reviewer), "post", at("api_story_moral", cast, story.pk)).status_code == 403


def test_a_wording_is_refused_where_the_item_is_with_nobody_to_revise_it(cast: Cast) -> None:
    item, text = submit_item(cast), token_of(cast.writer)
    sent = {"content": to_json(content("Why did it sleep?"))}
    assert ask(text, "post", at("api_item_revisions", cast, item.pk), sent).status_code == 409
    other = ask(token_of(cast.writer2), "post", at("api_item_revisions", cast, item.pk), sent)
    assert other.status_code == 404
    assert Revision.objects.count() == 1


# --- actions ---

ACTIONS: list[tuple[str, str, str, str, dict[str, str]]] = [
    ("api_item_withdraw", "submitted", "writer", "withdrawn", {}),
    ("api_item_withdraw", "submitted", "manager", "withdrawn", {"reason": "twice"}),
    ("api_item_retire", "verified", "manager", "retired", {"reason": "wrong"}),
    ("api_item_review_again", "verified", "manager", "in_review", {"reason": "look"}),
    ("api_item_contest", "rejected", "writer", "in_adjudication", {"reason": "no"}),
]


def _in(cast: Cast, start: str) -> Item:
    if start == "verified":
        return verified(cast)
    item = submit_item(cast)
    if start == "rejected":
        move(cast, item, State.REJECTED, Cause.ALL_REJECT)
    return item


@pytest.mark.parametrize(("name", "start", "role", "state", "sent"), ACTIONS)
def test_what_people_do_with_items(
    cast: Cast, name: str, start: str, role: str, state: str, sent: dict[str, str]
) -> None:
    item = _in(cast, start)
    text, address = token_of(getattr(cast, role)), at(name, cast, item.pk)
    old = ask(text, "get", at("api_item", cast, item.pk)).headers["ETag"]
    stale = ask(text, "post", address, sent, **{"If-Match": '"other"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "changed")
    answer = ask(text, "post", address, sent, **{"If-Match": old})
    assert (answer.status_code, answer.json()["state"]) == (200, state), answer.content
    assert answer.headers["ETag"] != old
    last = item.transitions.latest("pk")
    assert (last.reason, last.actor) == (sent.get("reason", ""), getattr(cast, role))
    again = ask(text, "post", address, sent, **{"If-Match": old})
    assert again.status_code == 412
    assert ask(text, "post", address, sent).status_code == 409


@pytest.mark.parametrize(("name", "start", "role", "state", "sent"), ACTIONS)
def test_others_do_nothing_with_items(
    cast: Cast, name: str, start: str, role: str, state: str, sent: dict[str, str]
) -> None:
    item = _in(cast, start)
    before, address = item.state, at(name, cast, item.pk)
    for person in (cast.writer2, cast.reviewer, cast.verifier):
        assert ask(token_of(person), "post", address, sent).status_code in (403, 404), person
    assert ask(token_of(cast.outsider), "post", address, sent).status_code == 404
    assert ask(token_of(getattr(cast, role), "read"), "post", address, sent).status_code == 403
    item.refresh_from_db()
    assert item.state == before


def test_a_managers_move_is_undone(cast: Cast) -> None:
    item, text = submit_item(cast), token_of(cast.manager)
    returned = ask(text, "post", at("api_item_return", cast, item.pk), {"reason": "Why?"})
    assert (returned.status_code, returned.json()["state"]) == (200, "returned")
    address, sent = at("api_item_restore", cast, item.pk), {"transition": returned.json()["transition"]}
    for person in (cast.writer, cast.reviewer):
        assert ask(token_of(person), "post", address, sent).status_code == 403
    assert ask(text, "post", address, {"transition": 2_000_000_000}).status_code == 404
    assert ask(text, "post", address, sent).json()["state"] == "in_review"
    assert ask(text, "post", address, sent).status_code == 409


def test_an_item_that_is_being_reviewed_is_not_returned(cast: Cast) -> None:
    item, text = submit_item(cast), token_of(cast.manager)
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    refused = ask(text, "post", at("api_item_return", cast, item.pk), {"reason": "Why?"})
    assert (refused.status_code, refused.json()["detail"]) == (409, "Someone is reviewing this item now.")
    foreign = submit_item(make_project())
    assert ask(text, "post", at("api_item_return", cast, foreign.pk), {"reason": "x"}).status_code == 404


@pytest.mark.parametrize("name", ["api_item_retire", "api_item_review_again"])
def test_a_reason_is_asked_for_by_name(cast: Cast, name: str) -> None:
    answer = ask(token_of(cast.manager), "post", at(name, cast, verified(cast).pk), {"reason": " "})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["reason"])


def test_comments_are_added_to_parts_of_an_item(cast: Cast) -> None:
    item, text = submit_item(cast), token_of(cast.writer)
    address, sent = at("api_item_comments", cast, item.pk), {"text": " good ", "about": "option-2"}
    made = ask(text, "post", address, sent)
    row = made.json()
    assert (made.status_code, row["text"], row["about"], row["revision"]) == (201, "good", "option-2", 1)
    assert ask(text, "get", address).json()["results"] == [row]
    for wrong in ({"text": ""}, {"text": "x", "about": "option-9"}, {"text": "x" * 4001}):
        answer = ask(text, "post", address, wrong)
        assert (answer.status_code, len(answer.json()["fields"])) == (400, 1)
    assert ask(token_of(cast.reviewer), "post", address, sent).status_code == 404
    assert Comment.objects.count() == 1


def test_an_item_is_checked_for_who_may_write(cast: Cast) -> None:
    words = content(
        "Why?", "It was raining", "It felt far too sure of winning to run on " * 3, "It hid", "Ill"
    )
    item = submit_item(cast, words=words)
    answer = ask(token_of(cast.manager), "post", at("api_item_check", cast, item.pk))
    assert answer.status_code == 200
    assert {one["severity"] for one in answer.json()["problems"]} == {"warning"}
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists()
    assert ask(token_of(cast.reviewer), "post", at("api_item_check", cast, item.pk)).status_code == 404


def test_an_item_without_a_writer_is_taken_over_and_assigned(cast: Cast) -> None:
    item = submit_item(cast)
    send_back(cast, item)
    text, address = token_of(cast.writer2), at("api_item_take_over", cast, item.pk)
    assert ask(text, "post", address).status_code == 404
    Item.objects.filter(pk=item.pk).update(offered_at=timezone.now())
    assert ask(text, "post", address).json()["writer"] == cast.writer2.pk
    assign, manager = at("api_item_assign", cast, item.pk), token_of(cast.manager)
    wrong = ask(manager, "post", assign, {"writer": cast.outsider.pk})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["writer"])
    assert ask(manager, "post", assign, {"writer": cast.writer.pk}).json()["writer"] == cast.writer.pk
    assert ask(text, "post", assign, {"writer": cast.writer.pk}).status_code == 403


# --- many at once ---


def lines(number: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "id": f"i-{n}",
            "task": "commonsense",
            "story_id": f"s-{n // 3}",
            "title": f"The jar {n // 3}",
            "story": f"A crow found a tall jar on day {n // 3} and dropped pebbles in.",
            "question": f"Why did the crow drop pebble {n}?",
            "choices": [f"To raise it {n}", f"To hear it {n}", f"To hide it {n}", f"To count it {n}"],
            "answer": n % 4,
            "types": ["social"],
        }
        | more
        for n in range(number)
    ]


def test_many_items_are_imported_by_one_request(cast: Cast) -> None:
    text = token_of(cast.manager)
    answer = ask(text, "post", at("api_items", cast), {"items": lines(7), "state": "verified"})
    assert answer.status_code == 201, answer.content
    report = answer.json()
    assert (report["created"], report["broken"], report["drafts"]) == (7, 0, 0)
    rows = {row["row"]: row["id"] for row in report["rows"]}
    assert rows == {n + 1: Item.objects.get(ref=f"i-{n}").pk for n in range(7)}
    assert set(Item.objects.values_list("state", flat=True)) == {State.VERIFIED}
    again = ask(text, "post", at("api_items", cast), {"items": lines(7), "state": "verified"}).json()
    assert (again["created"], again["unchanged"]) == (0, 7)
    assert [row["id"] for row in again["rows"]] == list(rows.values())
    assert not KeyExposure.objects.exists()


def test_many_items_are_tried_without_writing_them(cast: Cast) -> None:
    sent = {"items": [*lines(2), *lines(1, id="broken", answer=9)], "dry_run": True}
    answer = ask(token_of(cast.manager), "post", at("api_items", cast), sent)
    assert (answer.status_code, answer.json()["broken"]) == (200, 1)
    assert {one["row"] for one in answer.json()["errors"]} == {3}
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"answer": 9}, "2.answer"),
        ({"types": ["nonsense"]}, "2.types"),
        ({"question": ""}, "2.question"),
        ({"story": "", "story_id": "none"}, "2.story"),
    ],
)
def test_one_row_with_an_error_keeps_all_out(cast: Cast, change: dict[str, Any], field: str) -> None:
    sent = {"items": [lines(1)[0], lines(2)[1] | change]}
    answer = ask(token_of(cast.manager), "post", at("api_items", cast), sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"items": []}, "items"),
        ({"items": [0]}, "items"),
        ({"items": [{}] * 1001}, "items"),
        ({"items": lines(1), "state": "retired"}, "state"),
        ({"items": lines(1), "writer": "x" * 151}, "writer"),
        ({"items": lines(1), "else": 1}, "else"),
    ],
)
def test_a_request_for_many_is_checked(cast: Cast, sent: dict[str, Any], field: str) -> None:
    answer = ask(token_of(cast.manager), "post", at("api_items", cast), sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])


def test_only_managers_import_and_with_the_scope_for_it(cast: Cast) -> None:
    sent = {"items": lines(1)}
    assert ask(token_of(cast.writer), "post", at("api_items", cast), sent).status_code == 403
    assert (
        ask(token_of(cast.manager, "read", "write"), "post", at("api_items", cast), sent).status_code == 403
    )
    assert not Item.objects.exists()
    assert (
        ask(token_of(cast.manager, "write", "manage"), "post", at("api_items", cast), sent).status_code == 201
    )


def test_texts_that_no_json_writer_takes_are_refused_in_words(cast: Cast) -> None:
    sent = {"items": lines(1, question="\ud800"), "dry_run": True}
    answer = ask(token_of(cast.manager), "post", at("api_items", cast), sent)
    assert answer.status_code in (200, 400)
