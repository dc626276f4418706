"""Pages that point to what is wanted: notes of pilots beside the guideline, the other import."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import PilotStory
from annotation.services import note_on_pilot, start_pilot
from tests.factories import Cast, make_story
from tests.work import work_off

pytestmark = pytest.mark.django_db


def test_it_shows_the_notes_of_pilots_beside_the_next_guideline(cast: Cast, client: Client) -> None:
    start_pilot(
        actor=cast.manager, project=cast.project, name="First", stories=[make_story(cast, title="The Fox")],
        writers=[cast.writer, cast.writer2],
    )  # fmt: skip
    page = reverse("annotation:pilot_notes", args=[cast.project.slug])
    client.force_login(cast.manager)
    assert page in client.get(reverse("projects:publish_guideline", args=[cast.project.slug])).text
    assert "The Fox" not in client.get(page).text
    note_on_pilot(actor=cast.manager, link=PilotStory.objects.get(), text="Stems name options.")
    for words in ("Stems name options.", "The Fox", "First"):
        assert words in client.get(page).text
    client.force_login(cast.writer)
    assert client.get(page).status_code == 403


def test_it_says_where_a_table_of_stories_belongs(cast: Cast, client: Client) -> None:
    client.force_login(cast.manager)
    page = reverse("annotation:import_items", args=[cast.project.slug])
    hint = "This looks like a table of stories."
    for table, expected in (
        ("id,title,text\n1,The Fox,A fox saw grapes.\n", True),
        ("story_id,question\n1,Why?\n", False),
    ):
        file = SimpleUploadedFile("table.csv", table.encode())
        sent = {"format": "auto", "state": "draft", "writer": "The old team", "file": [file]}
        asked = client.post(page, sent)
        work_off()
        response = client.get(asked.headers["Location"]).text
        assert (hint in response) == expected, response
