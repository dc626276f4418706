"""The import of items in the browser: nothing is written before it was seen."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook

from accounts.models import User
from annotation.importer import ItemsImporter
from annotation.models import Item, KeyExposure, State
from corpus.models import Story
from parable.__main__ import main
from projects.models import CommonsenseType
from tests.annotation.conftest import SeenBy
from tests.corpus.commands import run
from tests.factories import Cast, make_story
from tests.parable.hostile_files import crmus, lines
from tests.work import work_off

pytestmark = pytest.mark.django_db


TALE = "A thirsty bird found a jug of water and dropped stones into it until it could drink."


def address(cast: Cast) -> str:
    return f"/p/{cast.project.slug}/items/import"


def upload(client: Client, cast: Cast, *files: tuple[str, bytes], **chosen: str) -> Any:
    sent = {"format": "auto", "state": "in_review", "writer": "The old team"} | chosen
    asked = client.post(address(cast), {**sent, "file": [SimpleUploadedFile(*file) for file in files]})
    work_off()
    return asked


def confirm(client: Client, cast: Cast, asked: Any, **more: str) -> Any:
    done = client.post(address(cast), {"upload": asked["Location"].split("upload=")[1], **more})
    work_off()
    return done


def test_it_imports_several_files_after_a_preview(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = upload(
        client, cast, ("dev_CR.json", crmus()), ("own.jsonl", lines(answer=None, answer_letter=None))
    )
    preview = client.get(asked["Location"]).content.decode()
    assert "dev_CR.json" in preview
    assert "own.jsonl" in preview
    assert "4 new" in preview
    assert "1 becomes a draft" in preview
    assert "no key" in preview
    assert not Item.objects.exists()
    assert not User.objects.filter(name="The old team").exists()

    assert confirm(client, cast, asked).status_code == 302
    assert "Imported: 4 new, 0 changed." in client.get(asked["Location"]).content.decode()
    assert Item.objects.filter(state=State.IN_REVIEW).count() == 3
    assert Item.objects.filter(state=State.DRAFT).count() == 1
    writer = User.objects.get(name="The old team")
    assert (writer.is_placeholder, writer.is_active) == (True, False)


def test_it_says_in_the_preview_how_files_were_read(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    table = (
        b"id,story,question,A,B,answer,mood\n1,A fox.,Who?,a fox,a hen,A,sad\n2,A hen.,Who?,a fox,hen,B,\n"
    )
    asked = upload(client, cast, ("items.csv", table))
    preview = client.get(asked["Location"]).content.decode()
    assert "How the files were read" in preview
    assert "items.csv, row 1, mood: The column is not read; filled cells in it: 1." in preview


def test_a_sheet_is_chosen_by_its_name_on_the_page_and_by_the_command(
    cast: Cast, seen_by: SeenBy, tmp_path: Path
) -> None:
    book = Workbook()
    for number, name in enumerate(("draft", "final")):
        sheet = book.worksheets[0] if not number else book.create_sheet()
        sheet.title = name
        sheet.append(["id", "story", "question", "A", "B", "answer"])
        sheet.append([name, f"A {name} fox.", "Who?", "fox", "hen", "A"])
    path = tmp_path / "items.xlsx"
    book.save(path)
    client = seen_by(cast.manager)
    for sheet in ("", "final"):
        asked = upload(client, cast, ("items.xlsx", path.read_bytes()), sheet=sheet)
        page = client.get(asked["Location"]).content.decode()
        assert f"items.xlsx, row 1, {sheet or 'draft'}: Of the sheets of the file, this one is read." in page
        confirm(client, cast, asked)
    assert list(Item.objects.order_by("pk").values_list("ref", flat=True)) == ["draft", "final"]
    words = ("--project", cast.project.slug, "--dry-run")
    assert run("import_items", path, *words, "--sheet", "Final").data["unchanged"] == 1
    said = run("import_items", path, *words, "--sheet", "third")
    assert "The file has no sheet “third”. Its sheets: draft, final." in said.err
    assert main(["audit", str(path), "--sheet", "third"]) == 2
    said = run("import_stories", path, *words, "--sheet", "third")
    assert "Its sheets: draft, final." in said.err


def test_it_takes_the_choices_made_beside_the_files(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = upload(client, cast, ("items.json", crmus()), state="verified", format="crmus")
    confirm(client, cast, asked)
    assert set(Item.objects.values_list("state", flat=True)) == {State.VERIFIED}


def test_it_names_file_row_and_field_of_what_is_broken_and_cannot_be_confirmed(
    cast: Cast, seen_by: SeenBy
) -> None:
    client = seen_by(cast.manager)
    asked = upload(client, cast, ("good.json", crmus()), ("bad.json", crmus(id="9_9", answer="AB")))
    preview = client.get(asked["Location"] + "&outcome=broken").content.decode()
    assert "bad.json" in preview
    assert "answer: The answer names more than one option: “AB”." in preview
    assert 'class="button primary"' not in preview
    confirm(client, cast, asked)
    assert not Item.objects.exists()


def test_it_hides_keys_until_asked_and_says_so_of_who_asked(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    for shows in (False, True):
        asked = upload(client, cast, ("items.jsonl", lines(id=f"own-{shows}")))
        if shows:
            confirm(client, cast, asked, keys="1")
        page = client.get(asked["Location"]).content.decode()
        assert ("Show keys" in page, '<span class="label">key</span>' in page) == (not shows, shows)
        confirm(client, cast, asked)
        assert KeyExposure.objects.filter(user=cast.manager).exists() == shows
    assert Item.objects.count() == 3


def tables(**stories: str) -> list[tuple[str, bytes]]:
    """A file of stories with the morals given by id, after files of an item each about them."""
    rows = [
        {"id": ref, "title": f"The {ref}", "text": f"{TALE} In this tale it was a {ref}.", "moral": moral}
        for ref, moral in stories.items()
    ]
    head = "id,story_id,question,A,B,C,D,answer,type"
    return [
        (f"{ref}.csv", f"{head}\n{ref}-1,{ref},Why?,a,b,c,d,A,social\n".encode()) for ref in stories
    ] + [("stories.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())]  # fmt: skip


def test_it_takes_stories_beside_their_items_and_names_similar_ones(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    files = tables(crow="Wit wins.", raven="Wit wins.")
    asked = upload(client, cast, *files)
    page = client.get(asked["Location"]).content.decode()
    order = [page.rindex(f">{name}<") for name in ("stories.jsonl", "crow.csv", "raven.csv")]
    assert order == sorted(order), "stories first"
    assert "4 new" in page
    assert "similar to “The crow”" in page
    assert ("Wit wins." in page, "Show keys and morals" in page) == (False, True)
    assert not Story.objects.filter(project=cast.project).exists()
    confirm(client, cast, asked, keys="1")
    assert client.get(asked["Location"]).content.decode().count("Wit wins.") == 2
    confirm(client, cast, asked)
    found = Item.objects.order_by("pk").values_list("story__ref", "story__current__moral", "state")
    assert list(found) == [(ref, "Wit wins.", "in_review") for ref in ("crow", "raven")]
    seen = KeyExposure.objects.filter(user=cast.manager)
    assert seen.filter(task="moral", story__isnull=False).count() == 2
    assert seen.filter(task="commonsense", item__isnull=False).count() == 2
    asked = upload(client, cast, *files)
    assert "4 unchanged" in client.get(asked["Location"]).content.decode()


def test_it_imports_nothing_of_items_whose_stories_are_broken(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    item, stories = tables(crow="")
    asked = upload(client, cast, item, (stories[0], stories[1] + b'{"id": "fox"}\n'))
    page = client.get(asked["Location"]).content.decode()
    assert "1 row is broken" in page
    assert "does not name a story" not in page, "its story is in the file that has to be mended"
    confirm(client, cast, asked)
    assert not Story.objects.filter(project=cast.project).exists()
    lone = upload(client, cast, stories)
    assert "This looks like a table of stories." in client.get(lone["Location"]).content.decode()


def test_it_names_the_story_that_an_item_s_new_story_is_similar_to(cast: Cast, seen_by: SeenBy) -> None:
    make_story(cast, title="The crow", text=f"{TALE} The end.")
    client = seen_by(cast.manager)
    asked = upload(client, cast, ("items.jsonl", lines(id="other", story=f"{TALE} So it ended.")))
    page = client.get(asked["Location"]).content.decode()
    assert "1 new story is similar to another." in page
    assert page.count("new story, similar to “The crow”") == 1


def test_it_says_where_it_is_and_reads_nothing_itself(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    sent = {"format": "auto", "state": "draft", "writer": "The old team"}
    asked = client.post(address(cast), {**sent, "file": [SimpleUploadedFile("a.json", crmus())]})
    waiting = client.get(asked["Location"], headers={"hx-request": "true"})
    assert "Preparing the preview" in waiting.content.decode()
    assert "HX-Refresh" not in waiting.headers
    work_off()
    assert client.get(asked["Location"], headers={"hx-request": "true"}).headers["HX-Refresh"] == "true"
    client.post(address(cast), {"upload": asked["Location"].split("upload=")[1]})
    page = client.get(asked["Location"]).content.decode()
    assert "Importing" in page
    assert "Cancel import" not in page
    assert not Item.objects.exists()
    work_off()
    assert Item.objects.exists()
    assert "Imported:" in client.get(asked["Location"]).content.decode()


def test_it_goes_back_to_the_preview_where_the_project_has_changed(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = upload(client, cast, ("items.jsonl", lines(types=["physical"])))
    kinds = CommonsenseType.objects.filter(project=cast.project, code="physical")
    kinds.update(code="gone")
    confirm(client, cast, asked)
    page = client.get(asked["Location"]).content.decode()
    assert "Nothing was imported: the project has changed since you looked." in page
    assert "row is broken" in page or "rows are broken" in page
    assert not Item.objects.exists()


def test_it_can_be_tried_again_after_a_fault(
    cast: Cast, seen_by: SeenBy, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = seen_by(cast.manager)
    with monkeypatch.context() as broken:
        broken.setattr(ItemsImporter, "run", None)
        asked = upload(client, cast, ("a.json", crmus()))
    assert "because of an error in Parable" in client.get(asked["Location"]).content.decode()
    confirm(client, cast, asked)
    assert not Item.objects.exists()
    confirm(client, cast, asked, again="1")
    assert (
        '<button type="submit" form="confirm" class="button primary"'
        in client.get(asked["Location"]).content.decode()
    )
    confirm(client, cast, asked)
    assert Item.objects.exists()


def test_it_asks_again_where_the_form_will_not_do(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    assert upload(client, cast).status_code == 400
    assert upload(client, cast, ("a.json", crmus()), state="released").status_code == 400
    assert upload(client, cast, ("a.json", crmus()), writer="").status_code == 400


def test_it_is_for_managers(cast: Cast, seen_by: SeenBy) -> None:
    assert upload(seen_by(cast.writer), cast, ("a.json", crmus())).status_code == 403
    assert upload(seen_by(cast.outsider), cast, ("a.json", crmus())).status_code == 404
