"""Somebody leaves: their work moves at once, can be handed back, and the law binds both."""

import uuid

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import AuditEvent
from annotation.models import Cause, HandOver, Item, ItemDraft, State, WritingAssignment
from annotation.queries.assignment import waiting_for_somebody
from annotation.services import (
    apply_verdict,
    hand_back,
    revise_item,
    save_draft,
    take_over_item,
    take_story,
)
from core.errors import Conflict, Forbidden, Hidden, Unusable
from dashboard.services import hand_over
from projects.models import Role
from projects.services import set_roles
from review.models import RequestState, ReviewRequest, Stage
from review.services import claim_next
from tests.factories import Cast, content, make_project, make_story, submit_item, wording


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def returned_item(cast: Cast) -> Item:
    item = submit_item(cast)
    apply_verdict(
        actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )  # fmt: skip
    item.refresh_from_db()
    return item


def begun(cast: Cast, item: Item | None = None) -> ItemDraft:
    return save_draft(
        actor=cast.writer, project=cast.project, story=item.story if item else make_story(cast),
        task="commonsense", client_id=uuid.uuid4(), sequence=1, content={"stem": "Why"}, item=item,
    )  # fmt: skip


def claimed_by_the_writer(cast: Cast) -> ReviewRequest:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.WRITER, Role.REVIEWER])
    submit_item(cast, writer=cast.writer2)
    request = claim_next(actor=cast.writer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    return request


def test_it_moves_everything_to_somebody_else_at_once(cast: Cast) -> None:
    item = returned_item(cast)
    drafts = [begun(cast), begun(cast, item)]
    held = take_story(actor=cast.writer, story=make_story(cast))
    place = claimed_by_the_writer(cast)
    made = hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.writer2)
    item.refresh_from_db()
    held.refresh_from_db()
    place.refresh_from_db()
    assert item.writer == cast.writer2
    assert {draft.writer for draft in ItemDraft.objects.filter(pk__in=[d.pk for d in drafts])} == {
        cast.writer2
    }
    assert held.given_back_at is not None
    assert WritingAssignment.objects.get(story=held.story, given_back_at=None).writer == cast.writer2
    assert (place.state, place.claimed_by) == (RequestState.OPEN, None)
    assert made.moved["leases"] == 1
    event = AuditEvent.objects.get(verb="hand_over")
    assert (event.actor, event.detail["receiver"]) == (cast.manager, cast.writer2.pk)


def test_it_leaves_finished_stories_with_who_wrote_about_them(cast: Cast) -> None:
    story = make_story(cast)
    take_story(actor=cast.writer, story=story)
    for _number in range(cast.project.items_per_writer):
        submit_item(cast, story=story)
    begun(cast)
    hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.writer2)
    assert WritingAssignment.objects.get(story=story).given_back_at is None


def test_it_binds_both_by_the_law_once_the_other_has_revised(cast: Cast) -> None:
    item = returned_item(cast)
    hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.writer2)
    item.refresh_from_db()
    revise_item(actor=cast.writer2, item=item, content=content("Why did it sleep at noon?"))
    authors = item.revisions.order_by("number").values_list("author", flat=True)
    assert list(authors) == [cast.writer.pk, cast.writer2.pk]
    for person in (cast.writer, cast.writer2):
        set_roles(actor=cast.manager, project=cast.project, user=person, roles=[Role.REVIEWER])
        assert claim_next(actor=person, project=cast.project, stage=Stage.CROSS_CHECK) is None
        request = ReviewRequest.objects.get(item=item, state=RequestState.OPEN)
        with pytest.raises(IntegrityError) as refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "UPDATE review_reviewrequest SET state = 'claimed', claimed_by_id = %s, claimed_at = now(),"
                " lease_expires_at = now() + interval '1 hour' WHERE id = %s",
                [person.pk, request.pk],
            )
        assert isinstance(refused.value.__cause__, psycopg.errors.CheckViolation)
    assert claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK) is not None


def test_it_lets_the_leaver_revise_no_more(cast: Cast) -> None:
    item = returned_item(cast)
    hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.writer2)
    item.refresh_from_db()
    with pytest.raises(Forbidden):
        revise_item(actor=cast.writer, item=item, content=content())


def test_it_offers_everything_to_all_where_nobody_is_named(cast: Cast) -> None:
    item, held = returned_item(cast), take_story(actor=cast.writer, story=make_story(cast))
    draft = begun(cast, item)
    assert not waiting_for_somebody(cast.project, cast.writer2).exists()
    hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=None)
    assert waiting_for_somebody(cast.project, cast.writer2).get() == item
    assert not WritingAssignment.objects.filter(story=held.story, given_back_at=None).exists()
    take_over_item(actor=cast.writer2, item=item)
    item.refresh_from_db()
    draft.refresh_from_db()
    assert (item.writer, draft.writer) == (cast.writer2, cast.writer2)
    with pytest.raises(Conflict):
        take_over_item(actor=cast.manager, item=item)


def test_it_lets_another_writer_revise_what_was_returned_long_ago(cast: Cast) -> None:
    item = returned_item(cast)
    with pytest.raises(Conflict):
        take_over_item(actor=cast.writer2, item=item)
    _age(item)
    with pytest.raises(Forbidden):
        take_over_item(actor=cast.reviewer, item=item)
    assert take_over_item(actor=cast.writer2, item=item).writer == cast.writer2


def _age(item: Item) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE annotation_transition DISABLE TRIGGER immutable")
        cursor.execute(
            "UPDATE annotation_transition SET at = at - interval '15 days' WHERE item_id = %s", [item.pk]
        )
        cursor.execute("ALTER TABLE annotation_transition ENABLE TRIGGER immutable")


@pytest.mark.parametrize("named", [True, False])
def test_it_hands_back_what_nobody_has_worked_on(cast: Cast, named: bool) -> None:
    item, draft = returned_item(cast), begun(cast)
    held = take_story(actor=cast.writer, story=make_story(cast))
    receiver = cast.writer2 if named else None
    made = hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=receiver)
    back = hand_back(actor=cast.manager, hand_over=made)
    assert back == (1, 1, 1 if named else 0)
    for thing in (item, draft, held):
        thing.refresh_from_db()
    assert (item.writer, item.offered_at, draft.writer) == (cast.writer, None, cast.writer)
    assert WritingAssignment.objects.get(story=held.story, given_back_at=None) == held
    with pytest.raises(Conflict):
        hand_back(actor=cast.manager, hand_over=made)


def test_it_leaves_what_was_worked_on_since_where_it_is(cast: Cast) -> None:
    item, held = returned_item(cast), take_story(actor=cast.writer, story=make_story(cast))
    made = hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.writer2)
    item.refresh_from_db()
    revise_item(actor=cast.writer2, item=item, content=content("Why did it sleep at noon?"))
    submit_item(cast, story=held.story, writer=cast.writer2)
    assert hand_back(actor=cast.manager, hand_over=made) == (0, 0, 0)
    item.refresh_from_db()
    assert item.writer == cast.writer2


def test_it_refuses_what_makes_no_sense_and_moves_nothing(cast: Cast) -> None:
    place = claimed_by_the_writer(cast)
    draft = begun(cast)
    for receiver in (cast.writer, cast.reviewer, cast.outsider):
        with pytest.raises((Unusable, Hidden)):
            hand_over(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=receiver)
    with pytest.raises(Forbidden):
        hand_over(actor=cast.writer2, project=cast.project, departing=cast.writer, receiver=cast.writer2)
    with pytest.raises(Conflict, match="has no unfinished work"):
        hand_over(actor=cast.manager, project=cast.project, departing=cast.verifier, receiver=cast.writer2)
    place.refresh_from_db()
    draft.refresh_from_db()
    assert (place.state, draft.writer) == (RequestState.CLAIMED, cast.writer)
    assert not HandOver.objects.exists()
