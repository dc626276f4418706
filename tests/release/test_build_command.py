"""`build_release`: the published dev items become a release, the same one anywhere."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from annotation.models import Item
from parable.formats import read_items
from parable.quality.gates import GATES
from projects.models import Project
from projects.services import create_project
from release.assembly import SPLITS
from release.assembly.recipe import Recipe
from release.models import Release, ReleaseState
from release.queries.release import sources
from tests.corpus.commands import Said, run
from tests.factories import Cast, make_project, make_user
from tests.release.made import bring, grant_rights, record, records

pytestmark = pytest.mark.django_db

PUBLISHED = ("dev_CRMUS_CR.json", "dev_CRMUS_MU.json")
ALLOW = ("--allow", "rights", "--reason", "A test with published items.")
ALLOW_SHARED = ("--allow", "split_leak", "--reason", "Shared stories are wanted.")
ALLOW_PUBLISHED = ("--allow", "length_artefact", "options_only", "no_story", *ALLOW)
"""The published moral items give their keys away by length and wording; that is what these gates are for."""


def build(project: Project, folder: Path, *more: object, version: str = "1.0.0", seed: object = 7) -> Said:
    usual = ("--project", project.slug, "--release", version, "--dev-share", "0.2", "--split", "story")
    return run("build_release", *usual, "--seed", seed, "--out", folder, *more)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def records_in(folder: Path) -> list[dict[str, Any]]:
    paths = [path for split in ("dev", "test") for path in sorted((folder / split).glob("*.jsonl"))]
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def crmus_project(folder: Path, *names: str) -> Project:
    """A new project of the same name every time, with the published dev items, verified."""
    manager = make_user("Mia", may_create_projects=True)
    project = create_project(actor=manager, slug="crmus", name="CRMUS", language="zh")
    paths = [folder / "crmus" / "published_format" / name for name in names]
    said = run("import_items", *paths, "--project", "crmus", "--state", "verified")
    assert said.code == 0, said.err
    return project


def fresh(shared: Path, folder: Path, *names: str, seeds: Sequence[int] = (7,)) -> list[dict[str, bytes]]:
    """The files that an empty database brings forth with each seed; it is empty again afterwards."""
    found = []
    with transaction.atomic():
        project = crmus_project(shared, *names)
        for seed in seeds:
            with transaction.atomic():
                said = build(project, folder / str(seed), *ALLOW_PUBLISHED, seed=seed)
                transaction.set_rollback(True)
            assert (said.code, said.err) == (0, "")
            found.append(files_in(folder / str(seed)))
        transaction.set_rollback(True)
    assert not Item.objects.exists()
    assert all(files.pop("MANIFEST.json") for files in found)
    return found


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    bring(made, records())
    return made


def test_it_builds_the_same_bytes_in_two_databases_and_others_for_another_seed(
    shared_data: Path, tmp_path: Path
) -> None:
    first, other = fresh(shared_data, tmp_path / "first", *PUBLISHED, seeds=(7, 8))
    (second,) = fresh(shared_data, tmp_path / "second", *reversed(PUBLISHED))
    assert first == second
    assert first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first if name.endswith((".jsonl", ".json")))


def test_it_splits_the_published_items_by_story_and_balances_their_keys(
    shared_data: Path, tmp_path: Path
) -> None:
    project = crmus_project(shared_data, *PUBLISHED)
    assert build(project, tmp_path / "no", *ALLOW).verdict.startswith(
        "Failed gates: length_artefact, no_story, options_only."
    )
    said = build(project, tmp_path / "out", *ALLOW_PUBLISHED)
    found = records_in(tmp_path / "out")
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


def test_it_writes_a_crmus_layout_that_comes_back_as_the_same_items(
    shared_data: Path, tmp_path: Path
) -> None:
    project = crmus_project(shared_data, *PUBLISHED)
    build(project, tmp_path / "out", *ALLOW_PUBLISHED)
    empty = create_project(actor=project.created_by, slug="again", name="Again", language="zh")
    paths = sorted((tmp_path / "out" / "crmus").iterdir())
    assert len(paths) == 4
    said = run("import_items", *paths, "--project", "again", "--format", "crmus", "--state", "verified")
    assert (said.code, said.data["created"]) == (0, 305 + 192)
    assert _said_by(empty) == _said_by(project) == _said_by_files(shared_data)
    whole = sorted(path for split in SPLITS for path in (tmp_path / "out" / split).iterdir())
    assert len(whole) == 4
    third = create_project(actor=project.created_by, slug="third", name="Third", language="zh")
    said = run("import_items", *whole, "--project", "third", "--state", "verified")
    assert (said.code, said.data["created"]) == (0, 305 + 192)
    assert _said_by(third) == _said_by(project)
    for files in (paths, whole):
        said = run("import_items", *files, "--project", "crmus", "--state", "verified")
        assert (said.code, said.data["unchanged"]) == (0, 305 + 192), said.err


def _said_by(project: Project) -> set[tuple[object, ...]]:
    """Every field of the verified items; options in any order, since a release draws theirs."""
    return {
        (
            one.item.task,
            one.item.source_id,
            one.item.title,
            one.item.story.strip(),
            one.item.question,
            frozenset(one.item.choices),
            one.item.choices[one.item.answer or 0],
            one.item.types,
            one.item.style,
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
            one.story.strip(),
            one.question,
            frozenset(one.choices),
            one.choices[one.answer or 0],
            one.types,
            one.style,
        )
        for name in PUBLISHED
        for one in read_items(folder / "crmus" / "published_format" / name, name=name).records
    }


def test_it_splits_some_stories_whole_and_shares_others_where_asked(cast: Cast, tmp_path: Path) -> None:
    bring(cast, records(12))
    grant_rights(cast)
    mixed = ("--split", "mixed", "--out-stories", "1", "--dev-items", "commonsense=11")
    said = build(cast.project, tmp_path / "out", *mixed, "--dev-items", "moral=7", *ALLOW_SHARED)
    assert said.code == 0, said.err
    found = records_in(tmp_path / "out")
    assert Counter((one["task"], one["split"]) for one in found if one["split"] == "dev") == {
        ("commonsense", "dev"): 11,
        ("moral", "dev"): 7,
    }
    dev = json.loads((tmp_path / "out" / "crmus" / "dev_CRMUS_MU.json").read_text(encoding="utf-8"))
    assert Counter(one["domain"] for one in dev) == {"out": 3, "in": 4}


def test_it_prints_one_object_with_what_was_built(cast: Cast, tmp_path: Path) -> None:
    said = build(cast.project, tmp_path / "out", *ALLOW)
    assert list(said.data) == ["release", "dir", "counts", "keys", "gates", "files"]
    assert (said.data["release"], said.data["dir"]) == ("1.0.0", str(tmp_path / "out"))
    hashed = {name: hashlib.sha256(data).hexdigest() for name, data in files_in(tmp_path / "out").items()}
    assert said.data["files"] == {name: hashed[name] for name in hashed if name != "MANIFEST.json"}
    gates = {(gate["id"], gate["task"]): gate["verdict"] for gate in said.data["gates"]}
    assert {gate for gate, _task in gates} == set(GATES)
    assert {gate: verdict for gate, verdict in gates.items() if verdict != "not_applicable"} == {
        ("key_position", "commonsense"): "ok",
        ("key_position", "moral"): "ok",
        ("split_leak", None): "warning",  # the stem of our moral items is not the project's standard one
        ("duplicates", None): "ok",
        ("type_coverage", "commonsense"): "warning",  # one story is in dev, with four of the five types
        ("story_drift", None): "ok",
        ("option_format", None): "ok",
        ("rights", None): "error",
    }


def test_it_stops_at_a_gate_with_exit_code_one_and_makes_no_folder(cast: Cast, tmp_path: Path) -> None:
    said = build(cast.project, tmp_path / "out")
    assert said.code == 1
    assert "Failed gates: rights." in said.verdict
    assert not (tmp_path / "out").exists()
    assert list(said.data) == ["release", "dir", "counts", "keys", "gates", "files"]
    assert (said.data["dir"], said.data["files"]) == (None, {})
    assert not Release.objects.exclude(state=ReleaseState.FAILED).exists()


def test_it_makes_a_version_again_and_compares(cast: Cast, tmp_path: Path) -> None:
    build(cast.project, tmp_path / "first", *ALLOW)
    bring(cast, [record(9, 0)])
    again = build(cast.project, tmp_path / "second", *ALLOW)
    assert again.code == 0
    assert files_in(tmp_path / "first") == files_in(tmp_path / "second")
    assert build(cast.project, tmp_path / "second", *ALLOW).code == 0  # into its own folder
    other = build(cast.project, tmp_path / "third", *ALLOW, seed=8)
    assert (other.code, (tmp_path / "third").exists()) == (2, False)


def test_it_refuses_a_folder_that_holds_something_else(cast: Cast, tmp_path: Path) -> None:
    grant_rights(cast)
    (tmp_path / "diary.txt").write_text("mine", encoding="utf-8")
    said = build(cast.project, tmp_path)
    assert said.code == 2
    assert not Release.objects.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]
    assert build(cast.project, tmp_path / "diary.txt").code == 2
    assert build(cast.project, tmp_path / "diary.txt" / "below").code == 2


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--allow", "colour", "--reason", "x"), "colour"),
        (("--allow", "rights"), "Enter a reason"),
        (("--dev-share", "2"), "between 0 and 1"),
        (("--dev-share", "nan"), "between 0 and 1"),
        (("--dev-share", "half"), "number"),
        (("--split", "chapter"), "story, item"),
        (("--seed", "x"), "whole number"),
        (("--withhold-test",), "do not set one"),
        (("--release", "../1.0.0"), "1.0.0"),
        (("--project", "nowhere"), "nowhere"),
    ],
)
def test_it_refuses_what_cannot_be_built_with_exit_code_two(
    cast: Cast, tmp_path: Path, more: tuple[str, ...], word: str
) -> None:
    said = build(cast.project, tmp_path / "out", *more)
    assert said.code == 2
    assert word in said.verdict
    assert not (tmp_path / "out").exists()
    assert not Release.objects.exists()


def test_it_acts_as_who_may_and_refuses_who_may_not(cast: Cast, tmp_path: Path) -> None:
    assert build(cast.project, tmp_path / "out", *ALLOW, "--as", cast.manager.username).code == 0
    assert Release.objects.get().created_by == cast.manager
    assert build(cast.project, tmp_path / "no", *ALLOW, "--as", cast.writer.username).code == 2
    assert build(cast.project, tmp_path / "no", *ALLOW, "--as", cast.outsider.username).code == 2
