"""Addresses that take another kind of request say so, in the reader's language, with a way back."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from core.errors import Unusable
from tests.architecture import STREET, sources
from tests.factories import make_project, make_story

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "This address only accepts submitted forms"),
        ("zh-hans", "这个地址只接受提交的表单"),
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


@pytest.mark.parametrize("rest", ["", "/items/999999"])
def test_what_is_not_there_is_not_found_rather_than_refused(client: Client, rest: str) -> None:
    cast = make_project()
    client.force_login(cast.writer)
    answer = client.get(f"/p/{cast.project.slug if rest else 'nope'}{rest}")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_it_refuses_a_post_to_a_page_that_only_shows(client: Client) -> None:
    cast = make_project()
    client.force_login(cast.writer)
    answer = client.post(reverse("annotation:desk", args=[cast.project.slug]))
    assert answer.status_code == 405
    assert b"This address only shows a page" in answer.content


@pytest.mark.parametrize(
    "address", ["/api/v1/nothing/", "/api/v1/jobs/-1/", "/api/v1/projects/a%20b/items/", "/api/"]
)
def test_an_address_that_programs_do_not_have_is_refused_as_a_problem(client: Client, address: str) -> None:
    client.force_login(make_project().writer)
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "not_found"
    assert answer.json()["detail"]


def test_it_answers_scripts_in_json(client: Client) -> None:
    client.force_login(make_project().writer)
    answer = client.get("/api/v1/drafts/00000000-0000-4000-8000-000000000000/check/")
    assert answer.status_code == 405
    assert "detail" in answer.json()


@pytest.mark.parametrize(("said", "language"), [("cannot be stored", "en"), ("无法保存", "zh-hans")])
def test_it_refuses_what_no_column_holds_in_a_sentence(client: Client, said: str, language: str) -> None:
    """Such things come from no page of ours; their sender gets no blank page and no error of ours."""
    cast = make_project()
    client.force_login(cast.manager)
    spoken = {"Accept-Language": language}
    number = "9" * 5000  # longer than Python turns into a number
    page = client.post(
        reverse("projects:acknowledge", args=[cast.project.slug]), {"version": number}, headers=spoken
    )
    assert page.status_code == 404
    address = reverse("api_draft", args=["00000000-0000-4000-8000-000000000000"])
    draft = {"project": cast.project.slug, "story": make_story(cast).pk, "task": "commonsense", "sequence": 1}
    draft |= {"content": {"answered_warnings": {"a\x00b": "reason"}}}
    answer = client.put(address, draft, content_type="application/json", headers=spoken)
    assert answer.status_code == 400
    assert said in answer.json()["detail"]


@pytest.mark.parametrize(
    ("refusal", "said", "fields"),
    [
        (Unusable("Enter a reason."), "Enter a reason.", {}),
        (Unusable("Enter a reason.", "reason"), "Enter a reason.", {"reason": "Enter a reason."}),
        (Unusable({"a": "Required.", "b": "Required."}), "Required.", {"a": "Required.", "b": "Required."}),
        (Unusable({"a": "One.", "b": "Two."}), "One. Two.", {"a": "One.", "b": "Two."}),
        (Unusable("Not like this.", {"a": "One."}), "Not like this.", {"a": "One."}),
    ],
)
def test_a_refusal_says_the_same_sentence_of_itself_and_of_its_field(
    refusal: Unusable, said: str, fields: dict[str, str]
) -> None:
    assert (str(refusal), refusal.fields) == (said, fields)


def test_no_field_is_refused_with_a_single_word() -> None:
    """`empty` or `unknown` beside a field says nothing to a person; a sentence of the refusal does."""
    words = re.compile(r"Unusable\((?:[^()]|\([^()]*\))*\{[^}]*_\(\"\w+\"\)")
    said = [str(path) for path in sources(*STREET, "config") if words.search(path.read_text("utf-8"))]
    assert said == []
