"""The page to sign in: a form that has to wait for its turn is sent again, with all that was typed."""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from accounts import hasher
from core.errors import Busy
from tests.factories import PASSWORD, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_form_waits_in_the_queue_and_is_sent_until_it_is_taken(
    page: Page, live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PASSWORD_HASHERS = ["accounts.hasher.QueuedPasswordHasher"]
    monkeypatch.setattr(hasher, "PATIENCE", 0.0)
    monkeypatch.setattr(hasher.QueuedPasswordHasher, "iterations", 1000)
    monkeypatch.setattr(Busy, "retry_after", 1)
    user = make_user("Lin")
    page.goto(f"{live_server.url}/accounts/login/?next=/me")
    page.fill("input[name=login]", user.username)
    page.fill("input[name=password]", "wrong")
    page.press("input[name=password]", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("is incorrect")
    expect(page.locator("input[name=login]")).to_have_value(user.username)
    expect(page.locator("input[name=password]")).to_be_focused()
    for _ in range(hasher.AT_ONCE):
        hasher._turns.acquire()
    try:
        page.fill("input[name=password]", PASSWORD)
        page.press("input[name=password]", "Enter")
        expect(page.get_by_text("You are in the queue")).to_be_visible()
        expect(page.locator("input[name=password]")).to_have_value(PASSWORD)
    finally:
        for _ in range(hasher.AT_ONCE):
            hasher._turns.release()
    page.wait_for_url("**/me")
    expect(page.locator("#sessions")).to_contain_text("127.0.0.1")
    there = Client()
    there.force_login(user)
    page.get_by_role("button", name="Sign out elsewhere").click()
    page.wait_for_url("**/accounts/reauthenticate/**")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    expect(page.get_by_text("Signed out of 1 other session.")).to_be_visible()
    assert there.get("/me").status_code == 302
