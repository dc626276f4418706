"""A receiver on loopback that the settings and an administrator allow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from jobs.services import allow_host
from tests.events.receiver import Receiver, receiving
from tests.factories import Cast, make_user


@pytest.fixture
def receiver(cast: Cast, settings: Settings) -> Iterator[Receiver]:
    """Yield a receiver that accepts everything."""
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    with receiving(Receiver()) as made:
        allow_host(actor=make_user("Ada", administrator=True), address=made.url)
        yield made
