"""The page with the figures of the running site: for administrators alone, whatever does not respond."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisAway

from core.backups import note_backup
from dashboard.queries import metrics
from jobs.models import Job
from jobs.services import show_presence
from jobs.services.figures import ANSWERED, count_call
from tests.factories import Cast, make_project, make_user, submit_item
from web import counters
from web.request_counts import count_request

pytestmark = pytest.mark.django_db
PAGE = "/people/status"


@pytest.fixture(autouse=True)
def _counted(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.HOME = tmp_path
    counters.client().flushdb()
    counters._counters.start_empty()
    yield
    counters._counters.start_empty()


@pytest.fixture
def administrator(client: Client) -> Client:
    client.force_login(make_user("Root", administrator=True))
    return client


@pytest.mark.parametrize(
    ("kind", "title"),
    [("check_gates", "Gate check"), ("build_release", "Building …"), ("unknown_one", "unknown_one")],
)
def test_a_job_has_its_title_without_what_it_is_about(administrator: Client, kind: str, title: str) -> None:
    cast = make_project()
    Job.objects.create(project=cast.project, created_by=cast.manager, kind=kind, subject=1)
    assert title in rows(administrator)


def rows(client: Client) -> dict[str, list[str]]:
    """The cells of each row of the page by its name."""
    html = client.get(PAGE).content.decode()
    found = re.findall(r'<tr data-move><th scope="row">(.*?)</th>(.*?)</tr>', html, re.DOTALL)
    return {name: re.findall(r"<td[^>]*>(.*?)</td>", cells) for name, cells in found}


def test_it_shows_the_figures_of_the_site(administrator: Client, tmp_path: Path) -> None:
    cast: Cast = make_project()
    submit_item(cast)
    Job.objects.create(project=cast.project, created_by=cast.manager, kind="gates", subject=1)
    show_presence(["default"])
    note_backup(tmp_path, at=timezone.now() - timedelta(hours=3), archive=tmp_path / "parable-1.zip")
    count_call(ANSWERED)
    for status in (200, 200, 500):
        count_request(route="review:next", method="GET", status=status, seconds=0.2)
    counters.flush()
    shown = rows(administrator)
    assert shown["Background work"][0] == "0"
    assert shown["Calls to language models"] == ["0", "never"]
    assert shown["review"][0] == str(cast.project.reviews_per_item)
    assert shown["answered"] == ["1"]
    assert shown["review:next"] == ["3", "1", "242 ms"]
    assert shown["Newest backup"] == ["3\xa0hours ago"]


def test_it_is_for_administrators_and_linked_from_their_page_of_people(
    client: Client, administrator: Client
) -> None:
    assert PAGE in administrator.get("/people").content.decode()
    client.force_login(make_project().manager)
    assert client.get(PAGE).status_code == 403


def test_it_says_what_does_not_respond(administrator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def redis_fails() -> None:
        raise RedisAway

    def database_fails() -> None:
        raise DatabaseError

    monkeypatch.setattr(counters, "client", redis_fails)
    monkeypatch.setattr(metrics, "site_backlog", database_fails)
    html = administrator.get(PAGE).content.decode()
    assert "Redis does not respond." in html
    assert "PostgreSQL does not respond." in html
    assert "Free disk space" in html
