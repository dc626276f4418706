"""A release takes the tasks, styles and ratings that its recipe asks for, and says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item
from core.errors import Unusable
from release.models import Release, ReleaseDraft, ReleaseState
from release.queries.choice import chosen_items
from release.queries.release import facts
from release.services import rebuild_release
from review.models import Disposition, Stage
from tests.factories import Cast, make_project, make_story, submit_item
from tests.release.made import ALLOWED, bring, built, grant_rights, record, records
from tests.release.test_build_command import ALLOW, build, records_in
from tests.review.practice_cast import look

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    bring(made, records(5))
    grant_rights(made)
    return made


def kinds(release: Release) -> set[tuple[str, str]]:
    return {(one.record["task"], one.record["style"]) for one in release.items.all()}


def card_of(release: Release) -> str:
    return rebuild_release(release=release).files["README.md"].content.decode()


@pytest.mark.parametrize(
    ("choice", "found", "sentence"),
    [
        ({"tasks": ("moral",)}, {("moral", "human"), ("moral", "machine")}, "moral."),
        ({"styles": ("human",)}, {("moral", "human"), ("commonsense", "human")}, "human."),
        ({"tasks": ("moral",), "styles": ("machine",)}, {("moral", "machine")}, "moral, machine."),
    ],
)
def test_it_takes_what_was_chosen_and_the_card_says_so(
    cast: Cast, choice: dict[str, tuple[str, ...]], found: set[tuple[str, str]], sentence: str
) -> None:
    release = built(cast, recipe=replace(ALLOWED, **choice))  # type: ignore[arg-type]  # tasks and styles only
    assert release.state == ReleaseState.READY, release.manifest
    assert kinds(release) == found
    assert f"Contains only these verified items: {'' if len(choice) > 1 else sentence}" in card_of(release)
    assert sentence in card_of(release)
    assert release.manifest["facts"]["brought_verified"] == release.items.count()


def test_a_card_of_everything_speaks_of_no_choice(cast: Cast) -> None:
    assert "Contains only" not in card_of(built(cast))


def rated(cast: Cast, rating: int) -> Item:
    """An item that one reviewer rated so and the verifier let stand."""
    item = submit_item(cast)
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=rating)
    look(cast, cast.verifier, Stage.VERIFICATION, disposition=Disposition.PASS)
    return item


def test_it_takes_items_that_every_reviewer_rated_high_enough() -> None:
    cast = make_project()
    make_story(cast)
    fair, good = rated(cast, 1), rated(cast, 2)
    bring(cast, [record(7, 1)])
    taken = {
        least: {item.pk for item in chosen_items(cast.project, replace(ALLOWED, min_rating=least))}
        for least in (0, 1, 2)
    }
    assert {fair.pk, good.pk} < taken[0]
    assert taken[1] == {fair.pk, good.pk}
    assert taken[2] == {good.pk}
    assert facts(cast.project, replace(ALLOWED, min_rating=2)).judged_here == 1


def test_what_extends_a_release_keeps_its_choice(cast: Cast) -> None:
    chosen = replace(ALLOWED, tasks=("moral",))
    built(cast, recipe=chosen)
    bring(cast, [record(9, 1), record(9, 1, "moral")])
    grant_rights(cast)
    with pytest.raises(Unusable, match="keeps its tasks"):
        built(cast, version="1.1.0", recipe=replace(ALLOWED, extends="1.0.0"))
    longer = built(cast, version="1.1.0", recipe=replace(chosen, extends="1.0.0"))
    assert longer.manifest["since"]["added"] == 1


def test_a_manager_chooses_on_the_page_and_the_next_one_begins_with_it(cast: Cast, client: Client) -> None:
    client.force_login(cast.manager)
    page = reverse("release:build", args=[cast.project.slug])
    client.post(page, {"version": "1.0.0", "styles": ["human"], "tasks": ["moral", "commonsense"]})
    draft = ReleaseDraft.objects.get()
    assert draft.recipe["styles"] == ["human"]
    assert "tasks" not in draft.recipe  # both is all there are
    settings = reverse("release:draft_settings", args=[cast.project.slug, draft.pk])
    client.post(settings, {"seed": "7", "dev_share": "0.2", "split": "story", "withhold_test": "on"})
    draft.refresh_from_db()
    assert draft.recipe["withhold_test"]
    assert draft.seed == draft.secret_seed != "7"  # whatever was typed
    built(cast, recipe=replace(ALLOWED, styles=("human",)))
    again = client.get(page, {"like": "1.0.0"}).content.decode().replace("  ", " ")
    assert 'value="human" id="id_styles_0" checked' in again


def test_the_command_chooses_too(cast: Cast, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    said = build(cast.project, folder, "--task", "moral", "--style", "machine", "--min-rating", "0", *ALLOW)
    assert said.code == 0, said.err
    assert {(one["task"], one["style"]) for one in records_in(folder)} == {("moral", "machine")}
