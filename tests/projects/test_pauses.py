"""A paused member gets nothing new, keeps what has begun, and reads why; messages reach their inbox."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.models import WritingAssignment
from annotation.services import (
    assign_item,
    describe_no_story,
    name_writers,
    return_item,
    take_next_story,
    take_story,
)
from core.errors import Conflict, Forbidden, Hidden, Unusable
from projects.models import Note, Pause, Role
from projects.permissions import may_begin
from projects.queries import members_at_work, pause_of
from projects.services import pause_member, read_note, resume_member, send_note, set_roles
from review.models import RequestState, ReviewRequest, Stage
from review.permissions import TO_JUDGE
from review.queries import blocked_requests, waiting
from review.queries.blocked import blocked_by_stage
from review.services import claim_next
from tests.dashboard.test_today import browser, shown
from tests.factories import Cast, make_story, submit_item

pytestmark = pytest.mark.django_db


def pause(cast: Cast, user: User, reason: str = "Answers too fast.") -> Pause:
    return pause_member(actor=cast.manager, project=cast.project, user=user, reason=reason)


def claim(cast: Cast, user: User) -> ReviewRequest | None:
    return claim_next(actor=user, project=cast.project, stage=Stage.CROSS_CHECK)


def test_a_paused_reviewer_gets_no_new_item_and_keeps_the_one_in_hand(cast: Cast) -> None:
    submit_item(cast)
    submit_item(cast)
    held = claim(cast, cast.reviewer)
    assert held is not None
    pause(cast, cast.reviewer)
    assert claim(cast, cast.reviewer) == held, "what has begun stays"
    ReviewRequest.objects.filter(pk=held.pk).update(
        state=RequestState.OPEN, claimed_by=None, lease_expires_at=None
    )
    assert claim(cast, cast.reviewer) is None
    assert claim(cast, cast.reviewer2) is not None, "others go on"
    state = waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    assert (state.is_paused, state.open) == (True, 0)
    resume_member(actor=cast.manager, project=cast.project, user=cast.reviewer)
    assert claim(cast, cast.reviewer) is not None


def test_new_roles_do_not_end_a_pause(cast: Cast) -> None:
    pause(cast, cast.reviewer)
    roles = [Role.REVIEWER, Role.WRITER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.reviewer, roles=roles)
    assert not may_begin(cast.reviewer, cast.project)
    assert not members_at_work(cast.project, TO_JUDGE[Stage.CROSS_CHECK]).filter(pk=cast.reviewer.pk)


def test_items_that_only_paused_people_could_review_are_blocked(cast: Cast) -> None:
    submit_item(cast)
    pause(cast, cast.reviewer)
    assert blocked_by_stage(cast.project) == {}
    pause(cast, cast.reviewer2)
    assert blocked_by_stage(cast.project) == {Stage.CROSS_CHECK: 1}
    (one,) = blocked_requests(cast.project)
    assert one.nobody_has_role is True


def test_a_paused_writer_gets_no_new_story_from_anyone(cast: Cast) -> None:
    story = make_story(cast)
    pause(cast, cast.writer)
    assert take_next_story(actor=cast.writer, project=cast.project) is None
    assert "paused new work" in describe_no_story(cast.writer, cast.project)
    with pytest.raises(Forbidden, match="paused"):
        take_story(actor=cast.writer, story=story)
    with pytest.raises(Unusable, match="paused"):
        name_writers(actor=cast.manager, story=story, writers=[cast.writer2, cast.writer])
    assert not WritingAssignment.objects.exists()
    resume_member(actor=cast.manager, project=cast.project, user=cast.writer)
    assert take_next_story(actor=cast.writer, project=cast.project) is not None


def test_no_item_is_assigned_to_a_paused_writer(cast: Cast) -> None:
    item = submit_item(cast)
    return_item(actor=cast.manager, item=item, reason="Shorter.")
    pause(cast, cast.writer2)
    with pytest.raises(Conflict, match="paused"):
        assign_item(actor=cast.manager, item=item, writer=cast.writer2)


def test_only_managers_pause_once_with_a_reason(cast: Cast) -> None:
    for who in (cast.writer, cast.reviewer2, cast.verifier):
        with pytest.raises(Forbidden):
            pause_member(actor=who, project=cast.project, user=cast.reviewer, reason="No.")
    with pytest.raises(Unusable, match="reason"):
        pause(cast, cast.reviewer, " ")
    with pytest.raises(Hidden):
        pause(cast, cast.outsider)
    made = pause(cast, cast.reviewer)
    with pytest.raises(Conflict, match="already"):
        pause(cast, cast.reviewer)
    assert pause_of(cast.project, cast.reviewer) == made
    with pytest.raises(IntegrityError), transaction.atomic():
        Pause.objects.create(project=cast.project, user=cast.reviewer, by=cast.manager, reason="Twice.")
    resume_member(actor=cast.manager, project=cast.project, user=cast.reviewer)
    resume_member(actor=cast.manager, project=cast.project, user=cast.reviewer)
    assert AuditEvent.objects.filter(verb="resume_member").count() == 1
    made.refresh_from_db()
    assert made.ended_by == cast.manager, "a pause that has ended stays on record"


def test_the_inbox_and_the_queue_say_that_one_is_paused(cast: Cast) -> None:
    submit_item(cast)
    client = browser(cast.reviewer)
    inbox = reverse("dashboard:inbox", args=[cast.project.slug])
    assert "1 item to review" in shown(client, inbox)
    pause(cast, cast.reviewer)
    text = shown(client, inbox)
    assert "You are paused in this project" in text
    assert "1 item to review" not in text
    queue = reverse("review:queue", args=[cast.project.slug])
    assert "You are paused in this project" in shown(client, queue)
    assert "Next item" not in client.get(queue).content.decode()


def test_a_message_stands_in_the_inbox_until_it_is_read(cast: Cast) -> None:
    client, inbox = browser(cast.reviewer), reverse("dashboard:inbox", args=[cast.project.slug])
    note = send_note(actor=cast.manager, project=cast.project, user=cast.reviewer, text="Read the story.")
    assert "Read the story." in shown(client, inbox)
    read = reverse("dashboard:read_note", args=[cast.project.slug, note.pk])
    assert browser(cast.reviewer2).post(read).status_code == 404
    assert "Read the story." not in shown(browser(cast.reviewer2), inbox)
    assert client.post(read).status_code == 302
    assert "Read the story." not in shown(client, inbox)
    assert Note.objects.get().read_at is not None
    with pytest.raises(Forbidden):
        send_note(actor=cast.writer, project=cast.project, user=cast.reviewer, text="Hello.")
    with pytest.raises(Unusable):
        send_note(actor=cast.manager, project=cast.project, user=cast.reviewer, text=" ")
    with pytest.raises(Hidden):
        send_note(actor=cast.manager, project=cast.project, user=cast.outsider, text="Hello.")
    with pytest.raises(Hidden):
        read_note(actor=cast.reviewer2, project=cast.project, pk=note.pk)
