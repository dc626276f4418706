"""The moral on the sheet: asked for, remembered, and never shown to who only judges."""

import uuid

import pytest

from annotation.models import Item, ItemDraft, KeyExposure
from annotation.services import save_draft
from projects.models import Role
from projects.services import set_roles
from tests.annotation.conftest import SeenBy
from tests.annotation.sheets import draft_page, sheet, write_page
from tests.factories import Cast, content, make_story

pytestmark = pytest.mark.django_db

MORAL = "Slow and steady wins."


def test_it_prefills_a_moral_item_and_remembers_who_has_seen_the_moral(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast, moral=MORAL), uuid.uuid4(), seen_by(cast.writer)
    asked = client.get(write_page(cast, story.pk, "?task=moral&new=1"))
    assert asked.status_code == 200
    assert MORAL not in asked.content.decode()
    assert not KeyExposure.objects.exists()  # a link, or a browser that looks ahead, costs nobody anything
    then = {"then": write_page(cast, story.pk, "?task=moral&new=1")}
    seen = client.post(write_page(cast, story.pk, "/moral"), then)
    assert seen["Location"] == then["then"]
    page = client.get(seen["Location"]).content.decode()
    assert cast.project.moral_stem in page
    assert MORAL in page
    assert 'name="types"' not in page
    assert KeyExposure.objects.filter(user=cast.writer, story=story, task="moral").count() == 1
    wrong = ("Fast and early wins.", "Rest before you race.", "Trust your own speed.")
    words = content(cast.project.moral_stem, MORAL, *wrong, key=0, types=(), explanation="")
    done = client.post(draft_page(cast, client_id), sheet(story, words, task="moral"))
    assert done.status_code == 302
    assert Item.objects.get().task == "moral"


def test_it_goes_nowhere_else_after_the_moral_was_asked_for(cast: Cast, seen_by: SeenBy) -> None:
    story, client = make_story(cast, moral=MORAL), seen_by(cast.writer)
    for then in ("https://elsewhere.example/", "//elsewhere.example", "nowhere", ""):
        seen = client.post(write_page(cast, story.pk, "/moral"), {"then": then})
        assert seen["Location"] == write_page(cast, story.pk, "?task=moral")
    assert client.get(write_page(cast, story.pk, "/moral")).status_code == 405
    assert seen_by(cast.outsider).post(write_page(cast, story.pk, "/moral")).status_code == 404


def test_it_asks_before_a_moral_draft_that_somebody_else_began(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast, moral=MORAL)
    draft = save_draft(
        actor=cast.writer2, project=cast.project, story=story, task="moral",
        client_id=uuid.uuid4(), sequence=1, content={"stem": "x"},
    )  # fmt: skip
    ItemDraft.objects.filter(pk=draft.pk).update(writer=cast.writer)
    page = seen_by(cast.writer).get(draft_page(cast, draft.client_id)).content.decode()
    assert MORAL not in page
    assert f'value="{draft_page(cast, draft.client_id)}"' in page


@pytest.mark.parametrize("role", ["reviewer", "verifier"])
def test_it_never_shows_the_moral_to_who_only_judges(cast: Cast, seen_by: SeenBy, role: str) -> None:
    story, person = make_story(cast, moral=MORAL), getattr(cast, role)
    client = seen_by(person)
    refused = client.get(write_page(cast, story.pk, "?task=moral"))
    assert refused.status_code == 403
    assert MORAL not in refused.content.decode()
    assert client.post(write_page(cast, story.pk, "/moral")).status_code == 403
    assert not KeyExposure.objects.filter(user=person).exists()
    assert client.get(write_page(cast, story.pk)).status_code == 200  # a reviewer may add an item


def test_it_lets_a_writer_who_also_reviews_see_the_moral(cast: Cast, seen_by: SeenBy) -> None:
    set_roles(
        actor=cast.manager, project=cast.project, user=cast.reviewer, roles=[Role.REVIEWER, Role.WRITER]
    )
    story = make_story(cast, moral=MORAL)
    page = seen_by(cast.reviewer).post(write_page(cast, story.pk, "/moral"), follow=True)
    assert MORAL in page.content.decode()
    assert KeyExposure.objects.filter(user=cast.reviewer, story=story).exists()
