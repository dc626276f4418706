"""The statement: what each has done in a period and what it comes to; everybody sees their own."""

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.models import ItemDraft, State
from annotation.services import import_items, save_draft
from dashboard.queries.inbox import Mine
from dashboard.queries.report import Period, WorkRow, _drafted, _reviewed, _seconds, statement
from dashboard.queries.week import week_of
from parable.formats.records import Reading, Row
from projects.services import update_project
from review.models import Answer, Disposition, Review, ReviewRequest, Stage
from review.services import (
    claim_next,
    renew_lease,
    send_verdict,
    solve,
    undo_verdict,
)
from tests.factories import Cast, make_project, make_story, submit_item
from tests.release.made import record
from tests.review.practice_cast import done, first_drawn, practice_item


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def lines(cast: Cast, days_ago: int = 1) -> dict[User, WorkRow]:
    now = timezone.now()
    found = statement(cast.project, now - timedelta(days=days_ago), now + timedelta(minutes=1))
    return {line.person: line for line in found}


def alone(cast: Cast, line: WorkRow) -> list[WorkRow]:
    """What a person sees of their own work, counted without that of others."""
    now = timezone.now()
    return statement(cast.project, now - timedelta(days=1), now + timedelta(minutes=1), only=line.person)


def work_through(cast: Cast, actor: User, stage: str) -> None:
    """One item solved rightly and passed."""
    request = claim_next(actor=actor, project=cast.project, stage=stage)
    assert request is not None
    key = next(option.position for option in request.revision.options.all() if option.is_key)
    review = solve(
        actor=actor, request=request, answer=Answer.OPTION, position=request.drawn_order.index(key)
    )
    rating = 2 if stage == Stage.CROSS_CHECK else None
    send_verdict(actor=actor, review=review, disposition=Disposition.PASS, rating=rating)
    claim_next(actor=actor, project=cast.project, stage=stage)  # carries the verdict out


def test_it_counts_each_persons_work_and_pays_it(cast: Cast) -> None:
    rates = {"rate_item": Decimal(5), "rate_verified": Decimal(3), "rate_review": Decimal("1.50")}
    update_project(actor=cast.manager, project=cast.project, changes=rates)
    submit_item(cast)
    submit_item(cast)
    work_through(cast, cast.reviewer, Stage.CROSS_CHECK)
    work_through(cast, cast.verifier, Stage.VERIFICATION)
    found = lines(cast)
    writer, reviewer, verifier = found[cast.writer], found[cast.reviewer], found[cast.verifier]
    assert (writer.written, writer.verified, writer.amount) == (2, 1, Decimal("13.00"))
    assert (reviewer.reviews, reviewer.verifications, reviewer.amount) == (1, 0, Decimal("1.50"))
    assert (verifier.reviews, verifier.verifications, verifier.amount) == (0, 1, Decimal("1.50"))
    assert found[cast.writer2].is_idle
    assert [alone(cast, line) for line in found.values()] == [[line] for line in found.values()]


def test_the_inbox_counts_submitted_items_as_the_report_does(cast: Cast) -> None:
    """Nor does either count as somebody's work what an import brought, written and verified elsewhere."""
    submit_item(cast)
    rows = tuple(Row(number, record(number, 1)) for number in (1, 2))
    result = import_items(
        actor=cast.manager,
        project=cast.project,
        readings=[Reading("items.jsonl", "parable", rows, ())],
        state=State.VERIFIED,
        writer=cast.writer,
    )
    assert not result.issues, result.issues
    week = week_of(cast.writer, [Mine(cast.project, frozenset())])
    line = lines(cast)[cast.writer]
    assert week.submitted == line.written == 1
    assert line.verified == 0


@pytest.mark.django_db
def test_practice_counts_as_the_work_it_is() -> None:
    cast = make_project(gold_rate=50)
    update_project(actor=cast.manager, project=cast.project, changes={"rate_review": Decimal("1.50")})
    practice_item(cast)
    submit_item(cast)
    done(cast, first_drawn(cast))
    at = timezone.now()
    Review.everything.filter(revision=None).update(active_seconds=120, judged_at=at)
    found = statement(cast.project, at - timedelta(days=1), at + timedelta(days=1), only=cast.reviewer)[0]
    assert (found.reviews, found.minutes, found.amount) == (1, 2, Decimal("1.50"))


def test_it_counts_a_week_of_much_work_once_a_minute(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def submitted(person: User) -> int:
        return week_of(person, [Mine(cast.project, frozenset())]).submitted

    monkeypatch.setattr("dashboard.queries.week.COUNTED_AT_EACH_LOOK", 1)
    found = []
    for _number in range(3):
        submit_item(cast)
        found.append(submitted(cast.writer))
    assert found == [1, 2, 2], "one was not much"
    assert submitted(cast.writer2) == 0


def test_it_counts_much_work_of_all_once_a_minute(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()

    def written(**only: User) -> tuple[int, Decimal]:
        found = statement(cast.project, now - timedelta(days=1), now + timedelta(days=1), **only)
        line = next(line for line in found if line.person == cast.writer)
        return line.written, line.amount

    monkeypatch.setattr("dashboard.queries.report.COUNTED_ANEW", 1)
    submit_item(cast)
    assert written() == (1, Decimal(0))
    submit_item(cast)
    assert written() == (2, Decimal(0)), "one was not much"
    submit_item(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"rate_item": Decimal(2)})
    assert written() == (2, Decimal(4)), "at the rates of now"
    assert written(only=cast.writer) == (3, Decimal(6)), "three of one person are not much"
    monkeypatch.setattr("dashboard.queries.report.MUCH_OF_ONE", 2)
    assert written(only=cast.writer) == (3, Decimal(6))
    submit_item(cast)
    assert written(only=cast.writer) == (3, Decimal(6)), "as it was a minute ago"
    assert written() == (2, Decimal(4)), "one's own is kept beside that of all"


def test_it_counts_nothing_from_outside_the_period(cast: Cast) -> None:
    submit_item(cast)
    now = timezone.now()
    before = statement(cast.project, now - timedelta(days=9), now - timedelta(days=8))
    assert all(line.is_idle for line in before)


def test_of_a_pause_at_work_two_minutes_count(cast: Cast) -> None:
    story, client_id = make_story(cast), uuid4()

    def save(sequence: int, seconds_later: int) -> None:
        then = timezone.now() - timedelta(seconds=seconds_later)
        ItemDraft.objects.filter(client_id=client_id).update(updated_at=then)
        save_draft(
            actor=cast.writer,
            project=cast.project,
            story=story,
            task="commonsense",
            client_id=client_id,
            sequence=sequence,
            content={"stem": f"So far {sequence}"},
        )

    for sequence, later in ((1, 0), (2, 100), (3, 110), (4, 3600), (5, 90)):
        save(sequence, later)
    assert lines(cast)[cast.writer].minutes == 7


# What a reviewer does, and after how many seconds of nothing: the minutes that count as work.
AT_WORK = [
    ([("solve", 20), ("judge", 10)], 30),
    ([("solve", 119), ("judge", 119)], 238),
    ([("solve", 1200), ("judge", 5)], 125),  # opened, left alone for twenty minutes, then solved
    ([("solve", 5), ("judge", 1200)], 125),
    ([("solve", 1200), ("judge", 1200)], 240),
    ([("renew", 60), ("renew", 60), ("solve", 30), ("renew", 60), ("judge", 30)], 240),
    ([("renew", 60), ("renew", 900), ("solve", 30), ("judge", 30)], 240),
    ([("solve", 10), ("judge", 10), ("undo", 60), ("judge", 10)], 30),
]


@pytest.mark.parametrize(("signs", "seconds"), AT_WORK)
@pytest.mark.parametrize("is_practice", [False, True])
def test_of_a_pause_in_review_two_minutes_count(
    db: None, signs: list[tuple[str, int]], seconds: int, is_practice: bool
) -> None:
    cast = make_project(gold_rate=50 if is_practice else 0, lease_minutes=30)
    if is_practice:
        practice_item(cast)
    submit_item(cast)
    if is_practice:
        first_drawn(cast)
    else:
        claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    for verb, later in signs:
        review(cast, verb, later)
    now = timezone.now()
    Review.everything.filter(sent_at__isnull=False).update(judged_at=now)
    period = Period(cast.project, now - timedelta(days=1), now + timedelta(days=1), None)
    counted = _seconds(_drafted(period), _reviewed(period))
    assert abs(counted.get(cast.reviewer.pk, 0) - seconds) <= 2 + len(signs), "a busy machine takes its time"


def review(cast: Cast, verb: str, later: int) -> None:
    """Do something in review, so many seconds after what was done last."""
    passed = timedelta(seconds=later)
    ReviewRequest.everything.update(lease_expires_at=F("lease_expires_at") - passed)
    request = ReviewRequest.everything.get(claimed_by=cast.reviewer)
    mine = Review.everything.filter(reviewer=cast.reviewer).first()
    if verb == "renew":
        renew_lease(actor=cast.reviewer, request=request)
    elif verb == "solve":
        solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=0)
    elif mine is not None and verb == "judge":
        send_verdict(actor=cast.reviewer, review=mine, disposition=Disposition.PASS, rating=2, final=False)
    elif mine is not None:
        undo_verdict(actor=cast.reviewer, review=mine)


def test_everybody_sees_their_own_line_and_nobody_elses(cast: Cast) -> None:
    submit_item(cast)
    address = reverse("dashboard:work_report", args=[cast.project.slug])
    manager = browser(cast.manager).get(address).content.decode()
    assert "Wen Writer" in manager
    assert "Pay rates" in manager
    other = browser(cast.writer2).get(address).content.decode()
    assert "Wen Writer" not in other
    assert "Pay rates" not in other
    for kind in ("csv", "xlsx"):
        found = browser(cast.writer2).get(f"{address}.{kind}")
        assert found.status_code == 200
    assert "Wen" not in browser(cast.writer2).get(f"{address}.csv").content.decode("utf-8-sig")
    assert browser(cast.outsider).get(address).status_code == 404


def test_only_managers_set_rates_and_never_below_nothing(cast: Cast) -> None:
    address = reverse("dashboard:set_rates", args=[cast.project.slug])
    good = {"rate_item": "2", "rate_verified": "0", "rate_review": "1", "rate_hour": "30"}
    assert browser(cast.writer).post(address, good).status_code == 403
    assert browser(cast.manager).post(address, good | {"rate_hour": "-1"}).status_code == 400
    assert browser(cast.manager).post(address, good).status_code == 302
    cast.project.refresh_from_db()
    assert cast.project.rate_hour == 30


@pytest.mark.parametrize("query", [{"since": "nonsense"}, {"until": "2026-02-31"}, {"since": "2999-01-01"}])
def test_it_takes_days_it_cannot_read_as_this_month(cast: Cast, query: dict[str, str]) -> None:
    address = reverse("dashboard:work_report", args=[cast.project.slug])
    assert browser(cast.manager).get(address, query).status_code == 200
