"""All items of a release in one stream: the same lines as in its files, and few rows at a time."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.errors import Hidden
from release.models import Artifact, Release
from release.queries.file import stored_at
from release.services import stream_items
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, RECIPE, bring, built, records

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    bring(made, records(4))
    return made


def lines_of_files(release: Release) -> list[bytes]:
    hashes = Artifact.objects.filter(release=release, name__regex=r"^(dev|test)/\w+\.jsonl$")
    return [
        line
        for sha256 in hashes.values_list("sha256", flat=True)
        for line in stored_at(sha256).read_bytes().splitlines()
    ]


@pytest.mark.parametrize("is_withheld", [False, True])
def test_it_streams_the_lines_that_the_files_hold(cast: Cast, is_withheld: bool) -> None:
    recipe = replace(ALLOWED, withhold_test=is_withheld)
    release = built(cast, seed=None if is_withheld else "7", recipe=recipe)
    with CaptureQueriesContext(connection) as asked:
        streamed = b"".join(stream_items(release=release)).splitlines()
    assert sorted(streamed) == sorted(lines_of_files(release))
    by_number = release.items.order_by("number").values_list("public_id", flat=True)
    assert [json.loads(line)["id"] for line in streamed] == list(by_number)
    assert len(streamed) == 28
    assert (b'"answer": -1' in b"".join(streamed)) == is_withheld
    assert len(asked) <= 2


def test_it_streams_nothing_of_what_is_not_ready(cast: Cast) -> None:
    with pytest.raises(Hidden):
        next(stream_items(release=built(cast, recipe=RECIPE)))


def test_it_gives_the_stream_to_managers_and_notes_it(cast: Cast) -> None:
    built(cast)
    address = f"/p/{cast.project.slug}/releases/1.0.0/items.jsonl"
    client = Client()
    client.force_login(cast.manager)
    answer = client.get(address)
    assert answer.streaming
    assert b"".join(answer).splitlines()[0].startswith(b'{"id": "fables-')
    assert 'filename="fables-' in answer.headers["Content-Disposition"]
    client.force_login(cast.writer)
    assert client.get(address).status_code == 403
    client.force_login(cast.outsider)
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["", "../secret_key", "/etc/hostname", "ab/" + "0" * 61, "0" * 63, "A" * 64])
def test_no_other_file_is_taken_for_one_of_a_release(name: str) -> None:
    """A row may come from an archive of somebody else's, and name any path."""
    with pytest.raises(Hidden):
        stored_at(name)
