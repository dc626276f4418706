"""Pilots, comments, contests and changes in a real browser: for everybody, on every screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item, Pilot
from annotation.services import add_comment, start_pilot
from projects.services import acknowledge_guideline, publish_guideline
from review.models import Answer, Disposition, Stage
from review.services import claim_next, send_verdict, solve
from tests.browser.looking import broken_rules
from tests.factories import Cast, content, make_project, make_story, submit_item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def judged(cast: Cast, item: Item, disposition: str) -> None:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    right = request.drawn_order.index(1)
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=right)
    send_verdict(
        actor=cast.reviewer,
        review=review,
        rating=0,
        flaws=["unclear_stem"],
        comment="Which nap is meant?",
        about="stem",
        disposition=disposition,
    )


@pytest.fixture
def cast() -> Cast:
    """A project with a pilot, two versions of its guideline, a rejected item and a returned one."""
    cast = make_project()
    for text in ("# Stems\n\nAsk one thing.", "# Stems\n\nAsk one clear thing."):
        guideline = publish_guideline(actor=cast.manager, project=cast.project, text=text)
        for reader in (cast.writer, cast.writer2):
            acknowledge_guideline(actor=reader, guideline=guideline)
    stories = [make_story(cast), make_story(cast)]
    both = [cast.writer, cast.writer2]
    start_pilot(actor=cast.manager, project=cast.project, name="First", stories=stories, writers=both)
    rejected = submit_item(cast, story=stories[0])
    judged(cast, rejected, Disposition.REJECT)
    add_comment(actor=cast.manager, item=rejected, text="What did you mean?")
    returned = submit_item(cast, story=stories[0], words=content("Who won the race?"))
    judged(cast, returned, Disposition.RETURN)
    submit_item(cast, story=stories[0], writer=cast.writer2)
    return cast


def test_it_shows_what_is_changed_as_it_is_typed(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.writer)
    returned = Item.objects.get(state="returned")
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write/item/{returned.pk}")
    expect(page.locator(".notice").get_by_text("Which nap is meant?")).to_be_visible()
    expect(page.locator(".field:has(#stem) .notes")).to_contain_text("Which nap is meant?")
    expect(page.get_by_text("Revision 1, as reviewed")).to_be_visible()
    page.fill("#stem", "Who lost the race?")
    page.get_by_text("Changes since revision 1").click()
    expect(page.locator("#changes ins")).to_have_text("lost")
    expect(page.locator("#changes del")).to_have_text("won")
    expect(page.locator("#saved")).to_contain_text("saved")
    page.wait_for_load_state("networkidle")


def test_it_shows_on_a_phone_why_a_revision_was_refused_though_reviewers_words_come_later(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    seen_as(cast.writer)
    returned = Item.objects.get(state="returned")
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write/item/{returned.pk}")
    page.fill("#stem", "")
    expect(page.locator("#saved")).to_contain_text("saved")
    page.locator("[data-primary]").click()
    expect(page.get_by_text("Which nap is meant?")).to_have_count(2)
    expect(page.locator(".errorlist").first).to_be_in_viewport()


def test_it_carries_a_comment_about_an_option_from_the_verdict_to_the_desk(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=request.drawn_order.index(1))
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review/{request.public_id}")
    page.keyboard.press("0")
    page.keyboard.press("t")
    page.fill("#comment", "Nobody would choose this.")
    page.select_option("#about", label=f"Option {request.drawn_order.index(3) + 1}")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("That was the last one for now.")).to_be_visible()
    assert request.item is not None
    item = Item.objects.get(pk=request.item.pk)
    assert item.state == "returned"
    seen_as(item.writer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write/item/{item.pk}")
    note = page.locator(".option.desk:has([name=option-3]) + .notes")
    expect(note).to_contain_text("trivial distractor")
    expect(note).to_contain_text("Nobody would choose this.")
    page.wait_for_load_state("networkidle")


def test_it_contests_a_rejection_from_the_items_page(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.writer)
    rejected = Item.objects.get(state="rejected")
    page.goto(f"{live_server.url}/p/{cast.project.slug}/items/{rejected.pk}")
    page.fill("#reason", "The second line says which.")
    page.get_by_role("button", name="Contest rejection").click()
    expect(page.get_by_text("Contested: someone who neither wrote nor reviewed")).to_be_visible()
    rejected.refresh_from_db()
    assert rejected.state == "in_adjudication"


@pytest.mark.drill
@pytest.mark.parametrize(
    ("language", "scheme", "screen"),
    [
        ("en", "light", WIDE),
        ("zh-hans", "dark", PHONE),
        ("en", "dark", PHONE),
        ("zh-hans", "light", WIDE),
    ],
)
def test_it_can_be_read_by_everybody(
    page: Page,
    live_server: LiveServer,
    cast: Cast,
    seen_as: Callable[[User], None],
    language: str,
    scheme: str,
    screen: dict[str, int],
) -> None:
    page.set_viewport_size(screen)  # type: ignore[arg-type]  # the shape its documentation gives
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its words
    jar = [{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live_server.url}]
    page.context.add_cookies(jar)  # type: ignore[arg-type]  # the shape its documentation gives
    rejected, returned = Item.objects.get(state="rejected"), Item.objects.get(state="returned")
    pilot = f"pilots/{Pilot.objects.get().pk}"
    pages = {
        cast.manager: [
            "pilots",
            "pilots/new",
            pilot,
            "guideline",
            "guideline/changes",
            "guideline/older",
        ],
        cast.writer: ["write", f"items/{rejected.pk}", f"write/item/{returned.pk}"],
    }
    for person, addresses in pages.items():
        seen_as(person)
        for rest in addresses:
            address = f"{live_server.url}/p/{cast.project.slug}/{rest}"
            assert page.goto(address)
            page.wait_for_load_state("networkidle")
            assert broken_rules(page) == [], rest
            wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wider <= 0, f"{rest} is {wider} pixels too wide"
            page.wait_for_load_state("networkidle")
