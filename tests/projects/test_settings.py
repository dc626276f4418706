"""The settings of a project, and its commonsense types."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent
from core.errors import Forbidden
from projects.models import CommonsenseType
from projects.services import EDITABLE, add_type, rename_type, restore_type, retire_type
from tests.factories import Cast, make_project
from tests.projects.pages import address, answers, browser, only_managers

RATES = {"rate_item", "rate_verified", "rate_review", "rate_hour"}  # set where work is paid, on the statement
HERE = [name for name in EDITABLE if name not in RATES]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def _said(cast: Cast, **changes: Any) -> dict[str, Any]:
    """What the form says when nothing but the changes is touched."""
    data = {name: getattr(cast.project, name) for name in EDITABLE}
    data.pop("reviewer_may_verify")  # an empty box says nothing
    return data | changes


def test_it_is_for_managers(cast: Cast) -> None:
    assert answers(cast, address(cast, "settings")) == only_managers()
    assert answers(cast, address(cast, "settings"), "post") == only_managers()


def test_it_has_a_field_for_every_setting_with_a_short_hint_where_its_label_does_not_do(cast: Cast) -> None:
    form = browser(cast.manager).get(address(cast, "settings")).context["form"]
    shown = [field.name for _, fields in form.groups() for field in fields]
    assert sorted(shown) == sorted(HERE)
    bare = {name for name in HERE if not form.fields[name].help_text}
    assert bare == {"name", "items_per_writer", "solve_together", "split_rule"}
    assert max(len(form.fields[name].help_text) for name in HERE) <= 60, "behind a ? is room for more"


def test_it_saves_every_setting(cast: Cast) -> None:
    changes = {
        "name": "Other fables",
        "description": "About rivers.",
        "currency": "EUR",
        "licence": "CC BY 4.0",
        "moral_stem": "What does it teach?",
        "writers_per_story": 3,
        "items_per_writer": 5,
        "most_stories_in_hand": 3,
        "most_items_per_person": 200,
        "days_to_write": 14,
        "tasks": ["moral"],
        "days_to_review": 7,
        "options_per_item": 5,
        "machine_items_per_story": 0,
        "reviews_per_item": 2,
        "plan_overlap": True,
        "solve_together": True,
        "gold_rate": 10,
        "pass_rating": 2,
        "reviewer_may_verify": True,
        "lease_minutes": 45,
        "split_rule": "item",
        "train_share": Decimal("0.7"),
        "dev_share": Decimal("0.1"),
    }
    assert changes.keys() == set(HERE)
    answer = browser(cast.manager).post(address(cast, "settings"), changes)
    assert answer.status_code == 302
    cast.project.refresh_from_db()
    assert {name: getattr(cast.project, name) for name in HERE} == changes
    event = AuditEvent.objects.get(verb="update_project")
    assert event.detail["pass_rating"] == [1, 2]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "x" * 121),
        ("moral_stem", " "),
        ("options_per_item", 27),
        ("options_per_item", 1),
        ("writers_per_story", "two"),
        ("reviews_per_item", 0),
        ("pass_rating", 3),
        ("lease_minutes", 1),
        ("split_rule", "coin"),
        ("train_share", "0.8"),
        ("train_share", "-0.1"),
        ("dev_share", "0"),
        ("dev_share", "1"),
        ("currency", "euro"),
        ("machine_items_per_story", -1),
        ("most_stories_in_hand", -1),
        ("most_items_per_person", 30_001),
        ("days_to_write", 366),
        ("tasks", []),
        ("tasks", ["moral", "plot"]),
        ("days_to_review", 366),
    ],
)
def test_it_says_at_the_field_what_will_not_do(cast: Cast, field: str, value: object) -> None:
    answer = browser(cast.manager).post(address(cast, "settings"), _said(cast, **{field: value}))
    assert answer.status_code == 200
    assert field in answer.context["form"].errors
    assert "Fables" in answer.content.decode()
    assert not AuditEvent.objects.filter(verb="update_project").exists()


def test_it_never_changes_short_name_or_language(cast: Cast) -> None:
    browser(cast.manager).post(address(cast, "settings"), _said(cast, slug="other", language="zh"))
    before = cast.project.slug
    cast.project.refresh_from_db()
    assert (cast.project.slug, cast.project.language) == (before, "en")


# --- commonsense types ----------------------------------------------------------------------


def _type(cast: Cast, code: str = "social") -> CommonsenseType:
    return CommonsenseType.objects.get(project=cast.project, code=code)


def test_it_renames_a_type_and_keeps_what_it_means(cast: Cast) -> None:
    kind = _type(cast)
    data = {f"type-{kind.pk}-name_zh": "社会", f"type-{kind.pk}-name_en": "Society"}
    assert browser(cast.manager).post(address(cast, "rename_type", kind.pk), data).status_code == 302
    renamed = _type(cast)
    assert (renamed.name_zh, renamed.name_en, renamed.code) == ("社会", "Society", "social")
    assert renamed.meaning_en == kind.meaning_en


@pytest.mark.parametrize(("language", "first"), [("en", "Social"), ("zh-CN", "社会常识")])
def test_a_types_name_in_the_readers_language_comes_first(cast: Cast, language: str, first: str) -> None:
    page = browser(cast.manager).get(address(cast, "settings"), headers={"Accept-Language": language}).text
    shown = page.partition('id="type-social"')[2]
    assert re.search(r"<strong[^>]*>([^<]+)", shown)[1] == first  # type: ignore[index]


def test_it_refuses_to_rename_a_type_to_nothing(cast: Cast) -> None:
    kind = _type(cast)
    answer = browser(cast.manager).post(
        address(cast, "rename_type", kind.pk), {f"type-{kind.pk}-name_zh": ""}
    )
    assert answer.status_code == 200
    assert _type(cast).name_zh == kind.name_zh


def test_it_retires_a_type_and_takes_it_back(cast: Cast) -> None:
    kind, client = _type(cast), browser(cast.manager)
    client.post(address(cast, "retire_type", kind.pk))
    assert _type(cast).retired_at
    client.post(address(cast, "restore_type", kind.pk))
    assert _type(cast).retired_at is None


def test_it_keeps_the_last_type(cast: Cast) -> None:
    client = browser(cast.manager)
    for kind in CommonsenseType.objects.filter(project=cast.project):
        page = client.post(address(cast, "retire_type", kind.pk), follow=True)
    assert "Commonsense items need at least one type" in page.content.decode()
    assert CommonsenseType.objects.filter(project=cast.project, retired_at=None).count() == 1


@pytest.mark.parametrize(
    ("said", "code", "names"),
    [
        ({"name_zh": "情感常识", "name_en": "Feelings"}, "feelings", ("情感常识", "Feelings")),
        ({"name_zh": "情感常识"}, "type-6", ("情感常识", "情感常识")),
        ({"name_en": "Feelings", "code": "emotional"}, "emotional", ("Feelings", "Feelings")),
    ],
)
def test_it_adds_a_type(cast: Cast, said: dict[str, str], code: str, names: tuple[str, str]) -> None:
    sent = {f"new-{name}": value for name, value in said.items()}
    assert browser(cast.manager).post(address(cast, "add_type"), sent).status_code == 302
    added = _type(cast, code)
    assert (added.name_zh, added.name_en) == names
    assert added.order == 5


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "name_en"),
        ({"name_en": "Social"}, "code"),
        ({"name_en": "Feelings", "code": "two words"}, "code"),
        ({"name_en": "x" * 41}, "name_en"),
    ],
)
def test_it_refuses_to_add_a_type_that_will_not_do(cast: Cast, said: dict[str, str], field: str) -> None:
    sent = {f"new-{name}": value for name, value in said.items()}
    answer = browser(cast.manager).post(address(cast, "add_type"), sent)
    assert field in answer.context["new_type"].errors
    assert CommonsenseType.objects.filter(project=cast.project).count() == 5


def test_it_lets_managers_only_change_types_of_their_own_project(cast: Cast) -> None:
    kind, other = _type(cast), make_project()
    for name in ("rename_type", "retire_type", "restore_type"):
        found = answers(cast, address(cast, name, kind.pk), "post")
        assert found | {"manager": 0} == only_managers() | {"manager": 0}
        assert browser(other.manager).post(address(other, name, kind.pk)).status_code == 404
    for attempt in (
        lambda: rename_type(actor=cast.writer, kind=kind, name_zh="x", name_en="x"),
        lambda: retire_type(actor=cast.writer, kind=kind),
        lambda: restore_type(actor=cast.writer, kind=kind),
        lambda: add_type(actor=cast.writer, project=cast.project, name_zh="x", name_en="x"),
    ):
        with pytest.raises(Forbidden):
            attempt()


def test_it_needs_as_many_queries_for_many_types_as_for_few(cast: Cast) -> None:
    client, counts = browser(cast.manager), []
    for more in (1, 20):
        for number in range(more):
            add_type(actor=cast.manager, project=cast.project, name_zh="", name_en=f"Kind {more} {number}")
        with CaptureQueriesContext(connection) as queries:
            client.get(address(cast, "settings"))
        counts.append(len(queries))
    assert counts[0] == counts[1]
