"""Archives of a site: whole or not there, damaged ones refused, nothing overwritten unless asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.backup import BackupError, files
from config.backup import tables as rows
from config.backup.archive import Origin, new_archive, newest, open_archive
from config.backup.check import OURS, check_fit, layout_of
from config.backup.manifest import Manifest
from config.backup.restore import restore_site
from config.backup.snapshot import remove_older, save_site
from tests.architecture import BASE, STREET
from tests.browser.killable import database_of_this_test
from tests.config.programs import wait_until
from tests.factories import make_project, make_story

OTHERS = (
    "FROM pg_stat_activity WHERE datname = current_database() AND usesysid IS NOT NULL"
    " AND pid NOT IN (pg_backend_pid(), %s)"
)
WHEN = datetime(2026, 11, 22, 3, 30, tzinfo=UTC)


@pytest.fixture
def _alone(transactional_db: None) -> None:
    """End what servers and threads of earlier tests keep open; a restore would refuse it."""
    connection.ensure_connection()
    ours = connection.connection.info.backend_pid
    with psycopg.connect(database_of_this_test(), autocommit=True) as asking:
        asking.execute(f"SELECT pg_terminate_backend(pid) {OTHERS}", [ours])
        wait_until(lambda: asking.execute(f"SELECT count(*) {OTHERS}", [ours]).fetchone() == (0,))


def _archive(folder: Path) -> Path:
    with new_archive(folder, WHEN) as (path, writer, manifest):
        writer.add("files/fable", [b"crow " * 1000])
        manifest.files.append("files/fable")
    return path


def test_it_appears_whole_and_for_its_owner_only(tmp_path: Path) -> None:
    path = _archive(tmp_path / "new")
    assert path.name == "parable-2026-11-22T033000Z.zip"
    assert path.stat().st_mode & 0o777 == 0o600
    with open_archive(tmp_path / "new") as archive:
        assert archive.path == path
        assert b"".join(archive.chunks("files/fable")) == b"crow " * 1000
        assert archive.manifest.members["files/fable"].bytes == 5000
    assert zipfile.ZipFile(path).testzip() is None  # any program opens it


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.9999])
def test_a_flipped_bit_anywhere_is_refused(tmp_path: Path, share: float) -> None:
    path = _archive(tmp_path)
    data = bytearray(path.read_bytes())
    data[int(share * len(data))] ^= 1
    path.write_bytes(data)
    with pytest.raises(BackupError, match="is damaged"), open_archive(path):
        pass


@pytest.mark.parametrize("length", [0, 10, 64, -1, -100])
def test_a_part_of_an_archive_is_refused(tmp_path: Path, length: int) -> None:
    path = _archive(tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(BackupError, match="is damaged"), open_archive(path):
        pass


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "parable-x.zip"):
        with pytest.raises(BackupError, match=f"There is no backup .*{place.name}"), open_archive(place):
            pass


def test_nothing_half_is_left_behind(tmp_path: Path) -> None:
    def interrupted() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), new_archive(tmp_path, WHEN) as (_path, writer, _manifest):
        writer.add("files/fable", interrupted())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_half_archive(tmp_path: Path) -> None:
    mount = [shutil.which("mount") or "false", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("only root may make a small disk")
    try:
        with (
            pytest.raises(OSError, match="No space left"),
            new_archive(tmp_path, WHEN) as (_path, writer, _m),
        ):
            writer.add("files/fable", (os.urandom(1000) for _number in range(1000)))
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_what_a_killed_backup_left_is_cleared_and_a_running_one_is_not(tmp_path: Path) -> None:
    left = tmp_path / ".parable-2026-01-01T000000Z.zip.part"
    left.touch()
    with new_archive(tmp_path, WHEN):
        assert not left.exists()
        with pytest.raises(BackupError, match="started in the same second"):
            _archive(tmp_path)
    assert newest(tmp_path).exists()


def test_it_keeps_the_newest(tmp_path: Path) -> None:
    for day in range(1, 6):
        (tmp_path / f"parable-2026-11-0{day}T000000Z.zip").touch()
    (tmp_path / "another.zip").touch()
    remove_older(tmp_path, 2)
    assert sorted(path.name[16:18] for path in tmp_path.glob("parable*")) == ["04", "05"]
    assert (tmp_path / "another.zip").exists()


def _known_migrations() -> dict[str, list[str]]:
    known: dict[str, list[str]] = {}
    for app, name in MigrationLoader(None).disk_migrations:
        known.setdefault(app, []).append(name)
    return known


def test_an_archive_of_a_newer_version_is_refused() -> None:
    known = _known_migrations()
    check_fit(Manifest(migrations=known))
    with pytest.raises(BackupError, match=r"newer version of Parable \(it has accounts.9999_later\)"):
        check_fit(Manifest(migrations=known | {"accounts": ["9999_later"]}))


def test_an_archive_of_an_older_version_is_accepted_if_its_migrations_are_whole() -> None:
    known = _known_migrations()
    older = {app: names for app, names in known.items() if app not in ("evaluation", "dashboard")}
    older["jobs"] = ["0001_initial"]
    check_fit(Manifest(migrations=older))
    gone = {"jobs_idempotencykey"}
    assert set(layout_of(older).tables) - gone < set(layout_of(known).tables)
    with pytest.raises(BackupError, match=r"does not list the migration accounts.0001_initial"):
        check_fit(Manifest(migrations=known | {"accounts": ["0002_rules"]}))


@pytest.mark.django_db
def test_the_layout_of_a_database_is_known_without_one() -> None:
    """`--check` holds archives against it, and connects to nothing."""
    layout = layout_of(_known_migrations())
    with psycopg.connect(database_of_this_test()) as line:
        assert layout.tables == {name: set(columns) for name, (columns, _key) in rows.tables(line).items()}
        assert layout.sequences == set(rows.sequences(line))


NAMES = {
    "files/fable": True, "files/uploads/a b/0": True, "releases/ab/abcd": True, "files/狐狸": True,
    "files/.hidden": True, f"files/{'a' * 255}": True, "files/a..b": True,
    f"files/{'a' * 256}": False, "files/a" + "/b" * 600: False,
    "files": False, "files/": False, "": False, "/": False, "fable": False, "secret_key": False,
    "local/fable": False, "manifest.json": False, "database/accounts_user.copy": False,
    "../fable": False, "files/../fable": False, "files/..": False, "files/a/../../../fable": False,
    "/fable": False, "//files/fable": False, "./files/fable": False, "files/./fable": False,
    "files//fable": False, "files/fable/": False, "files\\fable": False, "files/..\\fable": False,
    "files/a\x00b": False, "files/a\nb": False, "files/\ud800": False, "Files/fable": False,
    "files/.part-restoring-x/0": False, "files/a/.part-b": False, "c:/files/fable": False,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_only_names_below_the_two_folders_are_names_of_files(name: str) -> None:
    assert files.is_name(name) is NAMES[name]


def test_a_file_in_whose_place_something_else_is_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "home" / "files" / "folder").mkdir(parents=True)
    (tmp_path / "home" / "files" / "file").touch()
    (tmp_path / "home" / "files" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "home" / "releases").symlink_to(tmp_path / "outside")  # the operator's own: another disk
    files.check_names(["files/new/fable", "files/file", "releases/ab/abcd"], tmp_path / "home")
    for names in (
        ["files/folder"], ["files/file/fable"], ["files/link/fable"], ["files/link"],
        ["files/a", "files/a/b"],
    ):  # fmt: skip
        with pytest.raises(BackupError, match="cannot be put in place"):
            files.check_names(names, tmp_path / "home")


def _contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def test_files_take_the_place_of_others_or_leave_them(tmp_path: Path) -> None:
    path, home = _archive(tmp_path / "backup"), tmp_path / "home"
    (home / "files" / "older").mkdir(parents=True)
    (home / "files" / "older" / "old").write_text("fox")
    for is_undone in (True, False):
        with open_archive(path) as archive:
            replacement = files.Replacement(home)
            replacement.take(archive, archive.manifest.files)
            replacement.take_text("secret_key", "k" * 50)
            assert set(_contents(home)) >= {"files/older/old"}
            replacement.add()
            assert set(_contents(home)) >= {"files/older/old", "files/fable"}  # both sites are whole
            if is_undone:
                replacement.undo()
            else:
                assert replacement.finish() == []
            replacement.clear()
        if is_undone:
            assert _contents(home) == {"files/older/old": "fox"}
    assert _contents(home) == {"files/fable": "crow " * 1000, "secret_key": "k" * 50}
    assert not (home / "files" / "older").exists()
    assert (home / "files" / "fable").stat().st_mode & 0o777 == 0o600


def test_a_damaged_file_is_replaced_only_once_the_database_is_restored(tmp_path: Path) -> None:
    path, home = _archive(tmp_path / "backup"), tmp_path / "home"
    (home / "files").mkdir(parents=True)
    (home / "files" / "fable").write_text("crow crew")
    with open_archive(path) as archive:
        replacement = files.Replacement(home)
        replacement.take(archive, archive.manifest.files)
        replacement.add()
        assert (home / "files" / "fable").read_text() == "crow crew"
        replacement.finish()
        replacement.clear()
    assert _contents(home) == {"files/fable": "crow " * 1000}


def test_what_a_killed_restore_has_written_is_cleared_and_never_saved(tmp_path: Path) -> None:
    left = tmp_path / "files" / ".part-restoring-abc"
    left.mkdir(parents=True)
    (left / "0").write_text("half")
    with new_archive(tmp_path / "backup", WHEN) as (_path, writer, _manifest):
        assert files.save(tmp_path, "files", writer) == []
    files.Replacement(tmp_path)
    assert not left.exists()


def test_it_says_who_signed_an_archive(tmp_path: Path) -> None:
    for number, (secret, origins) in enumerate(
        {"": "unsigned unsigned", "k" * 50: "own other", "other" * 10: "other own"}.items()
    ):
        with new_archive(tmp_path / str(number), WHEN, secret) as (path, writer, manifest):
            writer.add("files/fable", [b"crow"])
            manifest.files.append("files/fable")
        with open_archive(path) as archive:
            found = [archive.origin(key) for key in ("k" * 50, "other" * 10)]
            assert " ".join(found) == origins
            assert archive.origin("") in (Origin.OTHER, Origin.UNSIGNED)
        assert zipfile.ZipFile(path).testzip() is None


def test_every_folder_that_the_site_writes_to_is_saved() -> None:
    """A new folder of the data folder has to be saved as well, or named here as one that is made again."""
    made_again = {"static", "beat-schedule", "local"}
    sources = [path for app in ("config", *STREET) for path in (BASE / app).rglob("*.py")]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    named = set(re.findall(r'\bHOME\)? / "([a-z-]+)"', texts))
    assert named - made_again == {files.PASSING, files.LASTING}


@pytest.mark.usefixtures("_alone")
@pytest.mark.django_db(transaction=True)
def test_rows_are_those_of_one_moment(tmp_path: Path) -> None:
    """Stories written while tables are copied are in none of them."""
    cast = make_project()
    make_story(cast)
    before = _counts()
    steps: list[str] = []

    def write(step: str) -> None:
        steps.append(step)
        if "/" in step and len(steps) < 40:
            make_story(cast)

    path, manifest = save_site(database_of_this_test(), tmp_path / "home", tmp_path, progress=write)
    assert path.exists()
    assert {table.name: table.rows for table in manifest.tables} == before
    assert _counts()["corpus_story"] > before["corpus_story"] + 5


def _counts() -> dict[str, int]:
    names = connection.introspection.table_names()
    with connection.cursor() as cursor:
        return {name: cursor.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


@pytest.mark.usefixtures("_alone")
@pytest.mark.django_db(transaction=True)
def test_a_site_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    make_project()
    path, _manifest = save_site(database_of_this_test(), tmp_path / "home", tmp_path)
    before = _counts()
    with open_archive(path) as archive:
        with pytest.raises(BackupError, match="There is already a site"):
            restore_site(archive, tmp_path / "home", replace=False)
        with psycopg.connect(database_of_this_test()), pytest.raises(BackupError, match="1 other connection"):
            restore_site(archive, tmp_path / "home", replace=True)
    assert _counts() == before


@pytest.mark.usefixtures("_alone")
@pytest.mark.django_db(transaction=True)
def test_tables_of_another_program_are_never_dropped(tmp_path: Path) -> None:
    path, _manifest = save_site(database_of_this_test(), tmp_path / "home", tmp_path)
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {OURS} RENAME TO another")
        try:
            with open_archive(path) as archive, pytest.raises(BackupError, match="tables of another program"):
                restore_site(archive, tmp_path / "home", replace=True)
        finally:
            cursor.execute(f"ALTER TABLE another RENAME TO {OURS}")
