"""Where answers are withheld nothing but the managers' own pages gives a key away."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern

from accounts.models import AuditEvent, User
from parable.formats.format import foreign_formats
from release import api_urls, urls
from release.assembly import AssemblyItem, assemble
from release.models import ErrorReport, Release, ReleaseDraft, ReleaseItem, Split, Team
from release.queries.file import stored_at
from release.services import (
    check_draft,
    create_draft,
    invite_team,
    make_comparison,
    order_comparison,
    report_error,
    score_upload,
    upload_responses,
)
from tests.access.routes import methods_of
from tests.factories import Cast, make_project, make_user
from tests.release.made import ALLOWED, bring, built, records
from tests.release.pieces import piece

SECRET = replace(ALLOWED, withhold_test=True)
MARK = "Only-the-key-is-explained-so"
WRITTEN = {one.code for one in foreign_formats() if one.writer is not None}
"""The formats of other tools in which items can be had."""
FORM_DATA = {"version": "7.0.0", "dev_share": "0.2", "split": "story", "withhold_test": True}
STEPS = ("contents", "gates", "settings", "build", "items")
FILES = {"README.md", "MANIFEST.json", "test/moral.jsonl", "test/commonsense.jsonl", "errata.jsonl"}
OPEN: dict[str, set[str]] = {  # what others than managers are answered at all
    "member": {
        "list",
        "detail",
        "progress",
        "report",
        "report_status",
        "score",
        "api_score",
        "api_releases",
        "api_release",
    },
    "stranger": {"report", "report_status", "score", "api_score"},
}


@pytest.fixture
def cast() -> Cast:
    cache.clear()
    made = make_project()
    bring(made, [replace(one, explanation=f"{MARK} {one.id}") for one in records(4)])
    built(made, seed=None, recipe=SECRET)
    draft = create_draft(actor=made.manager, project=made.project, data=FORM_DATA)
    check_draft(draft_id=draft.pk)
    return made


def addresses(cast: Cast, token: str, report: str) -> Iterator[tuple[str, str]]:
    """Every address of releases and of their API that can be opened, by name."""
    filled = {
        "slug": cast.project.slug,
        "version": "1.0.0",
        "before": "1.0.0",
        "after": "1.0.1",
        "kind": "csv",
        "pk": ErrorReport.objects.get().pk,
    }
    for pattern in (*urls.urlpatterns, *api_urls.urlpatterns):
        assert isinstance(pattern, URLPattern)
        if "GET" not in (methods_of(pattern) or {"GET"}):
            continue
        name = str(pattern.name)
        values = filled | {"token": token if "score" in name else report}
        prefix = "/api/v1/" if name.startswith("api_") else "/"
        for file in FILES if name == "file" else WRITTEN if name == "converted" else {""}:
            named = values | {"name": file, "code": file}
            route = str(pattern.pattern)
            named |= {"pk": ReleaseDraft.objects.get().pk} if "/drafts/" in route else {}
            for key in pattern.pattern.converters:
                start = route.index("<")
                assert key in route[start : route.index(">") + 1]
                route = route[:start] + str(named[key]) + route[route.index(">") + 1 :]
            yield name, prefix + route


def opened(client: Client, address: str) -> tuple[int, str]:
    answer = client.get(address)
    body = answer.getvalue()
    return answer.status_code, body.decode(errors="replace")


def secrets_of(release: Release) -> list[str]:
    """What reveals keys: the seed, that of a draft too, and what explains the keys of the test."""
    items = ReleaseItem.objects.filter(release=release, split=Split.TEST)
    return [
        release.seed,
        ReleaseDraft.objects.get().secret_seed,
        *(one.record["explanation"] for one in items),
    ]


@pytest.mark.django_db
def test_no_page_and_no_answer_gives_a_key_away(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    first = Release.objects.get()
    secret = secrets_of(first)
    assert len(secret) > 15
    later = built(cast, version="1.0.1", seed=None, recipe=replace(SECRET, extends="1.0.0"))
    release = Release.objects.select_related("project").get(version="1.0.0")
    compared = order_comparison(actor=cast.manager, before=release, after=later)
    make_comparison(comparison_id=compared.pk)
    token = invite_team(actor=cast.manager, release=release, name="Lab", per_week=2).token
    score_upload(upload_id=upload_responses(token=token, content=all_a(release)).pk)
    item = release.items.first()
    assert item is not None
    report = report_error(actor=None, item_id=item.public_id, fault="other", text="Odd.")
    people: dict[str, list[User | None]] = {
        "member": [cast.writer, cast.reviewer, cast.verifier],
        "stranger": [cast.outsider, make_user("Olga"), None],
    }
    options = [text for one in release.items.all() for text in one.record["choices"]]
    everywhere = list(addresses(cast, token, report))
    for kind, group in people.items():
        for person in group:
            client = Client()
            if person is not None:
                client.force_login(person)
            for name, address in everywhere:
                status, text = opened(client, address)
                assert (status == 200) <= (name in OPEN[kind]), (kind, name, status)
                assert not any(one in text for one in secret), (kind, name)
                assert not any(one in text for one in options), (kind, name)
    for event in AuditEvent.objects.all():
        assert not any(one in json.dumps(event.detail) for one in secret), event
    logged = " ".join(record.getMessage() for record in caplog.records if record.name != "django.db.backends")
    assert not any(one in logged for one in secret)
    assert Team.objects.get().token_hash != token


@pytest.mark.django_db
def test_no_file_holds_what_is_withheld_and_managers_download_it_apart(cast: Cast) -> None:
    patch = built(cast, version="1.0.1", seed=None, recipe=replace(SECRET, extends="1.0.0"))
    for release in Release.objects.all():
        secret = secrets_of(release)
        for artifact in release.artifacts.all():
            data = stored_at(artifact.sha256).read_text(errors="replace")
            assert not any(one in data for one in secret), artifact.name
    client = Client()
    client.force_login(cast.manager)
    for name, address in addresses_of_manager(cast):
        status, text = opened(client, address)
        assert status == 200, address
        assert patch.seed not in text, name
        assert ReleaseDraft.objects.get().secret_seed not in text, name
        assert (MARK in text) == (name == "answers"), name


def addresses_of_manager(cast: Cast) -> list[tuple[str, str]]:
    base, draft = f"/p/{cast.project.slug}/releases", ReleaseDraft.objects.get().pk
    return [
        ("list", base),
        ("detail", f"{base}/1.0.1"),
        ("gates", f"{base}/1.0.1/gates"),
        ("reports", f"{base}/1.0.1/reports"),
        *(
            (step, f"{base}/drafts/{draft}/{step}")
            for step in ("contents", "gates", "settings", "build", "items")
        ),
        ("teams", f"{base}/1.0.1/teams"),
        ("downloads", f"{base}/1.0.1/downloads"),
        ("compare", f"{base}/1.0.0/compare/1.0.1"),
        ("answers", f"{base}/1.0.1/test-answers.jsonl"),
    ]


def all_a(release: Release) -> bytes:
    rows = (
        {"model": "m", "item_id": one.public_id, "choice": 0} for one in release.items.filter(split="test")
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_ids_and_splits_do_not_depend_on_keys() -> None:
    def item(number: int, answer: int) -> AssemblyItem:
        options = [f"{number} {letter}" for letter in "abcd"]
        return piece(number, f"s{number % 7}", options=options, answer=answer)

    placements = []
    for shift in range(4):
        made = [item(number, (number * 3 + shift) % 4) for number in range(40)]
        placed = assemble(made, rule="story", share=Fraction(1, 5), seed="a secret")
        placements.append([(one.item.handle, one.number, one.split) for one in placed])
    assert placements[0] == placements[1] == placements[2] == placements[3]
