"""A project with verified items, and one that has a release of them: made once for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TypeAlias

import pytest
from pytest_django import DjangoDbBlocker

from release.models import Release
from tests.factories import Cast, make_project
from tests.release.made import bring, built, records
from tests.shared_rows import shared_rows

Released: TypeAlias = tuple[Cast, Release]


def _with_items() -> Cast:
    cast = make_project()
    bring(cast, records())
    return cast


def _with_release() -> Released:
    cast = _with_items()
    return cast, built(cast)


@pytest.fixture(scope="module")
def _project(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Cast]:
    with shared_rows(django_db_blocker, _with_items) as made:
        yield made


@pytest.fixture
def cast(_project: Cast, db: None) -> Cast:
    """A project with verified items, of which nothing was released."""
    return deepcopy(_project)


@pytest.fixture(scope="module")
def _released(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Released]:
    with shared_rows(django_db_blocker, _with_release) as made:
        yield made


@pytest.fixture
def released(_released: Released, db: None) -> Released:
    """A project and its version 1.0.0, whose files no test may change: they are not rolled back."""
    return deepcopy(_released)
