"""The inbox: what is to do in which project, what is new there, and the life of an item."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.services import mark_inbox_read
from annotation.models import Item, KeyExposure, State, WritingAssignment
from annotation.services import apply_verdict, name_writers, start_pilot
from jobs.models import Job
from jobs.services import start_job
from projects.models import Invitation, Membership, Role
from projects.services import create_project, invite_people
from release.models import ErrorKind, ErrorReport
from review.models import Answer, Disposition, ReviewRequest, Stage
from review.queries import waiting
from review.queries.inbox import queued
from review.services import claim_next, send_verdict, solve
from review.services.practice import deal
from tests.factories import (
    PASSWORD,
    Cast,
    make_project,
    make_story,
    make_user,
    submit_item,
    wording,
)
from tests.release.made import bring, built, records
from tests.review.practice_cast import practice_item, verified

pytestmark = pytest.mark.django_db


def browser(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client


def home_of(cast: Cast, user: User) -> str:
    answer = browser(user).get(reverse("dashboard:inbox", args=[cast.project.slug]))
    assert answer.status_code == 200
    return answer.content.decode()


def return_item(cast: Cast) -> Item:
    """An item that the reviewer returned with words."""
    item = submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    key = request.drawn_order.index(1)
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=key)
    send_verdict(
        actor=cast.reviewer,
        review=review,
        rating=0,
        flaws=["unclear_stem"],
        comment="Which nap is meant?",
        disposition=Disposition.RETURN,
    )
    return item


def inbox_of(user: User) -> str:
    answer = browser(user).get("/")
    assert answer.status_code == 200
    return answer.content.decode()


def primary(page: str) -> str:
    """What the primary action says."""
    foot = page[page.index('id="foot"') :]
    found = re.search(r"data-primary>([^<]*)", foot)
    return found[1].strip() if found else ""


def another_project(cast: Cast) -> Cast:
    """A second project with the same manager, writer and reviewer."""
    other = make_project()
    Membership.objects.bulk_create(
        Membership(project=other.project, user=getattr(cast, name), role=name)
        for name in ("manager", "writer", "reviewer")
    )
    return replace(other, manager=cast.manager, writer=cast.writer, reviewer=cast.reviewer)


def test_it_shows_each_role_what_waits_and_nothing_else(cast: Cast) -> None:
    submit_item(cast)
    reviewer = home_of(cast, cast.reviewer)
    assert "1 item to review" in reviewer
    assert primary(reviewer) == "Review next, 1 waiting"
    assert "No items to verify" in home_of(cast, cast.verifier)
    writer = home_of(cast, cast.writer)
    assert "A new story is available" in writer
    assert "Review next" not in writer
    assert "Nothing to do right now." in home_of(cast, cast.manager)


def test_it_has_the_cards_of_all_projects(cast: Cast) -> None:
    other = another_project(cast)
    submit_item(cast)
    for _number in range(2):
        submit_item(other)
    page = inbox_of(cast.reviewer)
    assert "1 item to review" in page
    assert "2 items to review" in page
    assert primary(page) == "Review next, 2 waiting"
    assert f'action="{reverse("review:claim", args=[other.project.slug])}"' in page
    assert "2 items to review" not in home_of(cast, cast.reviewer)


def test_it_names_the_items_to_rule_on_and_leads_to_them(cast: Cast) -> None:
    item = submit_item(cast, story=make_story(cast, title="The Crow"))
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.PASS)
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)  # makes it final
    pages = {
        cast.manager: reverse("dashboard:item", args=[cast.project.slug, item.pk]),
        cast.verifier: reverse("corpus:story", args=[cast.project.slug, item.story_id]),
    }
    for who, page in pages.items():
        link = f'<a href="{page}" lang="en">{item.pk}, The Crow</a>'
        assert link in inbox_of(who)
        assert browser(who).get(page).status_code == 200
        assert "The Crow" not in home_of(cast, cast.reviewer2)
    taken = claim_next(actor=cast.manager, project=cast.project, stage=Stage.ADJUDICATION)
    assert taken, "who has opened the link may still rule"


def test_who_has_one_project_finds_its_pages_and_first_steps_at_once(cast: Cast) -> None:
    page, of_project = inbox_of(cast.reviewer), home_of(cast, cast.reviewer)
    for text in ('data-go="r"', 'aria-label="Main"', "Where to begin: reviewer", 'name="project"'):
        assert text in page, text
        assert text in of_project, text
    make_project().project.memberships.create(user=cast.reviewer, role=Role.WRITER)
    assert 'aria-label="Main"' not in inbox_of(cast.reviewer)


def test_it_goes_on_with_what_was_begun(cast: Cast) -> None:
    submit_item(cast)
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    page = inbox_of(cast.reviewer)
    assert primary(page) == "Continue review"
    assert "You have begun one; it is reserved for you." in page
    assert "1 is with another reviewer until" in inbox_of(cast.reviewer2)


def test_it_quotes_what_was_said_of_a_returned_item(cast: Cast) -> None:
    item = return_item(cast)
    page = inbox_of(cast.writer)
    assert "Which nap is meant?" in page
    assert "Review, unclear stem" in page
    assert "Why did the hare fall asleep?" in page
    assert primary(page) == "Revise next, 1 returned"
    assert reverse("annotation:revise", args=[cast.project.slug, item.pk]) in page
    assert cast.reviewer.name not in page
    for other in (cast.writer2, cast.reviewer, cast.manager):
        assert "Which nap is meant?" not in inbox_of(other)


def test_who_has_a_key_in_the_inbox_has_seen_it(cast: Cast) -> None:
    item = submit_item(cast, task="moral")
    apply_verdict(
        actor=cast.manager,
        item=item,
        revision_id=wording(item).pk,
        to_state=State.RETURNED,
        cause="all_return",
    )
    Item.objects.filter(pk=item.pk).update(writer=cast.writer2)
    assert "It felt sure of winning" in inbox_of(cast.writer2)
    assert KeyExposure.objects.filter(user=cast.writer2, story=item.story).exists()


def test_it_shows_an_items_life_to_those_who_may_see_its_key(cast: Cast) -> None:
    item = return_item(cast)
    page = reverse("dashboard:item", args=[cast.project.slug, item.pk])
    life = browser(cast.writer).get(page).content.decode()
    assert "Which nap is meant?" in life
    assert "unclear stem" in life
    for who in (cast.writer2, cast.reviewer, cast.verifier, cast.outsider):
        assert browser(who).get(page).status_code == 404
    assert browser(cast.manager).get(page).status_code == 200


def test_it_says_when_written_items_are_due(cast: Cast) -> None:
    story, today = make_story(cast), timezone.localdate()
    name_writers(actor=cast.manager, story=story, writers=[cast.writer], due_on=today + timedelta(days=2))
    page = inbox_of(cast.writer)
    assert "Next due" in page
    assert primary(page) == "Continue writing"
    WritingAssignment.objects.update(due_on=today - timedelta(days=1))
    assert "1 story is overdue." in inbox_of(cast.writer)


@pytest.mark.parametrize(
    ("waits", "days", "said"),
    [
        (timedelta(minutes=59), 0, None),
        (timedelta(minutes=61), 0, "The oldest has waited for 1\xa0hour."),
        (timedelta(days=3), 0, "The oldest has waited for 3\xa0days."),
        (timedelta(days=3), 3, "Next due"),
        (timedelta(days=3), 2, "The oldest was due"),
    ],
)
@pytest.mark.parametrize("stage", Stage)
def test_it_says_how_long_the_oldest_request_has_waited(
    cast: Cast, stage: Stage, waits: timedelta, days: int, said: str | None
) -> None:
    type(cast.project).objects.update(days_to_review=days)
    who = cast.reviewer if stage == Stage.CROSS_CHECK else cast.verifier
    for _number in range(2):
        submit_item(cast)
    ReviewRequest.objects.update(stage=stage)
    oldest = ReviewRequest.objects.earliest("pk")
    ReviewRequest.objects.filter(pk=oldest.pk).update(opened_at=timezone.now() - waits)
    page = inbox_of(who)
    assert [text for text in ("The oldest has waited", "Next due", "The oldest was due") if text in page] == (
        [said.partition(" for ")[0]] if said else ["Next due"] if days else []
    )
    assert said is None or said in page
    ReviewRequest.objects.filter(pk=oldest.pk).update(excluded=[who.pk])
    assert "The oldest" not in inbox_of(who), "only of what this person may take"


def test_it_leads_a_manager_through_the_first_steps() -> None:
    manager = make_user("Mona", may_create_projects=True)
    project = create_project(actor=manager, slug="river", name="River", language="en")
    assert primary(inbox_of(manager)) == "Import stories"
    empty = make_project()
    make_story(replace(empty, project=project, manager=manager))
    assert primary(inbox_of(manager)) == "Invite people"


def test_it_shows_a_manager_items_that_nobody_may_review(cast: Cast) -> None:
    submit_item(cast)
    assert "No one can review" not in inbox_of(cast.manager)
    Membership.objects.filter(project=cast.project, role=Role.REVIEWER).delete()
    page = inbox_of(cast.manager)
    assert "No one can review 1 item" in page
    assert primary(page) == "Assign reviewers"


def test_it_counts_invitations(cast: Cast) -> None:
    make_story(cast)
    invite_people(actor=cast.manager, project=cast.project, names=["Ann", "Bo"], roles=[Role.WRITER])
    page = inbox_of(cast.manager)
    assert "Not accepted yet" in page
    assert primary(page) == ""
    Invitation.objects.filter(name="Ann").update(expires_at=timezone.now() - timedelta(days=1))
    page = inbox_of(cast.manager)
    assert "Expired" in page
    assert primary(page) == "View invitations"


def ended(cast: Cast, state: str = "done", **said: object) -> Job:
    """A job of the manager that ended just now."""
    work = start_job(actor=cast.manager, project=cast.project, kind="check_gates", title="Checking gates")
    Job.objects.filter(pk=work.pk).update(state=state, finished_at=timezone.now(), **said)
    return work


def test_it_shows_jobs_until_they_are_marked_as_read(cast: Cast) -> None:
    ended(cast)
    client = browser(cast.manager)
    page = client.get("/").content.decode()
    assert "Job finished" in page
    assert "Job finished" not in inbox_of(cast.writer)
    until = re.search(r'name="until" value="([^"]+)"', page)
    assert until
    answer = client.post(reverse("dashboard:mark_read"), {"until": until[1], "project": cast.project.slug})
    assert answer.headers["Location"] == reverse("dashboard:inbox", args=[cast.project.slug])
    page = client.get("/").content.decode()
    assert "Job finished" not in page
    assert "Show jobs marked as read" in page
    client.post(reverse("dashboard:mark_read"), {"undo": "1", "project": "//elsewhere"})
    assert "Job finished" in client.get("/").content.decode()


def test_finished_jobs_share_a_card_and_failed_ones_have_their_own(cast: Cast) -> None:
    for state in ("done", "done", "failed", "failed"):
        ended(cast, state=state)
    page = inbox_of(cast.manager)
    assert page.count("2 jobs finished") == 1
    assert page.count("Job finished") == 0
    assert page.count("Job failed") == 2


@pytest.mark.parametrize("until", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "soon", ""])
def test_a_moment_that_nobody_can_read_back_is_now(cast: Cast, until: str) -> None:
    browser(cast.manager).post(reverse("dashboard:mark_read"), {"until": until})
    cast.manager.refresh_from_db()
    assert cast.manager.inbox_read_at
    assert abs(timezone.now() - cast.manager.inbox_read_at) < timedelta(minutes=5)


def test_it_shows_managers_every_job_that_failed(cast: Cast) -> None:
    work = ended(cast, state="failed")
    Job.objects.filter(pk=work.pk).update(created_by=cast.writer)
    assert "Job failed" in inbox_of(cast.manager)
    assert "Job failed" in inbox_of(cast.writer)
    assert "Job failed" not in inbox_of(cast.writer2)


def test_it_hides_a_project_from_strangers(cast: Cast) -> None:
    page = reverse("dashboard:inbox", args=[cast.project.slug])
    assert browser(cast.outsider).get(page).status_code == 404
    assert Client().get(page).status_code == 302
    assert "You are in no project yet." in browser(cast.outsider).get("/").content.decode()


def test_it_says_nothing_of_a_pilots_items_to_its_writers(cast: Cast) -> None:
    Membership.objects.create(project=cast.project, user=cast.writer2, role=Role.REVIEWER)
    story = make_story(cast)
    start_pilot(
        actor=cast.manager, project=cast.project, name="First", stories=[story],
        writers=[cast.writer, cast.writer2],
    )  # fmt: skip
    submit_item(cast, story=story)
    page = inbox_of(cast.writer2)
    assert "item to review" not in page
    assert bell(cast.writer2) == 0
    assert "1 item to review" in inbox_of(cast.reviewer)


@pytest.mark.parametrize("stage", Stage)
def test_it_counts_as_the_queue_does(cast: Cast, stage: Stage) -> None:
    for _number in range(3):
        submit_item(cast)
    claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
    Membership.objects.create(project=cast.project, user=cast.writer, role=Role.REVIEWER)
    ReviewRequest.objects.filter(state="claimed").update(lease_expires_at=timezone.now() - timedelta(hours=1))
    for user in (cast.writer, cast.reviewer, cast.reviewer2, cast.verifier, cast.manager):
        one = waiting(user, cast.project, stage)
        each = queued(user, [(cast.project.pk, stage)])[cast.project.pk, stage]
        assert (each.open, each.excluded, each.held, each.mine) == (
            one.open, one.excluded, one.held, one.mine is not None,
        )  # fmt: skip


def test_it_counts_practice_as_the_queue_does() -> None:
    cast = make_project(gold_rate=50, reviews_per_item=1)
    practice = practice_item(cast, verified(cast))
    for _number in range(3):
        submit_item(cast)
    deal(cast.reviewer, practice)
    for state in ("claimed", "closed"):
        ReviewRequest.everything.filter(gold=practice).update(
            state=state, claimed_by=cast.reviewer if state == "claimed" else None
        )
        one = waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK)
        place = (cast.project.pk, str(Stage.CROSS_CHECK))
        assert queued(cast.reviewer, [place])[place].open == one.open


# --- what is new ---


@pytest.fixture(autouse=True)
def _bell_uncounted() -> None:
    """Count the bell's statement here, in place of the fixture that leaves it out."""


def bell(user: User) -> int:
    """What the bell of a page other than the inbox counts."""
    cache.clear()
    page = browser(user).get(reverse("accounts:profile")).content.decode()
    if "Inbox: nothing new" in page:
        return 0
    found = re.search(r"Inbox: (\d+) new", page)
    assert found
    return int(found[1])


def test_a_bell_counts_what_is_new_until_the_inbox_is_opened(cast: Cast) -> None:
    return_item(cast)
    submit_item(cast)
    ended(cast)
    assert (bell(cast.writer), bell(cast.manager), bell(cast.verifier)) == (1, 1, 0)
    assert bell(cast.reviewer2) == 1
    assert "1 new since your last visit" in inbox_of(cast.writer)
    assert bell(cast.writer) == 0
    assert "1 new since your last visit" in inbox_of(cast.writer), "within one visit it stays marked"
    long_ago = timezone.now() - timedelta(hours=1)
    User.objects.filter(pk=cast.writer.pk).update(inbox_seen_at=long_ago)
    assert "1 new since your last visit" in inbox_of(cast.writer), "it came since"
    User.objects.filter(pk=cast.writer.pk).update(inbox_new_since=timezone.now())
    assert "new since your last visit" not in inbox_of(cast.writer)


def said(page: str) -> tuple[int, int, int]:
    """What an inbox says is new: its bell, its foot, and its cards and lines together."""
    rung, foot = re.search(r"Inbox: (\d+) new", page), re.search(r"(\d+) new since your last visit", page)
    cards = [int(n or 1) for n in re.findall(r'class="chip fresh">(?:(\d+) new|New)<', page)]
    return int(rung[1]) if rung else 0, int(foot[1]) if foot else 0, sum(cards)


def test_the_bell_of_an_inbox_says_what_its_cards_say(cast: Cast) -> None:
    make_story(cast)
    invite_people(actor=cast.manager, project=cast.project, names=["Ann"], roles=[Role.WRITER])
    Invitation.objects.update(accepted_at=timezone.now(), accepted_by=cast.writer)
    bring(cast, records(1))
    made = built(cast).items.first()
    ErrorReport.objects.create(released=made, fault=ErrorKind.values[0], text="Two keys.", token_hash="x")
    ended(cast)
    assert bell(cast.manager) == 4  # the build is a job, too
    assert said(inbox_of(cast.manager)) == (4, 4, 4)
    assert said(home_of(cast, cast.manager)) == (4, 4, 4)


def test_a_sent_verdict_leaves_nothing_new(cast: Cast) -> None:
    submit_item(cast)
    assert bell(cast.reviewer) == 1
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    assert bell(cast.reviewer) == 1, "practice would be known by it"
    review = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.PASS)
    assert bell(cast.reviewer) == 0
    page = inbox_of(cast.reviewer)
    assert "No items to review" in page
    assert said(page) == (0, 0, 0)


def test_a_bell_counts_no_job_that_is_read_or_that_an_inbox_no_longer_shows(cast: Cast) -> None:
    ended(cast)
    assert bell(cast.manager) == 1
    mark_inbox_read(actor=cast.manager, until=timezone.now())
    assert bell(cast.manager) == 0
    assert said(inbox_of(cast.manager)) == (0, 0, 0)
    long_ago = timezone.now() - timedelta(days=20)
    User.objects.filter(pk=cast.manager.pk).update(inbox_seen_at=long_ago, inbox_read_at=None)
    Job.objects.update(finished_at=timezone.now() - timedelta(days=10))
    assert bell(cast.manager) == 0
    assert said(inbox_of(cast.manager)) == (0, 0, 0)


def test_a_bell_shows_nothing_of_a_project_that_one_has_left(cast: Cast) -> None:
    return_item(cast)
    assert bell(cast.writer) == 1
    Membership.objects.filter(user=cast.writer).delete()
    assert bell(cast.writer) == 0


def test_who_looks_at_one_project_of_two_has_not_seen_the_other(cast: Cast) -> None:
    another_project(cast)
    return_item(cast)
    other = Membership.objects.filter(user=cast.writer).exclude(project=cast.project).get().project
    client = browser(cast.writer)
    client.get(reverse("dashboard:inbox", args=[other.slug]))
    client.get("/", headers={"HX-Request": "true"})
    assert bell(cast.writer) == 1
    client.get("/")
    assert bell(cast.writer) == 0


def test_a_bell_counts_once_a_minute(cast: Cast) -> None:
    client = browser(cast.manager)
    page = reverse("accounts:profile")
    client.get(page)
    ended(cast)
    assert "nothing new" in client.get(page).content.decode()
    with CaptureQueriesContext(connection) as captured:
        client.get(page)
    assert not any("AS news" in query["sql"] for query in captured)


def test_a_bell_is_not_worked_out_for_a_step_of_a_review(cast: Cast) -> None:
    submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    client = browser(cast.reviewer)
    page = reverse("review:solve", args=[cast.project.slug, request.public_id])
    with CaptureQueriesContext(connection) as captured:
        step = client.post(page, {"position": 0}, headers={"HX-Request": "true"})
    assert step.status_code == 200
    assert not any("AS news" in query["sql"] for query in captured)


# --- what it costs ---


def asked(client: Client, page: str) -> int:
    cache.clear()
    client.get(page)
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


def test_it_asks_the_database_as_often_for_many_items_and_projects_as_for_one(cast: Cast) -> None:
    user, client = cast.manager, browser(cast.manager)
    held = [Membership(project=cast.project, user=user, role=role) for role in Role if role != Role.MANAGER]
    Membership.objects.bulk_create(held)
    furnish(cast)
    create_project(actor=user, slug="second", name="Second", language="en")
    one = asked(client, "/")
    for number in range(4):
        project = create_project(actor=user, slug=f"more-{number}", name=f"More {number}", language="en")
        other = replace(cast, project=project)
        Membership.objects.bulk_create(
            Membership(project=project, user=who, role=role)
            for who, role in [(user, Role.REVIEWER), (user, Role.WRITER), (cast.writer, Role.WRITER)]
        )
        submit_item(other)
    furnish(cast)
    assert asked(client, "/") == one
    assert one <= 40


def furnish(cast: Cast) -> None:
    """One of each kind of card."""
    return_item(cast)
    submit_item(cast)
    ended(cast)
    item = submit_item(cast)
    ReviewRequest.objects.filter(item=item).update(stage=Stage.VERIFICATION)
