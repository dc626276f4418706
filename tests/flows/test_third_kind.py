"""A third task is one entry in the registry: here it goes from the desk to a score."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item, KeyExposure, State
from annotation.services import judge_content, record_exposure
from parable.__main__ import main
from parable.formats import read_items
from parable.kinds import KINDS, Kind
from release.models import Release
from release.queries.file import stored_at
from release.services import rebuild_release
from review.models import Stage
from tests.annotation.sheets import draft_page, sheet, write_page
from tests.factories import Cast, content, make_story, submit_item
from tests.flows.test_services_flow import check, take
from tests.release.made import bring, built, record, records

pytestmark = pytest.mark.django_db

THEME = Kind(
    code="theme",
    name="theme",
    item_name="Theme item",
    items_name="Theme items",
    brief="Name the theme.",
    is_usual=True,
    requires_explanation=True,
)
WORDS = content("What is the story about?", "Pride", "Rain", "Trade", "Sleep", key=0, types=())


@pytest.fixture(autouse=True)
def _third_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, THEME.code, THEME)


def written(cast: Cast, client: Client, words: Any = WORDS) -> Any:
    """The answer to an item of the task, submitted on its form."""
    client.force_login(cast.writer)
    sent = sheet(make_story(cast), words, task=THEME.code)
    return client.post(draft_page(cast, uuid.uuid4()), sent)


def test_it_is_written_at_the_desk_on_the_form_that_its_properties_give_it(
    cast: Cast, client: Client
) -> None:
    client.force_login(cast.writer)
    story = make_story(cast, moral="Slow and steady wins.")
    other = client.get(write_page(cast, story.pk)).content.decode()
    assert f'href="{write_page(cast, story.pk, "?task=theme")}"' in other
    assert "Theme items" in other
    page = client.get(write_page(cast, story.pk, "?task=theme")).content.decode()
    assert 'name="explanation"' in page
    assert "(optional)" not in page
    for nothing in ('name="types"', "Slow and steady wins.", "Distractors from models"):
        assert nothing not in page
    assert not KeyExposure.objects.exists()
    assert client.get(write_page(cast, story.pk, "?task=plot")).status_code == 404


def test_it_is_checked_for_what_it_requires(cast: Cast, client: Client) -> None:
    bare = content("What is the story about?", "Pride", "Rain", "Trade", "Sleep", types=(), explanation="")
    refused = written(cast, client, bare)
    assert refused.status_code == 400
    assert "Explain why the key is right." in refused.content.decode()
    found = judge_content(bare, project=cast.project, story=make_story(cast), task=THEME.code)
    assert {one.check for one in found if one.is_error} == {"explanation_missing"}


def test_it_goes_from_the_desk_through_review_into_a_release_and_a_score(
    cast: Cast, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert written(cast, client).status_code == 302
    item = Item.objects.get(task=THEME.code)
    place = take(cast, cast.reviewer, Stage.CROSS_CHECK)
    client.force_login(cast.reviewer)
    assert (
        "Theme item"
        in client.get(reverse("review:request", args=[cast.project.slug, place.public_id])).content.decode()
    )
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    check(cast, cast.verifier, Stage.VERIFICATION, rating=None)
    item.refresh_from_db()
    assert item.state == State.VERIFIED
    bring(cast, records(3))
    release = built(cast)
    assert release.items.filter(item=item).count() == 1
    assert rebuild_release(release=release).differing == ()
    folder = stored(release, tmp_path / "release")
    assert "| theme | human |" in (folder / "README.md").read_text(encoding="utf-8")
    assert "def theme(" in (folder / "harness" / "lm_eval" / "items.py").read_text(encoding="utf-8")
    assert not any("theme" in path.read_text(encoding="utf-8") for path in (folder / "crmus").iterdir())
    responses = answers(release, tmp_path / "responses.jsonl")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(folder / "score.py"), str(responses), "--json"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    main(["score", str(responses), "--release", str(folder), "--json"])
    for said in (done.stdout, capsys.readouterr().out):
        found = json.loads(said.strip().splitlines()[-1])["models"]["m"]
        assert (found["theme"]["n"], found["theme"]["correct"]) == (1, 1)
        assert found["score"] == 1, "a task without a weight leaves the score to the others"


def stored(release: Release, folder: Path) -> Path:
    """The files of a release as they lie in its folder."""
    for artifact in release.artifacts.all():
        path = folder / artifact.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(stored_at(artifact.sha256).read_bytes())
    return folder


def answers(release: Release, path: Path) -> Path:
    """Responses of one model, all of them right."""
    lines = [
        {
            "model": "m",
            "item_id": one.public_id,
            "repeat": 1,
            "choice": one.record["answers"] or one.record["answer"],
        }
        for one in release.items.all()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_it_is_read_from_files(tmp_path: Path) -> None:
    one = record(0, 0, "theme", explanation="It says so.")
    table = tmp_path / "items.csv"
    table.write_text(f"id,task,story,question,A,B,answer\n{one.id},theme,A tale.,What of it?,this,that,A\n")
    reading = read_items(table, name=table.name)
    assert [(item.id, item.task) for item in reading.records] == [(one.id, "theme")]


def test_its_items_share_a_key_where_its_entry_says_so(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then exposure is by story, and the keys of siblings are compared; the moral gives nothing away."""
    shared = Kind(
        code="shared",
        name="theme",
        item_name="Theme item",
        items_name="Theme items",
        brief="Name the theme.",
        exposed_by_story=True,
    )
    monkeypatch.setitem(KINDS, "shared", shared)
    story = make_story(cast)
    item = submit_item(cast, story=story, task="shared", words=WORDS)
    exposure = KeyExposure.objects.get()
    assert (exposure.user, exposure.story, exposure.item) == (cast.writer, story, None)
    found = judge_content(WORDS, project=cast.project, story=story, task="shared", style="machine")
    assert [one.params["item"] for one in found if one.check == "sibling_key"] == [str(item.pk)]
    record_exposure(actor=cast.reviewer, story=story)
    assert not KeyExposure.objects.filter(user=cast.reviewer, task="shared").exists()
