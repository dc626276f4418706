"""The five groups of pages: which of them a page belongs to, and who sees what."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import get_resolver, resolve, reverse
from django.utils import translation

from accounts.models import User
from dashboard.queries.navigation import GROUPS, page_of
from projects.models import Role
from projects.permissions import PERMISSIONS
from projects.services import set_roles
from tests.browser.writer_pages import routes
from tests.factories import Cast, make_user

OWN = {"annotation:desk", "dashboard:items"}
"""Who reviews may add an item to a story, and see it there; the menu does not lead them to it."""

pytestmark = pytest.mark.django_db


def page(user: User, address: str) -> str:
    client = Client()
    client.force_login(user)
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def links(text: str, label: str) -> list[str]:
    """What the links of the navigation with this label say."""
    found = re.search(rf'<nav[^>]*aria-label="{label}">(.*?)</nav>', text, re.DOTALL)
    return re.findall(r"<a [^>]*>([^<]+)</a>", found[1]) if found else []


def test_every_route_of_a_project_belongs_to_a_group() -> None:
    of_projects = {
        name for name, pattern in routes(get_resolver()) if "slug:slug" in str(pattern.pattern)
    } - {"api-schema"}  # fmt: skip
    lost = {name for name in of_projects if "api" not in name and page_of(name) is None}
    assert lost == set()


def test_no_route_belongs_to_two_pages() -> None:
    pages = [one for group in GROUPS for one in group.pages]
    named = [route for one in pages for route in (one.opens, *one.covers)]
    assert len(named) == len(set(named))
    known = {name for name, _pattern in routes(get_resolver())}
    assert {name for name in named if not name.endswith(":")} <= known
    assert len({one.go for one in pages if one.go}) == sum(bool(one.go) for one in pages)


@pytest.mark.parametrize(
    ("who", "groups"),
    [
        ("manager", ["Work", "Content", "Quality", "Releases", "Project"]),
        ("writer", ["Work", "Content", "Releases", "Project"]),
        ("reviewer", ["Work", "Content", "Releases", "Project"]),
    ],
)
def test_it_shows_the_groups_that_a_role_may_open(cast: Cast, who: str, groups: list[str]) -> None:
    home = reverse("dashboard:inbox", args=[cast.project.slug])
    assert links(page(getattr(cast, who), home), "Main") == groups


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("measure", "evaluation"),
        ("measure/runs/7/answers?reading=several", "evaluation/runs/7/responses?reading=several"),
        ("measure/items/3/one/fables-m-000001", "evaluation/item-analysis/3/items/fables-m-000001"),
        ("measure/items/3", "evaluation/item-analysis/3"),
        ("statement.csv?since=2026-11-01", "work-report.csv?since=2026-11-01"),
        ("tables", "export"),
        ("hand-over?from=4", "handover?from=4"),
        ("write/left", "write/without-writer"),
        ("review/lessons", "review/practice/mine"),
    ],
)
def test_addresses_of_before_lead_to_their_pages(client: Client, before: str, now: str) -> None:
    answer = client.get(f"/p/fables/{before}")
    assert (answer.status_code, answer.headers["Location"]) == (301, f"/p/fables/{now}")
    assert resolve(f"/p/fables/{now}".partition("?")[0])
    assert client.post(f"/p/fables/{before}").status_code == 405
    assert client.get("/p/fables/measurements").status_code == 404


@pytest.mark.parametrize("role", Role)
def test_every_page_of_the_menu_opens(cast: Cast, role: Role) -> None:
    user = make_user("Rose Role")
    set_roles(actor=cast.manager, project=cast.project, user=user, roles=[role])
    client = Client()
    client.force_login(user)
    for group in GROUPS:
        for one in group.pages:
            answer = client.get(reverse(one.opens, args=[cast.project.slug]))
            if one.is_open_to(PERMISSIONS[role]):
                assert answer.status_code == 200, one.opens
            elif one.opens not in OWN:
                assert answer.status_code in (403, 404), one.opens


def test_it_says_where_one_is(cast: Cast) -> None:
    text = page(cast.manager, reverse("review:statistics", args=[cast.project.slug]))
    assert links(text, "Pages of Quality") == [
        "Progress in detail", "Reviewer agreement", "Item analysis", "Practice items",
    ]  # fmt: skip
    assert re.findall(r'<a [^>]*aria-current="true"[^>]*>([^<]+)', text) == ["Quality"]
    assert set(re.findall(r'<a [^>]*aria-current="page"[^>]*>([^<]+)', text)) == {"Reviewer agreement"}


def test_the_menu_has_all_pages_with_their_letters(cast: Cast) -> None:
    text = page(cast.reviewer, reverse("dashboard:inbox", args=[cast.project.slug]))
    assert links(text, "All pages") == [
        "Inbox", "Review", "Stories", "Guideline", "Releases", "Work report",
    ]  # fmt: skip
    assert re.findall(r'data-go="(.)"', text) == ["h", "r", "s", "l", "e", "f"]


def test_it_speaks_both_languages(cast: Cast) -> None:
    client = Client(headers={"Accept-Language": "zh-CN"})
    client.force_login(cast.manager)
    text = client.get(reverse("dashboard:inbox", args=[cast.project.slug])).content.decode()
    with translation.override("zh-hans"):
        assert links(text, "主导航") == [str(group.label) for group in GROUPS] == [
            "工作", "内容", "质量", "发布", "项目",
        ]  # fmt: skip


def test_a_page_outside_of_projects_has_no_groups(cast: Cast) -> None:
    text = page(cast.manager, reverse("accounts:profile"))
    assert links(text, "Main") == []
    assert "data-palette" in text
