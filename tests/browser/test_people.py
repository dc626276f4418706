"""Joining, members, settings and guideline in a real browser: with and without script, for everybody."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from projects.models import Invitation
from projects.queries import roles_of
from projects.services import invite_people, publish_guideline
from tests.browser.entering import sign_in
from tests.browser.looking import broken_rules
from tests.factories import PASSWORD, Cast, make_project, make_user, submit_item
from web import counters
from web.request_counts import count_request

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW_PASSWORD = "nineteen purple owls"


def _send(page: Page) -> None:
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")


def _join(page: Page, username: str) -> None:
    page.fill("#id_username", username)
    page.fill("#id_password", NEW_PASSWORD)
    page.fill("#id_again", NEW_PASSWORD)


def test_it_brings_people_from_a_pasted_list_into_the_project(
    page: Page, live_server: LiveServer, browser: Browser
) -> None:
    cast = make_project()
    sign_in(page.context, live_server.url, cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/members/invite")
    page.fill("#id_names", "林小雨\nPeter Pan\n")
    for role in ("item writer", "reviewer"):
        page.locator("#invite-form").get_by_label(role, exact=True).check()
    _send(page)
    text = page.inner_text("#all-links")
    assert text.startswith("林小雨: http")
    link = page.inner_text("#link-2")
    context = browser.new_context(timezone_id="Asia/Shanghai")
    guest = context.new_page()
    guest.goto(link)
    assert guest.input_value("#id_name") == "Peter Pan"
    _join(guest, "peter")
    _send(guest)
    assert guest.url.startswith(f"{live_server.url}/p/{cast.project.slug}")
    peter = User.objects.get(username="peter")
    assert peter.time_zone == "Asia/Shanghai"
    assert roles_of(peter, cast.project) == {"writer", "reviewer"}
    context.close()


def test_a_form_whose_keys_are_pressed_twice_is_sent_once(page: Page, live_server: LiveServer) -> None:
    cast = make_project()
    sign_in(page.context, live_server.url, cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/members/invite")
    page.fill("#id_names", "Peter Pan")
    page.locator("#invite-form").get_by_label("reviewer", exact=True).check()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)  # its answer is on its way while the keys are pressed again

    page.route("**/invite", hold)
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(200)
    assert len(held) == 1
    held[0].continue_()
    expect(page.get_by_role("heading", name="1 link created.")).to_be_attached()
    assert Invitation.objects.count() == 1


def test_it_saves_the_roles_of_a_person_in_place(page: Page, live_server: LiveServer) -> None:
    cast = make_project()
    sign_in(page.context, live_server.url, cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/members")
    page.get_by_role("link", name=cast.verifier.name).click()
    row = page.locator(".person", has_text=cast.verifier.username)
    row.locator("label.chip", has_text="reviewer").click()
    row.get_by_role("button", name="Save").click()
    row.get_by_role("status").wait_for()
    assert roles_of(cast.verifier, cast.project) == {"reviewer", "verifier"}
    page.get_by_role("link", name="Back to the members").click()
    for person in (cast.writer, cast.reviewer):
        page.locator(f"[data-row][value='{person.pk}']").check()
    page.get_by_role("button", name="Add role").click()
    page.get_by_label("Role").select_option(label="verifier")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("2 members have the role verifier now.")
    assert roles_of(cast.writer, cast.project) == {"writer", "verifier"}
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Undone for 2.")
    assert roles_of(cast.writer, cast.project) == {"writer"}


def test_it_works_without_script(browser: Browser, live_server: LiveServer) -> None:
    cast = make_project()
    token = invite_people(actor=cast.manager, project=cast.project, names=["Lin"], roles=["writer"])[0].token
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/join/{token}")
    _join(page, "lin")
    page.click("[data-primary]")
    assert roles_of(User.objects.get(username="lin"), cast.project) == {"writer"}
    sign_in(page.context, live_server.url, make_user("Mia", may_create_projects=True))
    page.goto(f"{live_server.url}/projects/new")
    page.fill("#id_name", "伊索寓言")
    page.click("[data-primary]")
    assert page.input_value("#id_slug") == "ysyy"
    page.click("[data-primary]")
    assert page.url == f"{live_server.url}/p/ysyy/today"
    context.close()


def test_it_suggests_a_short_name_while_the_form_is_filled_in(page: Page, live_server: LiveServer) -> None:
    sign_in(page.context, live_server.url, make_user("Mia", may_create_projects=True))
    page.goto(f"{live_server.url}/projects/new")
    page.fill("#id_name", "River tales")
    with page.expect_response("**/short-name?*"):
        page.keyboard.press("Tab")
    expect(page.locator("#id_slug")).to_have_value("river-tales")
    page.fill("#id_slug", "mine")
    page.fill("#id_name", "River songs")
    with page.expect_response("**/short-name?*"):
        page.keyboard.press("Tab")
    assert page.input_value("#id_slug") == "mine"


def _project_page(name: str) -> Callable[[Cast], str]:
    return lambda cast: f"/p/{cast.project.slug}/{name}"


PAGES: dict[str, Callable[[Cast], str]] = {
    "profile": lambda _cast: "/me",
    "people": lambda _cast: "/people",
    "create": lambda _cast: "/projects/new",
    "members": _project_page("members"),
    "invite": _project_page("members/invite"),
    "member": lambda cast: f"/p/{cast.project.slug}/members/{cast.writer.pk}",
    "settings": _project_page("settings"),
    "guideline": _project_page("guideline"),
    "guideline_new": _project_page("guideline/new"),
    "table": lambda _cast: "/admin/accounts/user/",
}


@pytest.mark.drill
@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 390), ("dark", 1280), ("light", 390)]
)
def test_it_can_be_read_by_everybody(page: Page, live_server: LiveServer, scheme: str, width: int) -> None:
    cast = make_project("zh")
    invite_people(actor=cast.manager, project=cast.project, names=["Lin"], roles=["writer"])
    publish_guideline(actor=cast.manager, project=cast.project, text="# 一\n\n- 二\n\n|a|b|\n|-|-:|\n|1|2|")
    sign_in(page.context, live_server.url, make_user("Ada", administrator=True))
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for name, path in PAGES.items():
        page.goto(live_server.url + path(cast), wait_until="networkidle")
        assert complaints == [], name
        if name == "table":
            continue  # Django's own; it must live with the policy, its looks are Django's
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert broken_rules(page) == [], name


def test_it_signs_in_with_a_password(page: Page, live_server: LiveServer) -> None:
    user = make_user("Lin")
    page.goto(f"{live_server.url}/me")
    page.fill("#id_login", user.username)
    page.fill("#id_password", "wrong")
    page.keyboard.press("Control+Enter")
    assert "incorrect" in page.inner_text(".errorlist")
    page.fill("#id_password", PASSWORD)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"{live_server.url}/me")


def test_administrators_read_the_figures_of_the_site_on_a_phone(page: Page, live_server: LiveServer) -> None:
    cast = make_project()
    submit_item(cast)
    count_request(route="a_route_with_a_rather_long_name:and_its_page", method="GET", status=200, seconds=0.2)
    counters.flush()
    sign_in(page.context, live_server.url, make_user("Root", administrator=True))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/people")
    page.get_by_role("link", name="Site status").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Site status")
    expect(page.get_by_role("row", name="a_route_with_a_rather_long_name")).to_contain_text("242 ms")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert broken_rules(page) == []
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/status-390.png", full_page=True)
