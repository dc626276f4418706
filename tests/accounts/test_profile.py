"""What one says about oneself, and the language the pages speak."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.services import update_profile
from core.errors import Unusable
from tests.factories import make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

ME = "/me"


def test_it_changes_name_language_and_time_zone() -> None:
    user = make_user("Lin")
    client = browser(user)
    data = {"name": "林小雨", "language": "zh-hans", "time_zone": "Asia/Shanghai"}
    assert client.post(ME, data).headers["Location"] == ME
    user.refresh_from_db()
    assert (user.name, user.language, user.time_zone) == ("林小雨", "zh-hans", "Asia/Shanghai")
    assert 'lang="zh-hans"' in client.get(ME).content.decode()
    assert AuditEvent.objects.filter(verb="update_profile", actor=user).exists()


def test_it_goes_back_to_the_language_that_the_browser_asks_for() -> None:
    user = make_user("Lin")
    client = browser(user)
    client.post(ME, {"name": "Lin", "language": "zh-hans", "time_zone": "UTC"})
    client.post(ME, {"name": "Lin", "language": "auto", "time_zone": "UTC"})
    user.refresh_from_db()
    assert user.language == ""
    page = client.get(ME, headers={"Accept-Language": "zh-CN"}).content.decode()
    assert 'lang="zh-hans"' in page


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("name", "x" * 151), ("language", "tlh"), ("time_zone", "Mars/Olympus"), ("name", "a\0b")],
)
def test_it_refuses_what_will_not_do_at_its_field(field: str, value: str) -> None:
    client = browser(make_user("Lin"))
    data = {"name": "Lin", "language": "auto", "time_zone": "UTC"} | {field: value}
    answer = client.post(ME, data)
    assert answer.status_code == 200
    assert field in answer.context["form"].errors


@pytest.mark.parametrize("changes", [{"time_zone": "Mars/Olympus"}, {"language": "tlh"}, {"name": "x" * 151}])
def test_it_refuses_it_in_the_service_too(changes: dict[str, str]) -> None:
    data: dict[str, Any] = {"name": "Lin", "language": "", "time_zone": ""} | changes
    with pytest.raises(Unusable) as refusal:
        update_profile(actor=make_user("Lin"), **data)
    assert refusal.value.fields.keys() == changes.keys()


def test_it_keeps_a_time_zone_that_is_named_after_no_place() -> None:
    user = make_user("Lin")
    update_profile(actor=user, name="Lin", language="", time_zone="Etc/GMT-8")
    client = browser(user)
    client.post(ME, {"name": "Lin", "language": "auto", "time_zone": "Etc/GMT-8"})
    user.refresh_from_db()
    assert user.time_zone == "Etc/GMT-8"


def test_it_switches_the_language_for_those_who_have_chosen_one() -> None:
    user = make_user("Lin")
    update_profile(actor=user, name="Lin", language="en", time_zone="")
    client = browser(user)
    answer = client.post(reverse("accounts:switch_language"), {"language": "zh-hans", "next": ME})
    assert answer.headers["Location"] == ME
    assert 'lang="zh-hans"' in client.get(ME).content.decode()
    assert client.post(reverse("accounts:switch_language"), {"language": "tlh"}).status_code == 400


def test_it_switches_the_language_for_strangers_by_a_cookie_and_never_leads_away(client: Client) -> None:
    there = "https://evil.example/"
    answer = client.post(reverse("accounts:switch_language"), {"language": "zh-hans", "next": there})
    assert answer.headers["Location"] == "/"
    assert 'lang="zh-hans"' in client.get("/accounts/login/").content.decode()
