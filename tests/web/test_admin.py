"""The admin: administrators look, nobody changes."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import ForeignKey, Model
from django.test import Client
from django.urls import reverse

from annotation.models import Option, Revision
from jobs.models import Job
from projects.models import Invitation
from projects.services import invite_people
from review.models import PracticeItem, Substitute
from tests.architecture import STREET
from tests.factories import make_project, make_user, submit_item
from tests.projects.pages import browser
from web.admin import ReadOnlyAdmin

OURS = [model for model in apps.get_models() if model._meta.app_label in STREET]
REGISTERED = list(admin.site._registry)
LINKS = {
    *("RevisionType", "Batch_templates", "Batch_endpoints", "WritingPlaces"),
    *("ItemText", "StoryText", "CandidateText"),
    "UserSession",
}
"""Tables that only join two others, or that a trigger keeps by itself; sessions, whose keys open them."""


def _list(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def test_it_holds_all_our_tables_and_no_others() -> None:
    assert {model for model in OURS if model.__name__ not in LINKS} == set(REGISTERED)
    assert all(isinstance(shown, ReadOnlyAdmin) for shown in admin.site._registry.values())


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model.__name__)
def test_it_reads_what_a_list_shows_in_one_query(model: type[Model]) -> None:
    shown = admin.site._registry[model]
    assert not isinstance(shown.list_select_related, bool) or not shown.list_select_related
    joined = {name.partition("__")[0] for name in shown.list_select_related or ()}
    fields = {field.name for field in model._meta.fields if isinstance(field, ForeignKey)}
    assert fields & set(shown.list_display) == joined & set(shown.list_display)


@pytest.mark.django_db
def test_it_opens_for_administrators_only_and_adds_nothing() -> None:
    """That it opens for them, list by list, is what test_admin_queries asks."""
    anyone, administrator = browser(make_user("Lin")), browser(make_user("Ada", administrator=True))
    for model in REGISTERED:
        assert anyone.get(_list(model)).status_code in (302, 403), model
        add = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
        assert administrator.get(add).status_code == 403, model


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("former", "model"),
    [("jobs/work", Job), ("review/deputy", Substitute), ("review/golditem", PracticeItem)],
)
def test_it_leads_from_a_former_address_to_the_new_one(former: str, model: type[Model]) -> None:
    client = browser(make_user("Ada", administrator=True))
    answer = client.get(f"/admin/{former}/?all=1")
    assert (answer.status_code, answer["Location"]) == (301, _list(model) + "?all=1")


@pytest.mark.django_db
def test_it_shows_rows_and_changes_none() -> None:
    cast = make_project()
    item = submit_item(cast)
    client = browser(make_user("Ada", administrator=True))
    for row in (cast.project, item, Revision.objects.first(), Option.objects.first(), cast.writer):
        assert row is not None
        place = [row._meta.app_label, row._meta.model_name]
        page = reverse("admin:{}_{}_change".format(*place), args=[row.pk])
        assert client.get(page).status_code == 200
        assert client.post(page, {"name": "changed"}).status_code == 403
        assert client.post(reverse("admin:{}_{}_delete".format(*place), args=[row.pk])).status_code == 403


@pytest.mark.django_db
def test_it_shows_neither_passwords_nor_tokens() -> None:
    cast = make_project()
    invite_people(actor=cast.manager, project=cast.project, names=["Lin"], roles=["writer"])
    invitation = Invitation.objects.get()
    client = browser(make_user("Ada", administrator=True))
    person = client.get(reverse("admin:accounts_user_change", args=[cast.writer.pk])).content.decode()
    assert cast.writer.password not in person
    link = client.get(reverse("admin:projects_invitation_change", args=[invitation.pk])).content.decode()
    assert invitation.token_hash not in link


@pytest.mark.django_db
def test_it_has_our_sign_in_for_its_door(client: Client) -> None:
    answer = client.get("/admin/login/", {"next": "/admin/"})
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(reverse("account_login"))
    assert client.post("/admin/login/", {"username": "a", "password": "b"}).status_code == 302
