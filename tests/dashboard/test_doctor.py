"""What `manage.py doctor` finds wrong, and what the first page of administrators says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from core.backups import NAME, last_backup, note_backup
from dashboard.queries import installation
from dashboard.queries.installation import findings
from jobs.queries import SILENCE
from jobs.services.presence import show_presence
from projects.services import create_token
from tests.factories import Cast, make_user
from tests.object_store import options_in

pytestmark = pytest.mark.django_db


class Disk(NamedTuple):
    """What `shutil.disk_usage` returns, in bytes."""

    total: int
    used: int
    free: int


@pytest.fixture(autouse=True)
def home(settings: Settings, tmp_path: Path) -> Path:
    """A healthy site: workers were seen, the backup is of last night, and the role owns nothing."""
    settings.HOME = tmp_path
    show_presence(["default", "llm"])
    note_backup(tmp_path, at=timezone.now() - timedelta(hours=25), archive=tmp_path / "parable-1.zip")
    return tmp_path


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Return what writes the list of known vulnerabilities; at first it is of today, and empty."""
    path = tmp_path / "advisories.json"
    monkeypatch.setattr(installation, "ADVISORIES", path)

    def write(*advisories: dict[str, Any], days: int = 0) -> None:
        of = (timezone.now().date() - timedelta(days=days)).isoformat()
        path.write_text(json.dumps({"date": of, "source": "a test", "advisories": advisories}))

    write()
    return write


@pytest.fixture(autouse=True)
def checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own role made the tables."""
    kept = tuple(check for check in installation.CHECKS if check is not installation._owner)
    monkeypatch.setattr(installation, "CHECKS", kept)


def codes() -> dict[str, bool]:
    return {one.code: one.is_grave for one in findings()}


def test_it_finds_nothing_wrong_with_a_healthy_site() -> None:
    assert codes() == {}
    out = StringIO()
    call_command("doctor", stdout=out)
    assert out.getvalue() == "Nothing is wrong.\n"


@pytest.mark.parametrize(("hours", "is_old"), [(25.9, False), (26.1, True)])
def test_a_backup_is_of_last_night(home: Path, hours: float, is_old: bool) -> None:
    note_backup(home, at=timezone.now() - timedelta(hours=hours), archive=home / "parable-1.zip")
    assert codes() == ({"backup": True} if is_old else {})


@pytest.mark.parametrize("noted", [None, "", "[]", '{"at": "2026-11-30", "archive": "x"}', "\0"])
def test_a_site_without_a_backup_is_told_so(home: Path, noted: str | None) -> None:
    (home / NAME).unlink()
    if noted is not None:
        (home / NAME).write_text(noted)
    assert last_backup(home) is None
    assert codes() == {"backup": False}


@pytest.mark.parametrize(("free", "is_full"), [(100, False), (99, True)])
def test_a_disk_has_a_tenth_free(monkeypatch: pytest.MonkeyPatch, free: int, is_full: bool) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: Disk(1000, 1000 - free, free))
    assert codes() == ({"disk": True} if is_full else {})


def test_a_silent_worker_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    seen: dict[str, datetime | None] = {"default": now, "llm": now - SILENCE - timedelta(seconds=1)}
    monkeypatch.setattr(installation, "worker_seen", seen.get)
    assert codes() == {"worker_llm": True}
    seen["llm"] = None
    assert codes() == {"worker_llm": True}


def test_time_limits_that_do_not_arrive_are_missed(settings: Settings) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    settings.IDLE_TRANSACTION_SECONDS = 600
    assert codes() == {"limits": True}
    settings.IDLE_TRANSACTION_SECONDS = 0
    assert codes() == {}


@pytest.mark.parametrize(
    ("is_pooled", "seconds", "shown", "is_missed"),
    [(True, 10, "0", True), (True, 10, "10s", False), (True, 0, "0", False), (False, 10, "0", False)],
)
def test_behind_a_pooler_the_role_limits_waits_for_locks(
    settings: Settings, is_pooled: bool, seconds: int, shown: str, is_missed: bool
) -> None:
    settings.POOLER, settings.LOCK_SECONDS, settings.IDLE_TRANSACTION_SECONDS = is_pooled, seconds, 600
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '600s'")
        cursor.execute(f"SET LOCAL lock_timeout = '{shown}'")
    assert codes() == ({"limits": True} if is_missed else {})


@pytest.mark.parametrize(("days", "is_soon"), [(7, True), (8, False)])
def test_a_token_that_expires_soon_is_counted(cast: Cast, days: int, is_soon: bool) -> None:
    create_token(actor=cast.manager, name="nightly", scopes=["read"], days=days)
    assert codes() == ({"tokens": False} if is_soon else {})


def test_an_installed_version_with_a_known_vulnerability_is_named(listed: Callable[..., None]) -> None:
    held = {"package": "django", "version": version("django"), "id": "PYSEC-1", "fixed": ["9.1"]}
    listed(held, held | {"version": "1.0"}, held | {"package": "a-crow"})
    (found,) = findings()
    assert (found.code, found.is_grave) == ("vulnerable_django", True)
    assert found.said == f"django {version('django')} has a known vulnerability: PYSEC-1."
    assert found.cure == "Update Parable, or install django 9.1."
    assert [one.code for one in installation.warnings()] == ["vulnerable_django"]
    listed(held | {"fixed": []})
    assert "no version without it" in findings()[0].cure


@pytest.mark.parametrize(("days", "is_old"), [(90, False), (91, True)])
def test_a_list_of_vulnerabilities_grows_old(listed: Callable[..., None], days: int, is_old: bool) -> None:
    listed(days=days)
    assert codes() == ({"advisories": False} if is_old else {})


@pytest.mark.parametrize("text", ["", "[]", '{"date": "x"}', '{"date": "2026-11-30", "advisories": [1]}'])
def test_a_list_that_cannot_be_read_is_missed(text: str) -> None:
    installation.ADVISORIES.write_text(text)
    assert codes() == {"advisories": False}


def test_the_role_of_the_tests_owns_tables() -> None:
    assert [one.code for one in installation._owner()] == ["owner"]


def test_grave_findings_end_the_command_with_one(home: Path, settings: Settings) -> None:
    settings.DEBUG = True
    settings.KEY_SECRETS = ()
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("doctor", "--json", stdout=out, stderr=err)
    assert refused.value.returncode == 1
    assert "PARABLE_DEBUG" in err.getvalue()
    said: list[dict[str, Any]] = json.loads(out.getvalue().splitlines()[-1])["findings"]
    assert [(one["code"], one["is_grave"]) for one in said] == [("debug", True), ("key_secrets", False)]
    assert all(one["cure"] for one in said)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_administrators_read_what_is_grave_on_their_first_page(
    cast: Cast, home: Path, client: Client, language: str
) -> None:
    note_backup(home, at=timezone.now() - timedelta(hours=50), archive=home / "parable-1.zip")
    said = {"en": "The newest backup is 50 hours old.", "zh-hans": "最新的备份是 50 小时以前的。"}[language]
    for person, reads in ((make_user("Ada", administrator=True), True), (cast.manager, False)):
        client.force_login(person)
        page = client.get("/", headers={"Accept-Language": language}).content.decode()
        assert (said in page) is reads


def test_a_store_that_takes_no_files_is_grave(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "files").write_text("a file where a folder should be")
    own = {"BACKEND": "config.storage.WholeFileStorage", "OPTIONS": {"location": tmp_path / "files"}}
    settings.STORAGES = settings.STORAGES | {"default": own}
    assert codes() == {"files": True}


def test_a_bucket_that_is_missing_is_grave(settings: Settings, object_store: str) -> None:
    settings.STORAGES = settings.STORAGES | {"default": options_in(object_store, "none", "files")}
    [found] = findings()
    assert (found.code, found.is_grave) == ("files", True)
    assert found.said == "Files cannot be stored: There is no bucket none in the store of files."
