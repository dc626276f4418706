"""The health check, and what every answer carries."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db


def test_it_says_that_database_and_redis_answer(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"database": True, "redis": True}


def test_it_says_which_part_does_not_answer(client: Client, settings: Settings) -> None:
    nowhere = settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": nowhere}
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json() == {"database": True, "redis": False}


def test_it_allows_no_inline_code_and_no_other_host(client: Client) -> None:
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    for part in ("frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'", "object-src 'none'"):
        assert part in policy
