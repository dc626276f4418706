"""Everybody on the site: seen by administrators, who say who may create projects."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

PEOPLE = "/people"


def test_it_is_for_administrators(client: Client) -> None:
    assert browser(make_user("Ada", administrator=True)).get(PEOPLE).status_code == 200
    assert browser(make_user("Lin")).get(PEOPLE).status_code == 403
    assert client.get(PEOPLE).status_code == 302


def test_it_lets_somebody_create_projects_and_takes_it_back() -> None:
    ada, lin = browser(make_user("Ada", administrator=True)), make_user("Lin")
    for said, allowed in (("yes", True), ("no", False)):
        ada.post(reverse("accounts:allow_projects", args=[lin.pk]), {"allowed": said})
        lin.refresh_from_db()
        assert lin.may_create_projects is allowed
    allow_self = reverse("accounts:allow_projects", args=[lin.pk])
    assert browser(lin).post(allow_self, {"allowed": "yes"}).status_code == 403
    lin.refresh_from_db()
    assert not lin.may_create_projects


def test_it_issues_links_for_new_passwords_to_anybody() -> None:
    ada, lin = browser(make_user("Ada", administrator=True)), make_user("Lin")
    page = ada.post(reverse("accounts:reset_link", args=[lin.pk])).content.decode()
    link = re.search(r"http://testserver(/reset/[^<\s]+)", page)
    assert link
    assert Client().get(link.group(1)).status_code == 200
    assert browser(lin).post(reverse("accounts:reset_link", args=[lin.pk])).status_code == 403
    assert ada.post(reverse("accounts:reset_link", args=[0])).status_code == 404


def test_it_searches_and_pages() -> None:
    ada = browser(make_user("Ada", administrator=True))
    for number in range(60):
        make_user(f"Student {number}")
    assert ada.get(PEOPLE).context["page_obj"].paginator.count == 61
    assert len(ada.get(PEOPLE, {"page": "2"}).context["page_obj"]) == 11
    assert [str(user) for user in ada.get(PEOPLE, {"q": "student 59"}).context["page_obj"]] == ["Student 59"]


def test_it_needs_as_many_queries_for_many_people_as_for_few() -> None:
    ada = browser(make_user("Ada", administrator=True))
    counts = []
    for more in (3, 27):
        for _ in range(more):
            make_user("Student")
        with CaptureQueriesContext(connection) as queries:
            ada.get(PEOPLE)
        counts.append(len(queries))
    assert counts[0] == counts[1]
