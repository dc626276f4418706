"""Drafts and assignments by the programming interface, with tokens."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.content import to_json
from annotation.models import Item, ItemDraft, KeyExposure, WritingAssignment
from annotation.services import assign_item, return_item, take_story
from projects.models import Membership, Role
from tests.annotation.sheets import save_of
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db


def at(name: str, cast: Cast, *args: Any, **query: Any) -> str:
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(name, args=[cast.project.slug, *args]) + (f"?{asked}" if asked else "")


def of_draft(name: str, client_id: uuid.UUID) -> str:
    return reverse(name, args=[client_id])


# --- drafts ---


def test_a_draft_is_saved_read_checked_and_submitted_by_a_token(cast: Cast) -> None:
    client_id, text = uuid.uuid4(), token_of(cast.writer, "read", "write")
    address, story = of_draft("api_draft", client_id), make_story(cast)
    assert ask(text, "put", address, save_of(cast, story)).status_code == 200
    row = ask(text, "get", address)
    assert row.json()["content"] == to_json(content())
    assert (row.json()["project"], row.json()["is_submitted"]) == (cast.project.slug, False)
    assert ask(text, "get", address, **{"If-None-Match": row.headers["ETag"]}).status_code == 304
    listed = ask(text, "get", at("api_drafts", cast)).json()["results"]
    assert [one["client_id"] for one in listed] == [str(client_id)]
    assert ask(text, "post", of_draft("api_draft_check", client_id)).json() == {"problems": []}
    key = {"Idempotency-Key": "k"}
    made, again = (ask(text, "post", of_draft("api_draft_submit", client_id), **key) for _time in range(2))
    assert (made.status_code, made.json()["state"]) == (201, "in_review")
    assert made.json() == again.json()
    assert ask(text, "get", address).json()["is_submitted"] is True
    assert ask(text, "get", at("api_drafts", cast)).json()["results"] == []
    assert Item.objects.count() == 1


def test_a_draft_goes_to_the_bin_and_comes_back(cast: Cast) -> None:
    client_id, text = uuid.uuid4(), token_of(cast.writer)
    address = of_draft("api_draft", client_id)
    ask(text, "put", address, save_of(cast, make_story(cast)))
    assert ask(text, "delete", address).status_code == 204
    assert ask(text, "get", at("api_drafts", cast)).json()["results"] == []
    assert len(ask(text, "get", at("api_drafts", cast, discarded="true")).json()["results"]) == 1
    assert ask(text, "post", of_draft("api_draft_submit", client_id)).status_code == 409
    assert ask(text, "post", of_draft("api_draft_restore", client_id)).json()["deleted_at"] is None
    assert len(ask(text, "get", at("api_drafts", cast)).json()["results"]) == 1


METHODS = (
    ("get", "api_draft"),
    ("delete", "api_draft"),
    ("post", "api_draft_check"),
    ("post", "api_draft_submit"),
    ("post", "api_draft_restore"),
)


@pytest.mark.parametrize(("method", "name"), METHODS)
def test_a_draft_of_somebody_else_is_not_there(cast: Cast, method: str, name: str) -> None:
    client_id = uuid.uuid4()
    ask(token_of(cast.writer), "put", of_draft("api_draft", client_id), save_of(cast, make_story(cast)))
    other = make_project()
    Membership.objects.create(project=other.project, user=cast.writer, role=Role.WRITER)
    bound = token_of(cast.writer, project=other.project)
    for text in (token_of(cast.writer2), token_of(cast.manager), token_of(cast.outsider), bound):
        found, absent = (ask(text, method, of_draft(name, one)) for one in (client_id, uuid.uuid4()))
        assert (found.status_code, found.json()) == (404, absent.json())
    assert ItemDraft.objects.get().deleted_at is None


def test_a_draft_needs_the_scope_to_write(cast: Cast) -> None:
    client_id, text = uuid.uuid4(), token_of(cast.writer, "read")
    address = of_draft("api_draft", client_id)
    assert ask(text, "put", address, save_of(cast, make_story(cast))).status_code == 403
    ask(token_of(cast.writer, "write"), "put", address, save_of(cast, make_story(cast)))
    assert ask(text, "get", address).status_code == 200
    for method, name in METHODS[1:]:
        assert ask(text, method, of_draft(name, client_id)).status_code == 403, name


def test_a_draft_with_the_key_of_another_writer_exposes_who_reads_it(cast: Cast) -> None:
    client_id, item = uuid.uuid4(), submit_item(cast)
    return_item(actor=cast.manager, item=item, reason="Why?")
    text, address = token_of(cast.writer), of_draft("api_draft", client_id)
    saved = ask(text, "put", address, save_of(cast, item.story, item=item.pk))
    assert saved.status_code == 200
    assign_item(actor=cast.manager, item=item, writer=cast.writer2)
    assert ask(token_of(cast.writer2), "get", address).status_code == 200
    assert KeyExposure.objects.filter(user=cast.writer2, item=item).exists()


def test_lists_of_drafts_and_assignments_cost_six_statements(
    cast: Cast, django_assert_max_num_queries: Any
) -> None:
    text = token_of(cast.writer)
    for size in (1, 4):
        for _number in range(size):
            story = make_story(cast)
            ask(text, "put", of_draft("api_draft", uuid.uuid4()), save_of(cast, story))
            take_story(actor=cast.writer, story=story)
        for name in ("api_drafts", "api_assignments"):
            with django_assert_max_num_queries(6):
                assert ask(text, "get", at(name, cast)).json()["results"]


# --- assignments ---


def test_a_writer_takes_a_story_and_gives_it_back(cast: Cast) -> None:
    story, text = make_story(cast), token_of(cast.writer, "read", "write")
    made = ask(text, "post", at("api_assignments", cast), {"story": story.pk})
    assert (made.status_code, made.json()["story"], made.json()["source"]) == (201, story.pk, "pulled")
    assert ask(text, "get", made.headers["Location"]).json() == made.json()
    back = at("api_assignment_give_back", cast, made.json()["id"])
    assert ask(text, "post", back).json()["given_back_at"] is not None
    assert ask(text, "post", back).status_code == 404
    assert ask(text, "get", at("api_assignments", cast, given_back="false")).json()["results"] == []
    restore = at("api_assignment_restore", cast, made.json()["id"])
    assert ask(text, "post", restore).json() == made.json()


def test_the_next_story_is_taken_or_it_is_said_why_there_is_none(cast: Cast) -> None:
    text, address = token_of(cast.writer), at("api_assignment_next", cast)
    none = ask(text, "post", address)
    assert (none.status_code, none.json()["code"]) == (409, "conflict")
    assert "no stories yet" in none.json()["detail"]
    story = make_story(cast)
    assert ask(text, "post", address).json()["story"] == story.pk
    assert "already have" in ask(text, "post", address).json()["detail"]
    submit_item(cast, story=story)
    assert ask(text, "get", at("api_assignments", cast)).json()["results"][0]["submitted"] == 1


def test_writers_see_their_own_assignments_and_managers_all(cast: Cast) -> None:
    story = make_story(cast)
    mine, theirs = (take_story(actor=who, story=story).pk for who in (cast.writer, cast.writer2))
    for person, seen in ((cast.writer, {mine}), (cast.manager, {mine, theirs}), (cast.reviewer, set())):
        rows = ask(token_of(person), "get", at("api_assignments", cast)).json()["results"]
        assert {row["id"] for row in rows} == seen
    rows = ask(token_of(cast.manager), "get", at("api_assignments", cast, writer=cast.writer.pk)).json()
    assert [row["id"] for row in rows["results"]] == [mine]
    text = token_of(cast.writer)
    for name, method in (
        ("api_assignment", "get"),
        ("api_assignment_give_back", "post"),
        ("api_assignment_restore", "post"),
    ):
        found, absent = (ask(text, method, at(name, cast, pk)) for pk in (theirs, 2_000_000_000))
        assert (found.status_code, found.json()) == (404, absent.json())


def test_managers_assign_stories_to_writers(cast: Cast) -> None:
    stories = [make_story(cast).pk for _number in range(2)]
    text, address = token_of(cast.manager), at("api_assignment_name", cast)
    sent: dict[str, Any] = {"stories": stories, "writers": [cast.writer.pk, cast.writer2.pk]}
    made = ask(text, "post", address, sent | {"due_on": timezone.localdate().isoformat()})
    assert (made.status_code, len(made.json()["results"])) == (201, 4)
    assert ask(text, "post", address, sent).json() == {"results": []}
    assert WritingAssignment.objects.filter(source="named").count() == 4


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"stories": []}, "stories"),
        ({"stories": [2_000_000_000]}, "stories"),
        ({"stories": "x"}, "stories"),
        ({"writers": []}, "writers"),
        ({"writers": ["reviewer"]}, "writers"),
        ({"due_on": "2001-01-01"}, "due_on"),
        ({"due_on": "soon"}, "due_on"),
    ],
)
def test_an_assignment_that_lacks_something_names_it(cast: Cast, wrong: dict[str, Any], field: str) -> None:
    sent = {"stories": [make_story(cast).pk], "writers": [cast.writer.pk]} | wrong
    if sent["writers"] == ["reviewer"]:
        sent["writers"] = [cast.reviewer.pk]
    answer = ask(token_of(cast.manager), "post", at("api_assignment_name", cast), sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not WritingAssignment.objects.exists()


def test_stories_are_taken_by_writers_alone(cast: Cast) -> None:
    sent = {"story": make_story(cast).pk}
    for person in (cast.reviewer, cast.verifier):
        assert ask(token_of(person), "post", at("api_assignments", cast), sent).status_code == 403
        assert ask(token_of(person), "post", at("api_assignment_next", cast)).status_code == 403
    assert ask(token_of(cast.writer, "read"), "post", at("api_assignments", cast), sent).status_code == 403
    named = {"stories": [sent["story"]], "writers": [cast.writer.pk]}
    assert ask(token_of(cast.writer), "post", at("api_assignment_name", cast), named).status_code == 403
    assert ask(token_of(cast.outsider), "post", at("api_assignments", cast), sent).status_code == 404
    foreign = make_story(make_project()).pk
    assert (
        ask(token_of(cast.writer), "post", at("api_assignments", cast), {"story": foreign}).status_code == 404
    )
