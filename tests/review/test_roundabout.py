"""Ways round the blindness of a reviewer: what asks about one's own words must not answer about others'."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content import ItemContent, OptionContent, to_json
from annotation.models import KeyExposure
from core.errors import Forbidden
from projects.models import Role
from projects.services import set_roles
from review.models import Answer
from review.services import claim_next, solve
from tests.factories import Cast, content, make_project, make_story, submit_item

pytestmark = pytest.mark.django_db
KEY = "Whoever keeps walking comes home before the boaster"
WRONG = ("Sleep is the best medicine", "Never race with a stranger", "Old mills are dangerous places")


def _moral_words(key: str) -> ItemContent:
    options = [OptionContent(text, text == key) for text in (*WRONG[:1], KEY, *WRONG[1:])]
    return ItemContent(stem="What does the story teach?", options=tuple(options))


def _client(user: object) -> Client:
    browser = Client()
    browser.force_login(user)  # type: ignore[arg-type]  # a user of the cast
    return browser


def _saved_and_checked(cast: Cast, browser: Client, story: int, key: str, style: str) -> list[str]:
    """What the sheet's two addresses answer about one's own draft with this key."""
    draft = uuid4()
    sent = {
        "project": cast.project.slug,
        "story": story,
        "task": "moral",
        "style": style,
        "sequence": 1,
        "content": to_json(_moral_words(key)),
    }
    saved = browser.put(reverse("api_draft", args=[draft]), sent, content_type="application/json")
    checked = browser.post(reverse("api_draft_check", args=[draft]), content_type="application/json")
    return [saved.content.decode(), checked.content.decode()]


@pytest.mark.parametrize("style", ["human", "machine"])
def test_it_shows_a_reviewer_nothing_of_the_moral_they_solve_by_checking_a_draft(style: str) -> None:
    cast = make_project()
    item = submit_item(cast, story=make_story(cast), task="moral", words=_moral_words(KEY))
    request = claim_next(actor=cast.reviewer, project=cast.project, stage="cross_check")
    assert request is not None
    browser = _client(cast.reviewer)
    for key in (KEY, *WRONG):
        for messages in _saved_and_checked(cast, browser, item.story_id, key, style):
            assert "of this story has" not in messages
            assert "Slow and steady" not in messages


@pytest.mark.parametrize("moral", ["Slow and steady wins.", ""])
def test_it_counts_who_had_a_moral_draft_checked_as_no_longer_blind(moral: str) -> None:
    """A writer who also reviews sees which wordings are taken, so is no longer blind to the items."""
    cast = make_project()
    both = [Role.WRITER, Role.REVIEWER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.reviewer, roles=both)
    item = submit_item(cast, story=make_story(cast, moral=moral), task="moral", words=_moral_words(KEY))
    request = claim_next(actor=cast.reviewer, project=cast.project, stage="cross_check")
    assert request is not None
    messages = _saved_and_checked(cast, _client(cast.reviewer), item.story_id, KEY, "human")
    assert any("of this story has" in one for one in messages)
    assert not solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=0).blind


def test_it_refuses_a_moral_item_of_who_may_not_see_morals() -> None:
    cast = make_project()
    item = submit_item(cast, story=make_story(cast), task="moral", words=_moral_words(KEY))
    with pytest.raises(Forbidden):
        submit_item(cast, story=item.story, task="moral", writer=cast.reviewer, style="machine")


def test_it_asks_before_the_sheet_of_a_story_without_a_moral_that_has_moral_items() -> None:
    cast = make_project()
    item = submit_item(cast, story=make_story(cast, moral=""), task="moral", words=_moral_words(KEY))
    where = reverse("annotation:write", args=[cast.project.slug, item.story_id]) + "?task=moral"
    page = _client(cast.writer2).get(where).content.decode()
    assert "see-moral" in page
    assert not KeyExposure.objects.filter(user=cast.writer2).exists()


def test_it_judges_no_draft_of_who_has_left_the_project() -> None:
    cast = make_project()
    item, browser = submit_item(cast), _client(cast.writer2)
    draft = uuid4()
    sent = {"project": cast.project.slug, "story": item.story_id, "task": "commonsense", "sequence": 1}
    sent |= {"content": to_json(content())}
    where = reverse("api_draft", args=[draft])
    assert browser.put(where, sent, content_type="application/json").status_code == 200
    check = reverse("api_draft_check", args=[draft])
    assert browser.post(check, content_type="application/json").status_code == 200
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer2, roles=[])
    assert browser.post(check, content_type="application/json").status_code in {403, 404}
