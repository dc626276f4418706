"""Two releases side by side, and who has fetched what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotation.models import Item
from annotation.services import retire_item
from release.assembly.comparison import compare
from release.assembly.records import FrozenItem
from tests.corpus.commands import run
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, bring, built, record, records


def frozen(number: int = 1, **changes: Any) -> FrozenItem:
    record: dict[str, Any] = {
        "title": "Crow", "story": "A crow.", "question": "Why?", "choices": ["a", "b", "c", "d"], "answer": 1,
        "types": [], "explanation": None,
    }  # fmt: skip
    split = changes.pop("split", "dev")
    return FrozenItem(number, changes.pop("id", f"x-c-{number}"), split, record | changes)


def test_it_distinguishes_rewording_from_moving() -> None:
    before = {number: frozen(number) for number in range(1, 6)}
    after = {
        1: frozen(1),
        2: frozen(2, question="Why not?", choices=["a", "b", "c", "e"]),
        3: frozen(3, split="test", choices=["b", "a", "c", "d"], answer=0),
        4: frozen(4, answer=3),
        6: frozen(6),
    }
    comparison = compare(before, after).as_json()
    assert comparison == {
        "same": 1,
        "added": ["x-c-6"],
        "retired": ["x-c-5"],
        "reworded": [
            {"id": "x-c-2", "fields": ["question", "choices"]},
            {"id": "x-c-4", "fields": ["answer"]},
        ],
        "moved": [
            {"id": "x-c-3", "split": ["dev", "test"], "key": ["B", "A"], "order": ["ABCD", "BACD"]},
            {"id": "x-c-4", "key": ["B", "D"]},
        ],
    }


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    bring(made, records(3))
    built(made)
    return made


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.django_db
@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_shows_two_releases_side_by_side_to_managers_alone(
    cast: Cast,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    retire_item(actor=cast.manager, item=Item.objects.get(ref="moral-2-1"), reason="Two fit.")
    bring(cast, [record(9, 0)])
    built(cast, version="1.1.0", recipe=replace(ALLOWED, extends="1.0.0"))
    address = f"/p/{cast.project.slug}/releases/1.0.0/compare/1.1.0"
    client, api = (
        client_of(cast.manager),
        f"/api/v1/projects/{cast.project.slug}/releases/1.0.0/compare/1.1.0/",
    )
    monkeypatch.setattr("release.services.comparison.compared", None)  # a request compares nothing
    assert "Comparing." in client.get(address).content.decode()
    assert client.get(api).status_code == 202
    monkeypatch.undo()
    with django_capture_on_commit_callbacks(execute=True):
        client.get(address)
    monkeypatch.setattr("release.services.comparison.compared", None)  # nor does anybody a second time
    page = client.get(address).content.decode()
    assert "From 1.0.0 to 1.1.0" in page
    assert "1 added, 1 retired or excluded" in page
    assert "20 items unchanged." in page
    assert "Why did fox 9 do thing 0?" in client.get(address, {"what": "added"}).content.decode()
    assert client_of(cast.reviewer).get(address).status_code == 403
    assert client_of(cast.outsider).get(address).status_code == 404
    chosen = client.get(f"/p/{cast.project.slug}/releases/compare", {"before": "1.0.0", "after": "1.1.0"})
    assert chosen.headers["Location"] == address
    astray = client.get(f"/p/{cast.project.slug}/releases/compare", {"before": "1.0.0/..", "after": "1.1.0"})
    assert astray.headers["Location"] == f"/p/{cast.project.slug}/releases"
    assert client.get(f"/p/{cast.project.slug}/releases/1.0.0/compare/7.0.0").status_code == 404
    said = run("compare_releases", "1.0.0", "1.1.0", "--project", cast.project.slug)
    assert (said.code, "added: " in said.out) == (0, True)
    assert run("compare_releases", "1.0.0", "9.0.0", "--project", cast.project.slug).code == 2
    comparison = client.get(api).json()
    assert (comparison["same"], len(comparison["added"]), len(comparison["retired"])) == (20, 1, 1)
    assert client_of(cast.writer).get(api).status_code == 403


@pytest.mark.django_db
def test_it_lists_who_fetched_what(cast: Cast) -> None:
    client = client_of(cast.manager)
    for name in ("README.md", "SHA256SUMS"):
        b"".join(client.get(f"/p/{cast.project.slug}/releases/1.0.0/files/{name}"))
    page = client.get(f"/p/{cast.project.slug}/releases/1.0.0/downloads").content.decode()
    assert "SHA256SUMS" in page
    assert "2 downloads" in page
    table = client.get(f"/p/{cast.project.slug}/releases/1.0.0/downloads.csv").content.decode("utf-8-sig")
    assert table.splitlines()[1].endswith(",SHA256SUMS,1.0.0")
    for rest in ("downloads", "downloads.csv"):
        assert client_of(cast.writer).get(f"/p/{cast.project.slug}/releases/1.0.0/{rest}").status_code == 403
