"""What a built release holds beside its items: programs, figures of people, and answers kept apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from accounts.models import AuditEvent
from generation.queries.trial import Provider
from release.files import metadata
from release.models import Artifact, Release
from release.queries import provenance
from release.queries.file import stored_at
from release.queries.release import facts
from release.services import build_release
from tests.corpus.commands import run
from tests.factories import Cast, make_project, submit_item
from tests.release.made import ALLOWED, bring, built, records
from tests.review.practice_cast import verified

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    bring(made, records(3))
    return made


def content(release: Release, name: str) -> bytes:
    return stored_at(Artifact.objects.get(release=release, name=name).sha256).read_bytes()


def test_it_makes_a_version_again_with_the_programs_that_went_out_with_it(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built(cast)
    (tmp_path / "score.py").write_text('"""A better one."""\n', encoding="utf-8")
    monkeypatch.setattr(metadata, "_SCORE", tmp_path / "score.py")
    again = build_release(actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED)
    assert again.differing == ()
    assert b"A better one" not in again.files["score.py"].content
    assert b"A better one" in content(built(cast, version="1.1.0"), "score.py")


def test_it_names_no_project_in_an_anonymous_release(cast: Cast) -> None:
    release = built(cast, recipe=replace(ALLOWED, anonymous=True))
    assert release.items.filter(public_id__startswith="anonymous-").count() == 21
    for name in release.artifacts.values_list("name", flat=True):
        text = f"{name} {content(release, name).decode()}"
        for word in (cast.project.slug, cast.project.name, cast.manager.username):
            assert word not in text, name


def test_it_shows_what_was_written_how_people_answered_and_which_models_saw_items(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = facts(cast.project, ALLOWED)
    assert (before.accuracy, before.agreement, before.sent) == ({}, {}, ())
    judged = verified(cast)
    submit_item(cast)  # submitted, and not yet judged
    model = Provider("glm-4", "models.example.org")
    monkeypatch.setattr(provenance, "providers_that_saw", lambda _items: {judged.pk: (model,)})
    found = facts(cast.project, ALLOWED)
    assert found.written == {"commonsense": 14, "moral": 9}
    assert found.accuracy[""]["n"] == 1
    assert found.sent == (("glm-4", "models.example.org", 0, 0, 1),)
    card = content(built(cast), "README.md").decode()
    assert "| total | 1 | 1.000 |" in card  # one story allows no interval
    assert "| glm-4 | models.example.org | 0 | 0 | 1 |" in card


def test_it_logs_no_key_that_it_withholds(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    release = built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))
    said = caplog.text + json.dumps(list(AuditEvent.objects.values_list("detail", flat=True)))
    assert release.seed not in said
    for one in release.items.filter(split="test"):
        assert one.record["choices"][one.record["answer"]] not in said


def build(cast: Cast, folder: Path, *more: object) -> tuple[int, str]:
    usual = ("--project", cast.project.slug, "--release", "1.0.0", "--split", "story", "--out", folder)
    said = run("build_release", *usual, "--allow", "rights", "--reason", "A test.", *more)
    return said.code, said.verdict


def test_it_puts_withheld_answers_into_a_file_of_their_own(cast: Cast, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    assert build(cast, tmp_path / "out", "--withhold-test", "--answers", answers)[0] == 0
    published = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    release = Release.objects.get()
    assert {one["id"]: one["answer"] for one in published} == {
        one.public_id: one.record["answer"] for one in release.items.filter(split="test")
    }
    assert {one["canary"] for one in published} == {json.loads(content(release, "MANIFEST.json"))["canary"]}
    assert answers.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--withhold-test", "--answers", "out/test/answers.jsonl"), "must not be in the release folder"),
        (("--seed", "7", "--answers", "answers.jsonl"), "requires --withhold-test"),
        (("--withhold-test", "--answers", "."), "is not a file"),
    ],
)
def test_it_refuses_a_place_for_answers_that_will_not_do(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, verdict = build(cast, tmp_path / "out", *more)
    assert code == 2
    assert word in verdict
    assert not Release.objects.exists()
    assert not (tmp_path / "out").exists()
