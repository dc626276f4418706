"""A project that can ask a model: the stub server behind it speaks real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from parable.llm.stub import StubServer
from tests.generation.bench import Bench, make_bench


@pytest.fixture
def stub(settings: Settings) -> Iterator[StubServer]:
    """A model's server on loopback, which the settings allow to be asked."""
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    with StubServer() as server:
        yield server


@pytest.fixture
def bench(db: Any, stub: StubServer) -> Bench:
    """A project with a story, a template and an endpoint at the stub."""
    return make_bench(stub)
