"""Wrong archives with a right seal: each is refused in a sentence, and the site is as it was."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import signal
import stat
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from config.backup import BackupError, commands, files
from config.backup.archive import open_archive
from config.backup.restore import restore_site
from config.backup.snapshot import save_site
from tests.architecture import BASE
from tests.browser.killable import database_of_this_test
from tests.config.programs import environment
from tests.factories import make_project
from tests.release.made import bring, records
from tests.services import SETTINGS

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

BLANK = b"0" * 64
STORY, PERSON, APPLIED = "corpus_story", "accounts_user", "django_migrations"


@dataclass
class Draft:
    """An archive in pieces, to be put together again with hashes, numbers and a seal that fit."""

    manifest: dict[str, Any]
    members: dict[str, bytes]
    folder: Path
    modes: dict[str, int] = field(default_factory=dict)
    more: list[tuple[str, bytes]] = field(default_factory=list)
    text: bytes | None = None
    comment: bytes = b""
    keeps_hashes: bool = False

    @classmethod
    def of(cls, path: Path, folder: Path) -> Draft:
        """Take an archive apart; `folder` is that of the test."""
        with zipfile.ZipFile(path) as file:
            members = {name: file.read(name) for name in file.namelist()}
        return cls(json.loads(members.pop("manifest.json")), members, folder)

    def rows(self, table: str) -> list[list[str]]:
        """Return the values of a table as they are written."""
        text = self.members[f"database/{table}.copy"].decode()
        return [line.split("\t") for line in text.splitlines()]

    def write_rows(self, table: str, rows: list[list[str]]) -> None:
        """Put other rows into a table."""
        text = "".join("\t".join(values) + "\n" for values in rows)
        self.members[f"database/{table}.copy"] = text.encode()
        self.table(table)["rows"] = len(rows)

    def table(self, name: str) -> dict[str, Any]:
        """Return what the list of contents says of a table."""
        found: dict[str, Any] = next(each for each in self.manifest["tables"] if each["name"] == name)
        return found

    def column(self, table: str, name: str) -> int:
        """Return the place of a column in the rows of its table."""
        place: int = self.table(table)["columns"].index(name)
        return place

    def add_file(self, name: str, content: bytes = b"crow") -> None:
        """Add a file that the list of contents names."""
        self.members[name] = content
        self.manifest["files"].append(name)

    def write(self, path: Path) -> Path:
        """Write it with a right seal."""
        if not self.keeps_hashes and isinstance(self.manifest.get("members"), dict):
            self.manifest["members"] = {
                name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                for name, content in self.members.items()
            }
        text = self.text if self.text is not None else json.dumps(self.manifest).encode()
        with (
            warnings.catch_warnings(action="ignore"),  # of a name that is there twice
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        ):
            for name, content in [*self.members.items(), *self.more, ("manifest.json", text)]:
                info = zipfile.ZipInfo(name)
                info.external_attr = self.modes.get(name, stat.S_IFREG | 0o600) << 16
                file.writestr(info, content, compress_type=zipfile.ZIP_DEFLATED)
            file.comment = self.comment + BLANK
        with path.open("r+b") as written:
            seal = hashlib.sha256(written.read()).hexdigest()
            written.seek(-64, os.SEEK_END)
            written.write(seal.encode())
        return path


def _without_table(draft: Draft, name: str) -> None:
    draft.manifest["tables"].remove(draft.table(name))
    del draft.members[f"database/{name}.copy"]


def _with_nothing(draft: Draft) -> None:
    draft.manifest.update(tables=[], files=[])
    draft.members.clear()


def _without_member(draft: Draft) -> None:
    draft.keeps_hashes = True
    del draft.members[f"database/{STORY}.copy"]


def _with_member_unlisted(draft: Draft) -> None:
    draft.keeps_hashes = True
    draft.members["files/unlisted"] = b"crow"


def _with_other_content(draft: Draft) -> None:
    draft.keeps_hashes = True
    draft.members["files/kept"] = b"cork " * 100


def _with_longer_content(draft: Draft) -> None:
    draft.keeps_hashes = True
    draft.members["files/kept"] += b"!"


def _with_strange_table(draft: Draft) -> None:
    draft.manifest["tables"].append(
        {"name": "strangers", "columns": ["id"], "rows": 0, "member": "database/strangers.copy"}
    )
    draft.members["database/strangers.copy"] = b""


def _with_table_twice(draft: Draft) -> None:
    draft.manifest["tables"].append(draft.table(STORY))


def _with_table_elsewhere(draft: Draft) -> None:
    draft.table(STORY)["member"] = "files/kept"


def _with_fewer_columns(draft: Draft) -> None:
    draft.table(STORY)["columns"].pop()


def _with_column_twice(draft: Draft) -> None:
    columns = draft.table(STORY)["columns"]
    columns[-1] = columns[0]


def _with_other_number_of_rows(draft: Draft) -> None:
    draft.table(STORY)["rows"] += 1


def _with_short_row(draft: Draft) -> None:
    rows = draft.rows(STORY)
    draft.write_rows(STORY, [*rows[:-1], rows[-1][:-1]])


def _with_half_a_row(draft: Draft) -> None:
    draft.members[f"database/{STORY}.copy"] = draft.members[f"database/{STORY}.copy"].rstrip(b"\n")


def _with_bad_value(draft: Draft) -> None:
    rows = draft.rows(STORY)
    rows[0][draft.column(STORY, "id")] = "crow"
    draft.write_rows(STORY, rows)


def _with_bad_encoding(draft: Draft) -> None:
    member = f"database/{STORY}.copy"
    draft.members[member] = draft.members[member].replace(b"\n", b"\xff\n", 1)


def _with_broken_reference(draft: Draft) -> None:
    rows = draft.rows(STORY)
    rows[0][draft.column(STORY, "project_id")] = "987654"
    draft.write_rows(STORY, rows)


def _with_early_end(draft: Draft) -> None:
    rows = draft.rows(STORY)
    rows[1] = ["\\."]
    rows[0] += [""] * (len(rows[0]) - 1)  # as many separators as before
    draft.write_rows(STORY, rows)


def _with_constraint_broken(draft: Draft) -> None:
    rows = draft.rows("projects_project")
    rows[0][draft.column("projects_project", "options_per_item")] = "-3"
    draft.write_rows("projects_project", rows)


def _with_unknown_secret(draft: Draft) -> None:
    _with_secrets(draft, {"PARABLE_SECRET_KEY": "k" * 50, "DATABASE_URL": "postgres://elsewhere"})


def _with_secret_of_two_lines(draft: Draft) -> None:
    _with_secrets(draft, {"PARABLE_KEY_SECRETS": "k" * 50 + "\nDATABASE_URL=postgres://elsewhere"})


def _with_secret_of_another_site(draft: Draft) -> None:
    draft.manifest["fingerprints"]["PARABLE_SECRET_KEY"] = ["0" * 16]
    _with_secrets(draft, {"PARABLE_SECRET_KEY": "k" * 50})


def _with_secrets(draft: Draft, saved: object) -> None:
    draft.manifest["secrets"] = "secrets.json"
    draft.members["secrets.json"] = json.dumps(saved).encode()


def _with_secrets_elsewhere(draft: Draft) -> None:
    draft.manifest["secrets"] = "../secrets.json"
    draft.members["../secrets.json"] = b"{}"


def _with_migration_missing(draft: Draft) -> None:
    draft.manifest["migrations"]["accounts"].remove("0001_initial")


def _with_row_of_migration_missing(draft: Draft) -> None:
    draft.write_rows(APPLIED, draft.rows(APPLIED)[:-1])


def _with_name_twice(draft: Draft) -> None:
    draft.text = json.dumps(draft.manifest).encode().replace(b"{", b'{"format": 1, ', 1)


def _with_number_of_bytes(draft: Draft) -> None:
    draft.keeps_hashes = True
    draft.manifest["members"]["files/kept"]["bytes"] = -1


def _with_signature_wrong(draft: Draft) -> None:
    draft.comment = b"a" * 64


def _set(*path: str | int, to: object) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        place: Any = draft.manifest
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


def _file(name: str) -> Callable[[Draft], None]:
    return lambda draft: draft.add_file(name.format(outside=draft.folder / "outside"))


def _text(text: bytes) -> Callable[[Draft], None]:
    return lambda draft: setattr(draft, "text", text)


def _mode(mode: int) -> Callable[[Draft], None]:
    return lambda draft: draft.modes.update({"files/kept": mode})


def _drop(*path: str) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        place: Any = draft.manifest
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return change


KINDS: dict[str, tuple[Callable[[Draft], None], str]] = {
    "no tables": (_set("tables", to={}), '"tables"'),
    "an empty list of tables": (_set("tables", to=[]), "members: database/"),
    "no tables and no members": (_with_nothing, "is missing"),
    "nothing but no migrations": (_set("migrations", to={}), "does not contain a site"),
    "a table left out": (lambda d: _without_table(d, STORY), f"not complete: {STORY} is missing"),
    "a table of nobody": (_with_strange_table, "contains strangers, which"),
    "a table twice": (_with_table_twice, "members: database/corpus_story.copy"),
    "a table in a file's place": (_with_table_elsewhere, f"tables: {STORY}"),
    "a column left out": (_with_fewer_columns, f"The table {STORY} .* differs"),
    "a column twice": (_with_column_twice, '"tables"'),
    "a table with a name of SQL": (_set("tables", 0, "name", to='x"; DROP TABLE y'), '"tables"'),
    "a number of rows": (_with_other_number_of_rows, f"{STORY} .* does not have the [0-9]+ rows"),
    "rows below nothing": (_set("tables", 0, "rows", to=-1), '"tables"'),
    "a row without its last value": (_with_short_row, f"{STORY} .* does not have"),
    "half a row": (_with_half_a_row, f"{STORY} .* does not have"),
    "a word for a number": (_with_bad_value, "invalid input syntax .*crow"),
    "bytes that are no text": (_with_bad_encoding, "does not have the [0-9]+ rows"),
    "a reference to nobody": (_with_broken_reference, "violates foreign key"),
    "a value that a rule refuses": (_with_constraint_broken, "violates check constraint"),
    "rows that end early": (_with_early_end, "corpus_story|extra data|end-of-copy"),
    "a sequence left out": (_drop("sequences", "corpus_story_id_seq"), "corpus_story_id_seq is missing"),
    "a sequence of nobody": (_set("sequences", "crow_seq", to=[1, True]), "contains crow_seq, which"),
    "a sequence at nothing": (_set("sequences", "corpus_story_id_seq", to=[0, True]), '"sequences"'),
    "a migration left out": (_with_migration_missing, "does not list the migration accounts.0001_initial"),
    "a migration of the future": (_set("migrations", "accounts", to=["9999_later"]), "newer version"),
    "other migrations in the rows": (_with_row_of_migration_missing, "does not have the migrations"),
    "a member left out": (_without_member, "corpus_story.copy must be in this"),
    "a member that is not listed": (_with_member_unlisted, "files/unlisted must be in this"),
    "a member twice": (lambda d: d.more.append(("files/kept", b"cork")), "files/kept must be in this"),
    "two lists of contents": (lambda d: d.more.append(("manifest.json", b"{}")), "manifest.json must be in"),
    "other content": (_with_other_content, "files/kept .* size or hash is not"),
    "more content": (_with_longer_content, "files/kept .* size or hash is not"),
    "a size below nothing": (_with_number_of_bytes, '"members"'),
    "a file beside the folder": (_file("../outside/crow"), "would not be in the folder"),
    "a file over the signing key": (_file("files/../secret_key"), "would not be in the folder"),
    "a file over the signing key itself": (_file("secret_key"), "would not be in the folder"),
    "a file at an absolute path": (_file("{outside}/crow"), "would not be in the folder"),
    "a file deep below and above": (_file("files/a/../../../outside/crow"), "would not be in the folder"),
    "a file of the local servers": (_file("local/crow"), "would not be in the folder"),
    "a file with a backslash": (_file("files\\..\\..\\outside\\crow"), "would not be in the folder"),
    "a file through a link": (_file("files/link/crow"), "cannot be put in place"),
    "a file in the place of a folder": (_file("files/folder"), "cannot be put in place"),
    "a file below a file": (_file("files/kept/crow"), "cannot be put in place"),
    "a file with a name of 300 letters": (_file("files/" + "a" * 300), "would not be in the folder"),
    "a file with a line break": (_file("files/a\nb"), '"files"'),
    "a file that is a link": (_mode(stat.S_IFLNK | 0o777), "files/kept .* not a plain file"),
    "a file that runs as its owner": (_mode(stat.S_IFREG | 0o4755), "files/kept .* not a plain file"),
    "an unknown secret": (_with_unknown_secret, "does not have the secrets of a site"),
    "a secret of two lines": (_with_secret_of_two_lines, "does not have the secrets of a site"),
    "a secret of another site": (_with_secret_of_another_site, "does not have the secrets of a site"),
    "secrets that are a list": (lambda d: _with_secrets(d, ["k" * 50]), "does not have the secrets"),
    "secrets elsewhere": (_with_secrets_elsewhere, '"secrets"'),
    "a list of contents that is a list": (_text(b"[]"), '"manifest.json"'),
    "a list of contents without end": (_text(b'{"format": 1'), "cannot be read"),
    "a list of contents of a million brackets": (_text(b"[" * 1_000_000), "cannot be read"),
    "a list of contents of 8 MB": (_text(b" " * 8_000_000), "is not a backup of Parable"),
    "a name twice": (_with_name_twice, "cannot be read"),
    "a number that is none": (_set("postgresql", to=float("nan")), "cannot be read"),
    "no date": (_set("made_at", to="\x1b[2J"), '"made_at"'),
    "an unknown field": (_set("command", to="rm"), '"command"'),
    "a field left out": (_drop("sequences"), '"sequences"'),
    "a format of the future": (_set("format", to=2), "newer version"),
    "a format that is a word": (_set("format", to="1"), '"format"'),
    "a signature that is not ours": (_with_signature_wrong, "The signature of this backup is wrong"),
}  # fmt: skip
THROUGH_THE_COMMAND = ("a file over the signing key", "a reference to nobody")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a site with stories, people and files; one of its folders is a link to outside."""
    # A server that a test in a browser has left in this process keeps its connections, and none may be there.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL"
        )
    bring(make_project(), records(2))
    home, outside = tmp_path / "home", tmp_path / "outside"
    (home / "files" / "folder").mkdir(parents=True)
    (home / "releases" / "ab").mkdir(parents=True)
    (home / "files" / "folder" / "upload").write_text("fox")
    (home / "files" / "kept").write_text("crow " * 100)
    (home / "releases" / "ab" / "abcd").write_text("release")
    (home / "secret_key").write_text("s" * 50)
    outside.mkdir()
    (outside / "own").write_text("of somebody else")
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    monkeypatch.setenv("PARABLE_SECRET_KEY", "s" * 50)
    monkeypatch.setenv("PARABLE_KEY_SECRETS", "t" * 50)
    return home


def _tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
        if "archives" not in path.parts
    }


def _members(home: Path, folder: Path) -> dict[str, Any]:
    """Return what a backup of the site holds now: the hash of each table and of each file."""
    path, manifest = save_site(database_of_this_test(), home, folder / "archives" / secrets.token_hex(4))
    path.unlink()
    return {"members": manifest.members, "sequences": manifest.sequences, "files": manifest.files}


def _counts() -> dict[str, int]:
    names = connection.introspection.table_names()
    with connection.cursor() as cursor:
        return {name: cursor.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def _manage(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"}
    named |= {"REDIS_URL": os.environ["REDIS_URL"], "DATABASE_URL": database_of_this_test()}
    named |= {"PARABLE_SECRET_KEY": "s" * 50, "PARABLE_LOCAL_SERVERS": "False"}
    return subprocess.run(
        [sys.executable, str(BASE / "manage.py"), *arguments],
        env=environment(home, **(named | more)), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def _refusal(run: Callable[[], object]) -> str:
    try:
        run()
    except BackupError as error:
        return str(error)
    return "it was not refused"


def test_no_wrong_archive_changes_a_site(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, _manifest = save_site(database_of_this_test(), site, tmp_path / "archives" / "good")
    (site / "files" / "link").symlink_to(tmp_path / "outside")
    options = commands.read_restore([str(tmp_path / "archives" / "wrong.zip"), "--replace"])
    checked = commands.read_restore([str(options.place), "--check"])
    members, counts, tree = _members(site, tmp_path), _counts(), _tree(tmp_path)
    assert len(KINDS) >= 40
    wrong = []
    for kind, (change, sentence) in KINDS.items():
        draft = Draft.of(good, tmp_path)
        change(draft)
        draft.write(options.place)
        said = _refusal(lambda: commands.run_restore(options, site))
        if not re.search(sentence, said) or not said.isprintable() or len(said) > 600:
            wrong.append(f"{kind}: {said!r}")
        # All but what only the database can know is known before.
        if "PostgreSQL" not in said and _refusal(lambda: commands.run_check(checked, site, "s" * 50)) != said:
            wrong.append(f"{kind}: not found by --check")
        if _counts() != counts or _tree(tmp_path) != tree:
            wrong.append(f"{kind}: the site has changed")
        if kind in THROUGH_THE_COMMAND:
            connection.close()
            answer = _manage(site, "restore", str(options.place), "--replace")
            if answer.returncode != 2 or answer.stderr.strip() != said or answer.stdout:
                wrong.append(f"{kind}: {answer.returncode} {answer.stderr}")
    assert not wrong, "\n".join(wrong)
    assert _members(site, tmp_path) == members
    assert _tree(tmp_path) == tree
    (site / "files" / "link").unlink()
    capsys.readouterr()
    Draft.of(good, tmp_path).write(options.place)  # without a change it can be restored
    commands.run_restore(options, site)
    assert "It is not signed" in capsys.readouterr().out
    commands.run_check(commands.read_restore([str(good), "--check"]), site, "s" * 50)
    assert "It is signed by this site" in capsys.readouterr().out
    assert _members(site, tmp_path) == members


def _stop(*_arguments: object, **_named: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _after(function: Callable[..., object], stop: Callable[[], object]) -> Callable[..., object]:
    def run(*arguments: object, **named: object) -> object:
        function(*arguments, **named)
        return stop()

    return run


def _lose(*_arguments: object) -> None:
    """Lose the connection while it is to commit."""
    connection.connection.close()
    raise OperationalError("the connection is lost")


def _migrate_once() -> Callable[..., object]:
    migrate, calls = MigrationExecutor.migrate, []

    def run(*arguments: Any, **named: Any) -> object:
        calls.append(arguments)
        if len(calls) > 1:
            _stop()
        return migrate(*arguments, **named)

    return run


STOPS: dict[str, tuple[type, str, Callable[[], Callable[..., object]]]] = {
    "no room for the files": (files.Replacement, "_write", lambda: _stop),
    "no room after the files": (files.Replacement, "add", lambda: _after(files.Replacement.add, _stop)),
    "no room for a later migration": (MigrationExecutor, "migrate", _migrate_once),
    "lost in the commit": (DatabaseWrapper, "commit", lambda: _lose),
}


@pytest.fixture
def changed(site: Path, tmp_path: Path) -> Path:
    """An archive of the site as it was before stories and files were written and removed."""
    good, _manifest = save_site(database_of_this_test(), site, tmp_path / "archives" / "good")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_user SET name = 'later'")
    (site / "files" / "later").write_text("fox")
    (site / "files" / "kept").unlink()
    return good


def test_whatever_stops_a_restore_leaves_the_site_whole(
    site: Path, changed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, tree = _members(site, tmp_path), _tree(tmp_path)
    for kind, (owner, name, stop) in STOPS.items():
        with monkeypatch.context() as patch, open_archive(changed) as archive:
            patch.setattr(owner, name, stop())
            with pytest.raises((OSError, BackupError)):
                restore_site(archive, site, replace=True)
        connection.close()
        assert (_members(site, tmp_path), _tree(tmp_path)) == (before, tree), kind
    connection.close()
    answer = _manage(site, "restore", str(changed), "--replace", REDIS_URL="redis://127.0.0.1:1/0")
    assert (answer.returncode, answer.stderr.count("\n")) == (2, 1), answer.stderr
    assert answer.stderr.startswith("Redis at 127.0.0.1:1 cannot be used")
    assert _members(site, tmp_path) == before


def test_a_commit_whose_answer_is_lost_is_a_restore(
    site: Path, changed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, open_archive(changed) as archive:
        patch.setattr(DatabaseWrapper, "commit", _after(DatabaseWrapper.commit, _lose))
        restore_site(archive, site, replace=True)
        saved = archive.manifest
    restored = _members(site, tmp_path)
    assert (restored["members"], restored["files"]) == (saved.members, saved.files)


KILL = """
import os, signal
from pathlib import Path
from config.backup import files, restore
from config.backup.archive import open_archive
whole = getattr(files.Replacement, {step!r})
def killed(replacement):
    {call}
    os.kill(os.getpid(), signal.SIGKILL)
setattr(files.Replacement, {step!r}, killed)
with open_archive(Path({archive!r})) as archive:
    restore.restore_site(archive, Path({home!r}), replace=True)
"""


@pytest.mark.parametrize("step", ["add", "finish"])
def test_a_killed_restore_leaves_one_of_the_two_sites_whole(
    step: str, site: Path, changed: Path, tmp_path: Path
) -> None:
    """Killed before the commit it is the old one, killed after it the new one; with the files of both."""
    with open_archive(changed) as archive:
        wanted = _members(site, tmp_path)["members"] if step == "add" else archive.manifest.members
    connection.close()
    code = KILL.format(
        step=step, call="whole(replacement)" if step == "add" else "", archive=str(changed), home=str(site)
    )
    answer = _manage(site, "shell", "--no-imports", "--command", code)
    assert answer.returncode == -signal.SIGKILL, answer.stderr
    found = _members(site, tmp_path)["members"]
    assert {name: found.get(name) for name in wanted} == wanted
    assert set(found) - set(wanted) <= {"files/kept", "files/later"}
    with open_archive(changed) as archive:
        restore_site(archive, site, replace=True)
        assert _members(site, tmp_path)["members"] == archive.manifest.members
    assert not list(site.rglob(".part-*"))
