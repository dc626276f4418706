"""`build_release`: the published dev items become a release, the same one anywhere."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from annotation.models import Item
from core.errors import Unusable
from parable.commands.item_files import read_files
from parable.quality.gates import GATES
from parable.quality.gates.split_leak import SplitLeak
from projects.models import Project
from projects.services import create_project
from release.models import Artifact, Release, ReleaseState
from release.services import rebuild_release
from release.services.rebuild import _require_same as require_same
from tests.corpus.commands import Output, run
from tests.factories import Cast, make_project, make_user
from tests.release.made import ALLOWED, bring, built, grant_rights, record, records

pytestmark = pytest.mark.django_db

PUBLISHED = ("dev_CRMUS_CR.json", "dev_CRMUS_MU.json")
ALLOW = ("--allow", "rights", "--reason", "A test with published items.")
ALLOW_PUBLISHED = ("--allow", "length_artefact", "options_only", "no_story", *ALLOW)
"""The published moral items give their keys away by length and wording; that is what these gates are for."""


def build(project: Project, folder: Path, *more: object, version: str = "1.0.0", seed: object = 7) -> Output:
    usual = ("--project", project.slug, "--release", version, "--dev-share", "0.2", "--split", "story")
    return run("build_release", *usual, "--seed", seed, "--out", folder, *more)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def records_in(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in split_files(folder)
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def split_files(folder: Path) -> list[Path]:
    return [path for split in ("dev", "test") for path in sorted((folder / split).glob("*.jsonl"))]


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


@pytest.mark.drill
def test_it_builds_the_same_bytes_in_two_databases_and_others_for_another_seed(
    shared_data: Path, tmp_path: Path
) -> None:
    first, other = fresh(shared_data, tmp_path / "first", *PUBLISHED, seeds=(7, 8))
    (second,) = fresh(shared_data, tmp_path / "second", *reversed(PUBLISHED))
    assert first == second
    assert first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first if name.endswith((".jsonl", ".json")))


def test_it_splits_some_stories_whole_and_shares_others_where_asked(cast: Cast, tmp_path: Path) -> None:
    bring(cast, records(12))
    grant_rights(cast)
    mixed = ("--split", "mixed", "--out-stories", "1", "--dev-items", "commonsense=11")
    said = build(cast.project, tmp_path / "out", *mixed, "--dev-items", "moral=7")
    assert said.code == 0, said.err
    leak = next(gate for gate in said.data["gates"] if gate["id"] == "split_leak")
    assert leak["verdict"] == "warning"
    assert not [name for name in leak["items"] if "-m-" not in name]  # moral ones have one stem, but not ours
    (audited,) = SplitLeak().judge(read_files(split_files(tmp_path / "out")).items)
    assert (audited.verdict, audited.items) == ("warning", ())
    found = records_in(tmp_path / "out")
    assert Counter((one["task"], one["split"]) for one in found if one["split"] == "dev") == {
        ("commonsense", "dev"): 11,
        ("moral", "dev"): 7,
    }
    dev = json.loads((tmp_path / "out" / "crmus" / "dev_CRMUS_MU.json").read_text(encoding="utf-8"))
    assert Counter(one["domain"] for one in dev) == {"out": 3, "in": 4}
    ours = Counter((one["split"], one["task"], one.get("domain")) for one in found)
    assert (ours["dev", "moral", "out"], ours["dev", "moral", "in"]) == (3, 4)
    assert {split for split, _task, domain in ours if domain is None} == {"test"}
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert card.count("  - name: domain\n") == 3
    sets = json.loads((tmp_path / "out" / "croissant.json").read_text(encoding="utf-8"))["recordSet"]
    having = [one["name"] for one in sets if any(field["name"] == "domain" for field in one["field"])]
    assert having == ["dev_commonsense", "dev_moral"]


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
        ("split_leak", None): "ok",
        ("explanations", "commonsense"): "warning",  # ours is one for all items
        ("style_coverage", "moral"): "ok",
        ("duplicates", None): "ok",
        ("type_coverage", "commonsense"): "warning",  # one story is in dev, with four of the five types
        ("story_drift", None): "ok",
        ("option_format", None): "ok",
        ("faulty_items", None): "ok",
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


@pytest.mark.parametrize(
    ("kept", "differing"),
    [
        ({"layout": 0}, ""),
        ({"without": [1]}, ""),
        ({"contact": "x"}, "contact"),
        ({"dev_items": {"moral": 1}, "extends": "0.9.0"}, "dev_items, extends"),
    ],
)
def test_it_compares_all_that_was_ordered_but_layout_and_exclusions(
    cast: Cast, kept: dict[str, Any], differing: str
) -> None:
    recipe = ALLOWED.as_json() | kept
    there = Release(
        project=cast.project, version="1.0.0", seed="7", recipe=recipe, state=ReleaseState.FAILED,
        created_by=cast.manager,
    )  # fmt: skip
    refused = pytest.raises(Unusable, match=re.escape(f"({differing})")) if differing else nullcontext()
    with refused:
        require_same(there, "7", ALLOWED)


def test_a_file_that_nothing_makes_any_more_differs_like_one_that_is_new(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = built(cast)
    rows = dict(Artifact.objects.filter(release=made).values_list("name", "rows"))
    assert rows["dev/commonsense.jsonl"] == made.items.filter(split="dev", item__task="commonsense").count()
    kept = Artifact.objects.filter(release=made).exclude(name="README.md")
    old = Artifact(release=made, name="gone.md", sha256="0" * 64, bytes=1)
    monkeypatch.setattr("release.services.rebuild.artifacts", lambda _release: _Listed([*kept, old]))
    assert rebuild_release(release=made).differing == ("README.md", "gone.md")


class _Listed(list[Artifact]):
    """Files as a query gives them."""

    def values_list(self, *_names: str) -> list[tuple[str, str]]:
        return [(one.name, one.sha256) for one in self]


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
