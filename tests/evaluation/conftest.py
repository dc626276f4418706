"""A release that is ready, and a model that answers it over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from parable.llm.stub import StubServer
from tests.evaluation.measuring import Bench, make_bench


@pytest.fixture
def stub(settings: Settings) -> Iterator[StubServer]:
    """A model's server on loopback, which the settings allow to be asked."""
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    with StubServer() as server:
        yield server


@pytest.fixture
def bench(db: Any, stub: StubServer) -> Bench:
    """A project with a small release and an endpoint that answers with letters."""
    return make_bench(stub)
