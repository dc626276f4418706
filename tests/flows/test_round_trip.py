"""What a project exports comes back unchanged: into the same project, and into a new one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.resources import ItemResource
from corpus.resources import StoryResource
from projects.models import Project
from tests.corpus.commands import run
from tests.factories import Cast, content, make_project, make_story, submit_item

pytestmark = pytest.mark.django_db

OPTIONS = [
    ("=1+1", "1.50", "008", "3-4"),
    ("A. Milne", "Dickens", "Poe", "Twain"),
    ("two\nlines", "“quoted”, with a comma", "it_x000D_self", "-5"),
    ("2", "3", "1", "4"),
    ("50%", "TRUE", "1e5", "@home"),
]
OF_STORIES = ("id", "title", "text", "moral", "language", "source", "rights", "genre")
OF_ITEMS = (
    "id", "task", "style", "story_id", "question", *"ABCDEFGH", "answer", "type", "explanation", "language",
)  # fmt: skip
LEFT_OUT = {"state", "writer", "generators", "revision", "created", "number", "project"}
"""Columns of items that an import names as not read, where they are filled."""


@pytest.fixture
def cast() -> Cast:
    """A project whose texts are what spreadsheets like to change."""
    cast = make_project()
    story = make_story(cast, title="=The Race", text='+A hare.\n\n"Quoted", and so on.', moral="")
    for number, options in enumerate(OPTIONS):
        submit_item(
            cast, story=story, words=content(f"Which, {number}?", *options, key=number % len(options))
        )
    submit_item(cast, task="moral")
    words = content("Which lesson?", "a", "b", "c", "d", types=(), explanation="")
    submit_item(cast, task="moral", style="machine", words=words)
    return cast


def rows(project: Project) -> list[list[dict[str, Any]]]:
    """What the tables of stories and items hold of a project, in no order."""
    found = []
    for resource, fields in ((StoryResource(), OF_STORIES), (ItemResource(), OF_ITEMS)):
        table = resource.sheet(resource.of_project(project), "")
        lines = [dict(zip(table.heading, row, strict=True)) for row in table.rows]
        found.append(sorted(({field: line[field] for field in fields} for line in lines), key=str))
    return found


@pytest.mark.parametrize("kind", ["csv", "xlsx", "json"])
def test_an_export_comes_back_unchanged(cast: Cast, tmp_path: Path, kind: str) -> None:
    client = Client()
    client.force_login(cast.manager)
    files = {}
    for name in ("stories", "items"):
        files[name] = tmp_path / f"{name}.{kind}"
        answer = client.post(reverse("dashboard:export", args=[cast.project.slug, name, kind]))
        files[name].write_bytes(b"".join(answer))
    before, other = rows(cast.project), make_project().project
    for project in (cast.project, other):
        for name, path in files.items():
            said = run(f"import_{name}", path, "--project", project.slug, "--json")
            assert said.code == 0, said.err or said.out
            found = json.loads(said.out.splitlines()[-1])
            assert found["changed"] == found["broken"] == 0, found
            assert bool(found["created"]) is (project == other)
    unread = {one["field"] for one in found["remarks"] if one["code"] == "unread_column"}
    assert unread == LEFT_OUT - {"generators"}, "no item here has generators"
    assert rows(cast.project) == before
    assert rows(other) == before
