"""A release that is ready, and a model that answers it over real HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from parable.llm.stub import StubServer
from tests.evaluation.measuring import Bench, make_bench


@pytest.fixture
def bench(db: Any, stub: StubServer) -> Bench:
    """A project with a small release and an endpoint that answers with letters."""
    return make_bench(stub)
