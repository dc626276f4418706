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
from tests.foreign_layouts import FOREIGN, FOUR, Foreign, Meant, letter, lines
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
    data = {"mapping": one.for_import}
    call_command("import_items", str(path), project=cast.project.slug, state="draft", **data)
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


def chosen(page: Any, text: str) -> dict[str, Any]:
    """What the page's form says, with what a person changes in it."""
    (form,) = page.context["columns"]
    values = {field.html_name: field.value() or "" for field in form}
    names = [column.name for column in form.columns]
    mapping = parse_mapping(text, names)
    for field, columns in mapping.columns.items():
        values |= {f"file0-{names.index(column)}": field for column in columns}
    return values | {f"file0-:{field}": words for field, words in mapping.constants.items()}


def changed(page: Any, values: dict[str, Any]) -> set[str]:
    """The fields in which these values differ from those that the page offers."""
    (form,) = page.context["columns"]
    offered = {field.html_name: field.value() or "" for field in form}
    return {name for name, value in values.items() if value != offered.get(name, "")}


@pytest.mark.parametrize("one", FOREIGN, ids=lambda one: one.name)
def test_the_page_imports_each_layout_in_five_clicks(client: Client, cast: Cast, one: Foreign) -> None:
    """Choose the file, upload it; where the guess is not complete change a field and apply; import."""
    preview = upload(client, cast, one.data, one.name)
    page = client.get(preview)
    values = chosen(page, one.for_import) if page.context["columns"] else {}
    more = changed(page, values) if values else set()
    assert len(more) <= 1
    if more or page.context["result"].is_broken:  # a file without keys is asked about, unless that is applied
        answer = post(client, preview, columns="1", numbers="", **values)
        assert answer.status_code == 302
    assert not client.get(preview).context["result"].is_broken
    post(client, preview)
    assert imported(cast) == meant(one)


def test_the_page_shows_what_it_guessed_with_three_rows_and_escapes_them(client: Client, cast: Cast) -> None:
    rows = [
        {"context": f"{one[0]} <b>&", "query": one[1], "endings": [*one[2]], "label": letter(one)}
        for one in FOUR
    ]
    preview = upload(client, cast, lines(*rows))
    answer = client.get(preview)
    (form,) = answer.context["columns"]
    assert {field.label: field.value() for field in form if field.value()} == {
        "context": "story", "query": "question", "endings": "choices", "label": "answer"
    }  # fmt: skip
    shown = answer.content.decode()
    assert " · ".join(one[1] for one in FOUR[:3]).replace("'", "&#x27;") in shown
    assert FOUR[3][1] + " ·" not in shown
    assert "<b>&" not in shown
    assert "The file is read as: story=context, stem=query, options=endings, key=label." in shown


def test_the_page_asks_how_numbers_count_where_it_shows_the_file(client: Client, cast: Cast) -> None:
    rows = [{"context": one[0], "query": one[1], "endings": [*one[2]], "label": 1} for one in FOUR]
    preview = upload(client, cast, lines(*rows))
    page = client.get(preview)
    assert "nothing in the file says whether they count from 0 or from 1" in page.content.decode()
    assert '<details class="card" open>' in page.content.decode()
    post(client, preview, columns="1", numbers="1", **chosen(page, ""))
    assert not client.get(preview).context["result"].is_broken
    assert client.get(preview).context["reading"]["numbers"].value() == "1"
    post(client, preview)
    assert [item[3] for item in imported(cast)] == [one[2][0] for one in sorted(FOUR)]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"file0-1": ""}, "No column is chosen for “Stem”."),
        ({"file0-2": ""}, "No column is chosen for “Options, in one field”."),
        ({"file0-0": ""}, "No column is chosen for “Story text”."),
        ({"file0-3": "choices"}, "Another column is already used for this."),
        ({"file0-1": "nonsense"}, "Select a valid choice."),
    ],
)
def test_the_page_says_what_a_wrong_mapping_lacks(
    client: Client, cast: Cast, changed: dict[str, str], sentence: str
) -> None:
    rows = [{"context": one[0], "query": one[1], "endings": [*one[2]], "label": letter(one)} for one in FOUR]
    preview = upload(client, cast, lines(*rows))
    answer = post(client, preview, columns="1", numbers="", **chosen(client.get(preview), "") | changed)
    page = answer if answer.status_code == 400 else client.get(preview)
    assert sentence in page.content.decode()
    if answer.status_code == 302:
        assert page.context["result"].is_broken


def test_the_page_takes_several_columns_as_one_story(client: Client, cast: Cast) -> None:
    data = b"s1,s2,q,A,B,key\nA crow.,A jug.,Who?,a crow,a fox,A\n"
    preview = upload(client, cast, data, "items.csv")
    post(client, preview, columns="1", **chosen(client.get(preview), "story=s1+s2,stem=q"))
    post(client, preview)
    assert imported(cast) == [("A crow. A jug.", "Who?", ("a crow", "a fox"), "a crow")]


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "<li>bank.json: The file is read as"), ("zh-hans", "<li>bank.json：")],
)
def test_how_a_whole_file_is_read_is_said_without_a_row(
    cast: Cast, client: Client, language: str, said: str
) -> None:
    row = b'{"passage": "A fox fell.", "stem": "Who fell?", "choices": ["A hen", "A fox"], "label": 1}\n'
    row += b'{"passage": "A fox fell.", "stem": "Who did not?", "choices": ["A hen", "A fox"], "label": 0}\n'
    preview = upload(client, cast, row, "bank.json")
    client.cookies["django_language"] = language
    assert said in client.get(preview).content.decode()
