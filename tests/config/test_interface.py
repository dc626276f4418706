"""The programming interface describes itself, to people who are signed in."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from rest_framework.exceptions import ParseError
from rest_framework.settings import api_settings

from config.parsers import BoundedJSONParser

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client: Client) -> Client:
    """Sign somebody in."""
    client.force_login(get_user_model().objects.create_user(username="reader", password="long enough"))
    return client


def test_it_is_closed_to_strangers(client: Client) -> None:
    for path in ("/api/v1/schema/", "/api/v1/docs/"):
        assert client.get(path).status_code == 401


def test_it_describes_every_path_below_its_version(signed_in: Client) -> None:
    schema = signed_in.get("/api/v1/schema/").json()
    assert schema["openapi"].startswith("3.")
    assert all(path.startswith("/api/v1/") for path in schema["paths"])


def test_it_is_shown_without_inline_code_and_without_another_host(signed_in: Client) -> None:
    page = signed_in.get("/api/v1/docs/").content.decode()
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert "//" not in re.sub(r"<!--.*?-->", "", page)
    assert signed_in.get("/api/v1/docs/?script=").headers["Content-Type"].startswith("application/javascript")


def test_it_has_a_schema_without_gaps(tmp_path: Path) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[" * 4000 + "]" * 4000, "nested too deeply"),
        ('{"a":' * 40_000, "nested too deeply"),
        ('{"a":' * 100_000, "too many values"),
        ('{"a":"' + '\\"' * 1_000_000, "not JSON"),
        ("{", "not JSON"),
        ('{"a": NaN}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_it_refuses_json_that_is_none_or_nests_too_deep(body: str | bytes, words: str) -> None:
    data = body.encode() if isinstance(body, str) else body
    with pytest.raises(ParseError, match=words):
        BoundedJSONParser().parse(io.BytesIO(data))


def test_its_views_parse_json_by_that_parser() -> None:
    parsers: list[object] = list(api_settings.DEFAULT_PARSER_CLASSES)
    assert parsers == [BoundedJSONParser]
