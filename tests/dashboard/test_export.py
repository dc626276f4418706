"""Tables to take away: complete, defused, for managers alone, and sent while they are read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEvent
from annotation.models import Item, KeyExposure, Option
from annotation.services import revise_item
from corpus.models import Story
from dashboard.views.export import TABLES
from parable.commands.rating_rows import read_rows
from parable.formats.items import read_items
from parable.formats.option_marks import LETTERS
from parable.formats.stories import read_stories
from review.models import Answer, Disposition, Stage
from review.services import claim_next, send_verdict, solve
from tests.factories import Cast, content, make_project, make_story, make_user, submit_item

pytestmark = pytest.mark.django_db

Download = Callable[[str, str], bytes]


@pytest.fixture
def cast() -> Cast:
    cast = make_project()
    make_story(cast, title="=SUM(A1)", moral="Slow and steady wins the race.")
    submit_item(cast, story=Story.objects.get(), words=content())
    return cast


@pytest.fixture
def download(client: Client, cast: Cast) -> Download:
    client.force_login(cast.manager)

    def get(name: str, kind: str) -> bytes:
        answer = client.post(reverse("dashboard:export", args=[cast.project.slug, name, kind]))
        return b"".join(answer)

    return get


def test_it_gives_every_table_in_every_shape_with_one_heading(download: Download) -> None:
    for table in TABLES:
        rows = json.loads(download(table.name, "json"))
        lines = list(csv.reader(io.StringIO(download(table.name, "csv").decode("utf-8-sig"))))
        sheet = openpyxl.load_workbook(io.BytesIO(download(table.name, "xlsx"))).active
        assert sheet
        assert [cell.value for cell in sheet[1]] == lines[0]
        assert len(rows) == len(lines) - 1 == sheet.max_row - 1, table.name
        assert all(list(row) == lines[0] for row in rows), table.name


def rated(cast: Cast, *, returned: bool, rating: int) -> None:
    """A reviewer chooses the key of the next request, rates it, and passes or returns it."""
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    assert request.revision is not None
    position = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=position)
    disposition = Disposition.RETURN if returned else Disposition.PASS
    send_verdict(
        actor=cast.reviewer, review=review, disposition=disposition, rating=rating, final=True,
        comment="Say who came." if returned else "",
    )  # fmt: skip


def test_ratings_say_which_wording_they_are_of_and_which_option_was_chosen(
    cast: Cast, download: Download, tmp_path: Path
) -> None:
    [item] = Item.objects.all()
    rated(cast, returned=True, rating=1)
    revise_item(actor=cast.writer, item=item, content=content("Who came first in the end?"))
    rated(cast, returned=False, rating=2)
    rows = json.loads(download("ratings", "json"))
    assert [(row["item"], row["revision"], row["rating"]) for row in rows] == [
        (item.pk, 1, 1),
        (item.pk, 2, 2),
    ]
    given = [LETTERS[option.position] for option in Option.objects.filter(is_key=True).order_by("pk")]
    assert [row["answer"] for row in rows] == given
    assert [row["chosen"] for row in json.loads(download("reviews", "json"))] == given
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists(), "who has read it knows the key"
    rater = str(cast.reviewer.pk)
    for kind in ("csv", "xlsx", "json"):
        path = tmp_path / f"ratings.{kind}"
        path.write_bytes(download("ratings", kind))
        found = read_rows([path])
        assert found.ratings == [(f"{item.pk}.1", rater, 1), (f"{item.pk}.2", rater, 2)]
        assert [LETTERS[choice] for _item, _rater, choice in found.answers] == given


def test_it_defuses_what_a_spreadsheet_would_run(download: Download) -> None:
    assert "'=SUM(A1)" in download("stories", "csv").decode()
    assert json.loads(download("stories", "json"))[0]["title"] == "=SUM(A1)", "JSON is run by nobody"


def test_it_gives_stories_and_items_that_an_import_reads_again(download: Download) -> None:
    story = Story.objects.get()
    stories = read_stories(download("stories", "csv"), name="stories.csv")
    assert not stories.errors
    assert stories.records[0].moral == story.current.moral if story.current else None
    items = read_items(download("items", "csv"), name="items.csv")
    assert not items.errors
    [item] = items.records
    key = next(option for option in content().options if option.is_key)
    assert item.answer is not None
    assert item.choices[item.answer] == key.text


def test_it_is_for_managers_alone_and_a_link_gives_nothing(client: Client, cast: Cast) -> None:
    page = reverse("dashboard:exports", args=[cast.project.slug])
    table = reverse("dashboard:export", args=[cast.project.slug, "items", "csv"])
    for person, status in (
        (cast.writer, 403),
        (cast.reviewer, 403),
        (cast.verifier, 403),
        (cast.outsider, 404),
    ):
        client.force_login(person)
        assert client.get(page).status_code == status
        assert client.post(table).status_code == status
    client.force_login(cast.manager)
    assert client.get(page).status_code == 200
    assert client.get(table).status_code == 405
    for unknown in (("nothing", "csv"), ("items", "exe")):
        answer = client.post(reverse("dashboard:export", args=[cast.project.slug, *unknown]))
        assert answer.status_code == 404


def test_it_notes_who_took_what_and_who_is_no_longer_blind(download: Download, cast: Cast) -> None:
    download("members", "csv")
    assert not KeyExposure.objects.filter(user=cast.manager).exists()
    download("items", "csv")
    download("stories", "json")
    assert KeyExposure.objects.filter(user=cast.manager, task="moral").count() == 1
    taken = AuditEvent.objects.filter(verb="table_taken_out", subject_id=cast.project.pk)
    assert [event.detail["table"] for event in taken] == ["stories", "items", "members"]


def test_it_asks_as_often_for_many_rows_as_for_few(download: Download, cast: Cast) -> None:
    def asked(name: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            download(name, "csv")
        return len(queries)

    before = {table.name: asked(table.name) for table in TABLES}
    for number in range(4):
        story = make_story(cast, title=f"Story {number}", text=f"Text {number}")
        submit_item(cast, story=story, words=content())
    assert {table.name: asked(table.name) for table in TABLES} == before


def test_it_lets_an_administrator_take_what_the_filters_leave(client: Client, cast: Cast) -> None:
    client.force_login(make_user("Ada", administrator=True))
    address = reverse("admin:corpus_story_export")
    assert client.get(address).status_code == 200
    answer = client.post(f"{address}?language=zh", {"format": "0", "resource": "0"})
    assert answer.streaming
    assert len(b"".join(answer).decode("utf-8-sig").splitlines()) == 1, "the heading alone"
    both = client.post(reverse("admin:review_review_export"), {"format": "0", "resource": "1"})
    assert (
        b"".join(both).decode("utf-8-sig").strip()
        == "item,id,revision,story,task,stage,reviewer,rating,answer"
    )
    client.force_login(cast.manager)
    assert client.get(address).status_code == 302, "to the door"


def test_it_leads_an_administrator_to_the_pages_that_ask_and_preview(client: Client, cast: Cast) -> None:
    client.force_login(make_user("Ada", administrator=True))
    address = reverse("admin:projects_project_changelist")
    for action, page in (
        ("import_stories", "corpus:import_stories"),
        ("build_release", "release:build"),
        ("take_tables", "dashboard:exports"),
    ):
        answer = client.post(address, {"action": action, "_selected_action": [cast.project.pk]})
        assert answer.headers["Location"] == reverse(page, args=[cast.project.slug])
        assert client.get(answer.headers["Location"]).status_code == 200
