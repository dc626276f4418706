"""A further field of a story goes in and out: files, the import, its page, the form, the export."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from corpus.models import Story, label_of
from corpus.resources import StoryResource
from corpus.services import import_stories, set_rights
from parable.formats import STORY_FIELDS, StoryRecord, read_stories
from parable.formats.limits import MAX_NAME_CHARS
from parable.formats.records import FURTHER_FIELDS, Reading
from parable.formats.stories import write_stories_csv, write_stories_jsonl
from tests.factories import Cast

EACH = pytest.mark.parametrize("name", FURTHER_FIELDS)
TEXT = "A crow was thirsty."


def read(name: str, value: str) -> Reading[StoryRecord]:
    """A table that has the field under its Chinese heading."""
    return read_stories(f"故事,{FURTHER_FIELDS[name]}\n{TEXT},{value}\n".encode(), name="stories.csv")


@EACH
def test_files_have_it_where_it_is_stated(name: str) -> None:
    (stated,), bare = read(name, "news").records, StoryRecord("", "", TEXT)
    assert getattr(stated, name) == "news"
    for write in (write_stories_csv, write_stories_jsonl):
        assert read_stories(write([stated]), name="again").records == (stated,)
        assert name in write([stated]).decode()
        assert name not in write([bare]).decode()
    assert not read(name, "n" * (MAX_NAME_CHARS + 1)).records


@EACH
@pytest.mark.django_db
def test_the_site_imports_shows_changes_and_exports_it(cast: Cast, client: Client, name: str) -> None:
    client.force_login(cast.manager)
    for value in ("news", "poem"):  # new, and changed by a second import
        import_stories(actor=cast.manager, project=cast.project, readings=[read(name, value)])
        assert getattr(Story.objects.get(), name) == value
    story = Story.objects.get()
    page, form = (
        reverse(route, args=(cast.project.slug, story.pk)) for route in ("corpus:story", "corpus:rights")
    )
    assert f"<dt>{label_of(name)}</dt><dd>poem</dd>" in client.get(page).content.decode()
    assert 'value="poem"' in client.get(form).content.decode()
    client.post(form, {"rights": "CC0", "evidence": "", name: " play "})
    assert getattr(Story.objects.get(), name) == "play"
    table = StoryResource()
    sheet = table.sheet(table.of_project(cast.project), "stories")
    (row,) = sheet.rows
    assert dict(zip(sheet.heading, row, strict=True))[name] == "play"


@pytest.mark.django_db
def test_the_service_changes_no_other_field(cast: Cast) -> None:
    import_stories(actor=cast.manager, project=cast.project, readings=[read("genre", "news")])
    with pytest.raises(KeyError, match="language"):
        set_rights(actor=cast.manager, story=Story.objects.get(), rights="", evidence="", language="zh")
    set_rights(actor=cast.manager, story=Story.objects.get(), rights="CC0", evidence="")
    assert Story.objects.get().genre == "news"


def test_the_field_of_a_file_is_a_column_of_the_site() -> None:
    assert {*FURTHER_FIELDS} <= {*STORY_FIELDS} & {field.name for field in Story._meta.fields}
