"""Mappings saved under a name: offered where they fit, used by page and command, replaced and deleted."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import ItemDraft
from core.errors import Conflict, Forbidden, Unusable
from corpus.models import SavedMapping
from corpus.services import save_mapping
from corpus.services import saved_mapping as mappings
from projects.models import Role
from projects.services import create_project, set_roles
from tests.annotation.test_import_layouts import post, upload
from tests.factories import Cast, make_project
from tests.foreign_layouts import lines

ROW = {"ask": "Who?", "one": "a crow", "two": "a hare", "hit": "B", "tale": "A crow fell."}
OTHER = {**ROW, "ask": "Where?", "tale": "A hare ran."}
COLUMNS: dict[str, Any] = {
    "question": "ask", "A": "one", "B": "two", "answer": "hit", "story": "tale",
}  # fmt: skip


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def client(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.manager)
    return client


def save(cast: Cast, name: str = "Lab", **more: Any) -> SavedMapping:
    said: dict[str, Any] = {
        "actor": cast.manager,
        "project": cast.project,
        "purpose": "items",
        "columns": COLUMNS,
    } | more
    return save_mapping(name=name, **said)


def buttons(page: Any) -> str:
    text: str = page.content.decode()
    return text


def test_columns_are_saved_as_they_are_applied_and_offered_for_a_file_that_has_them(
    client: Client, cast: Cast
) -> None:
    preview = upload(client, cast, lines(ROW))
    form = {f"file0-{at}": field for at, field in enumerate(("question", "A", "B", "answer", "story"))}
    answer = post(client, preview, columns="1", numbers="", **form, **{"file0-save_as": " Our  sheet "})
    assert answer.status_code == 302
    saved = SavedMapping.objects.get()
    assert (saved.name, saved.columns, saved.created_by) == ("Our sheet", COLUMNS, cast.manager)
    again = client.get(upload(client, cast, lines(OTHER)))
    assert f'name="mapping" value="0:{saved.pk}">Our sheet</button>' in buttons(again)
    other = client.get(upload(client, cast, lines({"query": "Who?", "x": "1", "y": "2", "label": "A"})))
    assert "Our sheet</button>" not in buttons(other)


def test_a_saved_mapping_reads_the_file_and_may_be_deleted(client: Client, cast: Cast) -> None:
    saved = save(cast)
    preview = upload(client, cast, lines(ROW, OTHER))
    assert post(client, preview, mapping=f"0:{saved.pk}").status_code == 302
    page = client.get(preview)
    (form,) = page.context["columns"]
    assert {field.label: field.value() for field in form if field.value()} == {
        "ask": "question", "one": "A", "two": "B", "hit": "answer", "tale": "story",
    }  # fmt: skip
    post(client, preview)
    assert {one.content["stem"] for one in ItemDraft.objects.all()} == {"Who?", "Where?"}
    preview = upload(client, cast, lines(ROW))
    assert post(client, preview, delete_mapping=str(saved.pk)).status_code == 302
    assert not SavedMapping.objects.exists()
    assert "The saved mapping is deleted." in buttons(client.get(preview))


@pytest.mark.parametrize("value", ["0:999", "0:", "x", "0:a", ""])
def test_a_mapping_that_is_not_there_is_not_found(client: Client, cast: Cast, value: str) -> None:
    preview = upload(client, cast, lines(ROW))
    assert post(client, preview, mapping=value).status_code == 404
    assert post(client, preview, delete_mapping=value).status_code == 404


def test_a_mapping_of_another_project_is_not_found(client: Client, cast: Cast) -> None:
    beside = create_project(actor=cast.manager, slug="beside", name="Beside", language="en", settings={})
    set_roles(actor=cast.manager, project=beside, user=cast.manager, roles=[Role.MANAGER])
    saved = save(cast, project=beside)
    preview = upload(client, cast, lines(ROW))
    assert post(client, preview, mapping=f"0:{saved.pk}").status_code == 404
    assert post(client, preview, delete_mapping=str(saved.pk)).status_code == 404
    assert SavedMapping.objects.count() == 1


def test_a_name_is_replaced_and_bounded(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    first = save(cast)
    assert save(cast, columns={"question": "q"}).pk == first.pk
    first.refresh_from_db()
    assert first.columns == {"question": "q"}
    for name in ("", "  ", "x" * 81):
        with pytest.raises(Unusable):
            save(cast, name)
    monkeypatch.setattr(mappings, "MOST_MAPPINGS", 1)
    save(cast)
    with pytest.raises(Conflict):
        save(cast, "Second")
    with pytest.raises(Forbidden):
        save(cast, actor=cast.writer)
    with pytest.raises(Forbidden):
        mappings.delete_mapping(actor=cast.writer, mapping=first)


@pytest.mark.parametrize(
    ("columns", "held", "fits"),
    [
        ({"question": "a", "answer": "b"}, ["a", "b", "c"], True),
        ({"question": "a", "answer": "b"}, ["a"], False),
        ({"story": ["a", "b"]}, ["a", "b"], True),
        ({"story": ["a", "b"]}, ["b"], False),
        ({":story": "words", "question": "a"}, ["a"], True),
        ({":story": "words"}, ["a"], False),
    ],
)
def test_it_fits_a_file_that_has_all_of_its_columns(
    columns: dict[str, object], held: list[str], fits: bool
) -> None:
    assert SavedMapping(columns=columns).fits(held) is fits


def test_a_command_uses_it_by_name(cast: Cast, tmp_path: Path) -> None:
    save(cast)
    path = tmp_path / "items.json"
    path.write_bytes(lines(ROW))
    slug = cast.project.slug
    call_command("import_items", str(path), project=slug, state="draft", saved_mapping="Lab")
    assert ItemDraft.objects.get().content["stem"] == "Who?"
    with pytest.raises((CommandError, SystemExit)):
        call_command("import_items", str(path), project=slug, state="draft", saved_mapping="No")
