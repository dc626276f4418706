"""Stories, groups and imports by the programming interface, with tokens."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import Item, KeyExposure
from corpus.models import SimilarPair, Story, StoryGroup, StoryRevision, Upload
from corpus.services import confirm_group, reword_story, set_moral, set_rights
from jobs.models import Job
from tests.factories import Cast, make_project, make_story
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db


def at(name: str, cast: Cast, *args: Any, **query: Any) -> str:
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(name, args=[cast.project.slug, *args]) + (f"?{asked}" if asked else "")


# --- stories ---


def test_every_member_reads_stories_and_nobody_their_morals(cast: Cast) -> None:
    story = make_story(cast, title="The Jar", text="A crow found a jar.", moral="Patience pays.")
    for person in (cast.manager, cast.writer, cast.reviewer):
        text = token_of(person, "read")
        listed, one, wordings = (
            ask(text, "get", address)
            for address in (
                at("api_stories", cast),
                at("api_story", cast, story.pk),
                at("api_story_revisions", cast, story.pk),
            )
        )
        assert [row["title"] for row in listed.json()["results"]] == ["The Jar"]
        assert one.json()["text"] == "A crow found a jar."
        assert [row["number"] for row in wordings.json()["results"]] == [1]
        assert not any(b"Patience" in answer.content for answer in (listed, one, wordings))
    assert not KeyExposure.objects.exists()
    assert ask(token_of(cast.outsider), "get", at("api_stories", cast)).status_code == 404


@pytest.mark.parametrize("name", ["api_story", "api_story_revisions"])
def test_a_story_of_another_project_is_as_if_it_were_not_there(cast: Cast, name: str) -> None:
    text, foreign = token_of(cast.manager), make_story(make_project())
    found, absent = (ask(text, "get", at(name, cast, pk)) for pk in (foreign.pk, 2_000_000_000))
    assert (found.status_code, found.json()) == (404, absent.json())


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["jar", "fox"]),
        ({"q": "crow"}, ["jar"]),
        ({"q": "crow", "q_in": "title"}, []),
        ({"q": "Grapes", "q_in": "title"}, ["fox"]),
        ({"q": "Patience"}, []),
        ({"genre": "news"}, ["fox"]),
        ({"language": "en"}, ["jar", "fox"]),
        ({"language": "zh"}, []),
        ({"has_rights": "false"}, ["fox"]),
        ({"has_rights": "true"}, ["jar"]),
        ({"ref": "none"}, []),
        ({"group": "1"}, []),
    ],
)
def test_a_list_of_stories_is_filtered(cast: Cast, asked: dict[str, str], found: list[str]) -> None:
    made = {
        "jar": make_story(cast, title="The Jar", text="A crow found a jar.", moral="Patience pays."),
        "fox": make_story(cast, title="The Grapes", text="A fox saw grapes."),
    }
    set_rights(actor=cast.manager, story=made["fox"], rights="", evidence="", genre="news")
    rows = ask(token_of(cast.writer), "get", at("api_stories", cast, **asked)).json()["results"]
    assert {row["id"] for row in rows} == {made[name].pk for name in found}


@pytest.mark.parametrize("size", [2, 9])
def test_a_page_of_stories_costs_six_statements_of_whatever_size(
    cast: Cast, size: int, django_assert_max_num_queries: Any
) -> None:
    stories = [make_story(cast).pk for _number in range(size)]
    confirm_group(actor=cast.manager, project=cast.project, stories=stories)
    text = token_of(cast.manager)
    addresses = [at("api_stories", cast, limit=1000), at("api_stories", cast, q="hare")]
    addresses += [at("api_story_groups", cast), at("api_similar_pairs", cast)]
    addresses.append(at("api_story_revisions", cast, stories[0]))
    for address in addresses:
        with django_assert_max_num_queries(6):
            assert ask(text, "get", address).status_code == 200, address


def test_a_story_gets_another_wording_with_a_reason(cast: Cast) -> None:
    story, text = make_story(cast), token_of(cast.manager)
    address = at("api_story", cast, story.pk)
    tag = {"If-Match": ask(text, "get", address).headers["ETag"]}
    answer = ask(text, "patch", address, {"title": "Other", "reason": "a typo"}, **tag)
    assert (answer.status_code, answer.json()["title"], answer.json()["revision"]) == (200, "Other", 2)
    late = ask(text, "patch", address, {"title": "Late", "reason": "late"}, **tag)
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    rows = ask(text, "get", at("api_story_revisions", cast, story.pk)).json()["results"]
    assert [(row["number"], row["reason"]) for row in rows] == [(2, "a typo"), (1, "")]
    story.refresh_from_db()
    assert story.current is not None
    assert story.current.moral == "Slow and steady wins."


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"title": "Other"}, "reason"),
        ({"title": "x" * 501, "reason": "y"}, "title"),
        ({"text": "x" * 100_001, "reason": "y"}, "text"),
        ({"moral": "None", "reason": "y"}, "moral"),
    ],
)
def test_a_wording_that_lacks_something_names_it(cast: Cast, sent: dict[str, str], field: str) -> None:
    answer = ask(token_of(cast.manager), "patch", at("api_story", cast, make_story(cast).pk), sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert StoryRevision.objects.count() == 1


def test_a_wording_that_another_story_has_is_refused(cast: Cast) -> None:
    other, story = make_story(cast, text="The same."), make_story(cast)
    assert other.current
    sent = {"text": "The same.", "reason": "x"}
    assert ask(token_of(cast.manager), "patch", at("api_story", cast, story.pk), sent).status_code == 409


def test_only_managers_change_stories_and_with_the_scope_for_it(cast: Cast) -> None:
    story = make_story(cast)
    sent = {"title": "Other", "reason": "x"}
    for text in (token_of(cast.writer), token_of(cast.manager, "read", "write")):
        assert ask(text, "patch", at("api_story", cast, story.pk), sent).status_code == 403
        rights = {"rights": "", "evidence": "", "genre": ""}
        assert ask(text, "put", at("api_story_rights", cast, story.pk), rights).status_code == 403
    assert StoryRevision.objects.count() == 1


def test_rights_are_replaced(cast: Cast) -> None:
    story, text = make_story(cast), token_of(cast.manager)
    address = at("api_story_rights", cast, story.pk)
    sent = {"rights": "CC0", "evidence": "a letter", "genre": "news"}
    assert ask(text, "put", address, sent, **{"If-Match": '"other"'}).status_code == 412
    answer = ask(text, "put", address, sent).json()
    assert {name: answer[name] for name in sent} == sent


def test_a_reason_that_may_quote_a_moral_is_for_who_sees_all(cast: Cast) -> None:
    story = make_story(cast)
    reword_story(actor=cast.manager, story=story, title="Other", text="Another text.", reason="Plain.")
    set_moral(actor=cast.manager, story=story, moral="Haste.", origin="ours", reason="Haste is it.")
    address = at("api_story_revisions", cast, story.pk)
    reasons = {
        person: [row["reason"] for row in ask(token_of(person), "get", address).json()["results"]]
        for person in (cast.manager, cast.reviewer)
    }
    assert reasons == {cast.manager: ["Haste is it.", "Plain.", ""], cast.reviewer: ["", "Plain.", ""]}


# --- morals ---


def test_a_moral_is_shown_to_who_asks_and_that_is_recorded(cast: Cast) -> None:
    story = make_story(cast, moral="Patience pays.")
    address, text = at("api_story_moral", cast, story.pk), token_of(cast.writer, "read")
    assert ask(text, "get", address).status_code in (403, 405)
    assert not KeyExposure.objects.exists()
    assert ask(text, "post", address).json() == {"moral": "Patience pays.", "origin": "source"}
    assert KeyExposure.objects.filter(user=cast.writer, story=story, task="moral").exists()
    for person in (cast.reviewer, cast.verifier):
        assert ask(token_of(person), "post", address).status_code == 403
    assert not KeyExposure.objects.exclude(user=cast.writer).exists()


def test_a_moral_is_changed_by_managers(cast: Cast) -> None:
    story, text = make_story(cast), token_of(cast.manager)
    address = at("api_story_moral", cast, story.pk)
    tag = {"If-Match": ask(text, "post", address).headers["ETag"]}
    sent = {"moral": "Haste.", "origin": "ours", "reason": "better"}
    assert ask(token_of(cast.writer), "put", address, sent).status_code == 403
    assert ask(text, "put", address, sent, **tag).json() == {"moral": "Haste.", "origin": "ours"}
    assert ask(text, "put", address, sent, **tag).status_code == 412
    assert ask(text, "put", address, sent | {"moral": "Other."}).status_code == 200


# --- many at once ---


def test_many_stories_are_imported_by_one_request(cast: Cast) -> None:
    text, key = token_of(cast.manager), {"Idempotency-Key": "k"}
    sent = {
        "stories": [{"id": f"s{n}", "text": f"Story {n}. It is short.", "genre": "news"} for n in range(5)]
    }
    first, again = (ask(text, "post", at("api_stories", cast), sent, **key) for _time in range(2))
    assert (first.status_code, first.json()["created"]) == (201, 5)
    assert first.json() == again.json()
    assert {row["row"]: row["id"] for row in first.json()["rows"]} == {
        n + 1: Story.objects.get(ref=f"s{n}").pk for n in range(5)
    }
    sent["stories"][0]["text"] = "Another story."
    changed = ask(text, "post", at("api_stories", cast), sent).json()
    assert (changed["changed"], changed["unchanged"]) == (1, 4)
    assert Job.objects.filter(kind="similar_stories", project=cast.project).exists()


@pytest.mark.parametrize(
    ("stories", "field"),
    [
        ([{"id": "a", "text": "x"}, {"id": "b", "text": ""}], "2.text"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "2.id"),
        ([], "stories"),
        ([1], "stories"),
        ([{"text": "x"}] * 1001, "stories"),
    ],
)
def test_one_story_with_an_error_keeps_all_out(cast: Cast, stories: list[Any], field: str) -> None:
    answer = ask(token_of(cast.manager), "post", at("api_stories", cast), {"stories": stories})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not Story.objects.exists()
    tried = ask(
        token_of(cast.manager), "post", at("api_stories", cast), {"stories": stories[:2], "dry_run": True}
    )
    assert tried.status_code == (200 if field[0] == "2" else 400) or field == "stories"


def test_only_managers_import_stories(cast: Cast) -> None:
    sent = {"stories": [{"text": "x"}]}
    for text in (token_of(cast.writer), token_of(cast.manager, "read", "write")):
        assert ask(text, "post", at("api_stories", cast), sent).status_code == 403
    assert not Story.objects.exists()


# --- groups ---


def test_groups_are_confirmed_listed_and_split(cast: Cast) -> None:
    stories = [make_story(cast).pk for _number in range(3)]
    text = token_of(cast.manager)
    made = ask(text, "post", at("api_story_groups", cast), {"stories": stories[:2], "others": stories[2:]})
    assert (made.status_code, made.json()["stories"]) == (201, stories[:2])
    assert ask(text, "get", made.headers["Location"]).json() == made.json()
    assert ask(text, "get", at("api_story_groups", cast)).json()["results"] == [made.json()]
    assert ask(text, "get", at("api_story", cast, stories[0])).json()["other_wordings"] == [stories[1]]
    split = at("api_story_group_split", cast, made.json()["id"])
    assert [ask(text, "post", split).status_code for _time in range(2)] == [204, 404]
    assert not StoryGroup.objects.exists()


def test_a_group_of_stories_of_others_is_refused(cast: Cast) -> None:
    own, foreign = make_story(cast).pk, make_story(make_project()).pk
    text, address = token_of(cast.manager), at("api_story_groups", cast)
    assert ask(text, "post", address, {"stories": [own, foreign]}).status_code == 404
    alone = ask(text, "post", address, {"stories": [own]})
    assert (alone.status_code, list(alone.json()["fields"])) == (400, ["stories"])
    for person in (cast.writer, cast.reviewer):
        assert ask(token_of(person), "post", address, {"stories": [own, own]}).status_code == 403
        assert ask(token_of(person), "get", address).status_code == 403


def test_pairs_are_searched_rejected_and_reopened(cast: Cast) -> None:
    first, second = make_story(cast), make_story(cast)
    pair = SimilarPair.objects.create(project=cast.project, first=first, second=second, similarity=0.9)
    text = token_of(cast.manager)

    def listed(**query: Any) -> list[int]:
        return [
            row["id"] for row in ask(text, "get", at("api_similar_pairs", cast, **query)).json()["results"]
        ]

    assert listed() == listed(rejected="false", story=second.pk) == [pair.pk]
    assert listed(story=2_000_000_000) == listed(rejected="true") == []
    sent = {"stories": [first.pk, second.pk]}
    assert ask(text, "post", at("api_similar_pairs_reject", cast), sent).status_code == 204
    assert listed(rejected="true") == [pair.pk]
    assert ask(text, "post", at("api_similar_pair_reopen", cast, pair.pk)).status_code == 204
    assert listed(rejected="false") == [pair.pk]
    ordered = ask(text, "post", at("api_similar_pairs_search", cast))
    assert ordered.status_code == 202
    assert Job.objects.get(pk=ordered.json()["job"]).kind == "similar_stories"
    assert ordered.headers["Location"] == reverse("api_job", args=[ordered.json()["job"]])


# --- files ---


def upload(text: str, address: str, *files: tuple[str, bytes], **more: str) -> Any:
    client = Client(headers={"Authorization": f"Bearer {text}"}, enforce_csrf_checks=True)
    return client.post(address, {"file": [SimpleUploadedFile(*one) for one in files], **more})


STORIES = b'{"id": "a", "title": "Jar", "text": "A crow.", "moral": "Patience pays."}\n'
ITEMS = (
    b'{"id": "i", "task": "commonsense", "story_id": "s", "title": "Jar", "story": "A crow found a jar.",'
    b' "question": "Why?", "choices": ["Thirst", "Fun", "Rain", "Sun"], "answer": 0, "types": ["social"]}\n'
)


@pytest.mark.usefixtures("_tasks_run_at_once")
@pytest.mark.parametrize(
    ("of", "content", "model", "secret"),
    [("story", STORIES, Story, b"Patience"), ("item", ITEMS, Item, b'"key"')],
)
def test_files_are_uploaded_previewed_and_imported(
    cast: Cast,
    of: str,
    content: bytes,
    model: Any,
    secret: bytes,
    django_capture_on_commit_callbacks: Any,
) -> None:
    text = token_of(cast.manager)
    with django_capture_on_commit_callbacks(execute=True):
        sent = upload(text, at(f"api_{of}_imports", cast), ("one.jsonl", content))
    assert sent.status_code == 202, sent.content
    address = sent.json()["upload"]
    preview = ask(text, "get", address)
    assert (preview.json()["state"], preview.json()["counts"]["created"]) == ("ready", 1)
    assert [row["outcome"] for row in preview.json()["rows"]] == ["created"]
    assert secret not in preview.content
    assert ask(text, "get", f"{address}?outcome=broken").json()["rows"] == []
    assert ask(token_of(cast.writer), "get", address).status_code == 403
    with django_capture_on_commit_callbacks(execute=True):
        confirmed = ask(text, "post", f"{address}confirm/")
    assert confirmed.status_code == 202
    assert confirmed.json()["job"] == ask(text, "get", address).json()["job"]
    assert ask(text, "get", address).json()["state"] == "done"
    assert model.objects.count() == 1
    assert not KeyExposure.objects.exists()


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_a_file_with_errors_is_not_imported(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    text = token_of(cast.manager)
    with django_capture_on_commit_callbacks(execute=True):
        address = upload(text, at("api_story_imports", cast), ("a.jsonl", b'{"id": "a"}\n')).json()["upload"]
    assert ask(text, "get", address).json()["counts"]["broken"] == 1
    assert ask(text, "post", f"{address}confirm/").status_code == 409
    assert ask(text, "post", f"{address}retry/").status_code in (202, 409)
    assert ask(text, "delete", address).status_code == 204
    assert ask(text, "get", address).status_code == 404
    assert not Upload.objects.exists()


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_columns_of_a_table_are_chosen(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    text = token_of(cast.manager)
    with django_capture_on_commit_callbacks(execute=True):
        address = upload(text, at("api_story_imports", cast), ("a.csv", b"name,body\nJar,A crow.\n")).json()[
            "upload"
        ]
    assert ask(text, "get", address).json()["columns"] == {"0": ["name", "body"]}
    sent = {"columns": {"0": {"title": "name", "text": "body"}}}
    with django_capture_on_commit_callbacks(execute=True):
        assert ask(text, "put", f"{address}columns/", sent).status_code == 202
    assert ask(text, "get", address).json()["counts"]["created"] == 1
    wrong = ask(text, "put", f"{address}columns/", {"columns": {"0": {"title": 5}}})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["columns"])


def test_an_upload_needs_a_file_and_a_manager(cast: Cast) -> None:
    for of in ("story", "item"):
        address = at(f"api_{of}_imports", cast)
        none = upload(token_of(cast.manager), address)
        assert (none.status_code, list(none.json()["fields"])) == (400, ["file"])
        for text in (token_of(cast.writer), token_of(cast.manager, "write")):
            assert upload(text, address, ("a.jsonl", STORIES)).status_code == 403
        assert upload(token_of(cast.outsider), address, ("a.jsonl", STORIES)).status_code == 404
    assert not Upload.objects.exists()
