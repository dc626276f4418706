"""What the log never holds: the links by which people join or set a password."""

from __future__ import annotations

import logging

import pytest

from config.redaction import HideTokens


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Not Found: /join/i4EnRbgkZ_daE9-x", "Not Found: /join/…"),
        ('"GET /join/i4EnRbgkZ_daE9-x HTTP/1.1" 200', '"GET /join/… HTTP/1.1" 200'),
        ("Conflict: /reset/MTM0/dif475-dbbb41/", "Conflict: /reset/MTM0/…/"),
        ("next=/join/abc and /join/def", "next=/join/… and /join/…"),
        ("Not Found: /joining/stories", "Not Found: /joining/stories"),
        ("Not Found: /p/river/members", "Not Found: /p/river/members"),
    ],
)
def test_it_hides_links_in_what_is_said_and_in_its_arguments(said: str, kept: str) -> None:
    for message, arguments in ((said, ()), ("%s", (said,))):
        record = logging.LogRecord("django.request", logging.WARNING, "", 0, message, arguments, None)
        assert HideTokens().filter(record)
        assert record.getMessage() == kept
