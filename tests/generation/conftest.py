"""A project that can ask a model: the stub server behind it speaks real HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from parable.llm.stub import StubServer
from tests.generation.bench import Bench, make_bench


@pytest.fixture
def bench(db: Any, stub: StubServer) -> Bench:
    """A project with a story, a template and an endpoint at the stub."""
    return make_bench(stub)
