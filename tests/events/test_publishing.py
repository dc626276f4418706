"""What publishes events, and that none has a key, a moral, a text, an answer or a name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.hooks import EVENTS
from annotation.models import Item, State
from annotation.services import withdraw_item
from corpus.models import Story
from evaluation.services import set_publication
from events.models import Delivery, Event, EventKind
from events.services import NewEvent, order_events, publish, publish_job_end
from generation.services import publish_batch_end
from jobs.job_types import JobEnd
from jobs.services import cancel_job, fail_job
from release.models import Release
from release.services import fail_release, finish_release, order_release, withdraw_release
from review.models import Review, Stage
from review.services import claim_next, send_verdict, solve
from tests.events.hooked import hook, sweep
from tests.events.receiver import Receiver
from tests.factories import Cast, content, make_story, submit_item
from tests.generation.bench import Bench
from tests.generation.conftest import bench
from tests.release.made import ALLOWED, bring, records

__all__ = ["bench"]
pytestmark = pytest.mark.django_db


def kinds(**about: Any) -> list[str]:
    return list(Event.objects.filter(**about).order_by("pk").values_list("kind", flat=True))


def test_each_state_but_drafts_has_an_event() -> None:
    assert set(EVENTS) == set(State.values) - {State.DRAFT}
    assert len(set(EVENTS.values())) == len(EVENTS)
    assert all(kind.startswith("item.") for kind in EVENTS.values())


def test_an_item_publishes_its_moves(cast: Cast) -> None:
    item = submit_item(cast)
    withdraw_item(actor=cast.writer, item=item)
    assert kinds(object_type="item", object_id=item.pk) == ["item.submitted", "item.withdrawn"]
    submitted, withdrawn = Event.objects.filter(object_type="item").order_by("pk")
    assert submitted.data == {"task": "commonsense", "from": "draft", "to": "in_review", "cause": "written"}
    assert withdrawn.data == {
        "task": "commonsense",
        "from": "in_review",
        "to": "withdrawn",
        "cause": "withdrawn",
    }


def test_an_import_publishes_one_event_for_its_stories_and_one_for_its_items(cast: Cast) -> None:
    bring(cast, records())
    stories = Story.objects.filter(project=cast.project).order_by("pk")
    event = Event.objects.get(kind=EventKind.STORIES_IMPORTED)
    assert (event.object_type, event.object_id) == ("project", cast.project.pk)
    assert event.data == {
        "count": stories.count(),
        "first": stories[0].pk,
        "last": max(stories.values_list("pk", flat=True)),
    }
    items = Item.objects.filter(project=cast.project).order_by("pk")
    event = Event.objects.exclude(pk=event.pk).get()
    assert (event.kind, event.object_type, event.object_id) == ("items.imported", "project", cast.project.pk)
    assert event.data == {
        "to": "verified",
        "count": items.count(),
        "first": items[0].pk,
        "last": max(items.values_list("pk", flat=True)),
    }


def test_an_event_goes_with_its_change(cast: Cast) -> None:
    with transaction.atomic():
        submit_item(cast)
        transaction.set_rollback(True)
    assert not Event.objects.filter(object_type="item").exists()


def test_a_verdict_publishes_the_stage_alone(cast: Cast) -> None:
    item = submit_item(cast)
    judge(cast)
    assert kinds(object_id=item.pk)[:2] == ["item.submitted", "review.verdict"]
    verdict = Event.objects.get(kind=EventKind.REVIEW_VERDICT)
    assert (verdict.object_type, verdict.data) == ("item", {"stage": Stage.CROSS_CHECK})


def judge(cast: Cast) -> Review:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    review = solve(actor=cast.reviewer, request=request, answer="option", position=1)
    return send_verdict(actor=cast.reviewer, review=review, disposition="pass", rating=2)


def test_a_release_publishes_what_becomes_of_it(cast: Cast) -> None:
    bring(cast, records())
    release = order_release(
        actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED
    )
    finish_release(release_id=release.pk)
    release.refresh_from_db()
    for is_open in (True, True, False):
        set_publication(actor=cast.manager, release=release, is_open=is_open, shows_scores=False)
    withdraw_release(actor=cast.manager, release=release, reason="An error.")
    failed = order_release(
        actor=cast.manager, project=cast.project, version="1.0.1", seed="7", recipe=ALLOWED
    )
    fail_release(release_id=failed.pk, failure="fault")
    fail_release(release_id=failed.pk, failure="fault")
    assert kinds(object_type="release", object_id=release.pk) == [
        "release.ready",
        "release.published",
        "release.unpublished",
        "release.withdrawn",
    ]
    assert kinds(object_type="release", object_id=failed.pk) == ["release.failed"]
    assert {
        json.dumps(one.data) for one in Event.objects.filter(object_id=release.pk, object_type="release")
    } == {'{"version": "1.0.0"}'}
    assert Release.objects.count() == 2


def test_a_job_publishes_its_end_and_that_of_its_batch(bench: Bench) -> None:
    first, second = bench.start().batch, bench.start(again=True).batch
    fail_job(job=first.job, reason="fault")
    cancel_job(actor=bench.cast.manager, job=second.job)
    assert kinds(object_type="job", object_id=first.job_id) == ["job.failed"]
    assert kinds(object_type="job", object_id=second.job_id) == ["job.cancelled"]
    assert kinds(object_type="batch") == ["batch.finished", "batch.finished"]
    data = list(Event.objects.filter(object_type="batch").order_by("pk").values_list("data", flat=True))
    assert data == [
        {"job": first.job_id, "state": "failed"},
        {"job": second.job_id, "state": "cancelled"},
    ]
    assert Event.objects.get(kind="job.failed").data == {"kind": first.job.kind}


@pytest.mark.parametrize(
    ("state", "is_at_desk", "expected"),
    [
        ("done", False, ["job.finished"]),
        ("failed", False, ["job.failed"]),
        ("cancelled", False, ["job.cancelled"]),
        ("done", True, []),
        ("paused", False, []),
    ],
)
def test_ends_of_jobs(cast: Cast, state: str, is_at_desk: bool, expected: list[str]) -> None:
    end = JobEnd(job_id=5, project_id=cast.project.pk, kind="anything", state=state, is_at_desk=is_at_desk)
    publish_job_end(end)
    publish_batch_end(end)
    assert kinds(object_id=5) == expected


MARK = "wxyzzy"
"""Is in every text that somebody wrote, and in no word of ours."""


def test_no_event_has_a_key_a_moral_a_text_or_a_name(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    type(cast.writer).objects.filter(pk__in=[cast.writer.pk, cast.reviewer.pk]).update(name=f"Name {MARK}")
    story = make_story(cast, title=f"Title {MARK}", text=f"Text {MARK}.", moral=f"Moral {MARK}.")
    words = content(
        f"Stem {MARK}?", *(f"Option {MARK} {number}" for number in range(4)), explanation=f"Because {MARK}."
    )
    first = submit_item(cast, story=story, words=words)
    judge_with_words(cast)
    second = submit_item(cast, story=story, words=words)
    withdraw_item(actor=cast.writer, item=second)
    _import(cast)
    fail_release(
        release_id=order_release(
            actor=cast.manager, project=cast.project, version="1.0.0", seed="8", recipe=ALLOWED
        ).pk,
        failure="fault",
        details={"why": MARK},
    )
    sweep()
    bodies = [message.body.decode() for message in receiver.messages]
    assert len(bodies) == Delivery.objects.count() >= 5
    bodies += [json.dumps([one.kind, one.data]) for one in Event.objects.all()]
    reader = Client()
    reader.force_login(cast.manager)
    bodies.append(reader.get(reverse("api_events", args=[cast.project.slug])).content.decode())
    bodies.append(reader.get(reverse("events:webhooks", args=[cast.project.slug])).content.decode())
    for body in bodies:
        assert MARK not in body
        for name in ("key", "answer", "moral", "option", "rating", "disposition", "username"):
            assert f'"{name}":' not in body
    assert first.pk != second.pk


def judge_with_words(cast: Cast) -> None:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    review = solve(actor=cast.reviewer, request=request, answer="option", position=0)
    send_verdict(
        actor=cast.reviewer,
        review=review,
        disposition="return",
        rating=0,
        flaws=["unclear_stem"],
        comment=f"No {MARK}",
    )


def _import(cast: Cast) -> None:
    bring(cast, records())
    assert Event.objects.filter(kind=EventKind.ITEMS_IMPORTED).exists()


def test_an_import_is_published_with_one_statement(cast: Cast, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(1):
        publish([NewEvent(cast.project.pk, EventKind.ITEM_VERIFIED, number) for number in range(2000)])
    with django_assert_max_num_queries(1):
        publish([NewEvent(cast.project.pk, EventKind.ITEM_VERIFIED, 1)])
    with django_assert_max_num_queries(0):
        publish([])
    assert order_events() > 2000
