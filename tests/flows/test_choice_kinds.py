"""Tasks that a project chooses go from the desk to a score, as a third task does; others lack them."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content import ItemContent, OptionContent
from annotation.models import Item, ItemDraft, State
from annotation.services import judge_content
from parable.__main__ import main
from parable.kinds import kind_of
from projects.services import update_project
from release.services import rebuild_release
from review.models import ReviewRequest, Stage
from review.services.lease import draw_order
from tests.annotation.sheets import draft_page, save_of, sheet, write_page
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.flows.test_services_flow import check, take
from tests.flows.test_third_kind import answers, stored
from tests.release.made import bring, built, records

pytestmark = pytest.mark.django_db

MANY = 40
"""Options, so that chance does not draw them in order."""


def several(stem: str, *texts: str, keys: tuple[int, ...]) -> ItemContent:
    """The words of an item with several answers."""
    options = tuple(OptionContent(text, index in keys) for index, text in enumerate(texts))
    return ItemContent(stem, options, (), "It says so.")


def ordered(stem: str, *texts: str, ranks: tuple[int, ...] = (4, 1, 2, 3)) -> ItemContent:
    """The words of an ordering item."""
    options = tuple(OptionContent(text, rank=rank) for text, rank in zip(texts, ranks, strict=True))
    return ItemContent(stem, options)


WORDS: dict[str, Any] = {
    "true_false": content("The crow drops pebbles into the jar.", "True", "False", types=()),
    "cloze": content("The crow drops ____ into the jar.", "pebbles", "corn", "feathers", "leaves", types=()),
    "multiple": several("What does the crow drop?", "pebbles", "stones", "corn", "leaves", keys=(0, 1)),
    "ordering": ordered("Put what the crow does into order.", "drink", "see the jar", "fly home", "drop"),
}
SPOILED: dict[str, tuple[Any, str]] = {
    "true_false": (content("The crow drops pebbles.", "Yes", "No", types=()), "shared_options"),
    "cloze": (
        content("What does the crow drop?", "pebbles", "corn", "feathers", "leaves", types=()),
        "blank_missing",
    ),
    "multiple": (
        several("What does the crow drop?", "pebbles", "stones", "corn", "leaves", keys=(0, 1, 2, 3)),
        "all_keys",
    ),
    "ordering": (
        ordered("Put into order.", "drink", "see the jar", "fly home", "drop", ranks=(1, 2, 2, 4)),
        "ranks_missing",
    ),
}


@pytest.fixture
def cast() -> Cast:
    return make_project()


def choose(cast: Cast, task: str) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"tasks": ["commonsense", task]})


@pytest.mark.parametrize("task", WORDS)
def test_only_a_project_that_chose_it_offers_it(cast: Cast, client: Client, task: str) -> None:
    client.force_login(cast.writer)
    story = make_story(cast)
    assert task not in client.get(write_page(cast, story.pk)).content.decode()
    assert client.get(write_page(cast, story.pk, f"?task={task}")).status_code == 404
    save = save_of(cast, story, WORDS[task], task=task)
    address = f"/api/v1/drafts/{uuid.uuid4()}/"
    refused = client.put(address, json.dumps(save), content_type="application/json")
    assert (refused.status_code, ItemDraft.objects.count()) == (400, 0)
    choose(cast, task)
    assert f"?task={task}" in client.get(write_page(cast, story.pk)).content.decode()
    assert client.get(write_page(cast, story.pk, "?task=moral")).status_code == 404


@pytest.mark.parametrize("task", ["true_false", "cloze"])
def test_only_options_of_its_own_are_shuffled_and_may_all_be_wrong(
    cast: Cast, client: Client, task: str
) -> None:
    choose(cast, task)
    submit_item(cast, task=task, words=WORDS[task])
    ReviewRequest.objects.update(option_count=MANY)
    request = take(cast, cast.reviewer, Stage.CROSS_CHECK)
    has_own = kind_of(task).has_own_options
    for drawn in (request.drawn_order, draw_order(task, MANY)):
        assert sorted(drawn) == list(range(MANY))
        assert (drawn != sorted(drawn)) is has_own
    ReviewRequest.objects.update(drawn_order=list(range(len(WORDS[task].options))))
    client.force_login(cast.reviewer)
    page = client.get(reverse("review:request", args=[cast.project.slug, request.public_id]))
    for way_out in ("None of these", "More than one", "none of these, more than one"):
        assert (way_out in page.content.decode()) is has_own


@pytest.mark.parametrize("task", WORDS)
def test_it_goes_from_the_desk_to_a_score(
    cast: Cast, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str
) -> None:
    choose(cast, task)
    story = make_story(cast)
    client.force_login(cast.writer)
    page = client.get(write_page(cast, story.pk, f"?task={task}")).content.decode()
    for texts in kind_of(task).options.get("en", ()):
        assert f">{texts}</textarea>" in page or f'value="{texts}"' in page
    mark = 'name="rank-' if task == "ordering" else 'name="key"'
    assert page.count(mark) == len(WORDS[task].options)
    spoiled, found = SPOILED[task]
    assert found in {
        one.check for one in judge_content(spoiled, project=cast.project, story=story, task=task)
    }
    sent = client.post(draft_page(cast, uuid.uuid4()), sheet(story, WORDS[task], task=task))
    assert sent.status_code == 302, sent.content.decode()

    item = Item.objects.get(task=task)
    take(cast, cast.reviewer, Stage.CROSS_CHECK)
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    check(cast, cast.verifier, Stage.VERIFICATION, rating=None)
    item.refresh_from_db()
    assert item.state == State.VERIFIED

    bring(cast, records(3))
    release = built(cast)
    assert release.items.filter(item=item).count() == 1
    assert rebuild_release(release=release).differing == ()
    folder = stored(release, tmp_path / "release")
    responses = answers(release, tmp_path / "responses.jsonl")
    main(["score", str(responses), "--release", str(folder), "--json"])
    found_scores = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["models"]["m"]
    assert (found_scores[task]["n"], found_scores[task]["correct"]) == (1, 1)
