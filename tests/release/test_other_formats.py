"""Items of a release as files of other tools: what they hold, what they never hold, and who gets them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from parable.formats.format import foreign_formats
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS
from parable.kinds import kind_of
from parable.splits import TEST
from projects.models import Role
from projects.services import set_roles
from release.queries.release import frozen_items
from tests.dashboard.test_exposures import is_exposed
from tests.factories import Cast, make_project, make_user
from tests.release.conftest import Released
from tests.release.made import ALLOWED, bring, built, records
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

CODES = [one.code for one in foreign_formats() if one.writer is not None]


def address(cast: Cast, code: str) -> str:
    return f"/p/{cast.project.slug}/releases/1.0.0/as/{code}"


def client_of(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]  # a user of the cast
    return client


@pytest.mark.parametrize("code", CODES)
def test_it_gives_each_item_that_the_format_takes_and_notes_it(released: Released, code: str) -> None:
    cast, release = released
    [form] = [one for one in foreign_formats() if one.code == code]
    assert form.writer is not None
    answer = client_of(cast.manager).get(address(cast, code))
    assert answer.streaming
    assert f'-1.0.0{form.writer.suffix}"' in answer.headers["Content-Disposition"]
    found = read_items(b"".join(answer), name="x", format=code, rules=ANYBODYS)
    assert found.errors == ()
    frozen = [one.item() for one in frozen_items(release) if form.writer.kinds(kind_of(one.record["task"]))]
    assert [(one.choices, one.answer, one.answers) for one in found.records] == [
        (one.choices, one.answer, one.answers) for one in frozen
    ]
    event = AuditEvent.objects.filter(verb="download_release").latest("pk")
    assert event.detail["file"] == f"{cast.project.slug}-1.0.0{form.writer.suffix}"


def _with_withheld_test() -> Released:
    cast = make_project()
    bring(cast, records(4))
    return cast, built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))


@pytest.fixture(scope="module")
def _withholding(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Released]:
    with shared_rows(django_db_blocker, _with_withheld_test) as made:
        yield made


@pytest.fixture
def withholding(_withholding: Released, db: None) -> Released:
    """A project and its version 1.0.0, whose test items nobody is given."""
    return deepcopy(_withholding)


@pytest.mark.parametrize("code", CODES)
def test_withheld_items_are_never_in_it(withholding: Released, code: str) -> None:
    cast, release = withholding
    withheld = {one.item().choices for one in frozen_items(release) if one.split == TEST}
    data = b"".join(client_of(cast.manager).get(address(cast, code)))
    found = read_items(data, name="x", format=code, rules=ANYBODYS).records
    public = [one.item().choices for one in frozen_items(release) if one.split != TEST]
    assert withheld
    assert not withheld & {one.choices for one in found}
    assert len(found) == len(public)
    assert (
        client_of(cast.manager)
        .get(f"/p/{cast.project.slug}/releases/1.0.0")
        .content.count(b"Test items are left out")
    )


@pytest.mark.parametrize("code", CODES)
def test_whoever_downloads_it_is_blind_to_no_item_any_more(released: Released, code: str) -> None:
    cast, release = released
    observer = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    items = [one.item for one in release.items.select_related("item")]
    assert not any(is_exposed(observer, item) for item in items)
    assert client_of(observer).get(address(cast, code)).status_code == 200
    assert all(is_exposed(observer, item) for item in items)


@pytest.mark.parametrize("code", ["docx", "parable", "word", "published", "x"])
def test_no_other_format_is_given(released: Released, code: str) -> None:
    cast, _release = released
    assert client_of(cast.manager).get(address(cast, code)).status_code == 404


def test_writers_and_strangers_get_none(released: Released) -> None:
    cast, _release = released
    assert client_of(cast.writer).get(address(cast, "moodle")).status_code == 403
    assert client_of(cast.outsider).get(address(cast, "moodle")).status_code == 404


@pytest.mark.parametrize(
    ("language", "lacks"), [("en", "Without tasks, ids of stories"), ("zh-hans", "不含：题型、故事编号")]
)
def test_the_page_names_each_with_what_it_lacks(released: Released, language: str, lacks: str) -> None:
    cast, _release = released
    headers = {"accept-language": language}
    address_of_page = f"/p/{cast.project.slug}/releases/1.0.0"
    client = client_of(cast.manager)
    page = client.get(address_of_page, headers=headers).content.decode()
    for code in CODES:
        assert address(cast, code) in page
    assert lacks in page
