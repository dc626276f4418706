"""Files of other tools on the import page: dropped in, previewed, confirmed, and there as items."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from annotation.models import Item, State
from corpus.models import Story
from tests.annotation.conftest import SeenBy
from tests.annotation.test_import_pages import confirm, upload
from tests.factories import Cast
from tests.work import work_off

pytestmark = pytest.mark.django_db

FILES = Path(__file__).parents[1] / "parable" / "foreign"
BROUGHT = {
    "word_python_docx.docx": 3,
    "anki_genanki.apkg": 2,
    "hub_pyarrow.parquet": 2,
    "hub_datasets.zip": 4,
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


def test_of_a_data_set_with_several_configurations_one_is_chosen_on_the_page(
    cast: Cast, seen_by: SeenBy
) -> None:
    client = seen_by(cast.manager)
    held = io.BytesIO()
    with zipfile.ZipFile(FILES / "hub_datasets.zip") as made, zipfile.ZipFile(held, "w") as archive:
        for name in made.namelist():
            archive.writestr(name, made.read(name).replace(b"\n  default: true", b""))
    asked = upload(client, cast, ("fables.zip", held.getvalue()), state="draft")
    page = client.get(asked["Location"]).content.decode()
    assert "The data set has several configurations: places, riddles." in page
    assert 'name="sheet"' in page
    sent = {"upload": asked["Location"].partition("=")[2], "columns": "1", "numbers": "", "sheet": "riddles"}
    chosen = client.post(f"/p/{cast.project.slug}/items/import", sent)
    work_off()
    page = client.get(chosen["Location"]).content.decode()
    assert "4 new" in page
    assert "Rows 2 to 2 are of this file, split validation." in page
    sent |= {"sheet": "places"}
    chosen = client.post(f"/p/{cast.project.slug}/items/import", sent)
    work_off()
    assert "1 new" in client.get(chosen["Location"]).content.decode()
    confirm(client, cast, asked)
    assert Item.objects.filter(project=cast.project).count() == 1
