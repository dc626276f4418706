"""Errors that readers find: reported without an account, answered, and listed in the next patch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from annotation.models import State
from core.errors import Conflict, Forbidden
from release.models import Erratum, ErrorReport, Release, ReleaseItem
from release.queries.file import stored_at
from release.services import answer_report, report_error
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, bring, built, records
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
WORDS = {
    "fault": "wrong_key",
    "text": "Option B is right as well.",
    "name": "Ada",
    "contact": "ada@example.org",
}


def _released() -> Cast:
    made = make_project()
    bring(made, records(3))
    built(made)
    return made


@pytest.fixture(scope="module")
def _cast(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Cast]:
    with shared_rows(django_db_blocker, _released) as made:
        yield made


@pytest.fixture
def cast(_cast: Cast, db: None) -> Cast:
    cache.clear()
    return deepcopy(_cast)


def one() -> ReleaseItem:
    return ReleaseItem.objects.order_by("pk")[0]


def send(client: Client, item_id: str, **more: str) -> Any:
    return client.post("/report", {"item_id": item_id, **WORDS, **more})


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def reported(cast: Cast) -> ErrorReport:
    report_error(actor=None, item_id=one().public_id, **WORDS)
    return ErrorReport.objects.get(released__isnull=False)


def test_it_takes_a_report_from_somebody_without_an_account(cast: Cast) -> None:
    client = Client()
    assert client.get("/report?item_id=x-c-000001").status_code == 200
    sent = send(client, one().public_id)
    assert sent.status_code == 302
    page = client.get(sent.headers["Location"])
    assert "Option B is right as well." in page.content.decode()
    assert "There is no reply yet" in page.content.decode()
    report = ErrorReport.objects.get()
    assert (report.released, report.reporter, report.contact) == (one(), None, "ada@example.org")
    assert send(signed_in(cast.writer), one().public_id).status_code == 302
    assert ErrorReport.objects.latest("pk").reporter == cast.writer
    assert AuditEvent.objects.filter(verb="report_error").count() == 2


def test_the_page_that_thanks_leads_a_manager_on(cast: Cast) -> None:
    status = send(Client(), one().public_id).headers["Location"]
    item = f"/p/{cast.project.slug}/items/{one().item_id}"
    report = f"/p/{cast.project.slug}/reports/{ErrorReport.objects.get().pk}"
    shown = signed_in(cast.manager).get(status).content.decode()
    assert item in shown
    assert report in shown
    for client in (Client(), signed_in(cast.writer)):
        assert f"/p/{cast.project.slug}" not in client.get(status).content.decode().split("<main")[-1]


def test_it_shows_nobody_whether_there_is_such_an_item(cast: Cast) -> None:
    client, pages = Client(), []
    for item_id, release in ((one().public_id, ""), (one().public_id, "9.9.9"), ("no-such-item", "")):
        sent = send(client, item_id, release=release)
        text = client.get(sent.headers["Location"]).content.decode()
        for varying in (sent.headers["Location"], item_id):
            text = text.replace(varying, "…")
        pages.append(re.sub(r'value="[^"]{20,}"|nonce="[^"]*"|"X-CSRFToken": "[^"]*"', "", text))
    assert pages[0] == pages[1] == pages[2]
    assert ErrorReport.objects.filter(released__isnull=True).count() == 1
    assert cast.project.name not in pages[0]
    assert client.get("/report/no-such-link").status_code == 404


def test_it_knows_a_release_by_canary_or_version(cast: Cast) -> None:
    canary = json.loads(
        stored_at(Release.objects.get().artifacts.get(name="MANIFEST.json").sha256).read_text()
    )["canary"]
    for named in (canary, canary.upper(), "1.0.0", ""):
        report_error(actor=None, item_id=one().public_id, release=named, **WORDS)
    assert ErrorReport.objects.filter(released=one()).count() == 4


def test_a_release_that_is_mistaken_brings_a_report_to_its_manager(cast: Cast) -> None:
    report_error(actor=None, item_id=one().public_id, release="9.9.9", **WORDS)
    report = ErrorReport.objects.get(released=one())
    page = signed_in(cast.manager).get(f"/p/{cast.project.slug}/reports/{report.pk}")
    assert "release as given: 9.9.9" in page.content.decode()


def test_it_takes_no_more_than_ten_reports_an_hour_from_one_place(cast: Cast) -> None:
    client = Client()
    assert [send(client, "x").status_code for _each in range(11)] == [302] * 10 + [429]
    assert ErrorReport.objects.count() == 10
    assert client.post("/report", {"item_id": "", **WORDS}).status_code == 400


@pytest.mark.parametrize("role", ["writer", "reviewer", "verifier", "outsider"])
def test_it_lets_managers_only_read_and_answer(cast: Cast, role: str) -> None:
    report = reported(cast)
    missing = 404 if role == "outsider" else 403
    client = signed_in(getattr(cast, role))
    for rest in ("reports", f"reports/{report.pk}"):
        assert client.get(f"/p/{cast.project.slug}/{rest}").status_code == missing
        assert signed_in(cast.manager).get(f"/p/{cast.project.slug}/{rest}").status_code == 200
    with pytest.raises(Forbidden):
        answer_report(actor=getattr(cast, role), report=report, answer="No.")


def test_it_answers_on_the_items_page_and_under_the_senders_link(cast: Cast) -> None:
    client, outside = signed_in(cast.manager), Client()
    link = send(outside, one().public_id).headers["Location"]
    report = ErrorReport.objects.get()
    address = f"/p/{cast.project.slug}/reports/{report.pk}"
    item_page = f"/p/{cast.project.slug}/items/{one().item_id}"
    assert address in client.get(item_page).content.decode()
    assert client.post(address, {"answer": " "}).status_code == 400
    right = {"answer": "It is right: read the end."}
    assert client.post(address, right).status_code == 400  # whether anything is done has to be said
    assert client.post(address, right | {"remedy": "none"}).status_code == 302
    for page in (client.get(item_page), client.get(address), outside.get(link)):
        assert "It is right: read the end." in page.content.decode()
    assert client.post(address, {"answer": "Twice.", "remedy": "none"}).status_code == 400
    assert not Erratum.objects.exists()
    with pytest.raises(Conflict):
        answer_report(actor=cast.manager, report=report, answer="Twice.")


@pytest.mark.parametrize(
    ("remedy", "state", "change"), [("retire", "retired", "retired"), ("mend", "in_review", "held_back")]
)
def test_it_makes_an_erratum_of_it_which_the_next_patch_lists(
    cast: Cast, remedy: str, state: str, change: str
) -> None:
    report, client = reported(cast), signed_in(cast.manager)
    address = f"/p/{cast.project.slug}/reports/{report.pk}"
    answered = {"answer": "You are right.", "remedy": remedy}
    assert client.post(address, answered).status_code == 400  # readers need a note
    client.post(address, answered | {"note": "Two options fitted."})
    item = one().item
    assert item.state == state
    tab = client.get(f"/p/{cast.project.slug}/releases/1.0.0/reports").content.decode()
    assert "Two options fitted." in tab
    patch = built(cast, version="1.0.1", recipe=replace(ALLOWED, extends="1.0.0"))
    (line,) = patch.manifest["since"]["errata"]
    assert (line["id"], line["change"], line["note"]) == (one().public_id, change, "Two options fitted.")
    assert AuditEvent.objects.filter(verb="issue_erratum").exists()


def test_it_joins_a_second_report_to_the_erratum_that_is_on_its_way(cast: Cast) -> None:
    for _each in range(2):
        report_error(actor=None, item_id=one().public_id, **WORDS)
    for report in ErrorReport.objects.all():
        answer_report(actor=cast.manager, report=report, answer="Yes.", remedy="mend", note="Two fit.")
    assert Erratum.objects.get().reports.count() == 2
    assert one().item.state == State.IN_REVIEW
    report_error(actor=None, item_id=one().public_id, **WORDS)
    with pytest.raises(Conflict):
        answer_report(
            actor=cast.manager, report=ErrorReport.objects.latest("pk"), answer="x", remedy="retire", note="x"
        )


def test_it_asks_as_few_questions_for_seven_reports_as_for_three(cast: Cast) -> None:
    client, counted = signed_in(cast.manager), []
    for many in (3, 4):
        for _each in range(many):
            report_error(actor=cast.writer, item_id=one().public_id, **WORDS)
        pages = []
        for rest in ("reports", f"items/{one().item_id}", "releases/1.0.0"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/p/{cast.project.slug}/{rest}").status_code == 200
            pages.append(len(queries))
        counted.append(pages)
    assert counted[0] == counted[1]
