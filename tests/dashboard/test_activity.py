"""The audit trail as a page and a file: in words, filtered, and for whom."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.services import make_reset_link, record_event
from dashboard.queries.activity import ACTIONS, PAGE, SUBJECTS, activities, events_of, events_of_site
from dashboard.views.activity import export_of_project, of_project
from projects.models import Role
from projects.permissions import Permission
from projects.services import create_token, invite_people, set_roles
from tests.access.world import make_world
from tests.architecture import STREET, sources
from tests.factories import Cast, make_project, make_story, make_user, submit_item
from tests.projects.pages import answers, browser, only_managers

pytestmark = pytest.mark.django_db

SITE = "/people/activity"


def page_of(cast: Cast) -> str:
    return reverse("dashboard:project_activity", args=[cast.project.slug])


def rows(answer: Any) -> list[tuple[str, str, str]]:
    return [(row.actor, row.action, row.detail) for row in answer.context["rows"]]


def test_it_is_for_managers_and_administrators(cast: Cast) -> None:
    assert answers(cast, page_of(cast)) == only_managers()
    assert browser(cast.manager).get(SITE).status_code == 403
    assert browser(make_user("Ada", administrator=True)).get(SITE).status_code == 200
    assert browser().get(SITE).status_code == 302


def test_it_says_in_words_who_did_what(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.WRITER, Role.REVIEWER])
    create_token(actor=cast.writer, name="Nightly", scopes=["read"], days=30, project=cast.project)
    found = rows(browser(cast.manager).get(page_of(cast)))
    assert found[:2] == [
        ("Wen Writer", "created an access token", "Nightly, read, 30"),
        ("Mia Manager", "changed roles", "Wen Writer, reviewer, item writer"),
    ]


def test_an_unknown_verb_is_shown_as_it_is(cast: Cast) -> None:
    record_event(actor=cast.manager, verb="juggle", subject=cast.project, detail={"balls": 3, "secret": "x"})
    assert rows(browser(cast.manager).get(page_of(cast)))[0] == ("Mia Manager", "juggle", "")


def test_every_verb_of_the_code_has_words() -> None:
    calls = re.compile(r'record_event\([^()]*?verb="(\w+)"', re.DOTALL)
    found = {verb for path in sources(*STREET) for verb in calls.findall(path.read_text(encoding="utf-8"))}
    assert len(found) > 80
    assert found - ACTIONS.keys() == set()


def test_every_object_of_a_project_is_found_by_its_project_alone() -> None:
    """For everything that a world makes: what is about ours is on our page, and nothing of the other's."""
    ours, foreign = make_world("Ours"), make_world("Foreign")
    seen = [set(events_of(world.cast.project).values_list("pk", flat=True)) for world in (ours, foreign)]
    assert seen[0]
    assert not seen[0] & seen[1]
    left = AuditEvent.objects.exclude(pk__in=seen[0] | seen[1])
    of_projects = [kind for kind, subject in SUBJECTS.items() if subject.project]
    unbound = {"projects.accesstoken"}  # for all projects of a person
    assert set(left.filter(subject_type__in=of_projects).values_list("subject_type", flat=True)) <= unbound
    assert set(AuditEvent.objects.values_list("subject_type", flat=True)) <= SUBJECTS.keys()
    text = browser(ours.cast.manager).get(page_of(ours.cast)).content.decode()
    assert not [word for word in foreign.secrets if word in text]
    assert f"Key-{ours.mark}" not in text
    assert f"Moral-{ours.mark}" not in text


def test_a_password_link_for_a_member_is_about_the_project(cast: Cast) -> None:
    other = make_project()
    make_reset_link(actor=cast.manager, user=cast.writer, detail={"project": cast.project.slug})
    assert events_of(cast.project).filter(verb="issue_reset_link").exists()
    assert not events_of(other.project).filter(verb="issue_reset_link").exists()


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"person": "mia"}, 2),
        ({"person": "wen"}, 1),
        ({"person": "Nobody at all"}, 0),
        ({"action": "invite"}, 1),
        ({"action": "nonsense"}, 4),
        ({"about": "projects.project"}, 3),
        ({"about": "projects.project", "person": "wen"}, 1),
        ({"since": "TODAY"}, 4),
        ({"since": "TOMORROW"}, 0),
        ({"until": "YESTERDAY"}, 0),
        ({"until": "TODAY"}, 4),
        ({"since": "31.2."}, 4),
        ({"before": "x"}, 4),
        ({"before": "1"}, 0),
    ],
)
def test_it_filters(query: dict[str, str], count: int) -> None:
    cast = make_project()
    before = AuditEvent.objects.count()
    invite_people(actor=cast.manager, project=cast.project, names=["x"], roles=[Role.WRITER])
    for actor in (cast.manager, cast.writer, cast.verifier):
        record_event(actor=actor, verb="table_taken_out", subject=cast.project)
    # create_project is written by the manager as well
    assert AuditEvent.objects.count() == before + 4
    today = timezone.localdate()
    days = {"TODAY": 0, "TOMORROW": 1, "YESTERDAY": -1}
    sent = {
        name: (today + timedelta(days=days[value])).isoformat() if value in days else value
        for name, value in query.items()
    }
    found = rows(browser(cast.manager).get(page_of(cast), sent))
    expected = [row for row in found if row[1] != "created the project"]
    assert len(expected) == count


def test_it_pages_by_what_is_older(cast: Cast) -> None:
    for number in range(PAGE + 5):
        record_event(actor=cast.manager, verb=f"verb_{number}", subject=cast.project)
    client = browser(cast.manager)
    first = client.get(page_of(cast))
    second = client.get(page_of(cast), {"before": first.context["older"]})
    names = [row[1] for row in rows(first) + rows(second)]
    assert names[: PAGE + 5] == [f"verb_{number}" for number in reversed(range(PAGE + 5))]
    assert second.context["older"] is None


def test_a_page_costs_the_same_however_much_happened(cast: Cast) -> None:
    counts = []
    for more in (1, 30):
        for _each in range(more):
            record_event(
                actor=cast.manager, verb="set_roles", subject=cast.project,
                detail={"user": cast.writer.pk, "roles": ["writer"]},
            )  # fmt: skip
            record_event(
                actor=cast.writer, verb="take_over_item", subject=submit_item(cast), detail={"from": 1}
            )
        with CaptureQueriesContext(connection) as queries:
            browser(cast.manager).get(page_of(cast))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_links_lead_to_the_objects_of_the_project(cast: Cast) -> None:
    story, item = make_story(cast), submit_item(cast)
    record_event(actor=cast.manager, verb="set_rights", subject=story, detail={"rights": "CC0"})
    record_event(actor=cast.manager, verb="take_over_item", subject=item, detail={"from": cast.writer.pk})
    client = browser(cast.manager)
    for row in client.get(page_of(cast)).context["rows"][:2]:
        assert row.url
        assert client.get(row.url).status_code == 200


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_it_is_exported_with_its_filters(cast: Cast, kind: str) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.REVIEWER])
    address = reverse("dashboard:export_project_activity", args=[cast.project.slug, kind])
    answer = browser(cast.manager).post(f"{address}?action=set_roles")
    body = answer.getvalue()
    assert answer.headers["Content-Disposition"].endswith(f"activity.{kind}")
    if kind == "csv":
        heading, *lines = csv.reader(io.StringIO(body.decode("utf-8-sig")))
        assert heading == ["at", "actor", "action", "object", "detail"]
        (line,) = lines
        assert line[1:] == [
            "Mia Manager", "changed roles", f"project #{cast.project.pk}", "Wen Writer, reviewer",
        ]  # fmt: skip
    assert AuditEvent.objects.filter(verb="export_activity").exists()
    assert browser(cast.writer).post(address).status_code == 403
    unknown = reverse("dashboard:export_project_activity", args=[cast.project.slug, "pdf"])
    assert browser(cast.manager).post(unknown).status_code == 404


def test_administrators_export_the_events_of_the_site(cast: Cast) -> None:
    ada = browser(make_user("Ada", administrator=True))
    address = reverse("dashboard:export_activity", args=["csv"])
    lines = ada.post(address).getvalue().decode().splitlines()
    assert len(lines) == 1 + AuditEvent.objects.count()
    assert browser(cast.manager).post(address).status_code == 403


def test_a_file_is_read_in_parts(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.queries.activity.MOST_EXPORTED", 700)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            actor=cast.manager, verb="juggle", subject_type="projects.project", subject_id=cast.project.pk
        )
        for _each in range(720)
    )
    address = reverse("dashboard:export_project_activity", args=[cast.project.slug, "csv"])
    assert len(browser(cast.manager).post(address).getvalue().decode().splitlines()) == 701


def test_a_closed_account_stays_in_the_trail_without_its_name(cast: Cast) -> None:
    name = f"closed-{cast.writer.pk}"
    type(cast.writer).objects.filter(pk=cast.writer.pk).update(name=name, username=name)
    record_event(actor=cast.writer, verb="sign_out", subject=cast.writer, detail={"address": "::1"})
    (newest,) = activities(list(events_of_site()[:1]))
    assert (newest.actor, newest.subject, newest.detail) == (name, name, "::1")


def test_it_needs_the_right_to_manage() -> None:
    for view in (of_project, export_of_project):
        assert set(vars(view)["permissions"].values()) == {Permission.MANAGE}
