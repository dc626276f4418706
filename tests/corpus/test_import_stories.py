"""`import_stories`: everything or nothing, and twice is once."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent
from annotation.models import Item, Transition
from annotation.queries.item import items, story_was_reworded
from corpus.models import MoralOrigin, RevisionCause, Story, StoryRevision
from corpus.queries import find_stories
from corpus.services import reword_story, save_mapping
from parable.formats import read_stories
from review.models import ReviewRequest
from tests.architecture import BASE
from tests.corpus.commands import Output, run
from tests.factories import Cast, submit_item
from tests.parable.hostile_files import STORY_CASES

pytestmark = pytest.mark.django_db

LINES = [
    {"id": "crow", "title": "The crow", "text": "A crow was thirsty.", "moral": "Wit finds a way."},
    {"id": "fox", "title": "The fox", "text": "A fox was hungry.", "rights": "CC BY 4.0"},
]


def write(path: Path, *stories: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps(story) + "\n" for story in stories), encoding="utf-8")
    return path


def bring(cast: Cast, path: Path, *more: object) -> Output:
    return run("import_stories", path, "--project", cast.project.slug, *more)


def test_it_creates_stories_and_twice_is_once(cast: Cast, tmp_path: Path) -> None:
    path = write(tmp_path / "stories.jsonl", *LINES)
    first = bring(cast, path)
    assert first.code == 0
    assert first.data == {
        "created": 2, "changed": 0, "unchanged": 0, "duplicate": 0, "broken": 0, "drafts": 0, "errors": [],
        "suspected": 0, "notes": [], "remarks": [],
    }  # fmt: skip
    crow = Story.objects.get(project=cast.project, ref="crow")
    assert crow.current is not None
    assert (crow.current.moral, crow.current.moral_origin) == ("Wit finds a way.", MoralOrigin.SOURCE)

    second = bring(cast, path)
    assert second.data["unchanged"] == 2
    assert second.data["created"] == second.data["changed"] == 0
    assert StoryRevision.objects.filter(story__project=cast.project).count() == 2


TASKS = [{"data": {"words": "A crow was thirsty.", "name": "The crow", "q": "Who?"}, "annotations": []}]


@pytest.mark.parametrize("more", [["--map", "text=words, title=name"], ["--saved-mapping", "Tasks"]])
def test_it_reads_the_columns_that_are_said_or_saved(cast: Cast, tmp_path: Path, more: list[str]) -> None:
    save_mapping(
        actor=cast.manager,
        project=cast.project,
        purpose="stories",
        name="Tasks",
        columns={"text": "words", "title": "name"},
    )
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(TASKS), encoding="utf-8")
    assert bring(cast, path).code == 2
    assert bring(cast, path, *more).code == 0
    story = Story.objects.get(project=cast.project)
    assert story.current is not None
    assert (story.current.title, story.current.text) == ("The crow", "A crow was thirsty.")


@pytest.mark.parametrize("more", [["--map", "words=text"], ["--map", "text"], ["--saved-mapping", "None"]])
def test_it_refuses_columns_that_it_does_not_know(cast: Cast, tmp_path: Path, more: list[str]) -> None:
    path = write(tmp_path / "stories.jsonl", *LINES)
    assert bring(cast, path, *more).code == 2
    assert not Story.objects.filter(project=cast.project).exists()


def test_it_says_which_fields_it_does_not_read(cast: Cast, tmp_path: Path) -> None:
    path = write(tmp_path / "stories.jsonl", {**LINES[0], "year": "1668"}, {**LINES[1], "year": "1694"})
    said = bring(cast, path, "--dry-run")
    message = "The column is not read; filled cells in it: 2."
    assert said.data["remarks"] == [
        {"file": str(path), "row": 1, "field": "year", "message": message, "code": "unread_column",
         "rows": [1]},
    ]  # fmt: skip
    assert f"stories.jsonl, row 1, year: {message}" in said.out


def test_it_gives_a_changed_story_its_next_revision_and_reports_a_duplicate(
    cast: Cast, tmp_path: Path
) -> None:
    bring(cast, write(tmp_path / "a.jsonl", *LINES))
    longer = {**LINES[0], "text": "A crow was very thirsty."}
    said = bring(cast, write(tmp_path / "b.jsonl", longer, {**LINES[1], "id": "fox-again"}, LINES[1]))
    assert (said.data["changed"], said.data["unchanged"], said.data["duplicate"]) == (1, 1, 1)
    assert "row 3" in said.out
    crow = Story.objects.get(project=cast.project, ref="crow")
    assert [revision.text for revision in crow.revisions.all()] == [LINES[0]["text"], longer["text"]]


def test_it_changes_nothing_in_a_dry_run(cast: Cast, tmp_path: Path) -> None:
    before = AuditEvent.objects.count()
    said = bring(cast, write(tmp_path / "a.jsonl", *LINES), "--dry-run")
    assert (said.code, said.data["created"]) == (0, 2)
    assert not Story.objects.filter(project=cast.project).exists()
    assert AuditEvent.objects.count() == before


@pytest.mark.parametrize(("data", "row", "field", "code"), STORY_CASES)
def test_it_names_file_row_and_field_of_a_broken_file_and_imports_nothing(
    cast: Cast, tmp_path: Path, data: bytes, row: int, field: str, code: str
) -> None:
    path = tmp_path / "broken.file"
    path.write_bytes(data)
    said = bring(cast, path)
    assert said.code == 2
    assert {"file": str(path), "row": row, "field": field} in [
        {name: error[name] for name in ("file", "row", "field")} for error in said.data["errors"]
    ]
    assert f"broken.file, row {row}, {field}: " in said.err
    assert not Story.objects.filter(project=cast.project).exists()


def test_it_imports_nothing_at_all_where_one_row_is_broken(cast: Cast, tmp_path: Path) -> None:
    said = bring(cast, write(tmp_path / "a.jsonl", *LINES, {"title": "no text"}))
    assert (said.code, said.data["broken"]) == (2, 1)
    assert not Story.objects.filter(project=cast.project).exists()


def test_it_keeps_sources_and_rights_as_long_as_the_format_allows(cast: Cast, tmp_path: Path) -> None:
    story = {**LINES[0], "source": "s" * 2000, "rights": "r" * 2000, "language": "x" * 35, "title": "t" * 500}
    assert bring(cast, write(tmp_path / "a.jsonl", story)).code == 0


def test_it_refuses_an_unknown_project_or_person_in_a_sentence(cast: Cast, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *LINES)
    unknown = run("import_stories", path, "--project", "nowhere")
    assert (unknown.code, "nowhere" in unknown.verdict) == (2, True)
    stranger = bring(cast, path, "--as", "nobody-at-all")
    assert (stranger.code, "nobody-at-all" in stranger.verdict) == (2, True)
    missing = bring(cast, tmp_path / "absent.jsonl")
    assert (missing.code, missing.data["errors"][0]["field"]) == (2, "file")


def test_it_acts_as_the_person_named_or_else_as_the_system(cast: Cast, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *LINES)
    refused = bring(cast, path, "--as", cast.writer.username)
    assert (refused.code, Story.objects.filter(project=cast.project).exists()) == (2, False)
    hidden = bring(cast, path, "--as", cast.outsider.username)
    assert hidden.code == 2
    assert bring(cast, path, "--as", cast.manager.username).code == 0
    assert AuditEvent.objects.filter(verb="import_stories").latest("pk").actor == cast.manager
    bring(cast, write(tmp_path / "b.jsonl", {"text": "Another."}))
    assert AuditEvent.objects.filter(verb="import_stories").latest("pk").actor.is_system


def test_it_ends_with_code_2_and_no_traceback_in_a_shell(tmp_path: Path) -> None:
    """The whole command line, arguments included: what argparse refuses ends the same way."""
    finished = subprocess.run(
        [sys.executable, "manage.py", "import_stories", "--project", "x"],
        cwd=BASE, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert finished.returncode == 2
    assert "Traceback" not in finished.stderr
    assert "PATH" in finished.stderr


def test_it_takes_the_published_stories(cast: Cast, shared_data: Path) -> None:
    path = shared_data / "crmus" / "stories.jsonl"
    count = len(read_stories(path, name="stories").rows)
    said = bring(cast, path)
    assert (said.code, said.data["created"] + said.data["duplicate"]) == (0, count)
    assert bring(cast, path).data["created"] == 0


def test_it_lets_stories_change_places_and_a_new_one_take_a_text_that_was_left(
    cast: Cast, tmp_path: Path
) -> None:
    bring(cast, write(tmp_path / "a.jsonl", *LINES))
    moved = [
        {"id": "fox", "title": "The fox", "text": "A fox was very hungry."},
        {"id": "crow", "title": "The crow", "text": "A crow was very thirsty."},
        {"id": "another", "title": "Another", "text": LINES[0]["text"]},
    ]
    said = bring(cast, write(tmp_path / "b.jsonl", *moved), "--dry-run")
    assert (said.data["changed"], said.data["created"]) == (2, 1)
    said = bring(cast, write(tmp_path / "b.jsonl", *moved))
    assert (said.data["changed"], said.data["created"]) == (2, 1)
    texts = Story.objects.filter(project=cast.project).values_list("ref", "current__text")
    assert dict(texts) == {story["id"]: story["text"] for story in moved}
    assert bring(cast, write(tmp_path / "b.jsonl", *moved)).data["unchanged"] == 3


def test_it_says_how_a_wording_came_about_in_a_code(cast: Cast, tmp_path: Path) -> None:
    bring(cast, write(tmp_path / "a.jsonl", *LINES))
    bring(cast, write(tmp_path / "b.jsonl", {**LINES[0], "text": "A crow was very thirsty."}))
    crow = Story.objects.get(project=cast.project, ref="crow")
    reword_story(actor=cast.manager, story=crow, title="The crow", text="Thirst.", reason="shorter")
    assert list(crow.revisions.order_by("number").values_list("cause", "reason")) == [
        (RevisionCause.IMPORTED, ""),
        (RevisionCause.REWORDED_BY_IMPORT, ""),
        (RevisionCause.EDITED, "shorter"),
    ]


def test_it_asks_the_database_as_often_for_three_hundred_changed_stories_as_for_three(
    cast: Cast, tmp_path: Path
) -> None:
    def queries(count: int, word: str) -> int:
        stories = [{"id": f"s{n}", "title": "T", "text": f"{word} {n}"} for n in range(count)]
        with CaptureQueriesContext(connection) as captured:
            bring(cast, write(tmp_path / "a.jsonl", *stories))
        return len(captured)

    queries(300, "old")
    few = queries(3, "new")
    assert queries(300, "newer") == few


def test_it_lets_a_hundred_stories_join_a_year_later_and_disturbs_nothing(cast: Cast, tmp_path: Path) -> None:
    bring(cast, write(tmp_path / "a.jsonl", *LINES))
    item = submit_item(cast, story=Story.objects.get(project=cast.project, ref="crow"))
    rows: list[Any] = [Story, StoryRevision, Item, Transition, ReviewRequest]
    before = {model: list(model.objects.order_by("pk").values()) for model in rows}

    later = [
        {"id": f"new-{n}", "title": f"New {n}", "text": f"A later fable, number {n}."} for n in range(100)
    ]
    said = bring(cast, write(tmp_path / "b.jsonl", *LINES, *later))
    assert (said.data["created"], said.data["unchanged"]) == (100, 2)
    for model, rows_before in before.items():
        kept = model.objects.filter(pk__in=[row["id"] for row in rows_before]).order_by("pk")
        assert list(kept.values()) == rows_before
    assert not story_was_reworded(items(cast.project).get(pk=item.pk))
    assert find_stories(cast.project, q="new-").count() == 100
