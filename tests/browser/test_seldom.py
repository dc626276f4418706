"""Forms that stand only where something went wrong, was undone or is rare: each is sent by a browser."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from accounts.services import system_account
from corpus.models import StoryGroup
from corpus.services import find_similar
from dashboard.queries.bulk import BULK
from evaluation.models import FileState
from evaluation.queries.run import IMPORT
from evaluation.services import fail_file, order_import
from jobs.models import Job, JobState, StoredKey
from jobs.services import allow_host, create_endpoint, store_key
from projects.models import Membership
from release.queries.release import BUILD
from release.services import order_release
from review.models import PracticeItem, RequestState, Stage
from review.services import claim_next
from tests.browser.entering import sign_in
from tests.factories import Cast, make_project, make_story, submit_item
from tests.release.made import ALLOWED, bring, built, records
from tests.review.practice_cast import verified
from tests.review.test_substitutes import check

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CROW = "A crow who was thirsty found a tall jar with water in it. She dropped pebbles into it, and drank."


@pytest.fixture
def cast() -> Cast:
    return make_project()


def go(page: Page, server: LiveServer, name: str, *args: object) -> None:
    page.goto(server.url + reverse(name, args=args))


def press(page: Page, name: str, *, exact: bool = True) -> None:
    """Send the form of this button, and see that a page follows and no refusal."""
    with page.expect_navigation() as gone:
        page.get_by_role("button", name=name, exact=exact).first.click()
    assert gone.value is not None
    assert gone.value.ok, f"{name}: {gone.value.status}"


@pytest.mark.drill
def test_a_manager_sends_them(page: Page, live_server: LiveServer, cast: Cast, settings: Settings) -> None:
    settings.KEY_SECRETS = ["a-secret-that-seals-the-keys-of-tests-0000"]
    slug, manager = cast.project.slug, cast.manager
    sign_in(page.context, live_server.url, manager)

    go(page, live_server, "projects:member", slug, cast.writer2.pk)
    press(page, "Remove", exact=False)
    assert not Membership.objects.filter(user=cast.writer2).exists()
    press(page, "Undo")
    assert Membership.objects.filter(user=cast.writer2).exists()

    allow_host(actor=system_account(), address="https://1.1.1.1")
    endpoint = create_endpoint(
        actor=manager, project=cast.project, name="Away", model="m", base_url="https://1.1.1.1/v1"
    )
    store_key(actor=manager, endpoint=endpoint, key="sk-of-this-test-only")
    go(page, live_server, "generation:endpoint", slug, endpoint.pk)
    press(page, "Delete key")
    assert not StoredKey.objects.exists()

    for text in (CROW, CROW.replace("tall", "very tall")):
        make_story(cast, title="Crow", text=text)
    find_similar(project_id=cast.project.pk)
    go(page, live_server, "corpus:similar", slug)
    press(page, "Confirm the group shown")
    assert Job.objects.filter(kind=BULK).exists() or StoryGroup.objects.exists()

    item = verified(cast)
    go(page, live_server, "dashboard:item", slug, item.pk)
    with page.expect_navigation():
        page.get_by_role("link", name="Create practice item").click()
    page.fill("[name=lesson]", "The story names the reason.")
    press(page, "Create practice item")
    assert PracticeItem.objects.count() == 1

    bring(cast, records(3))
    release = built(cast)
    later = order_release(actor=manager, project=cast.project, version="2.0.0", seed="7", recipe=ALLOWED)
    ago = timezone.now() - timedelta(minutes=5)
    silent = Job.objects.filter(subject=later.pk, kind=BUILD)
    silent.update(state=JobState.RUNNING, created_at=ago, heartbeat_at=ago)
    go(page, live_server, "release:detail", slug, "2.0.0")
    press(page, "Try again")

    line = json.dumps({"model": "m", "item_id": "x", "choice": 0})
    file = order_import(actor=manager, release=release, name="r.jsonl", data=line.encode())
    fail_file(file_id=file.pk)
    Job.objects.filter(subject=file.pk, kind=IMPORT).update(state=JobState.FAILED)
    go(page, live_server, "evaluation:imported", slug, file.pk)
    press(page, "Try again")
    file.refresh_from_db()
    assert file.state == FileState.WAITING


def test_reviewers_send_them(page: Page, live_server: LiveServer, cast: Cast) -> None:
    slug = cast.project.slug
    submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK, right=False)
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request is not None
    sign_in(page.context, live_server.url, cast.verifier)
    go(page, live_server, "review:request", slug, request.public_id)
    page.get_by_role("button", name="Appoint deputy").click()
    page.select_option("[name=person]", label=cast.reviewer2.name)
    press(page, "Appoint")

    sign_in(page.context, live_server.url, cast.reviewer2)
    go(page, live_server, "review:deputy", slug)
    press(page, "Take item")
    request.refresh_from_db()
    assert request.claimed_by == cast.reviewer2

    submit_item(cast)
    mine = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert mine is not None
    type(mine).objects.filter(pk=mine.pk).update(
        state=RequestState.OPEN, claimed_by=None, claimed_at=None, lease_expires_at=None,
        freed_from=cast.reviewer, freed_order=mine.drawn_order,
    )  # fmt: skip
    sign_in(page.context, live_server.url, cast.reviewer)
    go(page, live_server, "review:request", slug, mine.public_id)
    press(page, "Resume")
    expect(page.locator("main")).to_contain_text(mine.revision.stem)
    mine.refresh_from_db()
    assert mine.claimed_by == cast.reviewer
