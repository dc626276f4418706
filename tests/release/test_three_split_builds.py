"""A release of train, dev and test from its order to its files, its rebuild and its next version."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from core.errors import Unusable
from corpus.models import Story
from evaluation.models import Portion
from evaluation.queries.run import items_in, portion_of, portions
from jobs.queries import unfinished_jobs
from jobs.services import run_job
from parable.__main__ import main
from parable.formats.crmus import write_crmus
from parable.formats.records import ItemRecord, ReleaseRecord
from parable.formats.release_folder import read_release_folder
from parable.quality.gates import ItemSet, judge
from parable.splits import DEV, MEASURED, SPLITS, TEST, TRAIN
from projects.models import Project
from projects.services import EDITABLE
from release.assembly.recipe import Recipe
from release.files.folder import CARD
from release.models import Release, ReleaseDraft, ReleaseItem
from release.queries.draft import DRAFT_CHECK, unresolved
from release.queries.release import frozen_items
from release.services import (
    Built,
    build_draft,
    build_release,
    create_draft,
    finish_release,
    override_gate,
    read_recipe,
    rebuild_release,
)
from release.services.stream import stream_training_kit
from tests.factories import Cast
from tests.release.made import bring, grant_rights, record, records

GENRES = ("news", "news", "news", "news", "news", "letters", "letters", "letters", "letters", "letters")
"""Of ten stories; half of each has one item in test at 0.5, 0.2 and 0.3."""


@pytest.fixture
def genres_known(cast: Cast) -> Cast:
    """A project of ten stories in two genres, seven items each."""
    bring(cast, records(10))
    grant_rights(cast)
    for index, story in enumerate(Story.objects.filter(project=cast.project).order_by("ref")):
        story.genre = GENRES[index]
        story.save(update_fields=["genre"])
    return cast


def three(**more: Any) -> Recipe:
    """The recipe of five stories in train, two in dev and three in test."""
    return read_recipe(split="story", train_share="0.50", dev_share="0.2", **more)


def build(cast: Cast, version: str = "1.0.0", recipe: Recipe | None = None, seed: str | None = "7") -> Built:
    """A release in three, built."""
    return build_release(
        actor=cast.manager, project=cast.project, version=version, seed=seed, recipe=recipe or three()
    )


def write(folder: Path, built: Built) -> Path:
    """Its files in a folder."""
    for name, file in built.files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
    return folder


def lines(built: Built, name: str) -> Iterator[dict[str, Any]]:
    """The objects of a file."""
    yield from map(json.loads, built.files[name].content.decode().splitlines())


@pytest.mark.django_db
def test_it_is_built_in_three_and_rebuilt_to_the_byte(genres_known: Cast, tmp_path: Path) -> None:
    built = build(genres_known)
    assert built.is_ready, (built.release.why, built.release.manifest.get("stopped"))
    names = set(built.files)
    assert {f"{split}/{task}.jsonl" for split in SPLITS for task in ("commonsense", "moral")} <= names
    assert {
        f"instruction/{shape}_{split}.jsonl" for shape in ("alpaca", "chat") for split in (TRAIN, DEV)
    } <= names
    assert not [name for name in names if name.startswith("crmus/") or name.endswith("_test.jsonl")]
    assert built.release.manifest["counts"]["commonsense"] == {"train": 20, "dev": 8, "test": 12}
    stories = {
        (one.record["genre"], one.record["story_id"], one.split) for one in frozen_items(built.release)
    }
    counted = Counter((genre, split) for genre, _story, split in stories)
    assert all(abs(counted["news", split] - share * 5) < 1 for split, share in (("train", 0.5), ("dev", 0.2)))
    card = built.files[CARD].content.decode()
    assert "Train, dev and test" in card or "训练集、开发集和测试集" in card
    assert "50.0 %" in card
    again = rebuild_release(release=Release.objects.get(pk=built.release.pk))
    assert again.differing == ()
    assert {name: file.sha256 for name, file in again.files.items()} == {
        name: file.sha256 for name, file in built.files.items()
    }
    folder = read_release_folder(write(tmp_path, built))
    assert not folder.errors
    assert not folder.changed
    assert {item.split for item in folder.items} == set(SPLITS)
    assert {item.split for item in folder.of_split(None)} == set(MEASURED)
    assert len(folder.of_split(TRAIN)) == 35
    code = main(["audit", *map(str, sorted(tmp_path.glob("*/commonsense.jsonl")))])
    assert code in {0, 1}


@pytest.mark.django_db
def test_only_the_test_is_withheld(genres_known: Cast) -> None:
    built = build(genres_known, recipe=three(withhold_test=True), seed=None)
    found = {split: {row["answer"] for row in lines(built, f"{split}/moral.jsonl")} for split in SPLITS}
    assert found[TEST] == {-1}
    assert -1 not in found[TRAIN] | found[DEV]
    assert built.release.manifest["keys"].keys() == {"commonsense", "moral"}
    data = json.loads(built.files["MANIFEST.json"].content)
    assert all(cell.keys() == {"train", "dev"} for cell in data["keys"].values())


@pytest.mark.django_db
def test_the_next_version_keeps_every_split_and_its_train(genres_known: Cast) -> None:
    first = build(genres_known).release
    before = dict(ReleaseItem.objects.filter(release=first).values_list("item", "split"))
    bring(genres_known, [record(story, number) for story in (10, 11) for number in range(3)])
    grant_rights(genres_known)
    second = build(genres_known, "1.1.0", three(extends="1.0.0")).release
    after = dict(ReleaseItem.objects.filter(release=second).values_list("item", "split"))
    assert {item: after[item] for item in before} == before
    with pytest.raises(Unusable, match=r"1\.1\.0"):
        build(genres_known, "1.2.0", read_recipe(split="story", dev_share="0.2", extends="1.1.0"))


@pytest.mark.django_db
def test_train_is_measured_only_by_its_name(genres_known: Cast) -> None:
    release = build(genres_known).release
    counts = {portion: items_in(release, portion).count() for portion in Portion.values}
    assert counts == {"train": 35, "dev": 14, "test": 21, "both": 35, "all": 70}
    assert [name for name, _label in portions(genres_known.project)] == Portion.values
    assert portion_of([DEV, TEST]) == Portion.BOTH
    assert portion_of([TRAIN, TEST]) == Portion.ALL
    assert portion_of([TRAIN]) == Portion.TRAIN


@pytest.mark.django_db
def test_without_a_train_split_nobody_is_asked_about_one(genres_known: Cast) -> None:
    build(genres_known, recipe=read_recipe(split="story", dev_share="0.2"))
    assert [name for name, _label in portions(genres_known.project)] == ["dev", "test", "both"]


@pytest.mark.django_db
def test_the_database_knows_no_other_split(genres_known: Cast) -> None:
    one = ReleaseItem.objects.filter(release=build(genres_known).release).select_related("release").first()
    assert one is not None
    other = Release.objects.create(
        project=genres_known.project,
        version="2.0.0",
        seed="7",
        recipe=one.release.recipe,
        created_by=genres_known.manager,
    )
    one.pk, one.release, one.split = None, other, "eval"
    with pytest.raises(IntegrityError, match="release_item_split"):
        one.save()


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"train_share": "much"}, "train_share"),
        ({"train_share": "0"}, "train_share"),
        ({"train_share": "1"}, "train_share"),
        ({"train_share": "0.8"}, "train_share"),  # nothing is left for test
        ({"train_share": "nan"}, "train_share"),
        ({"train_share": "0.7", "split": "mixed", "out_stories": 3}, "split"),
        ({"train_share": "0.7", "dev_items": {"moral": 3}}, "dev_items"),
        ({"train_share": "0.7", "dev_share": "x"}, "dev_share"),
    ],
)
def test_shares_that_leave_no_three_splits_are_refused(more: dict[str, Any], field: str) -> None:
    with pytest.raises(Unusable) as refused:
        read_recipe(**{"split": "story", "dev_share": "0.2", **more})
    assert field in refused.value.fields


def test_the_shares_are_kept_as_they_were_written() -> None:
    recipe = read_recipe(split="story", train_share="0.70", dev_share=".1")
    assert (recipe.train_share, recipe.dev_share) == ("0.7", "0.1")
    assert [str(share) for share in recipe.planned.values()] == ["7/10", "1/10", "1/5"]
    assert "train_share" not in read_recipe(split="story", dev_share="0.2").as_json()


def item(name: str, split: str, **more: Any) -> ItemRecord:
    """An item like no other."""
    return replace(record(sum(map(ord, name)), 0), id=name, split=split, **more)


@pytest.mark.parametrize(
    ("earlier", "later", "named"),
    [(TRAIN, DEV, True), (TRAIN, TEST, True), (DEV, TEST, True), (TEST, TEST, False), (TRAIN, TRAIN, False)],
)
def test_a_story_leaks_between_any_two_splits(earlier: str, later: str, named: bool) -> None:
    whole = [item(f"{split}-{letter}", split) for split in SPLITS for letter in "abc"]
    shared = {"story_id": "one", "story": "The same story of a fox in both, genres_known to its very end."}
    set_of = ItemSet((*whole, item("first", earlier, **shared), item("second", later, **shared)))
    found = next(one for one in judge(set_of) if one.id == "split_leak")
    assert (found.verdict == "error") == named
    assert ("second" in found.items) == named
    assert "first" not in found.items


def test_the_crmus_layout_refuses_train() -> None:
    placed = ReleaseRecord(item("x", TRAIN), TRAIN, "canary")
    with pytest.raises(ValueError, match="train"):
        write_crmus([placed])


def test_a_release_of_two_splits_has_the_fields_that_it_had() -> None:
    assert Recipe(split="story", dev_share="0.2").as_json().keys() == {
        "split",
        "dev_share",
        "withhold_test",
        "allow",
        "reason",
        "layout",
    }


@pytest.mark.django_db
def test_its_pages_show_three_shares_and_three_counts(genres_known: Cast, client: Client) -> None:
    typed = {"version": "1.0.0", "train_share": "0.5", "dev_share": "0.2", "split": "story", "seed": "7"}
    draft = create_draft(actor=genres_known.manager, project=genres_known.project, data=typed)
    for job in unfinished_jobs(DRAFT_CHECK, draft.pk):
        run_job(job_id=job.pk)
    client.force_login(genres_known.manager)
    where = f"/p/{genres_known.project.slug}/releases"
    for page in ("contents", "gates", "settings", "build"):
        response = client.get(reverse(f"release:draft_{page}", args=[genres_known.project.slug, draft.pk]))
        words = response.content.decode()
        assert "train 0.5 + dev 0.2 + test 0.3, together 1" in words, page
        assert ">20</td>" in words  # of 40 commonsense items half are in train
        assert all(genre in words for genre in GENRES)
    settings = reverse("release:draft_settings", args=[genres_known.project.slug, draft.pk])
    refused = client.post(settings, {**typed, "train_share": "0.9"})
    assert refused.status_code == 400
    assert "Train and dev come to 1.1." in refused.content.decode()
    client.post(settings, typed)
    draft = ReleaseDraft.objects.get(pk=draft.pk)
    for job in unfinished_jobs(DRAFT_CHECK, draft.pk):
        run_job(job_id=job.pk)
    for one in unresolved(draft):
        override_gate(actor=genres_known.manager, draft=draft, gate=one.gate, reason="A test.")
    for job in unfinished_jobs(DRAFT_CHECK, draft.pk):
        run_job(job_id=job.pk)
    release = finish_release(release_id=build_draft(actor=genres_known.manager, draft=draft).pk)
    assert release.state == "ready", release.why
    listed = client.get(where).content.decode()
    assert "train 35, dev 14, test 21" in " ".join(listed.split())
    assert "train 35, dev 14, test 21" in client.get(f"{where}/1.0.0").content.decode()
    assert "train" in client.get(f"{where}/1.0.0/gates").content.decode()
    assert client.get(f"{where}/1.0.0/card").status_code == 200
    kit = dict(stream_training_kit(release=release, prompt="{story} {question} {options}"))
    assert b"train-1.0.0" in b"".join(kit["dataset_info.json"])


@pytest.mark.django_db
def test_a_new_draft_has_the_shares_of_its_project(genres_known: Cast, client: Client) -> None:
    client.force_login(genres_known.manager)
    change = {name: getattr(genres_known.project, name) for name in EDITABLE if name != "reviewer_may_verify"}
    shares = {"train_share": "0.70", "dev_share": "0.1"}
    settings = reverse("projects:settings", args=[genres_known.project.slug])
    assert client.post(settings, change | shares).status_code == 302
    new = reverse("release:build", args=[genres_known.project.slug])
    assert client.post(new, {"version": "1.0.0", "extends": "", "min_rating": "0"}).status_code == 302
    draft = ReleaseDraft.objects.get()
    assert (draft.recipe["train_share"], draft.recipe["dev_share"]) == ("0.7", "0.1")
    with pytest.raises(IntegrityError, match="shares_leave_a_test"), transaction.atomic():
        Project.objects.filter(pk=genres_known.project.pk).update(dev_share=Decimal("0.3"))
