"""Tables whose headers say nothing: a person says which column is which, and looks at the rows again."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import ItemDraft
from core.errors import Forbidden, Hidden
from corpus.models import Story, Upload, UploadState
from corpus.outcome import MOST_SHOWN, ImportResult, Preview, preview_of
from corpus.services import keep_upload
from corpus.upload.stories import StoriesImporter
from parable.formats import Column, read_stories, story_columns
from tests.factories import Cast, make_project
from tests.work import work_off

TABLE = b"Nr;Fabel;Lehre;Notiz\n1;A crow was thirsty.;Wit finds a way.;x\n2;A fox was hungry.;;y\n"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def client(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.manager)
    return client


def upload(client: Client, cast: Cast, data: bytes, kind: str = "stories", **more: str) -> str:
    """The address of the preview."""
    sent = {"file": SimpleUploadedFile("table.csv", data), **more}
    answer: Any = client.post(f"/p/{cast.project.slug}/{kind}/import", sent)
    work_off()
    return str(answer["Location"])


def choose(client: Client, preview: str, **columns: str) -> Any:
    token = preview.split("upload=")[1]
    chosen = {f"file0-{place[1:]}": field for place, field in columns.items()}
    answer = client.post(preview.partition("?")[0], {"upload": token, "columns": "1", **chosen})
    work_off()
    return answer


def confirm(client: Client, preview: str) -> None:
    client.post(preview.partition("?")[0], {"upload": preview.split("upload=")[1]})
    work_off()


def test_it_keeps_files_of_managers_alone(cast: Cast) -> None:
    for person in (cast.writer, cast.verifier, cast.outsider):
        with pytest.raises((Forbidden, Hidden)):
            keep_upload(actor=person, project=cast.project, purpose="stories", files=[])
    assert not Upload.objects.exists()


def test_it_guesses_what_columns_hold_and_takes_a_given_mapping() -> None:
    assert story_columns(TABLE)[0] == Column("Nr", "")
    assert [column.field for column in story_columns("编号,故事,text\n1,a,b\n".encode())] == [
        "id",
        "text",
        "",
    ]
    assert story_columns(b'{"text": "a", "Lehre": "b"}') == (Column("text", "text"), Column("Lehre", ""))
    assert story_columns(b'{"text": "a') == ()
    assert read_stories(TABLE, name="t").errors
    table = read_stories(TABLE, name="t", columns={"id": "Nr", "text": "Fabel", "moral": "Lehre"})
    assert [(story.id, story.moral) for story in table.records] == [("1", "Wit finds a way."), ("2", None)]
    assert table.ignored == ("Notiz",)
    lacking = read_stories(TABLE, name="t", columns={"id": "Nr"})
    assert [error.code for error in lacking.errors] == ["missing_column"]


def test_it_imports_stories_by_the_columns_that_were_chosen(client: Client, cast: Cast) -> None:
    preview = upload(client, cast, TABLE)
    asked = client.get(preview).content.decode()
    assert "Columns" in asked
    assert "(optional)" not in asked
    assert "Import these stories" not in asked
    assert choose(client, preview, c0="id", c1="text", c2="moral").status_code == 302
    seen = client.get(preview).content.decode()
    assert "2 new" in seen
    assert "Wit finds" not in seen
    confirm(client, preview)
    stories = Story.objects.filter(project=cast.project).select_related("current")
    assert {story.ref: story.current and story.current.moral for story in stories} == {
        "1": "Wit finds a way.",
        "2": "",
    }


IMPORT = 'class="button primary"'
HOW = {"format": "auto", "state": "draft", "writer": "The old team"}


@pytest.mark.parametrize(
    ("kind", "data", "missing", "field"),
    [
        ("stories", b"id,name\nx1,foo\n", "Text", "text"),
        ("stories", b'{"id": "x1", "name": "foo"}\n', "Text", ""),
        ("items", b"id,name\nx1,foo\n", "Story text", "story"),
    ],
)
def test_it_says_which_column_is_missing_and_where_it_is_chosen(
    client: Client, cast: Cast, kind: str, data: bytes, missing: str, field: str
) -> None:
    preview = upload(client, cast, data, kind, **(HOW if kind == "items" else {}))
    page = client.get(preview).content.decode()
    assert f"No column is chosen for “{missing}”. Choose one below." in page
    assert "Choose the missing column under “Columns”" in page
    assert not field or f"{field}: The table has no column “{field}”." in page
    assert "Unknown format" not in page
    assert IMPORT not in page
    choose(client, preview, c0="id", c1=field or "text")
    assert "No column is chosen" not in client.get(preview).content.decode()


@pytest.mark.parametrize(
    ("kind", "data"),
    [("stories", b"id,title,text\n"), ("stories", b"[]"), ("items", b"id,story,question,A,B,answer\n")],
)
def test_it_imports_no_file_without_rows(client: Client, cast: Cast, kind: str, data: bytes) -> None:
    preview = upload(client, cast, data, kind, **(HOW if kind == "items" else {}))
    page = client.get(preview).content.decode()
    assert ("The file has no rows." in page, IMPORT in page) == (True, False)
    confirm(client, preview)
    assert Upload.objects.get().state == UploadState.READY


def test_it_warns_of_a_language_that_is_no_tag(client: Client, cast: Cast) -> None:
    data = b"text,language\nA crow.,klingon\nA fox.,zh-Hans\nA hen.,lzh\nA ram.,\n"
    preview = upload(client, cast, data)
    page = client.get(preview).content.decode()
    assert page.count("unknown language") == page.count("unknown language “klingon”") == 1
    confirm(client, preview)
    assert Story.objects.filter(project=cast.project, language="klingon").exists()


def test_it_warns_of_a_language_of_items_too(client: Client, cast: Cast) -> None:
    data = b"story,question,A,B,answer,language\nA crow.,Why?,a,b,A,klingon\n"
    preview = upload(client, cast, data, "items", **HOW)
    assert "unknown language “klingon”" in client.get(preview).content.decode()


def test_it_offers_no_import_that_would_change_nothing(client: Client, cast: Cast) -> None:
    data = b"id,text\n1,A crow was thirsty.\n"
    preview = upload(client, cast, data)
    assert IMPORT in client.get(preview).content.decode()
    confirm(client, preview)
    again = upload(client, cast, data)
    page = client.get(again).content.decode()
    assert ("This import would change nothing." in page, IMPORT in page) == (True, False)
    confirm(client, again)
    assert Upload.objects.get().state == UploadState.READY


def test_it_takes_other_names_for_the_fields_of_json(client: Client, cast: Cast) -> None:
    preview = upload(client, cast, b'{"Nr": 7, "Fabel": "A crow was thirsty.", "text": ""}\n')
    assert "Import these stories" not in client.get(preview).content.decode()
    assert choose(client, preview, c0="id", c1="text").status_code == 302
    confirm(client, preview)
    assert Story.objects.get(project=cast.project).ref == "7"


def test_it_takes_items_of_others_from_json(client: Client, cast: Cast) -> None:
    line = {"qid": "q1", "kind": "commonsense", "fable": "A crow.", "ask": "Why?", "options": ["a", "b"]}
    chosen = {"format": "auto", "state": "draft", "writer": "The old team"}
    preview = upload(client, cast, json.dumps({**line, "gold": "B"}).encode(), "items", **chosen)
    done = choose(client, preview, c0="id", c1="task", c2="story", c3="question", c4="choices", c5="answer")
    assert done.status_code == 302
    confirm(client, preview)
    draft = ItemDraft.objects.get()
    assert draft.content["stem"] == "Why?"
    assert [option["text"] for option in draft.content["options"] if option["is_key"]] == ["b"]


def test_it_refuses_one_field_for_two_columns_beside_the_choice(client: Client, cast: Cast) -> None:
    preview = upload(client, cast, TABLE)
    answer = choose(client, preview, c0="text", c1="text")
    assert answer.status_code == 400
    assert "Another column is already used for this." in answer.content.decode()
    assert choose(client, preview, c0="nonsense").status_code == 400


def test_it_takes_a_table_of_half_finished_items_as_drafts(client: Client, cast: Cast) -> None:
    data = b"Fable,Ask,A,B,Right\nA crow was thirsty.,Why?,Heat,Cold,A\nA crow was thirsty.,How?,,,\n"
    chosen = {"format": "auto", "state": "in_review", "writer": "The old team"}
    preview = upload(client, cast, data, "items", **chosen)
    done = choose(client, preview, c0="story", c1="question", c2="A", c3="B", c4="answer")
    assert done.status_code == 302
    assert "2 become drafts" in client.get(preview).content.decode()
    confirm(client, preview)
    drafts = ItemDraft.objects.order_by("pk")
    assert [draft.content["stem"] for draft in drafts] == ["Why?", "How?"]
    assert Story.objects.get(project=cast.project).text_hash


def test_it_finds_out_once_and_turns_the_pages_of_what_it_found(
    client: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f'{{"id": "s{n}", "text": "Fable {n}"}}\n' for n in range(120))
    preview = upload(client, cast, lines.encode())
    assert "Fable 0" in client.get(preview).content.decode()
    monkeypatch.setattr(StoriesImporter, "run", None)  # a second run fails
    assert "Fable 60" in client.get(f"{preview}&page=2").content.decode()
    assert "Fable 0" in client.get(f"{preview}&outcome=created").content.decode()


def test_it_keeps_the_first_rows_of_each_fate_and_all_counts() -> None:
    result = ImportResult()
    for row in range(1, MOST_SHOWN + 11):
        result.note("f", row, "created", f"T{row}")
    result.note("f", MOST_SHOWN + 11, "unchanged", "same", "a remark")
    kept = Preview.from_json(preview_of(result).to_json())
    assert kept.counts["created"] == MOST_SHOWN + 10
    assert len(kept.rows_of("created")) == MOST_SHOWN
    assert (kept.hidden("created"), kept.hidden("unchanged"), kept.hidden("")) == (10, 0, 10)
    assert kept.rows_of("unchanged")[0].remarks == ["a remark"]
