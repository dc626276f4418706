"""The pages of stories, through HTTP: who sees what, and what managers change."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client, TestCase
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation.models import KeyExposure
from corpus.models import MoralOrigin, Story
from corpus.services import file, reword_story, set_moral
from tests.factories import Cast, make_project, make_story
from tests.work import work_off

pytestmark = pytest.mark.django_db

MORAL = "Slow and steady wins."


@pytest.fixture
def seen_by() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


def address(cast: Cast, rest: str = "") -> str:
    return f"/p/{cast.project.slug}/stories{rest}"


def test_it_lists_stories_to_members_and_to_nobody_else(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    make_story(cast, title="The Tortoise")
    for member in (cast.manager, cast.writer, cast.reviewer, cast.verifier):
        page = seen_by(member).get(address(cast))
        assert page.status_code == 200
        assert b"The Tortoise" in page.content
    assert seen_by(cast.outsider).get(address(cast)).status_code == 404
    assert Client().get(address(cast)).status_code == 302


def test_it_narrows_the_list_by_what_stands_in_the_address(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    make_story(cast, title="The Tortoise")
    Story.objects.filter(pk=make_story(cast, title="The Lion").pk).update(rights="")
    client = seen_by(cast.writer)
    found = client.get(address(cast), {"q": "tort", "in": "title"}).content
    assert (b"The <mark>Tort</mark>oise" in found, b"The Lion" in found) == (True, False)
    unknown = client.get(address(cast), {"rights": "unknown", "language": "en"}).content
    assert (b"The Tortoise" in unknown, b"The Lion" in unknown) == (False, True)
    assert b"No matching stories." in client.get(address(cast), {"q": "whale"}).content
    assert client.get(address(cast), {"rights": "nonsense", "page": "x"}).status_code == 200


def test_it_asks_the_database_as_often_for_seven_stories_as_for_three(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    client = seen_by(cast.writer)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get(address(cast))
        return len(captured)

    for _number in range(3):
        make_story(cast)
    few = queries()
    for _number in range(4):
        make_story(cast)
    assert queries() == few


@pytest.mark.parametrize("role", ["manager", "writer", "reviewer", "verifier"])
def test_it_shows_a_story_and_its_wordings_but_never_its_moral(
    cast: Cast, seen_by: Callable[[User], Client], role: str
) -> None:
    story = make_story(cast, title="The Tortoise", moral=MORAL)
    page = seen_by(getattr(cast, role)).get(address(cast, f"/{story.pk}"))
    assert page.status_code == 200
    assert b"old mill" in page.content
    assert MORAL.encode() not in page.content
    assert b"Revision 1" in page.content


def test_it_hides_the_stories_of_others(cast: Cast, seen_by: Callable[[User], Client]) -> None:
    elsewhere = make_story(make_project())
    assert seen_by(cast.manager).get(address(cast, f"/{elsewhere.pk}")).status_code == 404
    assert seen_by(cast.outsider).get(address(cast, f"/{make_story(cast).pk}")).status_code == 404
    assert seen_by(cast.manager).get(address(cast, f"/{2**70}")).status_code == 404


def test_it_lets_managers_reword_a_story_with_a_reason(cast: Cast, seen_by: Callable[[User], Client]) -> None:
    story = make_story(cast, moral=MORAL)
    client = seen_by(cast.manager)
    page = client.get(address(cast, f"/{story.pk}/edit"))
    assert MORAL.encode() not in page.content
    assert b"Save text" in page.content
    words = {"title": "The Tortoise", "text": "A tortoise ran.\r\nIt won.", "reason": "shorter"}
    saved = client.post(address(cast, f"/{story.pk}/edit"), words, follow=True)
    assert "Text updated." in saved.content.decode()
    story.refresh_from_db()
    assert story.current is not None
    assert (story.current.number, story.current.text, story.current.reason) == (
        2, "A tortoise ran.\nIt won.", "shorter",
    )  # fmt: skip
    assert (story.current.moral, story.current.moral_origin) == (MORAL, MoralOrigin.SOURCE)


def test_it_says_beside_the_form_why_a_wording_will_not_do_and_keeps_what_was_typed(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    story, other = make_story(cast), make_story(cast, text="Taken.")
    client = seen_by(cast.manager)
    for words in (
        {"title": "T", "text": other.current.text if other.current else "", "reason": "why"},
        {"title": "T", "text": "A new text", "reason": ""},
        {"title": story.current.title, "text": story.current.text, "reason": "none"} if story.current else {},
    ):
        page = client.post(address(cast, f"/{story.pk}/edit"), words)
        assert page.status_code == 400
        assert b"errorlist" in page.content
        assert words["text"].splitlines()[0].encode() in page.content
    story.refresh_from_db()
    assert story.current is not None
    assert story.current.number == 1


@pytest.mark.parametrize("role", ["writer", "reviewer", "verifier"])
def test_it_refuses_managers_pages_to_others_with_the_reason(
    cast: Cast, seen_by: Callable[[User], Client], role: str
) -> None:
    story = make_story(cast)
    client = seen_by(getattr(cast, role))
    for rest in (f"/{story.pk}/edit", f"/{story.pk}/rights", "/import"):
        assert client.get(address(cast, rest)).status_code == 403
        assert client.post(address(cast, rest), {"title": "x"}).status_code == 403
    assert seen_by(cast.outsider).get(address(cast, "/import")).status_code == 404


def test_it_records_rights_with_their_evidence(cast: Cast, seen_by: Callable[[User], Client]) -> None:
    story = make_story(cast)
    wanted = {"rights": "public domain", "evidence": "Printed 1894."}
    assert seen_by(cast.manager).post(address(cast, f"/{story.pk}/rights"), wanted).status_code == 302
    story.refresh_from_db()
    assert (story.rights, story.rights_evidence) == ("public domain", "Printed 1894.")


def stories_file(*stories: dict[str, str]) -> SimpleUploadedFile:
    data = "".join(json.dumps(story) + "\n" for story in stories).encode()
    return SimpleUploadedFile("stories.jsonl", data)


CROW = {"id": "crow", "title": "The crow", "text": "A crow was thirsty.", "moral": "Wit finds a way."}


def kept_files() -> list[str]:
    return default_storage.listdir("uploads")[0] if default_storage.exists("uploads") else []


def send(client: Client, cast: Cast, sent: dict[str, Any]) -> Any:
    """The answer to what was sent to the page of imports, once a worker has done what it asks for."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        answer = client.post(address(cast, "/import"), sent)
    work_off()
    return answer


def test_it_shows_what_becomes_of_each_row_before_it_imports(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    client = seen_by(cast.manager)
    asked = send(client, cast, {"file": stories_file(CROW, CROW)})
    assert asked.status_code == 302
    preview = client.get(asked["Location"])
    assert preview.status_code == 200
    assert b"new" in preview.content
    assert b"duplicate" in preview.content
    assert b"Wit finds" not in preview.content
    assert not Story.objects.filter(project=cast.project).exists()

    token = asked["Location"].split("upload=")[1]
    assert b"Show morals" in preview.content
    send(client, cast, {"upload": token, "keys": "1"})
    seen = client.get(asked["Location"]).content
    assert (b"Wit finds" in seen, b"Show morals" in seen) == (True, False)
    assert not KeyExposure.objects.exists()
    send(client, cast, {"upload": token})
    story = Story.objects.get(project=cast.project)
    assert story.ref == "crow"
    assert KeyExposure.objects.filter(user=cast.manager, story=story, task="moral").exists()
    assert token not in kept_files()
    assert b"Imported: 1 new, 0 changed." in client.get(asked["Location"]).content
    send(client, cast, {"upload": token})  # twice is once
    assert Story.objects.filter(project=cast.project).count() == 1


def test_it_imports_the_stories_of_a_file_of_items_by_the_columns_that_are_chosen(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    rows = [
        {"data": {"words": words, "title": title, "q": "Who?", "a": "x", "key": "KEY"}, "annotations": []}
        for words, title in (
            ("A crow was thirsty.", "The crow"),
            ("A crow was thirsty.", "The crow"),
            ("A fox.", "Fox"),
        )
    ]
    client = seen_by(cast.manager)
    asked = send(client, cast, {"file": SimpleUploadedFile("tasks.json", json.dumps(rows).encode())})
    page = client.get(asked["Location"]).content.decode()
    assert "The file has no column of stories." in page
    assert "KEY" not in page
    token = asked["Location"].split("upload=")[1]
    send(client, cast, {"upload": token, "columns": "1", "file0-0": "text", "file0-1": "title"})
    send(client, cast, {"upload": token})
    stories = Story.objects.filter(project=cast.project).order_by("pk")
    assert [(one.current.title, one.current.text) for one in stories if one.current] == [
        ("The crow", "A crow was thirsty."), ("Fox", "A fox."),
    ]  # fmt: skip


def test_it_lets_nobody_confirm_a_file_with_a_broken_row(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    client = seen_by(cast.manager)
    asked = send(client, cast, {"file": stories_file(CROW, {"id": "x"})})
    preview = client.get(asked["Location"])
    assert b"The field is missing or empty." in preview.content
    assert b"Import stories" not in preview.content.replace(b"Import stories: preview", b"")
    only_broken = client.get(asked["Location"] + "&outcome=broken")
    assert b"The crow" not in only_broken.content
    token = asked["Location"].split("upload=")[1]
    send(client, cast, {"upload": token})
    assert not Story.objects.filter(project=cast.project).exists()


def test_it_keeps_an_upload_for_the_person_who_sent_it_alone(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    other = make_project()
    mine = send(seen_by(cast.manager), cast, {"file": stories_file(CROW)})
    token = mine["Location"].split("upload=")[1]
    theirs = seen_by(other.manager)
    assert theirs.get(address(other, f"/import?upload={token}")).status_code == 404
    assert theirs.post(address(other, "/import"), {"upload": token}).status_code == 404
    assert theirs.post(address(other, "/import"), {"upload": "../../etc"}).status_code == 404


def test_it_forgets_an_upload_when_asked_or_when_another_comes(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    client = seen_by(cast.manager)
    first = send(client, cast, {"file": stories_file(CROW)})
    second = send(client, cast, {"file": stories_file(CROW)})
    assert client.get(first["Location"]).status_code == 404
    token = second["Location"].split("upload=")[1]
    assert token in kept_files()
    assert send(client, cast, {"upload": token, "forget": "1"}).status_code == 302
    assert token not in kept_files()


def test_it_refuses_a_file_that_is_too_large_or_absent(
    cast: Cast, seen_by: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = seen_by(cast.manager)
    assert client.post(address(cast, "/import"), {}).status_code == 400
    monkeypatch.setattr(file, "LARGEST_UPLOAD", 10)
    refused = send(client, cast, {"file": stories_file(CROW)})
    assert refused.status_code == 400
    assert b"MB at once" in refused.content


@pytest.mark.parametrize("data", [b"", b"hello", b"\xff\xfea\x00", b'{"text": "a\\u0000"}'])
def test_it_says_of_a_file_that_is_none_what_is_wrong(
    cast: Cast, seen_by: Callable[[User], Client], data: bytes
) -> None:
    client = seen_by(cast.manager)
    asked = send(client, cast, {"file": SimpleUploadedFile("s.jsonl", data)})
    preview = client.get(asked["Location"])
    assert preview.status_code == 200
    assert b"errors" in preview.content


def test_it_shows_what_each_wording_changed_and_why_but_never_its_moral(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    story = make_story(cast, title="The Tortoise", text="A hare ran.", moral=MORAL)
    manager = cast.manager
    reword_story(actor=manager, story=story, title="The Tortoise", text="A hare slept.", reason="as printed")
    set_moral(actor=manager, story=story, moral=f"{MORAL} Indeed.", origin="ours", reason="ours is clearer")
    page = seen_by(cast.writer).get(address(cast, f"/{story.pk}")).content.decode()
    assert "<del>ran</del><ins>slept</ins>" in page
    assert "imported" in page
    assert "edited" in page
    assert "as printed" in page
    assert "Title and text unchanged." in page
    assert MORAL not in page


def test_it_shows_only_managers_why_a_moral_was_changed(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    """A reason in somebody's own words may quote the moral; why the text changed may be read by all."""
    manager, story = cast.manager, make_story(cast, moral=MORAL)
    reword_story(actor=manager, story=story, title="The Tortoise", text="A hare slept.", reason="as printed")
    set_moral(actor=manager, story=story, moral="Rest is a trap.", origin="ours", reason="Rest is a trap: so")
    for person in (cast.reviewer, cast.verifier, cast.writer, manager):
        page = seen_by(person).get(f"/p/{cast.project.slug}/stories/{story.pk}").content.decode()
        assert "as printed" in page
        assert ("Rest is a trap" in page) == (person == manager)
