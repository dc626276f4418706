"""The formats of the registry, where people choose one: on the import page and in the command."""

from pathlib import Path
from typing import cast

import pytest
from django.utils.translation import override

from accounts.services import get_or_create_placeholder
from annotation.forms import UploadForm
from annotation.importer import ITEMS
from annotation.management.commands.import_items import Command
from annotation.models import Item, Span, State
from annotation.services import import_items
from parable.formats.items import AUTO, FORMATS, ITEM_FORMATS
from parable.formats.records import ItemRecord, Reading
from parable.formats.source_file import SourceFile
from tests.annotation.test_import_previews import kept
from tests.factories import make_project

ANNOTATED = Path(__file__).parents[1] / "parable" / "foreign"
COMMANDS = Path(__file__).parents[2] / "docs" / "commands.md"


@pytest.mark.parametrize(("language", "auto"), [("en", "Detect automatically"), ("zh-hans", "自动识别")])
def test_the_page_offers_every_format_in_its_language(language: str, auto: str) -> None:
    with override(language):
        field = UploadForm().fields["format"]
        choices = [*field.widget.choices]
    assert choices[0] == (AUTO, auto)
    assert choices[1:] == [(code, one.label_in(language)) for code, one in FORMATS.items() if one.has_items]


def test_the_command_offers_every_format() -> None:
    parser = Command().create_parser("manage.py", "import_items")
    action = next(one for one in parser._actions if one.dest == "format")
    assert action.choices == ITEM_FORMATS
    assert "[formats.md](formats.md)" in COMMANDS.read_text(encoding="utf-8")


LOGIQA = b"""b
A fable.
Who was thirsty?
A. the hare
B. the crow
C. the fox
D. the ox
"""
COLUMNS = {"question": "question", "A": "A", "B": "B", "answer": "answer", ":story": "Another fable."}


@pytest.mark.django_db
@pytest.mark.parametrize("said", ["auto", "logiqa"])
def test_a_file_of_a_tool_has_its_columns_offered_and_chosen_on_the_page(said: str) -> None:
    upload = kept(make_project(language="en"), LOGIQA)
    upload.options["format"] = said
    files = [("0.txt", SourceFile(LOGIQA))]
    table = ITEMS.describe(upload, files)["tables"]["0"]
    named = [[name, name] for name in ("question", "A", "B", "C", "D")]
    assert table["columns"] == [["answer", "answer"], ["context", "story"], *named]
    for columns, story, count in (({}, "A fable.", 4), ({"0": COLUMNS}, "Another fable.", 2)):
        upload.columns = columns
        (reading,) = cast("list[Reading[ItemRecord]]", ITEMS.read(upload, files))
        assert reading.errors == ()
        assert [(one.story, one.question, len(one.choices), one.answer) for one in reading.records] == [
            (story, "Who was thirsty?", count, 1)
        ]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["brat.zip", "cas.xmi", "doccano_spans.jsonl", "label_studio_spans.json"])
def test_texts_that_another_tool_marked_become_items_with_their_marks(name: str) -> None:
    cast_of = make_project("zh", tasks=["anomaly_spans"])
    files = [(name, SourceFile((ANNOTATED / name).read_bytes()))]
    upload = kept(cast_of, b"")
    assert ITEMS.describe(upload, files)["tables"] == {}, "no column is to be chosen"
    readings = cast("list[Reading[ItemRecord]]", ITEMS.read(upload, files))
    result = import_items(
        actor=cast_of.manager,
        project=cast_of.project,
        readings=readings,
        state=State.VERIFIED,
        writer=get_or_create_placeholder(actor=cast_of.manager, name="Somebody"),
    )
    assert not result.issues
    records = [record for reading in readings for record in reading.records]
    assert Item.objects.filter(project=cast_of.project, task="anomaly_spans").count() == len(records)
    assert sorted(Span.objects.values_list("role", "text")) == sorted(
        (mark["role"], mark["text"])
        for record in records
        if record.own
        for group in record.own["answer"]
        for mark in group
    )
