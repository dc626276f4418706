"""Pages travel compressed; downloads are sent as they are."""

from __future__ import annotations

import gzip

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_project, make_story
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


def test_a_page_is_compressed_for_a_browser_that_takes_it() -> None:
    cast = make_project()
    make_story(cast)
    address = reverse("dashboard:stories", args=[cast.project.slug])
    plain = browser(cast.manager).get(address)
    packed = browser(cast.manager).get(address, headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.content) < len(plain.content) / 2
    assert b"</html>" in gzip.decompress(packed.content)


def test_two_answers_of_one_page_differ_in_length() -> None:
    pages = [Client().get("/accounts/login/", headers={"accept-encoding": "gzip"}) for _again in range(20)]
    assert len({len(page.content) for page in pages}) > 3


def test_a_download_is_sent_as_it_is() -> None:
    cast = make_project()
    make_story(cast)
    address = reverse("dashboard:export", args=[cast.project.slug, "items", "csv"])
    answer = browser(cast.manager).post(address, headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200
    assert "Content-Encoding" not in answer.headers
