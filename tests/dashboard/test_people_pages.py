"""The list of people and the page of one: the figures of Today, flagged people first, and three actions."""

from __future__ import annotations

from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, KeyExposure, State
from projects.models import Membership, Note, Pause, Role
from projects.queries import pause_of
from projects.services import set_roles
from review.models import Review, ReviewStatistics, SetAside
from review.services import count_statistics
from tests.dashboard.test_today import address as page_of
from tests.dashboard.test_today import browser, careless, shown
from tests.factories import Cast, make_story, make_user, submit_item
from tests.review.test_set_aside import judge, verified

pytestmark = pytest.mark.django_db


def people(cast: Cast) -> str:
    return reverse("dashboard:members", args=[cast.project.slug])


def person(cast: Cast, user: User, page: str = "person") -> str:
    return reverse(f"dashboard:{page}", args=[cast.project.slug, user.pk])


def count(cast: Cast) -> None:
    ReviewStatistics.objects.create(project=cast.project, counted_at=timezone.now(), figures=careless(cast))


def test_flagged_people_come_first_with_the_words_of_today(cast: Cast) -> None:
    count(cast)
    client = browser(cast.manager)
    words = "right as often as chance (9 of 34), 1 s an answer"
    for url in (people(cast), person(cast, cast.reviewer), page_of(cast)):
        assert words in shown(client, url), url
    rows = client.get(people(cast)).content.decode().split("<tbody")[1]
    names = [user.name for user in User.objects.filter(memberships__project=cast.project).distinct()]
    assert min(names, key=rows.index) == cast.reviewer.name
    text = client.get(f"{people(cast)}?sort=person").content.decode().split("<tbody")[1]
    assert min(names, key=text.index) == min(names)
    assert "9/34" in rows
    assert person(cast, cast.reviewer) in rows


def test_today_leads_to_the_page_of_the_person(cast: Cast) -> None:
    count(cast)
    page = browser(cast.manager).get(page_of(cast)).content.decode()
    assert f'href="{person(cast, cast.reviewer)}"' in page


def test_the_list_asks_as_much_for_many_people_as_for_few(cast: Cast) -> None:
    client = browser(cast.manager)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(people(cast)).status_code == 200
        return len(queries)

    submit_item(cast)
    judge(cast, cast.reviewer)
    count(cast)
    asked()
    few = asked()
    for number in range(6):
        user = make_user(f"Rosa {number}")
        set_roles(actor=cast.manager, project=cast.project, user=user, roles=[Role.REVIEWER])
        submit_item(cast, story=make_story(cast))
        judge(cast, user)
        Pause.objects.create(project=cast.project, user=user, by=cast.manager, reason="Ill.")
    assert asked() == few


def test_a_thousand_members_are_paged_with_the_flagged_first(cast: Cast) -> None:
    many = User.objects.bulk_create(User(username=f"a{n}", name=f"Aaron {n:04}") for n in range(1000))
    Membership.objects.bulk_create(
        Membership(project=cast.project, user=user, role=Role.REVIEWER) for user in many
    )
    count(cast)
    text = shown(browser(cast.manager), people(cast))
    assert text.index(cast.reviewer.name) < text.index("Aaron 0000")
    assert "1 to 25 of" in text


def test_who_may_open_them(cast: Cast) -> None:
    observer = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    count(cast)
    page = person(cast, cast.reviewer)
    text = browser(observer).get(page).content.decode()
    assert "Send message" not in text
    assert "Set aside and review again" not in text
    for name in ("send_note", "pause_person", "resume_person", "set_aside"):
        assert browser(observer).post(person(cast, cast.reviewer, name)).status_code == 403, name
    assert browser(observer).get(person(cast, cast.reviewer, "set_aside")).status_code == 403
    for user, status in ((cast.writer, 403), (cast.reviewer, 403), (cast.outsider, 404)):
        assert browser(user).get(page).status_code == status
    assert browser(cast.manager).get(person(cast, cast.outsider)).status_code == 404


def test_a_former_member_with_work_has_a_page_without_forms(cast: Cast) -> None:
    submit_item(cast)
    judge(cast, cast.reviewer)
    set_roles(actor=cast.manager, project=cast.project, user=cast.reviewer, roles=[])
    text = shown(browser(cast.manager), person(cast, cast.reviewer))
    assert "no longer a member" in text
    assert "Latest verdicts" in text
    assert "Send message" not in text


def test_it_shows_the_latest_work_but_nothing_of_items_the_reader_may_still_solve(cast: Cast) -> None:
    item = submit_item(cast)
    judge(cast, cast.reviewer, right=False)
    roles = [Role.MANAGER, Role.REVIEWER]
    other = make_user("Mara Manager")
    set_roles(actor=cast.manager, project=cast.project, user=other, roles=[Role.MANAGER])
    page, link = person(cast, cast.reviewer), reverse("dashboard:item", args=[cast.project.slug, item.pk])
    assert link in browser(other).get(page).content.decode()
    assert "answer differs from the key" in shown(browser(other), page)
    set_roles(actor=cast.manager, project=cast.project, user=other, roles=roles)
    text = browser(other).get(page).content.decode()
    assert link not in text
    assert "answer differs from the key" not in text
    assert not KeyExposure.objects.filter(user=other).exists(), "no key is shown"


def test_a_manager_writes_pauses_and_resumes(cast: Cast) -> None:
    client = browser(cast.manager)
    page = person(cast, cast.reviewer)
    assert client.post(person(cast, cast.reviewer, "send_note"), {"text": ""}).status_code == 400
    client.post(person(cast, cast.reviewer, "send_note"), {"text": "Please read the story first."})
    assert Note.objects.get().to == cast.reviewer
    assert "not read yet" in shown(client, page)
    assert client.post(person(cast, cast.reviewer, "pause_person"), {"reason": " "}).status_code == 400
    client.post(person(cast, cast.reviewer, "pause_person"), {"reason": "We talk on Monday."})
    assert "We talk on Monday." in shown(client, page)
    assert "paused" in shown(client, people(cast))
    assert cast.reviewer.name in shown(client, f"{people(cast)}?work=paused")
    assert cast.reviewer.name not in shown(client, f"{people(cast)}?work=open").replace("Rui Reviewer 2", "")
    client.post(person(cast, cast.reviewer, "resume_person"))
    assert pause_of(cast.project, cast.reviewer) is None


def test_verdicts_are_set_aside_after_showing_what_that_touches_and_undone(cast: Cast) -> None:
    cast.project.reviews_per_item = 2
    cast.project.save()
    done = verified(cast)
    item = submit_item(cast)
    judge(cast, cast.reviewer)
    count_statistics(project_id=cast.project.pk)
    client, page = browser(cast.manager), person(cast, cast.reviewer, "set_aside")
    text = shown(client, page)
    assert "2 verdicts · 2 items" in text
    assert "Back to review 1 verified 1 In review: one more reviewer is asked 1" in text
    assert "There are no verdicts in this span." in shown(client, f"{page}?until=2020-01-01")
    refused = client.post(page, {"reason": "", "pause": "on"})
    assert refused.status_code == 400
    assert not SetAside.objects.exists()
    answer = client.post(page, {"reason": "Guesses.", "pause": "on"})
    assert answer.headers["Location"] == person(cast, cast.reviewer)
    assert Item.objects.get(pk=done.pk).state == State.IN_REVIEW
    assert Item.objects.get(pk=item.pk).state == State.IN_REVIEW
    assert Review.objects.filter(set_aside__isnull=False).count() == 2
    begun = pause_of(cast.project, cast.reviewer)
    assert begun is not None
    assert begun.reason == "Guesses."
    text = shown(client, person(cast, cast.reviewer))
    assert "2 verdicts set aside, 2 items reviewed again" in text
    order = SetAside.objects.get()
    undo = reverse("dashboard:undo_set_aside", args=[cast.project.slug, order.pk])
    assert undo in client.get(person(cast, cast.reviewer)).content.decode()
    assert browser(cast.verifier).post(undo).status_code == 403
    client.post(undo)
    assert Item.objects.get(pk=done.pk).state == State.VERIFIED
    assert "undone" in shown(client, person(cast, cast.reviewer))
    assert undo not in client.get(person(cast, cast.reviewer)).content.decode()


def test_an_item_says_in_its_history_that_a_verdict_was_set_aside(cast: Cast) -> None:
    cast.project.reviews_per_item = 2
    cast.project.save()
    item = verified(cast)
    client = browser(cast.manager)
    client.post(person(cast, cast.reviewer, "set_aside"), {"reason": "Guesses."})
    assert pause_of(cast.project, cast.reviewer) is None, "only if it is ticked"
    text = unescape(client.get(reverse("dashboard:item", args=[cast.project.slug, item.pk])).content.decode())
    assert "set aside: does not count" in text
    assert "a verdict was set aside" in text
