"""Pace, time in state, coverage, cost and notices: what the overview counts, shows and gives away."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from decimal import Decimal
from io import BytesIO

import openpyxl
import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from annotation.models import Item, State
from annotation.services import withdraw_item
from annotation.services.transition import move_item
from dashboard.forecast import Forecast, Unknown
from dashboard.queries.coverage import coverage
from dashboard.queries.overview import LONG_WAIT, Oldest, submitted_items
from dashboard.queries.pace import REVIEWED, SUBMITTED, VERIFIED, Outlook, Stay, stays, throughput
from dashboard.views.figures import Notice, duration, forecast_words, notices
from jobs.models import Call, CallState, Endpoint, Job
from jobs.queries import BudgetState, ModelCost, cost_by_model
from projects.models import Role
from review.models import Answer, Disposition, Review, Stage
from review.services import claim_next, send_verdict, solve
from tests.dashboard.test_overview import address, browser, exported, reject
from tests.factories import Cast, content, make_project, make_story, make_user, submit_item

DAY = 86_400


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def verify(cast: Cast, item: Item, *, left_review: float, verified: float) -> Item:
    """Take an item in review to verified, so many days ago; it was submitted ten days ago."""
    with transaction.atomic():
        for state in (State.IN_VERIFICATION, State.VERIFIED):
            move_item(item, state, actor=cast.verifier, cause="all_pass")
    _date(item, {"in_review": 10, "in_verification": left_review, "verified": verified})
    return item


def _date(item: Item, days_ago: dict[str, float]) -> None:
    """Write when an item came into its states, past the trigger that keeps moves as they are."""
    noon = timezone.make_aware(datetime.combine(timezone.localdate(), time(12)))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for state, days in days_ago.items():
            item.transitions.filter(to_state=state).update(at=noon - timedelta(days=days))
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def test_it_counts_work_by_day_and_person(cast: Cast) -> None:
    verify(cast, submit_item(cast), left_review=8, verified=3)
    verify(cast, submit_item(cast), left_review=8, verified=28)
    submit_item(cast, writer=cast.writer2)
    reject(cast)
    found = throughput(submitted_items(cast.project))
    assert (len(found.days), found.days[-1]) == (28, timezone.localdate())
    assert [sum(found.by_day(work)) for work in (SUBMITTED, REVIEWED, VERIFIED)] == [3, 1, 1]
    assert found.by_day(VERIFIED)[-4] == 1
    people = {one.person: one.counts for one in found.people()}
    assert people[cast.writer] == {SUBMITTED: 2, REVIEWED: 0, VERIFIED: 1}
    assert people[cast.reviewer] == {SUBMITTED: 0, REVIEWED: 1, VERIFIED: 0}


def test_the_pace_is_of_fourteen_whole_days_before_today(cast: Cast) -> None:
    for days in (0, 1, 14, 15):
        verify(cast, submit_item(cast), left_review=20, verified=days)
    pace = throughput(submitted_items(cast.project)).pace
    assert (len(pace), pace[0], pace[-1], sum(pace)) == (14, 1, 1, 2)


def test_it_measures_how_long_items_were_in_a_state_that_they_left(cast: Cast) -> None:
    verify(cast, submit_item(cast), left_review=8, verified=5)
    verify(cast, submit_item(cast), left_review=6, verified=5)
    submit_item(cast)
    assert stays(submitted_items(cast.project)) == {
        "in_review": Stay(2, 3 * DAY, pytest.approx(3.8 * DAY)),  # type: ignore[arg-type]
        "in_verification": Stay(2, 2 * DAY, pytest.approx(2.8 * DAY)),  # type: ignore[arg-type]
    }


def test_it_counts_stories_by_items_of_each_type(cast: Cast) -> None:
    full, poor, empty = (make_story(cast) for _ in range(3))
    for n in range(4):
        submit_item(cast, story=full, words=content(f"Why {n}, hare?", types=("social", "temporal")))
    submit_item(cast, story=poor)
    withdraw_item(actor=cast.writer, item=submit_item(cast, story=empty))
    found = coverage(cast.project)
    assert {one.type.code: one.stories for one in found.types} == {
        "social": [1, 1, 0, 1], "temporal": [2, 0, 0, 1], "spatial": [3, 0, 0, 0],
        "physical": [3, 0, 0, 0], "biological": [3, 0, 0, 0],
    }  # fmt: skip
    least = [(one.story, one.types, one.items) for one in found.least]
    assert least == [(empty, 0, 0), (poor, 1, 1), (full, 2, 4)]


def make_calls(cast: Cast, *costs: tuple[str, str, int, str]) -> None:
    """Calls of one job: the endpoint's name, the state, tokens each way, and the cost."""
    job = Job.objects.create(project=cast.project, kind="drafting", title_code="x", created_by=cast.manager)
    for index, (name, state, tokens, cost) in enumerate(costs):
        endpoint, _made = Endpoint.objects.get_or_create(
            project=cast.project, name=name, model="m", base_url="https://x", created_by=cast.manager
        )
        Call.objects.create(
            job=job, endpoint=endpoint, fingerprint=f"{cast.project.pk}-{index}", prompt="?", model="m",
            state=state, tokens_in=tokens, tokens_out=tokens, cost=Decimal(cost),
        )  # fmt: skip


def test_it_adds_up_what_each_model_has_cost(cast: Cast) -> None:
    make_calls(make_project(), ("theirs", CallState.DONE, 1, "9"))
    make_calls(
        cast,
        ("a", CallState.DONE, 10, "0.5"),
        ("b", CallState.DONE, 1, "1"),
        ("a", CallState.FAILED, 5, "0.75"),
        ("c", CallState.PENDING, 0, "0"),
        ("c", CallState.CANCELLED, 0, "0"),
    )
    assert cost_by_model(cast.project) == [
        ModelCost("a", "m", 2, 30, Decimal("1.25")),
        ModelCost("b", "m", 1, 2, Decimal(1)),
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(89, "1 min"), (3599, "60 min"), (3600, "1.0 h"), (2 * DAY - 1, "47.9 h"), (2 * DAY, "2.0 d")],
)
def test_a_time_is_in_its_largest_unit(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_forecast_is_two_dates() -> None:
    today = timezone.localdate()
    in_a_year = (today.replace(year=today.year + 1, month=1, day=1) - today).days
    said = forecast_words(Outlook(9, 0, 9, Forecast(1, 0, in_a_year)))
    assert said == f"At the pace of the last 14 days: {today:%Y-%m-%d} to {today.year + 1}-01-01."
    with translation.override("zh-hans"):
        assert "按最近 14 天的速度" in forecast_words(Outlook(9, 0, 9, Forecast(1, 0, 0)))


def test_a_project_without_a_plan_is_not_finished() -> None:
    with translation.override("en"):
        assert forecast_words(Outlook(0, 0, 0, Unknown.DONE)) == "Nothing is planned yet."
        assert forecast_words(Outlook(2, 2, 0, Unknown.DONE)) == "All planned items are verified."


def _notices(
    cast: Cast, *, blocked: int = 0, waited: timedelta = LONG_WAIT, overdue: int = 0, spent: int = 90
) -> list[Notice]:
    oldest = [Oldest(Stage.VERIFICATION, 1, timezone.now() - waited + timedelta(minutes=1))]
    budget = BudgetState(Decimal(100), Decimal(spent), Decimal(0))
    return notices(cast.project, blocked=blocked, oldest=oldest, overdue=overdue, budget=budget)


def test_a_notice_says_what_is_wrong_and_leads_to_where_it_is_mended(cast: Cast) -> None:
    assert _notices(cast) == []
    waited = LONG_WAIT + timedelta(hours=1)
    found = _notices(cast, blocked=2, waited=waited, overdue=1, spent=91)
    assert [one.text.replace("\xa0", " ") for one in found] == [
        "No one can review 2 items.",
        "verification: the oldest request has waited for 1 week.",
        "1 assigned story is overdue.",
        "Less than 10 % of the model budget is left.",
    ]
    assert [one.url.removeprefix(f"/p/{cast.project.slug}") for one in found] == [
        "#blocked", "/items?state=in_verification", "/assignments", "/candidates/endpoints",
    ]  # fmt: skip


def test_the_page_shows_the_whole_project_only_without_a_filter(cast: Cast) -> None:
    submit_item(cast)
    make_calls(cast, ("cheap", CallState.DONE, 10, "0.5"))
    client = browser(cast.manager)
    whole = client.get(address(cast)).content.decode()
    assert all(
        words in whole for words in ("No forecast yet", "Coverage of types", "cheap", "Work by person")
    )
    narrowed = client.get(address(cast), {"writer": cast.writer.pk}).content.decode()
    assert "Work by person" in narrowed
    assert not any(words in narrowed for words in ("No forecast yet", "Coverage of types", "cheap"))


def _files(client: Client, cast: Cast) -> dict[str, str]:
    names = ("time", "days", "people", "forecast", "coverage", "stories", "cost")
    return {
        name: client.get(exported(cast, "csv"), {"table": name}).content.decode("utf-8-sig") for name in names
    }


def test_every_figure_leaves_as_a_table(cast: Cast) -> None:
    verify(cast, submit_item(cast), left_review=8, verified=5)
    make_calls(cast, ("cheap", CallState.DONE, 10, "0.5"))
    client = browser(cast.manager)
    found = _files(client, cast)
    assert "in review,1,48.0,48.0" in found["time"]
    assert len(found["days"].splitlines()) == 29
    assert f"{cast.writer},1,0,1" in found["people"]
    assert "Verified items,1" in found["forecast"]
    assert "social,0,1,0,0" in found["coverage"].lower()
    assert ",1,1" in found["stories"]
    assert "cheap,m,1,20,0.5" in found["cost"]
    book = openpyxl.load_workbook(BytesIO(client.get(exported(cast, "xlsx")).content))
    assert len(book.sheetnames) == 8


def test_charts_leave_as_files_and_nothing_else_does(cast: Cast) -> None:
    client = browser(cast.manager)
    for name in ("days", "coverage"):
        found = client.get(exported(cast, "svg"), {"table": name})
        assert found["Content-Type"] == "image/svg+xml"
    for kind in ("svg", "csv", "xlsx"):
        assert client.get(exported(cast, kind), {"table": "nonsense"}).status_code == 404


def test_it_asks_as_much_for_many_items_and_people(cast: Cast) -> None:
    def asked(client: Client) -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(address(cast))
        return len(queries)

    client = browser(cast.manager)
    verify(cast, submit_item(cast), left_review=8, verified=5)
    make_calls(cast, ("a", CallState.DONE, 10, "0.5"))
    asked(client)
    few = asked(client)
    for writer in (cast.writer, cast.writer2):
        for _ in range(3):
            verify(cast, submit_item(cast, writer=writer), left_review=8, verified=5)
    make_calls(make_project(), ("b", CallState.DONE, 10, "0.5"))
    assert asked(client) == few


def test_it_shows_the_median_minutes_of_reviews_from_five_reviewers_on(cast: Cast) -> None:
    page = browser(cast.manager)
    heading = "Minutes per review, median of 28 days"
    assert heading not in page.get(address(cast)).content.decode()
    for number, minutes in enumerate((2, 3, 4, 5, 90)):
        reviewer = make_user(f"Reviewer {number}")
        cast.project.memberships.create(user=reviewer, role=Role.REVIEWER)
        submit_item(cast)
        request = claim_next(actor=reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
        assert request is not None
        review = solve(actor=reviewer, request=request, answer=Answer.NONE_FITS)
        send_verdict(actor=reviewer, review=review, rating=1, disposition=Disposition.PASS)
        claim_next(actor=reviewer, project=cast.project, stage=Stage.CROSS_CHECK)  # makes it final
        Review.objects.filter(pk=review.pk).update(active_seconds=60 * minutes)
        text = page.get(address(cast)).content.decode()
        assert heading in text
        assert (">4.0</dd>" in text) == (number == 4)
        assert ("shown from 5 reviewers" in text) == (number < 4)
    assert heading not in page.get(f"{address(cast)}?reviewer={reviewer.pk}").content.decode()
