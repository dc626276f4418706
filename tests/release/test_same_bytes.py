"""The same items and seed give the same bytes, in whatever order rows come, at any time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from random import Random
from typing import Any
from unittest import mock

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import Item, State
from parable.formats.records import ItemRecord
from projects.services import create_project
from release.models import Artifact, Release, ReleaseState
from release.queries.file import stored_at
from tests.factories import Cast, make_project, make_user
from tests.release.made import TYPES, bring, built, record, records

pytestmark = pytest.mark.django_db

ALIKE = {"id", "number", "position", "order"}
"""Columns of numbers, by which any PostgreSQL sorts alike; text it sorts by its collation."""
SORTED_AGAIN = {"code"}
"""Types come in their table's own order, which is mixed up below: Python sorts them."""


@st.composite
def wordings(draw: st.DrawFn) -> list[ItemRecord]:
    """Items of a few stories with odd words: of both tasks and styles, of one or two types, ids or none."""
    said = st.text("aZé 狐狸Ω-_9", min_size=1, max_size=6)
    made = []
    for number in range(draw(st.integers(1, 12))):
        task = draw(st.sampled_from(["commonsense", "moral"]))
        kinds = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True))
        words = draw(said)
        made.append(
            record(
                draw(st.integers(0, 4)),
                number,
                task,
                question=f"{words} {number}?" if draw(st.booleans()) else f"Which of {number}?",
                choices=tuple(f"{letter}{words}{number}" for letter in draw(st.permutations("éZa狐"))),
                types=tuple(kinds) if task == "commonsense" else (),
                style=draw(st.sampled_from(["human", "machine"])) if task == "moral" else "human",
            )
        )
    return made


@contextmanager
def rows_in_any_order(chance: Random) -> Iterator[None]:
    """Whatever is asked for without an order comes in any: no row's place is a matter of luck."""
    fetch = QuerySet._fetch_all

    def fetch_and_mix(self: QuerySet[Any]) -> None:
        is_new = self._result_cache is None
        fetch(self)
        if is_new and not self.query.order_by and not self.query.is_sliced:
            chance.shuffle(self._result_cache)  # type: ignore[arg-type]  # fetched just now

    with mock.patch.object(QuerySet, "_fetch_all", fetch_and_mix):
        yield


def built_of(items: list[ItemRecord], seed: int, when: datetime) -> dict[str, Any]:
    """All files of a release of these items alone, the manifest without its date; nothing of it stays."""
    with transaction.atomic(), mock.patch.object(timezone, "now", return_value=when):
        cast = _alone()
        bring(cast, items)
        with rows_in_any_order(Random(seed)):  # noqa: S311 - any order will do
            release = built(cast)
        assert release.state == ReleaseState.READY, release.why
        verified = Item.objects.filter(project=cast.project, state=State.VERIFIED)
        frozen = release.items.values_list("item", flat=True)
        assert sorted(frozen) == sorted(verified.values_list("pk", flat=True))
        files = contents(release)
        transaction.set_rollback(True)
    return files


def _alone() -> Cast:
    """A project of a fixed name with nobody but its manager."""
    one = make_user("Mia Manager", may_create_projects=True)
    project = create_project(actor=one, slug="fables", name="Fables", language="en")
    return Cast(project, one, one, one, one, one, one, one)


def contents(release: Release) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: stored_at(sha256).read_bytes()
        for name, sha256 in Artifact.objects.filter(release=release).values_list("name", "sha256")
    }
    found["MANIFEST.json"] = json.loads(found["MANIFEST.json"])
    assert found["MANIFEST.json"].pop("built_at")
    return found


@pytest.mark.parametrize("examples", [3, pytest.param(15, marks=pytest.mark.drill)])
def test_it_comes_out_the_same_from_rows_in_any_order_at_any_time(examples: int) -> None:
    today, later = datetime(2026, 11, 22, tzinfo=UTC), datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(wordings(), st.randoms(use_true_random=False))
    def check(made: list[ItemRecord], chance: Random) -> None:
        first = built_of(made, 1, today)
        mixed = list(made)
        chance.shuffle(mixed)
        assert built_of(mixed, 2, later) == first

    check()


def test_it_asks_the_database_to_sort_by_nothing_but_numbers() -> None:
    cast = make_project()
    bring(cast, records(2))
    with CaptureQueriesContext(connection) as asked:
        release = built(cast)
    assert release.state == ReleaseState.READY
    sorting = [
        (column, query["sql"])
        for query in asked
        for clause in re.findall(r"ORDER BY (.*?)(?: LIMIT| FOR|\)|$)", query["sql"])
        for column in re.findall(r'"(\w+)" (?:ASC|DESC)', clause)
    ]
    assert sorting
    assert [found for found in sorting if found[0] not in ALIKE | SORTED_AGAIN] == []
