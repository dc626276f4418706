"""Addresses that take another kind of request say so, in the reader's language, with a way back."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_project, make_story

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "This address takes what a button sends"),
        ("zh-hans", "这个地址只接收按钮提交的内容"),
    ],
)
def test_it_says_what_happened_where_there_is_no_page_to_open(
    client: Client, language: str, said: str
) -> None:
    cast = make_project()
    client.force_login(cast.writer)
    address = reverse("annotation:moral", args=[cast.project.slug, make_story(cast).pk])
    answer = client.get(address, headers={"Accept-Language": language})
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"
    page = answer.content.decode()
    assert said in page
    assert "data-primary" in page, "a way back"


def test_it_says_so_to_whoever_sends_what_only_shows(client: Client) -> None:
    cast = make_project()
    client.force_login(cast.writer)
    answer = client.post(reverse("annotation:desk", args=[cast.project.slug]))
    assert answer.status_code == 405
    assert b"This address shows a page" in answer.content


def test_it_answers_scripts_in_json(client: Client) -> None:
    client.force_login(make_project().writer)
    answer = client.get("/api/v1/drafts/00000000-0000-4000-8000-000000000000/check/")
    assert answer.status_code == 405
    assert "detail" in answer.json()
