"""The menu of a project: its five nouns, which of them a page belongs to, and who sees what."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import get_resolver, resolve, reverse
from django.utils import translation

from accounts.models import User
from dashboard.queries.navigation import EVERYTHING, NOUNS, PROJECT, page_of, pages_for
from projects.models import Role
from projects.permissions import PERMISSIONS
from projects.services import set_roles
from tests.browser.writer_pages import routes
from tests.factories import Cast, make_user

OWN = {"annotation:desk", "dashboard:items"}
"""Who reviews may add an item to a story, and see it there; the menu does not lead them to it."""
NOUN_LABELS = ["Today", "Items", "People", "Releases", "Settings"]

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


def routes_of_projects() -> dict[str, str]:
    """By name, the route of each page of a project."""
    found = {name: str(pattern.pattern) for name, pattern in routes(get_resolver())}
    return {name: route for name, route in found.items() if route.startswith(PROJECT)}


def test_every_route_of_a_project_belongs_to_one_noun() -> None:
    for name, route in routes_of_projects().items():
        assert page_of(route) is not None, name
        fits: dict[tuple[int, bool], set[str]] = {}
        for noun, page in pages_for(EVERYTHING):
            fits.setdefault(page.fit(route), set()).add(str(noun.label))
        assert len(fits[max(fits)]) == 1, name


@pytest.mark.parametrize(
    ("noun", "places"),
    [
        ("Today", [
            "", "/today", "/overview", "/overview/details", "/overview.<str:kind>", "/overview/priority",
            "/begin/<slug:role>", "/inbox", "/messages/<int:pk>/read", "/review/deputy", "/review",
            "/review/<uuid:pk>/verdict", "/review/comments/<int:item>", "/verify/next", "/adjudicate",
            "/write/story/<int:story>", "/write/without-writer",
        ]),
        ("Items", [
            "/items", "/items/<int:pk>", "/items/import", "/lists/<slug:listing>/bulk", "/stories/import",
            "/stories/similar", "/stories/<int:pk>/moral", "/candidates", "/candidates/prompts/new",
            "/candidates/<int:story>", "/candidates/all", "/guideline/older", "/assignments/name",
            "/plan/reservations", "/coverage",
        ]),
        ("People", [
            "/members", "/members/invite", "/members/<int:pk>", "/members/invitations/<int:pk>/revoke",
            "/review/statistics", "/review/statistics.<str:kind>", "/review/statistics/raters",
            "/review/practice", "/review/practice/from/<int:item>", "/work-report", "/work-report.<str:kind>",
            "/handover/<int:pk>/undo",
        ]),
        ("Releases", [
            "/releases", "/releases/new", "/releases/<str:version>/teams", "/releases/<str:version>/public",
            "/releases/drafts/<int:pk>/gates", "/gates/check", "/reports/<int:pk>", "/evaluation",
            "/evaluation/panels/new", "/evaluation/results/<int:pk>", "/evaluation/item-analysis/<int:pk>",
        ]),
        ("Settings", [
            "/settings", "/settings/types/<int:pk>", "/archive", "/restore", "/candidates/endpoints",
            "/candidates/endpoints/<int:pk>/key", "/candidates/endpoints/budget", "/pilots/new",
            "/pilots/<int:pk>/story/<int:story>/note", "/jobs/<int:pk>", "/webhooks/<int:pk>", "/export",
            "/export/<slug:name>.<str:kind>", "/activity.<str:kind>",
        ]),
    ],
)  # fmt: skip
def test_a_noun_has_the_pages_that_are_about_it(noun: str, places: list[str]) -> None:
    for place in places:
        found = page_of(f"{PROJECT}{place}")
        assert found is not None, place
        assert str(found[0].label) == noun, place
        assert f"{PROJECT}{place}" in routes_of_projects().values(), "a page that the site has"


def test_a_page_outside_of_projects_belongs_to_no_noun() -> None:
    assert [page_of(each) for each in ("", "people", "r/<slug:slug>/", "api/v1/projects/<slug:slug>")] == [
        None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("role", "place", "label"),
    [
        (Role.WRITER, "/jobs/<int:pk>", "Candidates"),
        (Role.WRITER, "/review/comments/<int:item>", "Write"),
        (Role.REVIEWER, "/review/practice/mine", "Review"),
        (Role.REVIEWER, "/items/<int:pk>", "Stories"),
        (Role.VERIFIER, "/review/<uuid:pk>", "Verify"),
        (Role.MANAGER, "/review/<uuid:pk>", "Adjudicate"),
        (Role.MANAGER, "/jobs/<int:pk>", "Jobs"),
        (Role.OBSERVER, "/work-report", "Work report"),
    ],
)
def test_of_pages_that_one_may_open_the_nearest_is_current(role: Role, place: str, label: str) -> None:
    found = page_of(f"{PROJECT}{place}", PERMISSIONS[role])
    assert found is not None
    assert str(found[1].label) == label


def test_no_page_and_no_letter_is_there_twice() -> None:
    pages = [page for _noun, page in pages_for(EVERYTHING)]
    assert len({page.opens for page in pages}) == len(pages)
    assert len({page.go for page in pages if page.go}) == sum(bool(page.go) for page in pages)
    known = routes_of_projects().values()
    for covered in {each for page in pages for each in page.covers}:
        assert any(f"{route}/".startswith(f"{PROJECT}/{covered}") for route in known), covered


@pytest.mark.parametrize("role", [Role.MANAGER, Role.OBSERVER])
def test_who_sees_the_project_has_five_nouns(cast: Cast, role: Role) -> None:
    user = make_user("Rose Role")
    set_roles(actor=cast.manager, project=cast.project, user=user, roles=[role])
    text = page(user, reverse("dashboard:inbox", args=[cast.project.slug]))
    assert links(text, "Main") == NOUN_LABELS
    assert re.findall(r'<a [^>]*aria-current="true"[^>]*>([^<]+)', text) == ["Today"]


@pytest.mark.parametrize(
    ("who", "pages"),
    [
        ("writer", [
            "Inbox", "Write", "Items", "Stories", "Candidates", "Guideline", "Work report", "Releases",
        ]),
        ("reviewer", ["Inbox", "Review", "Stories", "Guideline", "Work report", "Releases"]),
        ("verifier", ["Inbox", "Verify", "Adjudicate", "Stories", "Guideline", "Work report", "Releases"]),
    ],
)  # fmt: skip
def test_who_only_works_has_all_pages_in_one_row(cast: Cast, who: str, pages: list[str]) -> None:
    text = page(getattr(cast, who), reverse("dashboard:stories", args=[cast.project.slug]))
    assert links(text, "Main") == links(text, "All pages") == pages
    assert 'class="nav"' not in text
    assert set(re.findall(r'<a [^>]*aria-current="page"[^>]*>([^<]+)', text)) == {"Stories"}


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
    for _noun, one in pages_for(EVERYTHING):
        answer = client.get(reverse(one.opens, args=[cast.project.slug]))
        if one.is_open_to(PERMISSIONS[role]):
            assert answer.status_code == 200, one.opens
        elif one.opens not in OWN:
            assert answer.status_code in (403, 404), one.opens


def test_it_says_where_one_is(cast: Cast) -> None:
    text = page(cast.manager, reverse("review:statistics", args=[cast.project.slug]))
    assert links(text, "Pages of People") == [
        "People", "Reviewer agreement", "Practice items", "Work report",
    ]  # fmt: skip
    assert re.findall(r'<a [^>]*aria-current="true"[^>]*>([^<]+)', text) == ["People"]
    assert set(re.findall(r'<a [^>]*aria-current="page"[^>]*>([^<]+)', text)) == {"Reviewer agreement"}


def test_the_menu_has_all_pages_with_their_letters(cast: Cast) -> None:
    text = page(cast.reviewer, reverse("dashboard:inbox", args=[cast.project.slug]))
    assert links(text, "All pages") == [
        "Inbox", "Review", "Stories", "Guideline", "Work report", "Releases",
    ]  # fmt: skip
    assert re.findall(r'data-go="(.)"', text) == ["h", "r", "s", "l", "f", "e"]


def test_it_speaks_both_languages(cast: Cast) -> None:
    client = Client(headers={"Accept-Language": "zh-CN"})
    client.force_login(cast.manager)
    text = client.get(reverse("dashboard:inbox", args=[cast.project.slug])).content.decode()
    with translation.override("zh-hans"):
        assert links(text, "主导航") == [str(noun.label) for noun in NOUNS] == [
            "今天", "题目", "人员", "发布", "设置",
        ]  # fmt: skip


def test_a_page_outside_of_projects_has_no_menu_of_one(cast: Cast) -> None:
    text = page(cast.manager, reverse("accounts:profile"))
    assert links(text, "Main") == []
    assert "data-palette" in text
