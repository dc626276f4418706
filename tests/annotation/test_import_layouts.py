"""Files in the layouts of others, through the command and the page, each item as it was meant."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from annotation.models import ItemDraft
from parable.formats.mapping import parse_mapping
from tests.factories import Cast, make_project
from tests.foreign_layouts import FOREIGN, Foreign, Meant
from tests.work import work_off


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def client(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.manager)
    return client


def meant(one: Foreign) -> list[tuple[str, str, tuple[str, ...], str | None]]:
    told = one.for_import.partition("story:")[2]
    return sorted((told or item[0], *_wording(item)) for item in one.meant)


def _wording(item: Meant) -> tuple[str, tuple[str, ...], str | None]:
    return item[1], item[2], None if item[3] is None else item[2][item[3]]


def imported(cast: Cast) -> list[tuple[str, str, tuple[str, ...], str | None]]:
    """The items and drafts of the project: story, stem, options, words of the key."""
    drafts = ItemDraft.objects.filter(story__project=cast.project).select_related("story__current")
    return sorted(_imported(draft) for draft in drafts)


def _imported(draft: ItemDraft) -> tuple[str, str, tuple[str, ...], str | None]:
    options = draft.content["options"]
    key = next((one["text"] for one in options if one["is_key"]), None)
    story = draft.story.current
    return story.text if story else "", draft.content["stem"], tuple(one["text"] for one in options), key


@pytest.mark.parametrize("one", FOREIGN, ids=lambda one: one.name)
def test_a_command_imports_each_layout(cast: Cast, tmp_path: Path, one: Foreign) -> None:
    path = tmp_path / one.name
    path.write_bytes(one.data)
    said = {"mapping": one.for_import}
    call_command("import_items", str(path), project=cast.project.slug, state="draft", **said)
    assert imported(cast) == meant(one)


def upload(client: Client, cast: Cast, data: bytes, name: str = "items.json") -> str:
    sent = {"file": SimpleUploadedFile(name, data), "format": "auto", "state": "draft", "writer": "Team"}
    answer: Any = client.post(f"/p/{cast.project.slug}/items/import", sent)
    work_off()
    return str(answer["Location"])


def post(client: Client, preview: str, **more: Any) -> Any:
    answer = client.post(preview.partition("?")[0], {"upload": preview.split("upload=")[1], **more})
    work_off()
    return answer


def chosen(client: Client, preview: str, said: str) -> dict[str, Any]:
    """What the page's form says, with what a person changes in it."""
    (form,) = client.get(preview).context["columns"]
    values = {field.html_name: field.value() or "" for field in form}
    names = [column.name for column in form.columns]
    mapping = parse_mapping(said, names)
    for field, columns in mapping.columns.items():
        values |= {f"file0-{names.index(column)}": field for column in columns}
    return values | {f"file0-:{field}": words for field, words in mapping.constants.items()}


@pytest.mark.parametrize("one", FOREIGN, ids=lambda one: one.name)
def test_the_page_imports_each_layout(client: Client, cast: Cast, one: Foreign) -> None:
    preview = upload(client, cast, one.data, one.name)
    page = client.get(preview)
    if page.context["columns"]:
        answer = post(client, preview, columns="1", numbers="", **chosen(client, preview, one.for_import))
        assert answer.status_code == 302
    assert not client.get(preview).context["result"].is_broken
    post(client, preview)
    assert imported(cast) == meant(one)
