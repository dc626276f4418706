"""Archives of a site: whole or not there, damaged ones refused, nothing overwritten unless asked."""

from __future__ import annotations

import os
import re
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
from config.backup.archive import Manifest, new_archive, newest, open_archive
from config.backup.restore import OURS, check_fit, restore_site
from config.backup.snapshot import remove_older, save_site
from tests.architecture import BASE, STREET
from tests.browser.killable import database_of_this_test
from tests.factories import make_project, make_story

WHEN = datetime(2026, 11, 22, 3, 30, tzinfo=UTC)


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
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)], check=False)
    if mounted.returncode:
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


def test_an_archive_of_a_newer_version_is_refused() -> None:
    known: dict[str, list[str]] = {}
    for app, name in MigrationLoader(None).disk_migrations:
        known.setdefault(app, []).append(name)
    check_fit(Manifest(migrations=known))
    check_fit(Manifest(migrations={"accounts": known["accounts"][:1]}))
    with pytest.raises(BackupError, match=r"newer version of Parable \(it has accounts.9999_later\)"):
        check_fit(Manifest(migrations=known | {"accounts": ["9999_later"]}))


def test_files_take_the_place_of_others_or_leave_them(tmp_path: Path) -> None:
    path, home = _archive(tmp_path / "backup"), tmp_path / "home"
    (home / "files").mkdir(parents=True)
    (home / "files" / "old").write_text("fox")
    with open_archive(path) as archive:
        for is_undone, names in ((True, ["old"]), (False, ["fable"])):
            replacement = files.Replacement(home)
            replacement.take(archive, archive.manifest.files)
            replacement.swap()
            if is_undone:
                replacement.undo()
            replacement.clear()
            assert [each.name for each in (home / "files").iterdir()] == names
    assert not list(home.glob(".restoring*"))


def test_every_folder_that_the_site_writes_to_is_saved() -> None:
    """A new folder of the data folder has to be saved as well, or named here as one that is made again."""
    made_again = {"static", "beat-schedule", "local"}
    sources = [path for app in ("config", *STREET) for path in (BASE / app).rglob("*.py")]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    named = set(re.findall(r'\bHOME\)? / "([a-z-]+)"', texts))
    assert named - made_again == {files.PASSING, files.LASTING}


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
