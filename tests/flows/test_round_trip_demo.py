"""What the projects of the demo export comes back unchanged, or is named: three formats, both ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ItemDraft
from annotation.queries.published import published_tasks
from dashboard.queries.sample import FILL
from dashboard.services import finish_jobs, load_kinds, load_sample
from evaluation import services
from evaluation.models import FileState, Run
from parable.__main__ import main
from projects.models import Membership, Project, Role
from release.models import Release
from tests.corpus.commands import run
from tests.factories import make_project
from tests.flows.test_round_trip import LEFT_OUT, rows

pytestmark = pytest.mark.django_db
FORMATS = ("csv", "xlsx", "json")


def managed(project: Project) -> Client:
    client = Client()
    client.force_login(Membership.objects.filter(project=project, role=Role.MANAGER)[0].user)
    return client


def fetched(client: Client, name: str, *where: str) -> bytes:
    return b"".join(client.post(reverse(f"dashboard:{name}", args=where)))


def like(project: Project) -> Project:
    """An empty project of the same language, tasks and numbers of options."""
    other = make_project(project.language).project
    other.tasks, other.options_per_item = project.tasks, project.options_per_item
    other.save()
    return other


def imported(path: Path, name: str, project: Project) -> dict[str, Any]:
    said = run(f"import_{name}", path, "--project", project.slug)
    assert said.code == 0, said.err or said.out
    found: dict[str, Any] = json.loads(said.out.splitlines()[-1])
    assert found["changed"] == found["broken"] == 0, found
    return found


def by_id(table: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    assert len({row["id"] for row in table}) == len(table)
    return {str(row["id"]): row for row in table}


def check_tables(project: Project, folder: Path) -> None:
    """Stories and items in each format: into the project that has them, and into an empty one."""
    client, before = managed(project), rows(project)
    drafts = {one.pk: one.content for one in ItemDraft.objects.filter(project=project)}
    for kind in FORMATS:
        other = like(project)
        for name in ("stories", "items"):
            path = folder / f"{name}.{kind}"
            path.write_bytes(fetched(client, "export", project.slug, name, kind))
            again, first = imported(path, name, project), imported(path, name, other)
            assert (again["created"], again["unchanged"]) == (0, len(before[name == "items"]))
            assert (first["created"], first["unchanged"]) == (len(before[name == "items"]), 0)
            for found in (again, first):
                unread = {one["field"] for one in found["remarks"] if one["code"] == "unread_column"}
                assert unread <= LEFT_OUT | {"moral_origin"}
        assert rows(project) == before, kind
        assert {one.pk: one.content for one in ItemDraft.objects.filter(project=project)} == drafts
        stories, items = map(by_id, rows(other))
        assert stories == by_id(before[0]), kind
        (wordless,) = [one for one in found["remarks"] if one["code"] == "no_words"] or [{"rows": []}]
        named = 0  # drafts have no words in an export, and tasks without options are in their published files
        for name, row in by_id(before[1]).items():
            if row["question"] or row["A"]:
                assert items[name] == row, kind
            else:
                named += 1
                assert items[name].items() >= {"task": row["task"], "story_id": row["story_id"]}.items()
        assert len(wordless["rows"]) == named, "each row without words is named"


def check_published(project: Project, folder: Path) -> None:
    """Items without options, in the files that others first published."""
    client = managed(project)
    for task, _items in published_tasks(project):
        path = folder / f"{task}.jsonl"
        path.write_bytes(fetched(client, "export_published", project.slug, task))
        other = like(project)
        found = imported(path, "items", other)
        assert found["created"] == path.read_bytes().count(b"\n") or task
        assert fetched(managed(other), "export_published", other.slug, task) == path.read_bytes(), task


def check_ratings(project: Project, folder: Path) -> None:
    client = managed(project)
    for kind in FORMATS:
        path = folder / f"ratings.{kind}"
        path.write_bytes(fetched(client, "export", project.slug, "ratings", kind))
    assert main(["raters", str(folder / "ratings.csv")]) == 0


def check_answers(project: Project) -> None:
    """The answers of all runs as one file that others collected: each is read as what it was."""
    client, release = managed(project), Release.objects.filter(project=project).order_by("pk")[0]
    runs = list(Run.objects.filter(release=release).order_by("examinee__name").select_related("examinee"))
    data = b"".join(
        b"".join(client.get(reverse("evaluation:download", args=[project.slug, one.pk]))) for one in runs
    )
    actor = Membership.objects.filter(project=project, role=Role.MANAGER)[0].user
    file = services.order_import(actor=actor, release=release, name="answers.jsonl", data=data)
    file = services.read_file(file_id=file.pk)
    assert file.state == FileState.DONE, file.problems
    back = Run.objects.filter(file=file).order_by("pk")
    assert [given(one) for one in runs] == [given(one) for one in sorted(back, key=place_of(runs))]


def place_of(runs: list[Run]) -> Callable[[Run], int]:
    """Which of the runs one was made of: its examinee has the same name, with a number where it is taken."""
    names = [one.examinee.name for one in runs]
    return lambda one: max(at for at, name in enumerate(names) if one.examinee.name.startswith(name))


def given(one: Run) -> list[tuple[object, ...]]:
    kept = one.responses.order_by("item__number", "repeat", "rotation")
    return list(kept.values_list("item", "choice", "given", "correct", "reading"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_of_a_project_at_its_beginning(language: str, tmp_path: Path) -> None:
    load_sample(languages=[language])
    check_tables(Project.objects.get(), tmp_path)


@pytest.mark.drill
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_ratings_and_answers_of_a_project_in_every_state(language: str, tmp_path: Path) -> None:
    load_sample(languages=[language])
    project = Project.objects.get()
    finish_jobs(FILL, project.pk)
    check_tables(project, tmp_path)
    check_ratings(project, tmp_path)
    check_answers(project)


def test_the_project_of_all_other_kinds(tmp_path: Path) -> None:
    load_sample()
    project = load_kinds()
    finish_jobs(FILL, project.pk)
    check_tables(project, tmp_path)
    check_published(project, tmp_path)
    check_ratings(project, tmp_path)
    check_answers(project)
