"""From verified items to a frozen release, through the services."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace

import pytest
from django.db import IntegrityError, InternalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent
from annotation.models import Item, Option, State
from annotation.services import retire_item
from core.errors import Conflict, Forbidden, Unusable
from parable.kinds import codes
from release.models import Artifact, Release, ReleaseItem, ReleaseState
from release.queries.file import stored_at
from release.services import build_release, finish_release, order_release, withdraw_release
from tests.factories import Cast, make_project, submit_item
from tests.release.conftest import Released
from tests.release.made import ALLOWED, RECIPE, bring, built, grant_rights, record, records

pytestmark = pytest.mark.django_db


def content(release: Release, name: str) -> bytes:
    return stored_at(Artifact.objects.get(release=release, name=name).sha256).read_bytes()


def lines(release: Release, name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in content(release, name).decode().splitlines()]


def test_it_freezes_every_verified_item_once(cast: Cast) -> None:
    submit_item(cast)  # in review: not yet part of a release
    release = built(cast)
    assert release.state == ReleaseState.READY
    verified = Item.objects.filter(project=cast.project, state=State.VERIFIED)
    assert set(release.items.values_list("item", flat=True)) == set(verified.values_list("pk", flat=True))
    assert sorted(release.items.values_list("number", flat=True)) == list(range(1, 43))


def test_it_asks_as_many_statements_for_many_items_as_for_few() -> None:
    asked = []
    for stories in (3, 9):
        cast = make_project()
        bring(cast, records(stories))
        release = order_release(
            actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED
        )
        with CaptureQueriesContext(connection) as captured:
            finish_release(release_id=release.pk)
        asked.append(len(captured))
    assert asked[0] == asked[1]


def test_it_leaves_out_what_is_retired(cast: Cast) -> None:
    item = Item.objects.filter(project=cast.project, state=State.VERIFIED)[0]
    retire_item(actor=cast.manager, item=item, reason="Its key is wrong.")
    assert built(cast).items.count() == 41


def test_it_writes_the_options_in_released_order_with_the_key_where_it_says(released: Released) -> None:
    _cast, release = released
    for placed in ReleaseItem.objects.filter(release=release).select_related("revision"):
        texts = dict(Option.objects.filter(revision=placed.revision).values_list("position", "text"))
        key = Option.objects.get(revision=placed.revision, is_key=True)
        assert placed.record["choices"] == [texts[position] for position in placed.order]
        assert placed.record["choices"][placed.record["answer"]] == key.text


def test_it_writes_the_files_a_reader_expects(released: Released) -> None:
    cast, release = released
    names = {f"{split}/{task}.jsonl" for split in ("dev", "test") for task in codes("is_usual")}
    names |= {f"crmus/{split}_CRMUS_{short}.json" for split in ("dev", "test") for short in ("CR", "MU")}
    tag = cast.project.slug.replace("-", "_")
    names |= {f"harness/lm_eval/{tag}_{task}{way}.yaml" for task in codes("is_usual") for way in ("", "_gen")}
    names |= {f"harness/opencompass/{tag}{part}.py" for part in ("", "_items")}
    names |= {f"harness/{folder}/{tag}.py" for folder in ("inspect_ai", "evalscope", "lighteval")}
    names |= {"harness/lm_eval/items.py"}
    names |= {"instruction/alpaca_dev.jsonl", "instruction/chat_dev.jsonl", "croissant.json", "score.py"}
    reader = (
        *("__init__", "answers", "chatter", "continuation", "letters", "markers", "mentions"),
        *("option_texts", "ordinals", "question", "several"),
    )
    names |= {f"reading/{name}.py" for name in reader}
    assert set(release.artifacts.values_list("name", flat=True)) == names | {
        "README.md",
        "SHA256SUMS",
        "MANIFEST.json",
    }
    first = lines(release, "test/commonsense.jsonl")[0]
    assert list(first) == [
        *("id", "source_id", "task", "split", "story_id", "title", "story", "question", "choices", "answer"),
        *("answer_letter", "types", "style", "generators", "explanation", "language", "canary"),
    ]
    assert str(first["id"]).startswith(f"{cast.project.slug}-c-0000")
    assert uuid.UUID(str(first["canary"]))


def test_it_lists_the_hash_of_every_file_but_the_manifest(released: Released) -> None:
    _cast, release = released
    listed = [line.split("  ") for line in content(release, "SHA256SUMS").decode().splitlines()]
    sums = {name: sha256 for sha256, name in listed}
    kept = dict(release.artifacts.values_list("name", "sha256"))
    assert sums == {name: kept[name] for name in kept if name not in {"SHA256SUMS", "MANIFEST.json"}}
    manifest = json.loads(content(release, "MANIFEST.json"))
    assert manifest["files"].keys() == kept.keys() - {"MANIFEST.json"}
    assert manifest["built_at"]


def test_it_writes_no_date_anywhere_else(released: Released) -> None:
    _cast, release = released
    assert release.ready_at is not None
    day = release.ready_at.date().isoformat().encode()
    dated = {
        name for name in release.artifacts.values_list("name", flat=True) if day in content(release, name)
    }
    assert dated == {"MANIFEST.json"}


def test_it_stops_at_a_gate_and_freezes_nothing(cast: Cast) -> None:
    release = built(cast, recipe=RECIPE)
    assert release.state == ReleaseState.FAILED
    assert release.manifest["stopped"] == ["rights"]
    assert not release.items.exists()
    assert not release.artifacts.exists()


def test_it_goes_on_where_the_rights_are_known(cast: Cast) -> None:
    built(cast, recipe=RECIPE)
    grant_rights(cast)
    release = built(cast, recipe=RECIPE)  # the version that was stopped is still free
    assert release.state == ReleaseState.READY
    card = content(release, "README.md").decode()
    assert "public domain" in card


def test_it_prints_who_let_a_gate_pass_and_why(released: Released) -> None:
    card = content(released[1], "README.md").decode()
    assert "A manager overrode these gates: `rights`. Reason: A test of the build." in card


def test_it_says_what_it_does_not_know(released: Released) -> None:
    card = content(released[1], "README.md").decode()
    assert "42 items were imported as verified" in card
    assert "The licence of the items is not stated." in card
    assert "glm-4" in card
    assert "The seed was 7." in card


def test_it_writes_the_card_in_the_projects_language() -> None:
    cast = make_project("zh")
    bring(cast, records(3))
    card = content(built(cast), "README.md").decode()
    assert "## 构建过程" in card
    assert "社会常识" in card


def test_it_splits_by_item_where_the_leak_is_allowed(cast: Cast) -> None:
    by_item = replace(ALLOWED, split="item")
    stopped = built(cast, recipe=by_item)
    assert stopped.manifest["stopped"] == ["split_leak"]
    release = built(cast, recipe=replace(by_item, allow=("rights", "split_leak")))
    dev = json.loads(content(release, "crmus/dev_CRMUS_CR.json"))
    assert {one["domain"] for one in dev} <= {"in", "out"}
    assert "share their story with a dev item" in content(release, "README.md").decode()


def test_it_withholds_the_answers_of_the_test_and_the_seed(cast: Cast) -> None:
    release = built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))
    assert release.state == ReleaseState.READY
    assert len(release.seed) == 32
    everything = {name: content(release, name) for name in release.artifacts.values_list("name", flat=True)}
    assert not any(release.seed.encode() in data for data in everything.values())
    for one in lines(release, "test/moral.jsonl") + lines(release, "test/commonsense.jsonl"):
        assert (one["answer"], one["answer_letter"], one["explanation"]) == (-1, None, None)
    assert all(one["answer"] == "" for one in json.loads(everything["crmus/test_CRMUS_CR.json"]))
    assert all(one["answer"] for one in json.loads(everything["crmus/dev_CRMUS_CR.json"]))
    assert "test" not in json.loads(everything["MANIFEST.json"])["keys"]["moral"]
    assert all(item.record["answer"] >= 0 for item in release.items.all())  # kept, and backed up


def test_it_takes_no_seed_where_the_seed_is_secret(cast: Cast) -> None:
    with pytest.raises(Unusable, match="do not set one"):
        built(cast, seed="7", recipe=replace(ALLOWED, withhold_test=True))


def test_it_makes_a_version_again_from_its_frozen_rows(released: Released) -> None:
    cast, release = released
    bring(cast, [record(9, 0)])  # the project goes on; the version does not
    again = build_release(actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED)
    assert again.release.pk == release.pk
    assert again.differing == ()
    assert {name: file.sha256 for name, file in again.files.items()} == dict(
        release.artifacts.values_list("name", "sha256")
    )


@pytest.mark.parametrize(
    ("seed", "recipe"),
    [
        ("8", ALLOWED),
        ("7", replace(ALLOWED, dev_share="0.3")),
        ("7", replace(ALLOWED, split="item")),
        ("7", replace(ALLOWED, reason="Another reason.")),
        (None, replace(ALLOWED, withhold_test=True)),
    ],
)
def test_it_refuses_another_recipe_for_a_version_that_exists(
    released: Released, seed: str | None, recipe: object
) -> None:
    cast, _release = released
    with pytest.raises(Unusable, match="already exists with other settings"):
        built(cast, seed=seed, recipe=recipe)  # type: ignore[arg-type]  # a Recipe; mypy sees the mixture


def test_it_finishes_a_build_that_was_killed(cast: Cast) -> None:
    order = order_release(actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED)
    assert not order.items.exists()
    assert finish_release(release_id=order.pk).state == ReleaseState.READY
    assert finish_release(release_id=order.pk).items.count() == 42  # and once more does nothing


def test_it_gives_a_version_to_one_release_only(released: Released) -> None:
    cast, _release = released
    with pytest.raises(Conflict):
        order_release(actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED)


@pytest.mark.parametrize("version", ["1", "1.0", "01.0.0", "1.0.0/..", "..", "1.0.0 ", "١.0.0", ""])
def test_it_wants_versions_of_three_numbers(cast: Cast, version: str) -> None:
    with pytest.raises(Unusable):
        built(cast, version=version)


@pytest.mark.parametrize("seed", ["", "seven", "-1", "1.5", "٧", "9" * 40, None])
def test_it_wants_a_whole_number_as_seed(cast: Cast, seed: str | None) -> None:
    with pytest.raises(Unusable):
        built(cast, seed=seed)


def test_it_has_nothing_to_release_before_an_item_is_verified() -> None:
    cast = make_project()
    submit_item(cast)
    with pytest.raises(Unusable, match="no verified items"):
        built(cast)


@pytest.mark.parametrize("role", ["writer", "reviewer", "verifier", "outsider"])
def test_it_lets_managers_only_cut_and_withdraw(released: Released, role: str) -> None:
    cast, release = released
    person = getattr(cast, role)
    with pytest.raises(Forbidden):
        build_release(actor=person, project=cast.project, version="2.0.0", seed="7", recipe=ALLOWED)
    with pytest.raises(Forbidden):
        withdraw_release(actor=person, release=release, reason="I do not like it.")


def test_it_withdraws_with_a_reason_that_stays(released: Released) -> None:
    cast, release = released
    with pytest.raises(Unusable):
        withdraw_release(actor=cast.manager, release=release, reason=" ")
    withdraw_release(actor=cast.manager, release=release, reason="Three keys are wrong.")
    release.refresh_from_db()
    assert (release.state, release.reason) == (ReleaseState.WITHDRAWN, "Three keys are wrong.")
    with pytest.raises(Conflict, match="Three keys are wrong"):
        built(cast)
    assert AuditEvent.objects.filter(verb="withdraw_release", subject_id=release.pk).exists()


def test_it_never_changes_once_it_is_ready(released: Released) -> None:
    _cast, release = released
    for statement in (
        "UPDATE release_release SET seed = '8' WHERE id = %s",
        "UPDATE release_release SET state = 'building' WHERE id = %s",
        "DELETE FROM release_releaseitem WHERE release_id = %s",
        "UPDATE release_artifact SET sha256 = '' WHERE release_id = %s",
    ):
        with (
            pytest.raises((IntegrityError, InternalError)),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, [release.pk])
