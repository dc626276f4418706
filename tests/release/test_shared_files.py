"""Releases whose files are in an object store: built, downloaded and compared as those on a disk."""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.test import Client
from pytest_django import Settings

from core.files import DamagedFile, StoreUnavailable
from release.models import Artifact, Release, ReleaseState
from release.queries.file import STORAGE, stored_at
from release.services import build
from release.services.rebuild import rebuild_release
from tests.config.programs import free_port
from tests.factories import Cast, make_project
from tests.object_store import make_bucket, options_in
from tests.release.made import bring, built, records

pytestmark = pytest.mark.django_db
BUCKET = "shared-files"


@pytest.fixture(autouse=True)
def _bucket(object_store: str, settings: Settings) -> None:
    make_bucket(object_store, BUCKET)
    settings.STORAGES = settings.STORAGES | {STORAGE: options_in(object_store, BUCKET, STORAGE)}


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    bring(made, records(4))
    return made


@pytest.fixture
def client(cast: Cast) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(cast.manager)
    return client


def address(cast: Cast, rest: str) -> str:
    return f"/p/{cast.project.slug}/releases/1.0.0/{rest}"


def body(answer: Any) -> bytes:
    return b"".join(answer) if answer.streaming else bytes(answer.content)


@pytest.mark.drill
def test_its_files_are_downloaded_as_they_were_hashed(cast: Cast, client: Client) -> None:
    release = built(cast)
    assert release.state == ReleaseState.READY
    hashes = dict(release.artifacts.values_list("name", "sha256"))
    assert set(storages[STORAGE].names()) >= {f"{sha256[:2]}/{sha256}" for sha256 in hashes.values()}  # type: ignore[attr-defined]
    for name, sha256 in hashes.items():
        answer = client.get(address(cast, f"files/{name}"))
        content = body(answer)
        assert hashlib.sha256(content).hexdigest() == sha256
        assert answer.headers["Content-Length"] == str(len(content))
    whole = zipfile.ZipFile(io.BytesIO(body(client.get(address(cast, "all.zip")))))
    assert {hashlib.sha256(whole.read(name)).hexdigest() for name in whole.namelist()} == set(hashes.values())
    assert len(body(client.get(address(cast, "items.jsonl"))).splitlines()) == release.items.count()
    assert rebuild_release(release=release).differing == ()


def test_a_damaged_file_is_not_downloaded_to_its_end(cast: Cast, client: Client) -> None:
    artifact = built(cast).artifacts.get(name="README.md")
    file = stored_at(artifact.sha256)
    file.storage.replace(file.name, ContentFile(b"x" * artifact.bytes))
    answer = client.get(address(cast, "files/README.md"))
    with pytest.raises(DamagedFile):
        body(answer)


def test_pages_say_that_the_store_is_away(cast: Cast, client: Client, settings: Settings) -> None:
    built(cast)
    away = options_in(f"http://127.0.0.1:{free_port()}", BUCKET, STORAGE, PARABLE_S3_SECONDS="1")
    settings.STORAGES = settings.STORAGES | {STORAGE: away}
    for rest in ("files/README.md", "all.zip", "items.jsonl"):
        answer = client.get(address(cast, rest))
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
        assert "does not respond" in answer.text
    page = address(cast, "").rstrip("/")
    assert client.get(page).status_code == 200, "pages that need no file are shown"


def test_a_build_waits_for_a_store_that_is_away(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_content: bytes) -> str:
        raise StoreUnavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(build, "keep", refuse)
        with pytest.raises(StoreUnavailable):
            built(cast)
    release = Release.objects.get()
    assert release.state == ReleaseState.BUILDING
    assert build.finish_release(release_id=release.pk).state == ReleaseState.READY
    assert Artifact.objects.filter(release=release).exists()
