"""Why a build failed is kept as a cause, and said in the reader's language."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from release.models import Failure, Release, ReleaseState
from release.queries.release import BUILD
from release.services import fail_release, order_release
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, bring, records
from tests.work import do_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return make_project()


@pytest.fixture
def ordered(cast: Cast) -> Release:
    bring(cast, records(1))
    return order_release(
        actor=cast.manager,
        project=cast.project,
        version="1.0.0",
        seed="7",
        recipe=ALLOWED,
    )


def _read(cast: Cast, language: str) -> str:
    client = Client(headers={"accept-language": language})
    client.force_login(cast.manager)
    return client.get(reverse("release:detail", args=[cast.project.slug, "1.0.0"])).content.decode()


def test_it_says_why_a_build_failed_in_the_readers_language(cast: Cast, ordered: Release) -> None:
    with translation.override("zh-hans"):
        failed = fail_release(
            release_id=ordered.pk, failure=Failure.NOT_WRITTEN, details={"reason": "No space left"}
        )
    ordered.refresh_from_db()
    assert failed.state == ordered.state == ReleaseState.FAILED
    assert "Cannot write the files: No space left." in _read(cast, "en")
    assert "No space left" in _read(cast, "zh-CN")
    assert "Cannot write the files" not in _read(cast, "zh-CN")


def test_it_names_the_build_whose_fault_is_in_the_log(
    cast: Cast, ordered: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_project: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("release.services.build.sources", break_down)
    do_work(BUILD, ordered.pk)
    ordered.refresh_from_db()
    assert (ordered.failure, ordered.failure_details) == (Failure.FAULT, {"number": ordered.pk})
    with translation.override("en"):
        assert ordered.why.endswith(f"(release {ordered.pk}).")
