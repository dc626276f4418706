"""Things done to many items at once: to those that can take it, by people who may, and undone again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.services import get_or_create_placeholder
from annotation.models import Item, ItemDraft, KeyExposure, Transition
from annotation.services import record_table_taken_out
from core.errors import Conflict, Unusable
from dashboard.models import BulkAction, Verb
from dashboard.queries.bulk import last_bulk
from dashboard.queries.pace import VERIFIED as VERIFIED_WORK
from dashboard.queries.pace import stays, throughput
from dashboard.queries.report import statement
from dashboard.services import bulk as service
from dashboard.services import order_bulk, undo_bulk
from jobs.models import Job
from jobs.services import run_job
from projects.models import Membership
from projects.permissions import roles_of
from release.queries.release import _last_causes
from review.models import Disposition, Priority, ReviewRequest, Stage
from review.services import claim_next
from tests.dashboard.test_item_list import move
from tests.factories import Cast, content, make_project, submit_item
from tests.filling import lift_rules
from tests.projects.pages import answers, browser, only_managers
from tests.review.practice_cast import look


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def items(cast: Cast, *states: str) -> list[Item]:
    """One item in review for each list of states, moved through these."""
    made = []
    for number, path in enumerate(states):
        item = submit_item(cast, words=content(f"Why did hare {number} sleep?"))
        for state in path.split():
            item = move(item, state, cast)
        made.append(item)
    return made


VERIFIED = "in_verification verified"


def states(made: Sequence[Item]) -> list[str]:
    return [Item.objects.get(pk=item.pk).state for item in made]


def do(cast: Cast, verb: str, made: Sequence[Item], **more: Any) -> BulkAction:
    more = {"reason": "Too easy."} | more
    return order_bulk(
        actor=cast.manager,
        project=cast.project,
        listing="items",
        verb=verb,
        rows=[item.pk for item in made],
        **more,
    )


def undo(cast: Cast, done: BulkAction) -> BulkAction:
    return undo_bulk(actor=cast.manager, bulk=done)


@pytest.mark.parametrize(("verb", "after"), [(Verb.RETURN, "in_review"), (Verb.RETIRE, "retired")])
def test_it_moves_verified_items_and_moves_them_back(cast: Cast, verb: str, after: str) -> None:
    made = items(cast, VERIFIED, VERIFIED, "returned")
    done = do(cast, verb, made)
    assert states(made) == [after, after, "returned"]
    assert [item for item, _move in done.changed] == [made[0].pk, made[1].pk]
    assert set(
        Transition.objects.filter(to_state=after, reason="Too easy.").values_list("item", flat=True)
    ) == {
        made[0].pk,
        made[1].pk,
    }
    undo(cast, done)
    assert states(made) == ["verified", "verified", "returned"]
    assert not ReviewRequest.objects.filter(item__in=made[:2], state__in=["open", "claimed"]).exists()
    with pytest.raises(Conflict):
        undo(cast, done)


@pytest.mark.parametrize("verb", [Verb.RETURN, Verb.RETIRE])
def test_an_undo_verifies_nothing_again(cast: Cast, verb: str) -> None:
    """Nobody is paid for it, no day looks busier, and the card keeps how the items came to be verified."""
    made = items(cast, VERIFIED, VERIFIED)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    lift_rules(["annotation_transition"])
    Transition.objects.filter(item__in=made).update(at=timezone.now() - timedelta(days=40))
    undo(cast, do(cast, verb, made))
    now = timezone.now()
    since = now - timedelta(days=1)
    assert sum(line.verified for line in statement(cast.project, since, now + timedelta(hours=1))) == 0
    of_project = Item.objects.filter(project=cast.project)
    assert VERIFIED_WORK not in {work for work, *_key in throughput(of_project).counted}
    assert "in_review" not in stays(of_project)
    assert "taken_back" not in _last_causes(of_project)


def test_it_leaves_alone_what_somebody_has_begun_to_review_since(cast: Cast) -> None:
    made = items(cast, VERIFIED, VERIFIED)
    done = do(cast, Verb.RETURN, made)
    claimed = claim_next(actor=cast.reviewer, project=cast.project, stage="cross_check")
    assert claimed is not None
    back = undo(cast, done)
    assert sorted(states(made)) == ["in_review", "verified"]
    assert [item for item, _before in back.changed] == [
        item.pk for item in made if item.pk != claimed.item_id
    ]


def test_it_returns_items_to_their_writers_and_takes_it_back(db: None) -> None:
    cast = make_project(reviews_per_item=2)
    made = items(cast, "", "in_verification", "in_adjudication", VERIFIED, "returned", "")
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    done = do(cast, Verb.SEND_BACK, made, reason="Name the animal.")
    assert [item for item, _move in done.changed] == [made[n].pk for n in (0, 1, 2, 5)]
    assert states(made) == ["returned"] * 3 + ["verified"] + ["returned"] * 2
    assert not ReviewRequest.objects.filter(state="open").exists()
    home = browser(cast.writer).get("/").text
    assert home.count("Name the animal.") == 4
    assert "Returned by a manager" in home
    ItemDraft.objects.create(
        project=cast.project, story=made[5].story, item=made[5], writer=cast.writer, client_id=uuid4()
    )
    undo(cast, done)
    assert states(made) == ["in_review", "in_verification", "in_adjudication", "verified"] + ["returned"] * 2
    waits = ReviewRequest.objects.filter(state="open").order_by("item", "number")
    assert list(waits.values_list("item", "stage", "number")) == [
        (made[0].pk, "cross_check", 2), (made[1].pk, "verification", 1), (made[2].pk, "adjudication", 1),
    ], "the first reviewer's verdict counts on"  # fmt: skip
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    assert states(made)[0] == "in_verification"


def test_it_returns_nothing_that_somebody_reviews(cast: Cast) -> None:
    made = items(cast, "", "")
    claimed = claim_next(actor=cast.reviewer, project=cast.project, stage="cross_check")
    assert claimed
    left = [item.pk for item in made if item.pk != claimed.item_id]
    done = do(cast, Verb.SEND_BACK, made)
    assert [item for item, _move in done.changed] == left


def test_it_gives_and_takes_roles_and_leaves_everyone_one(cast: Cast) -> None:
    people = [cast.writer, cast.reviewer, cast.manager]

    def order(verb: str, role: str) -> BulkAction:
        return order_bulk(
            actor=cast.manager, project=cast.project, listing="members", verb=verb, role=role,
            rows=[user.pk for user in [*people, cast.outsider]],
        )  # fmt: skip

    def roles() -> list[str]:
        return [" ".join(sorted(roles_of(user, cast.project))) for user in people]

    given = order(Verb.GIVE_ROLE, "reviewer")
    assert roles() == ["reviewer writer", "reviewer", "manager reviewer"]
    undo(cast, given)
    assert roles() == ["writer", "reviewer", "manager"]
    order(Verb.GIVE_ROLE, "writer")
    taken = order(Verb.TAKE_ROLE, "manager")
    assert taken.changed == [], "the last manager stays"
    taken = order(Verb.TAKE_ROLE, "writer")
    assert roles() == ["writer", "reviewer", "manager"], "an only role stays"
    undo(cast, taken)
    assert roles() == ["writer", "reviewer writer", "manager writer"]
    assert not roles_of(cast.outsider, cast.project)
    with pytest.raises(Unusable):
        order(Verb.GIVE_ROLE, "owner")


def test_it_puts_items_first_and_as_they_were(cast: Cast) -> None:
    made = items(cast, "", "", "returned")
    do(cast, Verb.FIRST, made[:1])
    done = do(cast, Verb.FIRST, made)
    assert [item for item, _before in done.changed] == [made[1].pk]
    assert set(priorities()) == {Priority.FIRST}
    undo(cast, done)
    assert priorities() == [Priority.FIRST, Priority.NORMAL]


def priorities() -> list[int]:
    waiting = ReviewRequest.objects.filter(state="open").order_by("item")
    return list(waiting.values_list("priority", flat=True))


def test_it_gives_returned_items_to_a_writer_and_back(cast: Cast) -> None:
    made = items(cast, "returned", "returned", "")
    done = do(cast, Verb.ASSIGN, made, receiver=cast.writer2)
    assert writers(made) == [cast.writer2, cast.writer2, cast.writer]
    move(made[1], "withdrawn", cast)
    Membership.objects.filter(user=cast.writer).delete()
    undo(cast, done)
    assert writers(made) == [cast.writer, cast.writer2, cast.writer]


def test_it_gives_an_offer_back_as_an_offer_also_of_a_writer_who_cannot_sign_in(cast: Cast) -> None:
    (item,) = items(cast, "returned")
    offered_at = timezone.now()
    writer = get_or_create_placeholder(actor=cast.manager, name="Zhang")
    Item.objects.filter(pk=item.pk).update(writer=writer, offered_at=offered_at)
    done = do(cast, Verb.ASSIGN, [item], receiver=cast.writer2)
    back = undo(cast, done)
    assert len(back.changed) == 1
    item.refresh_from_db()
    assert (item.writer, item.offered_at) == (writer, offered_at)


def writers(made: Sequence[Item]) -> list[User]:
    return [Item.objects.get(pk=item.pk).writer for item in made]


def test_the_database_takes_back_nothing_else(cast: Cast) -> None:
    """No other way leads from review to verified, and only the last move is taken back."""
    fresh, looked = items(cast, "", VERIFIED)
    do(cast, Verb.RETURN, [looked])
    for item, cause in ((fresh, "taken_back"), (looked, "all_pass")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Transition.objects.create(
                item=item, revision=item.current, from_state="in_review", to_state="verified",
                actor=cast.manager, cause=cause,
            )  # fmt: skip


def test_it_leaves_many_to_a_job(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "AT_ONCE", 1)
    monkeypatch.setattr(service, "_CHUNK", 2)
    made = items(cast, VERIFIED, VERIFIED, VERIFIED)
    done = do(cast, Verb.RETIRE, made)
    assert states(made) == ["verified"] * 3
    with pytest.raises(Conflict):
        undo(cast, done)
    work = Job.objects.get(kind="bulk")
    run_job(job_id=work.pk)
    assert states(made) == ["retired"] * 3
    service.carry_out_bulk(bulk_id=done.pk)  # a second time does nothing
    assert len(BulkAction.objects.get().changed) == 3


def post(cast: Cast, **sent: Any) -> Any:
    return browser(cast.manager).post(reverse("dashboard:bulk", args=[cast.project.slug, "items"]), sent)


def test_it_changes_all_that_fit_the_filter_or_what_was_ticked(cast: Cast) -> None:
    made = items(cast, VERIFIED, VERIFIED, "returned")
    asked = post(cast, verb="retire", all="1", query="q=hare+1&in=stem")
    assert "Retire 1 item" in asked.getvalue().decode()
    assert states(made) == ["verified", "verified", "returned"]
    sent = {"verb": "retire", "all": "1", "query": "q=hare+1&in=stem", "sure": "1", "n": "1"}
    assert post(cast, **sent, reason="").status_code == 400
    assert post(cast, **sent, reason="Old").status_code == 302
    assert states(made) == ["verified", "retired", "returned"]
    assert post(cast, verb="first", row=[made[0].pk, "x", made[2].pk]).status_code == 302
    assert post(cast, verb="odd", row=[made[0].pk]).status_code == 302
    assert BulkAction.objects.count() == 1


def test_it_shows_the_first_items_that_it_asks_about_and_no_key_that_is_not_known(cast: Cast) -> None:
    made = items(cast, *[VERIFIED] * 7, "returned")
    page = post(cast, verb="retire", row=[item.pk for item in made])
    text = unescape(page.getvalue().decode())
    visible = [number for number in range(8) if f"Why did hare {number} sleep?" in text]
    assert visible == [0, 1, 2, 3, 4]
    assert "and 2 more" in text
    assert [row.key for row in page.context["confirmed"]] == [""] * 5
    assert not KeyExposure.objects.filter(user=cast.manager).exists()


@pytest.mark.parametrize(("verb", "given"), [("retire", {"reason": "Old"}), ("export", {"kind": "csv"})])
def test_it_asks_again_where_more_fit_than_were_confirmed(
    cast: Cast, verb: str, given: dict[str, str]
) -> None:
    made = items(cast, VERIFIED, VERIFIED)
    sent = {"verb": verb, "all": "1", "query": "q=hare&in=stem", "sure": "1", **given}
    again = post(cast, **sent, n="1").getvalue().decode()
    assert "More rows match the filter now" in again
    assert 'name="n" value="2"' in again
    assert states(made) == ["verified", "verified"]
    assert not KeyExposure.objects.filter(user=cast.manager).exists()
    assert "More rows" not in post(cast, **sent, n="2").getvalue().decode()
    exposed = set(KeyExposure.objects.filter(user=cast.manager).values_list("item", flat=True))
    assert exposed == ({item.pk for item in made} if verb == "export" else set())


def test_it_asks_once_which_items_a_file_holds(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    (item,) = items(cast, "")

    def record_and_submit(**given: Any) -> None:
        record_table_taken_out(**given)
        submit_item(cast, words=content("Where was the jar?"))

    monkeypatch.setattr("dashboard.views.item_list.record_table_taken_out", record_and_submit)
    answer = post(cast, verb="export", kind="csv", all="1", n="1")
    text = answer.getvalue().decode("utf-8-sig")
    assert "Why did hare 0 sleep?" in text
    assert "Where was the jar?" not in text
    assert list(KeyExposure.objects.values_list("item", flat=True)) == [item.pk]


def test_it_offers_to_undo_what_was_done_last(cast: Cast) -> None:
    made = items(cast, VERIFIED)
    do(cast, Verb.RETIRE, made)
    client = browser(cast.manager)
    done = BulkAction.objects.get()
    address = reverse("dashboard:undo_bulk", args=[cast.project.slug, done.pk])
    assert address in client.get(reverse("dashboard:items", args=[cast.project.slug])).content.decode()
    page = client.post(address, follow=True).content.decode()
    assert "Undone for 1." in page
    assert states(made) == ["verified"]
    assert answers(cast, address, "post") == only_managers(302)


@pytest.mark.parametrize(("is_undone", "seconds", "is_shown"), [
    (False, 61, True), (False, 3599, True), (False, 3601, False), (True, 59, True), (True, 61, False),
])  # fmt: skip
def test_it_says_for_an_hour_what_can_be_undone_and_for_a_minute_what_was(
    cast: Cast, is_undone: bool, seconds: int, is_shown: bool
) -> None:
    last = do(cast, Verb.RETIRE, items(cast, VERIFIED))
    if is_undone:
        last = undo(cast, last)
    made_at = timezone.now() - timedelta(seconds=seconds)
    BulkAction.objects.filter(pk=last.pk).update(created_at=made_at)
    BulkAction.objects.exclude(pk=last.pk).update(created_at=made_at - timedelta(minutes=1))
    found = last_bulk(cast.manager, cast.project, "items")
    assert (found is not None and found.pk == last.pk) == is_shown


def test_undoing_keeps_the_filters_that_were_set(cast: Cast) -> None:
    made = items(cast, VERIFIED)
    do(cast, Verb.RETIRE, made)
    client = browser(cast.manager)
    shown = reverse("dashboard:items", args=[cast.project.slug]) + "?state=retired&sort=number"
    kept = re.search(r'name="next" value="([^"]+)"', client.get(shown).text)
    assert kept is not None
    address = reverse("dashboard:undo_bulk", args=[cast.project.slug, BulkAction.objects.get().pk])
    sent = client.post(address, {"next": unescape(kept[1])})
    assert sent.headers["Location"] == shown
    assert client.post(address, {"next": "https://elsewhere.org/"}).headers["Location"] == shown.split("?")[0]


@pytest.mark.parametrize(("verb", "after"), [(Verb.RETURN, "in_review"), (Verb.RETIRE, "retired")])
def test_an_item_s_page_offers_it_and_its_undoing(cast: Cast, verb: str, after: str) -> None:
    made = items(cast, VERIFIED, "returned")
    client = browser(cast.manager)
    page, other = (reverse("dashboard:item", args=[cast.project.slug, item.pk]) for item in made)
    assert f'name="verb" value="{verb}"' in client.get(page).text
    assert 'name="verb"' not in client.get(other).text
    assert 'name="verb"' not in browser(cast.writer).get(page).text
    address = reverse("dashboard:bulk", args=[cast.project.slug, "items"])
    order = {"row": str(made[0].pk), "next": page, "verb": verb}
    assert f'name="next" value="{page}"' in client.post(address, order).text
    sent = client.post(address, order | {"sure": "1", "n": "1", "reason": "Too easy."})
    assert (sent.headers["Location"], states(made)[0]) == (page, after)
    undoing = reverse("dashboard:undo_bulk", args=[cast.project.slug, BulkAction.objects.get().pk])
    assert undoing in client.get(page).text
    assert undoing not in client.get(other).text
    assert "Undone for 1." in client.post(undoing, {"next": page}, follow=True).text
    assert states(made)[0] == "verified"


def test_it_exports_what_was_selected_and_says_who_has_seen_the_keys(cast: Cast) -> None:
    made = items(cast, VERIFIED, VERIFIED)
    answer = post(cast, verb="export", kind="csv", row=[made[0].pk])
    text = answer.getvalue().decode("utf-8-sig")
    assert [item.current.stem in text for item in made if item.current] == [True, False]
    assert set(KeyExposure.objects.filter(user=cast.manager).values_list("item", flat=True)) == {made[0].pk}


def test_it_changes_nothing_of_another_project(cast: Cast) -> None:
    other = make_project()
    theirs = items(other, VERIFIED)
    with pytest.raises(Conflict):
        do(cast, Verb.RETIRE, theirs)
    assert states(theirs) == ["verified"]
    assert answers(
        cast, reverse("dashboard:bulk", args=[cast.project.slug, "items"]), "post"
    ) == only_managers(302)
