"""The rules of stored files, which hold in the data folder as in an object store that speaks S3."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation
from django.core.files.base import ContentFile, File
from django.core.files.storage import storages
from pytest_django import Settings

from config.backup import files
from config.backup.archive import new_archive, open_archive
from config.environment import Environment, object_store
from config.storage import WholeFileStorage
from core.files import DamagedFile, StoreUnavailable, VerifiedReader
from jobs.outage import Outage, find_outage
from release.queries.file import StoredFile
from release.services.storage import keep
from tests.config.programs import free_port, manage
from tests.drills.proxy import Proxy
from tests.object_store import make_bucket, options_in, storage_in, store_settings
from web.file_store import FileStore

Opened = Callable[[str], Any]
FOX: Final = b"The fox looks up at the grapes."


@pytest.fixture(params=["folder", "bucket"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Return a function that opens a storage, the same one for the same name."""
    if request.param == "folder":
        return lambda name: WholeFileStorage(location=tmp_path / name)
    url = request.getfixturevalue("object_store")
    bucket = f"rules-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:20]}"
    make_bucket(url, bucket)
    return lambda name: storage_in(url, bucket, name)


@pytest.fixture
def store(opened: Opened) -> Any:
    return opened("files")


def content(store: FileStore, name: str) -> bytes:
    with store.open(name) as file:
        return bytes(file.read())


# --- rules of both ---


def test_a_file_that_is_there_is_never_changed(store: Any, opened: Opened) -> None:
    assert store.save("a/fox", ContentFile(FOX)) == "a/fox"
    other = opened("files").save("a/fox", ContentFile(b"another"))
    assert other != "a/fox"
    assert (content(store, "a/fox"), content(store, other)) == (FOX, b"another")


def test_two_who_choose_one_name_at_the_same_moment_get_two(store: Any, opened: Opened) -> None:
    store.save("b", ContentFile(b"first"))
    other = opened("files")._save("b", ContentFile(b"second"))  # the name was free when it was asked for
    assert other != "b"
    assert (content(store, "b"), content(store, other)) == (b"first", b"second")


def test_it_replaces_a_file_that_is_named_by_its_content(store: FileStore) -> None:
    store.replace("ab/c", ContentFile(b"damaged"))
    store.replace("ab/c", ContentFile(FOX))
    assert content(store, "ab/c") == FOX
    assert list(store.names()) == ["ab/c"]


def test_it_lists_its_own_files(opened: Opened) -> None:
    store, other = opened("files"), opened("releases")
    for name in ("b/2", "b/1", "a", "b/c/d"):
        store.save(name, ContentFile(FOX))
    other.save("elsewhere", ContentFile(FOX))
    assert [name for name in store.names() if ".drafts" not in name] == ["a", "b/1", "b/2", "b/c/d"]
    folders, files = store.listdir("b")
    assert (folders, sorted(files)) == (["c"], ["1", "2"])
    assert store.size("a") == len(FOX)


def test_it_says_that_a_file_is_missing(store: FileStore) -> None:
    with pytest.raises(FileNotFoundError):
        store.open("none")
    assert not store.exists("none")
    store.delete("none")
    store.replace("one", ContentFile(FOX))
    assert store.exists("one")
    store.delete("one")
    assert not store.exists("one")


class _Broken(File):  # type: ignore[type-arg]
    """A file whose end cannot be read."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(b"the first half"), "fox")
        self.size = 1 << 20

    def read(self, length: int = -1) -> bytes:
        assert self.file
        if part := self.file.read(length):
            return bytes(part)
        raise OSError(5, "Input/output error")

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"the first half"
        raise OSError(5, "Input/output error")


def test_it_keeps_no_half_of_a_file(store: Any) -> None:
    with pytest.raises(OSError):
        store.save("fox", _Broken())
    with pytest.raises(OSError):
        store.replace("fox", _Broken())
    assert list(store.names()) == []


@pytest.mark.parametrize("name", ["../secret_key", "a/../../secret_key", "/etc/passwd"])
def test_it_writes_nothing_outside_of_itself(store: Any, name: str) -> None:
    with pytest.raises(SuspiciousOperation):
        store.save(name, ContentFile(FOX))


def test_it_accepts_a_store_that_works(store: FileStore) -> None:
    store.require()
    assert list(store.names()) == []


# --- files named by their hash ---


@pytest.fixture
def of_site(settings: Settings, opened: Opened) -> Any:
    """Make this the storage of the site's releases; return it."""
    store = opened("releases")
    settings.STORAGES = settings.STORAGES | {"releases": _entry(store)}
    return storages["releases"]


def _entry(store: Any) -> dict[str, Any]:
    if isinstance(store, WholeFileStorage):
        return {"BACKEND": "config.storage.WholeFileStorage", "OPTIONS": {"location": store.location}}
    return options_in(str(store.endpoint_url), store.bucket_name, "releases")


def test_a_file_is_kept_under_its_hash_once(of_site: Any) -> None:
    sha256 = keep(FOX)
    assert keep(FOX) == sha256 == hashlib.sha256(FOX).hexdigest()
    assert [name for name in of_site.names() if ".drafts" not in name] == [f"{sha256[:2]}/{sha256}"]
    file = StoredFile(sha256)
    assert (file.read_bytes(), file.read_text(), file.is_whole()) == (FOX, FOX.decode(), True)
    with file.open() as opened:
        assert b"".join(opened) == FOX


@pytest.mark.parametrize("wrong", [b"", FOX[:-1], FOX[:-1] + b"!", FOX + b"!"])
def test_a_damaged_file_is_noticed_and_kept_anew(of_site: Any, wrong: bytes) -> None:
    sha256 = keep(FOX)
    file = StoredFile(sha256)
    of_site.replace(file.name, ContentFile(wrong))
    with pytest.raises(DamagedFile):
        file.read_bytes()
    if not isinstance(of_site, WholeFileStorage):
        with file.open() as opened, pytest.raises(DamagedFile):
            opened.read()
    assert not file.is_whole()
    assert keep(FOX) == sha256
    assert file.read_bytes() == FOX


@pytest.mark.parametrize("length", [1, 7, 1000])
def test_a_damaged_file_never_ends_like_a_whole_one(length: int) -> None:
    reader = VerifiedReader(io.BytesIO(FOX), size=len(FOX), sha256=hashlib.sha256(b"other").hexdigest())
    got: list[bytes] = []
    with pytest.raises(DamagedFile):
        got.extend(iter(lambda: reader.read(length), b""))
    assert sum(map(len, got)) < len(FOX)


# --- an object store that does not do what it is asked ---


def test_a_store_that_is_away_is_an_outage_in_bounded_time() -> None:
    store = storage_in(f"http://127.0.0.1:{free_port()}", "away", "files", PARABLE_S3_SECONDS="1")
    began = time.monotonic()
    for ask in (
        lambda: store.save("a", ContentFile(FOX)),
        lambda: store.open("a"),
        lambda: list(store.names()),
    ):
        with pytest.raises(StoreUnavailable, match="does not respond") as refused:
            ask()
        assert find_outage(refused.value) is Outage.FILES
    assert time.monotonic() - began < 60


def test_a_store_that_hangs_is_given_up(object_store: str) -> None:
    host, _colon, port = object_store.removeprefix("http://").partition(":")
    make_bucket(object_store, "hangs")
    with Proxy((host, int(port))) as proxy:
        store = storage_in(f"http://127.0.0.1:{proxy.port}", "hangs", "files", PARABLE_S3_SECONDS="1")
        proxy.cut("hang")
        with pytest.raises(StoreUnavailable):
            store.save("a", ContentFile(FOX))
        proxy.mend()


def test_a_broken_download_goes_on_where_it_broke(object_store: str) -> None:
    host, _colon, port = object_store.removeprefix("http://").partition(":")
    make_bucket(object_store, "breaks")
    data = bytes(range(256)) * (1 << 16)
    with Proxy((host, int(port))) as proxy:
        store = storage_in(f"http://127.0.0.1:{proxy.port}", "breaks", "files")
        store.save("long", ContentFile(data))
        with store.open("long") as file:
            got = file.read(1 << 20)
            proxy.cut("reset")
            proxy.mend()
            assert got + file.read() == data


@pytest.mark.parametrize("status", [501])
def test_a_store_without_conditions_gets_names_that_nobody_chooses(
    object_store: str, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    from botocore.exceptions import ClientError  # noqa: PLC0415 - loaded where a bucket is named

    make_bucket(object_store, "plain")
    store = storage_in(object_store, "plain", "files")
    put = store._put

    def without(name: str, file: Any, **condition: str) -> None:
        if condition:
            answer = {"Error": {"Code": "NotImplemented"}, "ResponseMetadata": {"HTTPStatusCode": status}}
            raise StoreUnavailable from ClientError(answer, "PutObject")
        put(name, file)

    monkeypatch.setattr(store, "_put", without)
    names = {store.save("fox", ContentFile(FOX)) for _each in range(2)}
    assert len(names) == 2
    assert "fox" not in names
    assert all(content(store, name) == FOX for name in names)


def test_a_bucket_that_is_missing_is_said_to_be(object_store: str) -> None:
    with pytest.raises(StoreUnavailable, match="There is no bucket none"):
        storage_in(object_store, "none", "files").require()


def test_its_files_have_no_address(object_store: str) -> None:
    with pytest.raises(ValueError, match="no public address"):
        storage_in(object_store, "any", "files").url("a")


def test_it_asks_for_encryption_where_it_is_set(object_store: str) -> None:
    make_bucket(object_store, "sealed")
    store = storage_in(
        object_store, "sealed", "files", PARABLE_S3_ENCRYPTION="AES256", PARABLE_S3_PREFIX="a/b"
    )
    store.save("fox.tar.gz", ContentFile(FOX))
    said = store.client.head_object(Bucket="sealed", Key="a/b/files/fox.tar.gz")
    assert said["ServerSideEncryption"] == "AES256"
    assert "ContentEncoding" not in said  # else browsers would unpack it, and its hash would be another


@pytest.mark.parametrize(
    ("store", "code", "said"),
    [
        ("works", 0, ""),
        ("missing", 2, "There is no bucket missing in the store of files."),
        ("away", 0, "The store of files does not respond"),
    ],
)
def test_a_machine_starts_unless_the_store_refuses_it(
    object_store: str,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    store: str,
    code: int,
    said: str,
) -> None:
    from config.object_storage import main  # noqa: PLC0415 - takes a second to import

    url = f"http://127.0.0.1:{free_port()}" if store == "away" else object_store
    if store == "works":
        make_bucket(url, store)
    own = options_in(url, store, "files", PARABLE_S3_SECONDS="1")
    settings.STORAGES = settings.STORAGES | {"default": own}
    assert main() == code
    printed = capsys.readouterr().err
    assert said in printed
    assert bool(printed) is bool(said)


@pytest.mark.drill
def test_no_process_starts_where_the_bucket_is_missing(object_store: str, tmp_path: Path) -> None:
    more = {"PARABLE_SECRET_KEY": "k" * 50, "DATABASE_URL": "postgres://nobody@localhost:1/none"}
    more |= {"REDIS_URL": "redis://localhost:1/0"} | store_settings(object_store, "missing")
    refused = manage(tmp_path, "process", "beat", **more)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("There is no bucket missing in the store of files.")


# --- settings ---


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"PARABLE_S3_BUCKET": ""}, "PARABLE_S3_BUCKET must be set"),
        ({"PARABLE_S3_KEY": ""}, "PARABLE_S3_BUCKET needs"),
        ({"PARABLE_S3_SECRET": ""}, "PARABLE_S3_BUCKET needs"),
        ({"PARABLE_S3_URL": "store:9000"}, "PARABLE_S3_URL must be"),
        ({"PARABLE_S3_ENCRYPTION": "some"}, "PARABLE_S3_ENCRYPTION must be"),
        ({"PARABLE_S3_SECONDS": "0"}, "PARABLE_S3_SECONDS must be"),
        ({}, ""),
    ],
)
def test_a_store_is_set_whole_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, str], said: str
) -> None:
    for name, value in (store_settings("http://127.0.0.1:9000", "fables") | change).items():
        monkeypatch.setenv(name, value)
    if not said:
        assert object_store(Environment())["addressing_style"] == "path"
        return
    with pytest.raises(ImproperlyConfigured, match=said):
        object_store(Environment())


# --- archives ---


def test_an_archive_moves_files_to_a_bucket_and_back(
    object_store: str, tmp_path: Path, settings: Settings
) -> None:
    home = tmp_path / "home"
    for name, data in (
        ("files/up/0", FOX),
        ("files/up/.part-x", b"half"),
        ("releases/ab/abc", b"crow" * 9999),
    ):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    whole = {"files/up/0": FOX, "releases/ab/abc": b"crow" * 9999}
    first = _saved(home, tmp_path / "first")

    make_bucket(object_store, "moved")
    settings.OBJECT_STORE = options_in(object_store, "moved", "")["OPTIONS"]
    settings.STORAGES = settings.STORAGES | {
        storage: options_in(object_store, "moved", folder) for folder, storage in files.STORAGES.items()
    }
    assert not files.are_there(home)
    old = {"files/old": b"of the former site", "files/up/0": b"damaged"}
    for name, data in old.items():
        folder, _slash, rest = name.partition("/")
        files.store_of(home, folder).replace(rest, ContentFile(data))
    for is_undone in (True, False):
        with open_archive(first) as archive:
            files.check_names(archive.manifest.files, home)
            replacement = files.replacement(home)
            replacement.take(archive, archive.manifest.files)
            replacement.add()
            assert _in_store(home) == {"releases/ab/abc": whole["releases/ab/abc"]} | old  # both are whole
            if is_undone:
                replacement.undo()
                assert _in_store(home) == old
            else:
                assert replacement.finish() == []
            replacement.clear()
    assert _in_store(home) == whole
    assert files.are_there(home)
    second = _saved(home, tmp_path / "second")

    settings.OBJECT_STORE = {}
    with open_archive(second) as archive:
        replacement = files.replacement(tmp_path / "back")
        replacement.take(archive, archive.manifest.files)
        replacement.add()
        replacement.finish()
        replacement.clear()
    back = tmp_path / "back"
    assert {name: (back / name).read_bytes() for name in whole} == whole


def _saved(home: Path, folder: Path) -> Path:
    with new_archive(folder, datetime(2026, 11, 30, tzinfo=UTC)) as (path, writer, manifest):
        manifest.files = [name for each in files.FOLDERS for name in files.save(home, each, writer)]
    return path


def _in_store(home: Path) -> dict[str, bytes]:
    return {
        name: content(files.store_of(home, folder), name.partition("/")[2])
        for folder in files.FOLDERS
        for name in files.names_in(home, folder)
    }
