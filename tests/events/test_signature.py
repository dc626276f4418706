"""Signatures of deliveries, by the description of Standard Webhooks and by the code in our documentation."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

import pytest

from events.models import EventKind
from events.signature import new_secret, signature
from tests.architecture import BASE

DOCUMENT = (BASE / "docs" / "webhooks.md").read_text(encoding="utf-8")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
CODE = re.search(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.mark.parametrize(
    ("secret", "message_id", "timestamp", "body", "expected"),
    [
        # the example of the libraries of Standard Webhooks
        (
            SECRET,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1614265330,
            b'{"test": 2432232314}',
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    ],
)
def test_it_signs_as_standard_webhooks_does(
    secret: str, message_id: str, timestamp: int, body: bytes, expected: str
) -> None:
    assert signature(secret=secret, message_id=message_id, timestamp=timestamp, body=body) == expected


@pytest.mark.parametrize(
    ("message_id", "timestamp", "body"),
    [("event_1", 1, b"{}"), ("event_2", 1614265330, "寓言".encode()), ("", 0, b""), ("a.b", 12, b".")],
)
def test_it_signs_id_time_and_body(message_id: str, timestamp: int, body: bytes) -> None:
    secret = new_secret()
    made = signature(secret=secret, message_id=message_id, timestamp=timestamp, body=body)
    key = base64.b64decode(secret.split("_", 1)[1])
    plain = message_id.encode() + b"." + str(timestamp).encode() + b"." + body
    assert made == "v1," + base64.b64encode(hmac.new(key, plain, hashlib.sha256).digest()).decode()
    for other in (
        {"message_id": f"{message_id}x"},
        {"timestamp": timestamp + 1},
        {"body": body + b" "},
        {"secret": new_secret()},
    ):
        named = {"secret": secret, "message_id": message_id, "timestamp": timestamp, "body": body}
        assert signature(**{**named, **other}) != made  # type: ignore[arg-type]  # each of its own type


def test_a_secret_is_random_and_long() -> None:
    first, second = new_secret(), new_secret()
    assert first != second
    assert first.startswith("whsec_")
    assert len(base64.b64decode(first.removeprefix("whsec_"))) == 32


@pytest.mark.parametrize(
    ("changed", "accepted"),
    [
        ({}, True),
        ({"body": b'{"id":2}'}, False),
        ({"webhook-id": "event_2"}, False),
        ({"webhook-timestamp": "1000400"}, False),
        ({"webhook-signature": "v1,AAAA"}, False),
        ({"webhook-signature": ""}, False),
        ({"now": 1_000_299}, True),
        ({"now": 1_000_301}, False),
        ({"now": 999_699}, False),
        ({"also": "v1,AAAA "}, True),
    ],
)
def test_the_check_in_the_documentation_accepts_what_is_signed(
    changed: dict[str, object], accepted: bool
) -> None:
    assert CODE is not None
    assert len(CODE[1].splitlines()) <= 14
    scope: dict[str, object] = {}
    exec(CODE[1], scope)  # noqa: S102 - our own documentation
    secret = new_secret()
    body = b'{"id":1}'
    signed = signature(secret=secret, message_id="event_1", timestamp=1_000_000, body=body)
    headers = {
        "webhook-id": "event_1",
        "webhook-timestamp": "1000000",
        "webhook-signature": f"{changed.get('also', '')}{signed}",
        **{name: value for name, value in changed.items() if name.startswith("webhook-")},
    }
    check = scope["is_from_parable"]
    assert callable(check)
    found = check(secret, headers, changed.get("body", body), now=changed.get("now", 1_000_000))
    assert found is accepted


def test_the_documentation_lists_each_type_of_event() -> None:
    listed = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", DOCUMENT, re.MULTILINE)
    assert listed == EventKind.values
