"""A release that is ready, and a model that answers it over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from pytest_django import DjangoDbBlocker

from parable.llm.stub import StubServer
from release.models import Release
from tests.evaluation.measuring import Bench, bench_of, make_release
from tests.factories import Cast
from tests.shared_rows import shared_rows


@pytest.fixture(scope="module")
def _made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Cast, Release]]:
    with shared_rows(django_db_blocker, make_release) as made:
        yield made


@pytest.fixture
def released(_made: tuple[Cast, Release], db: None) -> tuple[Cast, Release]:
    """A project with a small release."""
    return deepcopy(_made)


@pytest.fixture
def bench(released: tuple[Cast, Release], stub: StubServer) -> Bench:
    """The same with an endpoint that answers with letters."""
    return bench_of(*released, stub)
