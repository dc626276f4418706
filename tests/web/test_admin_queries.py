"""Every list, page and export of the admin needs as many queries for many rows as for few."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from release.models import ReleaseItem
from release.resources import ReleaseItemResource
from review.models import Review
from tests.architecture import STREET
from tests.factories import make_user
from tests.filling import FIRST, fill, lift_rules, our_models
from tests.projects.pages import browser
from web import tables
from web.admin import ExportingAdmin

FEW: Final = 3
RECORD: Final = {"choices": ["a", "b"], "answer": 0, "types": ["social"]}
VALUES: Final[dict[type[Model], dict[str, Any]]] = {
    User: {"is_system": False},
    ReleaseItem: {"record": RECORD},
    Review: {"late_at": None, "misclick": False},
}

pytestmark = pytest.mark.django_db


def pages() -> Iterator[tuple[str, str, dict[str, str] | None]]:
    """Name, address and what is posted, of all that the admin shows."""
    for model, shown in admin.site._registry.items():
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        name = model.__name__
        yield f"{name} list", reverse(f"{place}_changelist"), None
        if shown.search_fields:
            yield f"{name} search", reverse(f"{place}_changelist") + "?q=1", None
        yield f"{name} page", reverse(f"{place}_change", args=[FIRST + 1]), None
        if isinstance(shown, ExportingAdmin):
            yield f"{name} export form", reverse(f"{place}_export"), None
            for number, resource in enumerate(shown.resource_classes):
                sent = {"format": "0", "resource": str(number)}
                fields = resource().get_export_order()
                sent |= {f"{resource.__name__.lower()}_{field}": "on" for field in fields}
                yield f"{name} export {resource.__name__}", reverse(f"{place}_export"), sent


def count(client: Client, address: str, sent: dict[str, str] | None) -> tuple[int, int]:
    """How many queries a page makes, and how many lines an export has; 0 for a page."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address) if sent is None else client.post(address, sent)
        assert response.status_code == 200, address
        assert response.streaming == (sent is not None), address
        content = b"".join(response) if sent is not None else b""
    return len(queries), len(content.splitlines())


@pytest.mark.drill
def test_it_needs_as_many_queries_for_many_rows_as_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    found = our_models(STREET)
    lift_rules(model._meta.db_table for model in found)
    client = browser(make_user("Ada", administrator=True))
    fill(found, range(1, FEW + 1), VALUES)
    monkeypatch.setattr(tables, "_ROWS_AT_ONCE", 100)
    # The menu of all models is made from the registry alone, and would take half of the time.
    monkeypatch.setattr(AdminSite, "get_app_list", lambda _site, _request, _label=None: [])
    ContentType.objects.get_for_models(*found)  # pages look these up once a process
    before = {name: count(client, address, sent) for name, address, sent in pages()}
    fill(found, range(FEW + 1, 3 * FEW + 1), VALUES)
    after = {name: count(client, address, sent) for name, address, sent in pages()}
    grown = {name: (before[name][0], after[name][0]) for name in before if before[name][0] != after[name][0]}
    assert grown == {}
    exports = [name for name, _address, sent in pages() if sent is not None]
    assert exports
    assert {name for name in exports if after[name][1] <= before[name][1]} == set(), "an export has no rows"


def test_it_exports_the_letter_of_a_released_key() -> None:
    row = ReleaseItem(record={"choices": ["a", "b"], "answer": 1})
    assert ReleaseItemResource().fields["answer"].dehydrate_method(row) == "B"
