"""`build_release` of the published dev items: how they are split, and that they come back as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from parable.formats import read_items
from parable.formats.records import ItemRecord
from parable.splits import MEASURED
from projects.models import Project
from projects.services import create_project
from release.assembly.recipe import Recipe
from release.queries.source import sources
from tests.corpus.commands import Output, run
from tests.factories import make_project
from tests.release.made import bring, records
from tests.release.test_build_command import (
    ALLOW,
    ALLOW_PUBLISHED,
    PUBLISHED,
    build,
    crmus_project,
    records_in,
    split_files,
)
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Published:
    """The project of the published items, the folder of its release, and what the command said."""

    project: Project
    folder: Path
    refused: Output
    said: Output


@pytest.fixture(scope="module")
def published(
    shared_data: Path,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Published]:
    """Imported and built once for the tests of this file."""

    def make() -> Published:
        folder = tmp_path_factory.mktemp("published")
        project = crmus_project(shared_data, *PUBLISHED)
        refused = build(project, folder / "no", *ALLOW)
        return Published(project, folder / "out", refused, build(project, folder / "out", *ALLOW_PUBLISHED))

    with shared_rows(django_db_blocker, make) as made:
        yield made


def test_it_splits_the_published_items_by_story_and_balances_their_keys(
    published: Published,
) -> None:
    assert published.refused.verdict.startswith("Failed gates: length_artefact, no_story, options_only.")
    said, found = published.said, records_in(published.folder)
    assert len(found) == 305 + 192
    splits = Counter((one["story_id"], one["split"]) for one in found)
    assert len(splits) == len({one["story"] for one in found})
    cells = Counter((one["task"], one["split"], one["answer_letter"]) for one in found)
    for task in ("commonsense", "moral"):
        share = sum(cells[task, "dev", letter] for letter in "ABCD") / sum(
            count for (kind, _split, _letter), count in cells.items() if kind == task
        )
        assert abs(share - 0.2) < 0.01
        for split in ("dev", "test"):
            counts = {letter: cells[task, split, letter] for letter in "ABCD"}
            assert max(counts.values()) - min(counts.values()) <= 1
            assert said.data["keys"][task][split] == counts
            assert said.data["counts"][task][split] == sum(counts.values())


@pytest.mark.drill
def test_it_writes_a_crmus_layout_that_comes_back_as_the_same_items(
    published: Published, shared_data: Path
) -> None:
    project, folder = published.project, published.folder
    empty = create_project(actor=project.created_by, slug="again", name="Again", language="zh")
    paths = sorted((folder / "crmus").iterdir())
    assert len(paths) == 4
    said = run("import_items", *paths, "--project", "again", "--format", "crmus", "--state", "verified")
    assert (said.code, said.data["created"]) == (0, 305 + 192)
    assert _said_by(empty) == _said_by(project) == _said_by_files(shared_data)
    whole = sorted(path for split in MEASURED for path in (folder / split).iterdir())
    assert len(whole) == 4
    third = create_project(actor=project.created_by, slug="third", name="Third", language="zh")
    said = run("import_items", *whole, "--project", "third", "--state", "verified")
    assert (said.code, said.data["created"]) == (0, 305 + 192)
    assert _said_by(third) == _said_by(project)
    for files in (paths, whole):
        said = run("import_items", *files, "--project", "crmus", "--state", "verified")
        assert (said.code, said.data["unchanged"]) == (0, 305 + 192), said.err


def test_every_field_of_a_release_comes_back(tmp_path: Path) -> None:
    """Also what the published files lack: styles, generators, explanations, language, domain."""
    cast, mixed = make_project(), ("--split", "mixed", "--out-stories", "2", *ALLOW)
    bring(cast, records(12))
    assert build(cast.project, tmp_path / "first", *mixed).code == 0
    ours = [one for path in split_files(tmp_path / "first") for one in _read(path)]
    theirs = [one for path in sorted((tmp_path / "first" / "crmus").iterdir()) for one in _read(path)]
    assert {one.domain for one in ours} == {"in", "out", None}
    assert {one.style for one in ours} == {"human", "machine"}
    assert {bool(one.generators) for one in ours} == {bool(one.explanation) for one in ours} == {True, False}
    # the layout has no place for the rest, and no id but the one that came in
    shared = [
        replace(
            one,
            id=one.source_id,
            source_id="",
            story_id=None,
            style="human",
            generators=(),
            explanation=None,
            language="",
        )
        for one in ours
    ]
    assert sorted(theirs, key=str) == sorted(shared, key=str)

    again = make_project()
    paths = split_files(tmp_path / "first")
    said = run("import_items", *paths, "--project", again.project.slug, "--state", "verified")
    assert (said.code, said.data["created"]) == (0, len(ours)), said.err
    # these stories are alike, and checks find stems worth a look; all else is kept
    assert {note["field"] for note in said.data["notes"]} == {"stem", "story"}
    assert build(again.project, tmp_path / "second", *mixed).code == 0
    second = [one for path in split_files(tmp_path / "second") for one in _read(path)]
    assert sorted(map(_apart_from_name, second), key=str) == sorted(map(_apart_from_name, ours), key=str)


def _read(path: Path) -> Sequence[ItemRecord]:
    return read_items(path, name=path.name, format="crmus" if path.suffix == ".json" else "parable").records


def _apart_from_name(item: ItemRecord) -> ItemRecord:
    """Without the id that bears the name of the project, and with places and sides left to the draw."""
    key = item.choices[item.answer or 0]
    choices = tuple(sorted(item.choices))
    return replace(item, id="", split=None, domain=None, choices=choices, answer=choices.index(key))


def _said_by(project: Project) -> set[tuple[object, ...]]:
    """Every field of the verified items; options in any order, since a release draws theirs."""
    return {
        (
            one.record.task,
            one.record.source_id,
            one.record.title,
            one.record.story,
            one.record.question,
            frozenset(one.record.choices),
            one.record.choices[one.record.answer or 0],
            one.record.types,
            one.record.style,
            one.record.generators,
            one.record.explanation,
        )
        for one in sources(project, Recipe(split="story", dev_share="0.2"))
    }


def _said_by_files(folder: Path) -> set[tuple[object, ...]]:
    """The same of the published files."""
    return {
        (
            one.task,
            one.id,
            one.title,
            one.story,
            one.question,
            frozenset(one.choices),
            one.choices[one.answer or 0],
            one.types,
            one.style,
            one.generators,
            one.explanation,
        )
        for name in PUBLISHED
        for one in read_items(folder / "crmus" / "published_format" / name, name=name).records
    }
