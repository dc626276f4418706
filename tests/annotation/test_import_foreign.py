"""Files of other tools on the import page: dropped in, previewed, confirmed, and there as items."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.models import Item, State
from corpus.models import Story
from tests.annotation.conftest import SeenBy
from tests.annotation.test_import_pages import confirm, upload
from tests.factories import Cast

pytestmark = pytest.mark.django_db

FILES = Path(__file__).parents[1] / "parable" / "foreign"
BROUGHT = {
    "word_python_docx.docx": 3,
    "anki_genanki.apkg": 2,
    "hub_pyarrow.parquet": 2,
}


@pytest.mark.parametrize("name", BROUGHT)
def test_a_file_of_a_tool_comes_in_by_the_page(name: str, cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = upload(client, cast, (name, (FILES / name).read_bytes()), state="draft")
    assert asked.status_code == 302, asked.content.decode()[-2000:]
    page = client.get(asked["Location"]).content.decode()
    assert name in page
    assert f"{BROUGHT[name]} new" in page
    confirm(client, cast, asked)
    items = Item.objects.filter(project=cast.project)
    assert items.count() == BROUGHT[name]
    assert {*items.values_list("state", flat=True)} == {State.DRAFT}
    assert Story.objects.filter(project=cast.project, items__isnull=False).exists()
