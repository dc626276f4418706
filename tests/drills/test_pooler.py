"""A site behind pgbouncer in transaction mode: processes read their own rows, and a batch comes out whole."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Final

import psycopg
import pytest
from django.core.cache import cache
from django.db import connection
from pytest_django import Settings

from benchmarks.batch import start_batch, wait_for_end, wait_for_workers
from benchmarks.hands import Stub
from config.backup import BackupError, idleness
from config.backup.archive import open_archive
from config.backup.restore import restore_site
from config.backup.snapshot import save_site
from jobs.models import Call, CallState
from jobs.services import show_presence
from projects.models import Project
from tests.architecture import BASE
from tests.browser.killable import database_of_this_test
from tests.config.programs import free_port, wait_until
from tests.drills.proxy import Cut, Proxy
from tests.drills.site import Browser, Site, database_address, redis_address, settings_through
from tests.drills.test_seen import Visitor, web_alone
from tests.factories import make_project, make_story

pytestmark = [
    pytest.mark.drill,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not shutil.which("pgbouncer"), reason="there is no pgbouncer here"),
]

CONFIGURATION: Final = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
logfile = {log}
"""
"""Two connections for all processes; whatever a session would keep is met by another one."""

# Django is set up once, as before a server forks its processes: their cursors have the same names.
FORKED: Final = """
import json, os, sys, time
import django
django.setup()
from django.db import connection
from corpus.models import Story
made = []
for part in range(2):
    reads, writes = os.pipe()
    if os.fork() == 0:
        seen = []
        for number in Story.objects.filter(pk__gte=0).extra(where=["id %% 2 = %s"], params=[part]) \\
                .order_by("pk").values_list("pk", flat=True).iterator(chunk_size=5):
            seen.append(number)
            time.sleep(0.02)
        os.write(writes, json.dumps(seen).encode())
        os._exit(0)
    os.close(writes)
    made.append(reads)
print(json.dumps([json.loads(os.fdopen(one).read() or "[]") for one in made]))
"""
"""Prints the ids that each of two processes read: one asked for the even ones, the other for the odd ones."""


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Yield the settings of a site that reaches the test's database through pgbouncer."""
    parts = connection.settings_dict
    with _pooler(tmp_path, parts["HOST"], parts["PORT"] or 5432) as settings:
        yield settings


@contextmanager
def _pooler(tmp_path: Path, host: str, port: int | str) -> Iterator[dict[str, str]]:
    listen = free_port()
    folder = tmp_path / "pooler"
    folder.mkdir()
    said = {"host": host, "port": port, "user": connection.settings_dict["USER"]}
    file = folder / "pgbouncer.ini"
    file.write_text(CONFIGURATION.format(**said, listen=listen, log=folder / "log"), encoding="utf-8")
    as_root = ["--user=nobody"] if os.geteuid() == 0 else []
    for one in (*tmp_path.parents, tmp_path, folder) if as_root else ():
        if str(one).startswith("/tmp/"):  # noqa: S108 - pytest's own folders, which nobody may not enter
            one.chmod(one.stat().st_mode | 0o755)
    (folder / "log").touch()
    (folder / "log").chmod(0o666)
    process = subprocess.Popen(
        ["pgbouncer", "--quiet", *as_root, str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: "process up" in (folder / "log").read_text(encoding="utf-8"), 30)
        with Proxy(redis_address()[0]) as redis:
            owner = settings_through(0, redis.port) | {"DATABASE_OWNER_URL": os.environ["DATABASE_URL"]}
            yield owner | settings_through(listen, redis.port) | {"PARABLE_POOLER": "True"}
    finally:
        process.terminate()
        process.wait(30)


def test_forked_processes_read_their_own_rows(pooled: dict[str, str]) -> None:
    cast = make_project()
    stories = {make_story(cast).pk for _each in range(60)}
    env = os.environ | pooled | {"PARABLE_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", FORKED],
        cwd=BASE,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    even, odd = (set(one) for one in json.loads(done.stdout.splitlines()[-1]))
    assert even == {number for number in stories if number % 2 == 0}
    assert odd == {number for number in stories if number % 2}


def test_a_restore_does_not_mind_what_a_pooler_keeps_and_minds_who_works(
    pooled: dict[str, str], tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project()
    home, address = tmp_path / "home", pooled["DATABASE_URL"]
    path, _manifest = save_site(database_of_this_test(), home, tmp_path)
    monkeypatch.setattr(idleness, "PRESENCE_SECONDS", 1.0)
    settings.POOLER = True
    cache.clear()

    def restore() -> None:
        with open_archive(path) as archive:
            restore_site(archive, home, replace=True, migrate=False)

    with psycopg.connect(address) as client:
        client.execute("SELECT 1")  # in a transaction, as a process at work is
        with pytest.raises(BackupError, match="1 other connection"):
            restore()
    settings.POOLER = False
    with pytest.raises(BackupError, match=r"\d+ other connection"):  # the pooler keeps them for minutes
        restore()

    settings.POOLER = True
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(0.2):
            show_presence(["llm"])

    show_presence(["llm"])
    worker = threading.Thread(target=work)
    worker.start()
    with pytest.raises(BackupError, match="workers of the site are running"):
        restore()
    is_over.set()
    worker.join()
    restore()  # it has stopped, as all of the site
    assert Project.objects.count() == 1


def test_a_site_works_and_a_batch_comes_out_whole(pooled: dict[str, str], tmp_path: Path) -> None:
    cast = make_project()
    story = make_story(cast)
    with ExitStack() as stack:
        stub = stack.enter_context(Stub(latency=0.2, hang_seconds=60, seed=5, rates={}))
        site = stack.enter_context(Site(tmp_path / "var", pooled | {"PARABLE_LLM_WORKERS": "8"}))
        browser = Browser(site.port, cast, story)
        wait_until(lambda: browser.look() == 200, 120)
        wait_for_workers(120)
        job_id = start_batch(stub, stories=20, timeout=30).job_id
        for _each in range(20):
            assert browser.type()
        wait_for_end(job_id, 240)
    assert Counter(Call.objects.filter(job=job_id).values_list("state", flat=True)) == {CallState.DONE: 80}
    assert len(browser.drafts) == 20
    assert not browser.lost()
    assert "prepared statement" not in site.said()


def test_a_pooler_whose_server_is_gone_is_not_ready(tmp_path: Path) -> None:
    """The pooler itself accepts connections all the time."""
    cuts: tuple[Cut, ...] = ("refuse", "hang", "reset")
    with (
        Proxy(database_address()) as server,
        _pooler(tmp_path, "127.0.0.1", server.port) as pooled,
        web_alone(tmp_path / "var", pooled) as port,
    ):
        wait_until(lambda: _ready(port) == 200, 120)
        for how in cuts:
            server.cut(how)
            wait_until(lambda: _ready(port) == 503, 60)
            assert Visitor(port).ask("GET", "/livez")[0] == 200
            server.mend()
            wait_until(lambda: _ready(port) == 200, 60)


def _ready(port: int) -> int:
    with suppress(OSError, HTTPException):
        return Visitor(port).ask("GET", "/readyz")[0]
    return 0
