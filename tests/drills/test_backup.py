"""A site saved while people write, and restored to an empty server: the same rows, releases and people."""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection

from config.backup import tables
from config.backup.archive import open_archive
from config.backup.snapshot import save_site
from core.backups import last_backup
from review.models import Review
from tests.browser.killable import KillableSite, database_of_this_test
from tests.config.programs import wait_until
from tests.drills.crowd import Crowd, steady
from tests.drills.hashes import hashes_of
from tests.drills.site import Browser
from tests.factories import PASSWORD, make_project, make_story, make_user
from tests.release.made import bring, built, grant_rights, records
from tests.restoring import empty_database, manage_on

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

LOOK = """
import json
from django.contrib.auth import authenticate
from corpus.models import Story
from release.models import Release
from release.services import rebuild_release
print(json.dumps({
    "signs_in": authenticate(username="%s", password="%s") is not None,
    "differing": [rebuild_release(release=release).differing for release in Release.objects.all()],
    "stories": Story.objects.count(),
}))
"""


def _done(answer: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert answer.returncode == 0, answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


@pytest.fixture
def empty_server() -> Iterator[str]:
    """The address of a new database without tables."""
    with empty_database() as address:
        yield address


@contextlib.contextmanager
def _somebody_writes(cast: Any) -> Iterator[list[int]]:
    """Write stories, one after the other, from another thread for as long as the block lasts."""
    written: list[int] = []
    is_over = threading.Event()

    def write() -> None:
        try:
            while not is_over.is_set():
                written.append(make_story(cast).pk)
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield written
    finally:
        is_over.set()
        thread.join(timeout=60)


def _triggers(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as line:
        asked = "SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal"
        return sorted(line.execute(asked).fetchall())


def test_it_goes_round_under_load(tmp_path: Path, empty_server: str) -> None:
    cast = make_project()
    bring(cast, records(3))
    grant_rights(cast)
    built(cast)
    ada = make_user("ada")
    ada.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt" * 6, 1000)
    ada.save()
    source, home, restored_home = database_of_this_test(), Path(settings.HOME), tmp_path / "restored"
    with _somebody_writes(cast) as written:
        saved = _done(manage_on(source, home, "backup", str(tmp_path), "--json"))
        noted = last_backup(home)
        assert noted is not None, "the site knows of it"
        assert Path(noted.archive).parent == tmp_path
    assert written
    assert saved["files"] >= 5

    said = manage_on(
        empty_server, restored_home, "restore", str(tmp_path), "--json", PARABLE_SECRET_KEY="k" * 40
    )
    restored = _done(said)
    assert restored["sha256"] == saved["sha256"]
    assert "everyone must sign in again" in said.stderr  # the archive holds no secrets
    look = manage_on(
        empty_server, restored_home, "shell", "--no-imports", "--command", LOOK % (ada.username, PASSWORD)
    )
    seen = _done(look)
    assert (seen["signs_in"], seen["differing"]) == (True, [[]])
    assert 3 <= seen["stories"] <= 3 + len(written)
    assert _triggers(empty_server) == _triggers(source)

    again = tmp_path / "again"
    _done(manage_on(empty_server, restored_home, "backup", str(again), "--json", "--with-secrets"))
    with open_archive(Path(saved["archive"])) as first, open_archive(again) as second:
        kept, members = first.manifest, second.manifest.members
        # what `migrate` and the look itself have written is all that differs
        differing = {name for name, member in kept.members.items() if members[name] != member}
        assert differing <= {f"database/{name}.copy" for name in ("accounts_user", "accounts_auditevent")}
        assert second.manifest.secrets


@contextlib.contextmanager
def _people_work(browser: Browser) -> Iterator[tuple[Crowd, list[threading.Thread]]]:
    """Let three reviewers work a queue dry, and a writer type in the site until they have."""
    crowd = Crowd(people=3, places=600)

    def review() -> None:
        crowd.work_dry(steady)

    def write() -> None:
        while reviewing.is_alive():
            browser.type()

    reviewing = threading.Thread(target=review)
    people = [reviewing, threading.Thread(target=write)]
    for each in people:
        each.start()
    try:
        yield crowd, people
    finally:
        for each in people:
            each.join(timeout=300)


def test_what_is_restored_is_the_snapshot_of_a_site_at_work(
    tmp_path: Path, empty_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = make_project()
    story = make_story(cast)
    bring(cast, records(3))
    grant_rights(cast)
    built(cast)
    source, home, restored_home = database_of_this_test(), Path(settings.HOME), tmp_path / "restored"
    snapshot: dict[str, tuple[int, str]] = {}
    hold = tables.hold

    def witness(line: psycopg.Connection[Any], names: Any) -> None:
        """Have PostgreSQL itself hash the rows that the backup sees, on another connection."""
        hold(line, names)
        (name,) = line.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
        with psycopg.connect(source) as other:
            other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            other.execute(f"SET TRANSACTION SNAPSHOT '{name}'".encode())
            snapshot.update(hashes_of(other))

    monkeypatch.setattr(tables, "hold", witness)
    site, restored_site = KillableSite(home), KillableSite(restored_home, empty_server)
    try:
        site.start()
        browser = Browser(site.port, cast, story)
        with _people_work(browser) as (_crowd, people):
            wait_until(lambda: len(browser.drafts) > 2 and Review.objects.count() > 5, 60)
            archive, _manifest = save_site(source, home, tmp_path)
            assert all(each.is_alive() for each in people), "they worked all the while"
        assert browser.drafts
        assert browser.lost() == []
        with psycopg.connect(source) as line:
            now = hashes_of(line)
        differing = {name.partition("(")[0] for name in now if now[name] != snapshot[name]}
        assert {"review_review", "annotation_itemdraft"} <= differing

        done = manage_on(empty_server, restored_home, "restore", str(archive), "--no-migrate")
        assert done.returncode == 0, done.stderr
        with psycopg.connect(empty_server) as line:
            assert hashes_of(line) == snapshot
        assert _file_hashes(restored_home) == _file_hashes(home) != {}

        restored_site.start()
        browser.move(restored_site.port)  # whose session is among the rows
        assert browser.type(), browser.refusals[-1:]
    finally:
        site.kill()
        restored_site.kill()


def _file_hashes(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.glob("releases/**/*")
        if path.is_file()
    }


def test_an_archive_of_an_older_version_is_restored_and_migrated(tmp_path: Path, empty_server: str) -> None:
    def applied() -> set[tuple[str, str]]:
        with psycopg.connect(empty_server) as line:
            return set(line.execute("SELECT app, name FROM django_migrations").fetchall())

    assert manage_on(empty_server, tmp_path, "migrate", "--verbosity", "0").returncode == 0
    newest = applied()
    back = manage_on(empty_server, tmp_path, "migrate", "evaluation", "zero", "--verbosity", "0")
    assert back.returncode == 0, back.stderr
    older = applied()
    assert older < newest
    _done(manage_on(empty_server, tmp_path, "backup", str(tmp_path), "--json"))
    _done(manage_on(empty_server, tmp_path, "restore", str(tmp_path), "--json", "--replace"))
    assert applied() == newest
