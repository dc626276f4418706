"""No browser and no proxy keeps a page: it may hold keys, names or a link that works once."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_project, make_story, submit_item
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


def test_pages_and_answers_are_not_stored() -> None:
    cast = make_project()
    item = submit_item(cast, story=make_story(cast))
    slug = cast.project.slug
    pages = [
        "/",
        f"/p/{slug}",
        reverse("dashboard:item", args=[slug, item.pk]),
        "/api/v1/schema/",
        "/people",  # refused
        f"/p/{slug}x",  # not there
    ]
    for address in pages:
        answer = browser(cast.manager).get(address)
        assert "no-store" in answer.headers["Cache-Control"], address
        assert "private" in answer.headers["Cache-Control"], address
    assert "no-store" in Client().get("/accounts/login/").headers["Cache-Control"]


def test_static_files_may_be_stored() -> None:
    answer = Client().get("/static/js/desk.js")
    assert answer.status_code == 200
    b"".join(answer)  # so that the file is closed
    assert "no-store" not in answer.headers["Cache-Control"]
