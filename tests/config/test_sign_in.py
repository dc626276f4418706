"""After a sign-in that a form led to, the page of the form is opened: never an address that takes no GET."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

VERDICT = "/p/fables/review/00000000-0000-4000-8000-000000000000/verdict"
REQUEST = VERDICT.removesuffix("/verdict")
COMMENT = "/p/fables/items/7/comment"
HERE = "http://testserver"


def page_after(client: Client, address: str, referer: str | None) -> str:
    """What is opened after the sign-in that a form sent to this address, from this page, leads to."""
    answer = client.post(address, headers={} if referer is None else {"Referer": referer})
    assert answer.status_code == 302
    there = urlsplit(answer["Location"])
    assert there.path == "/accounts/login/"
    return parse_qs(there.query)["next"][0]


@pytest.mark.parametrize(
    ("address", "referer", "page"),
    [
        (VERDICT, f"{HERE}{REQUEST}", REQUEST),
        (COMMENT, f"{HERE}/p/fables/items/7?show=comment&page=2", "/p/fables/items/7?show=comment&page=2"),
        ("/p/fables/write/next", f"{HERE}/p/fables/write", "/p/fables/write"),
        ("/p/fables/settings", f"{HERE}/p/fables/settings", "/p/fables/settings"),
        (VERDICT, f"{HERE}{VERDICT}", REQUEST),
        (VERDICT, None, REQUEST),
        (COMMENT, None, "/p/fables/items/7"),
        ("/p/fables/write/next", None, "/p/fables/write"),
        (COMMENT, f"https://elsewhere.example{REQUEST}", "/p/fables/items/7"),
        (COMMENT, f"{HERE}//elsewhere.example/", "/p/fables/items/7"),
        (COMMENT, "no address", "/p/fables/items/7"),
        (COMMENT, "http://[", "/p/fables/items/7"),
        (COMMENT, f"{HERE}/no-such-page", "/"),
    ],
)
def test_it_leads_to_the_page_of_the_form(
    client: Client, address: str, referer: str | None, page: str
) -> None:
    assert page_after(client, address, referer) == page


def test_a_page_that_was_asked_for_is_opened_as_before(client: Client) -> None:
    answer = client.get(REQUEST, headers={"Referer": f"{HERE}/p/fables/"})
    assert answer["Location"] == f"/accounts/login/?next={REQUEST}"
