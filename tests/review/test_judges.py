"""Language models as judges: asked on request, compared with people, counted only where they pass."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item, State
from core.errors import Forbidden, Unusable
from jobs.models import Call, CallState, Endpoint, EndpointKind, Job, JobState
from jobs.services import create_endpoint
from parable.llm.stub import StubServer
from parable.quality.item.rules import CODES
from release.queries.provenance import sent_to_models
from review.figures import Rated
from review.judge_figures import RULES_OF_FLAWS, Judgement, extra_ratings, judge_figures
from review.models import Disposition, Flaw, ModelJudgement, ReviewStatistics, Stage
from review.queries.model_rater import JUDGE, estimate, judge_rows
from review.services import count_statistics, order_judging, run_call
from tests.factories import Cast, content, make_project, submit_item
from tests.review.practice_cast import look
from tests.review.test_statistics import browser, review

ALWAYS = "It always did so"


# --- figures, from rows ---------------------------------------------------------------------


def _rated(people: int = 4, items: int = 60, noise: float = 0.2) -> list[Rated]:
    """Every person rates every item near its worth; three items a story."""
    chance = random.Random(3)  # noqa: S311 -- repeatable on purpose
    return [
        Rated(unit, unit // 3, "commonsense", who, _near(unit % 3, noise, chance))
        for unit in range(items)
        for who in range(1, people + 1)
    ]


def _near(worth: int, noise: float, chance: random.Random) -> int:
    return worth if chance.random() >= noise else chance.choice([0, 1, 2])


def _judged(items: int = 60, *, noise: float) -> list[Judgement]:
    chance = random.Random(5)  # noqa: S311 -- repeatable on purpose
    return [Judgement(unit, unit // 3, frozenset(), _near(unit % 3, noise, chance)) for unit in range(items)]


@pytest.mark.parametrize(
    ("people", "items", "noise", "code"),
    [
        (4, 60, 0.1, "passed"),
        (4, 60, 1.0, "not_passed"),
        (2, 60, 0.1, "too_few_people"),
        (4, 9, 0.1, "too_few_people"),
    ],
)
def test_a_model_is_held_to_the_test_of_the_alternative_annotator(
    people: int, items: int, noise: float, code: str
) -> None:
    found = judge_figures(
        _judged(items, noise=noise), people={}, checks={}, rated=_rated(people, items)
    ).verdict
    assert found.code == code
    assert found.allowance == 0.15


def test_flaws_are_compared_with_the_rules_that_speak_of_them() -> None:
    judged = [
        Judgement(1, 1, frozenset({"single_best_answer"}), 1),
        Judgement(2, 1, frozenset({"no_logical_cues"}), None),
        Judgement(3, 2, frozenset(), 2),
        Judgement(4, 2, None, 2),  # said nothing of rules
        Judgement(5, 3, frozenset({"single_best_answer"}), 0),  # no person reviewed it
    ]
    people = {
        1: frozenset({"two_right_options", "other"}),
        2: frozenset({"trivial_distractor"}),
        3: frozenset({"two_right_options"}),
        4: frozenset({"language"}),
    }
    checks = {3: frozenset({"single_best_answer"}), 5: frozenset({"clear_language"})}
    found = judge_figures(judged, people=people, checks=checks, rated=[])
    by_flaw = {one.flaw: (one.n, one.people, one.model, one.checks) for one in found.flaws}
    assert by_flaw == {
        "two_right_options": (3, 2, 1, 1),
        "trivial_distractor": (3, 1, 1, 0),
        "unclear_stem": (3, 0, 0, 0),
        "language": (3, 0, 0, 0),
    }
    assert {one.kappa.reason for one in found.flaws} == {"too_few_rated_twice"}
    assert found.named == {
        "single_best_answer": (2, 1), "clear_language": (0, 1), "no_logical_cues": (1, 0),
    }  # fmt: skip
    assert (found.judged, found.ratings, found.mean) == (5, 4, 1.25)


def test_kappa_is_cohens_with_an_interval_by_story() -> None:
    judged = [
        Judgement(n, n // 3, frozenset({"single_best_answer"} if n % 4 == 0 else ()), 1) for n in range(80)
    ]
    people = {n: frozenset({"two_right_options"} if n % 4 == 0 or n == 1 else ()) for n in range(80)}
    first = judge_figures(judged, people=people, checks={}, rated=[]).flaws[0]
    observed, chance = 79 / 80, (20 * 21 + 60 * 59) / 80**2
    assert first.kappa.value == pytest.approx((observed - chance) / (1 - chance))
    assert first.kappa.low is not None
    assert first.kappa.value is not None
    assert first.kappa.low < first.kappa.value
    assert first.kappa_checks.value == pytest.approx(0)


def test_every_flaw_and_rule_that_is_compared_exists() -> None:
    assert set(RULES_OF_FLAWS) <= set(Flaw.values)
    assert {rule for rules in RULES_OF_FLAWS.values() for rule in rules} <= set(CODES)


def test_a_model_counts_as_one_more_rater_by_the_ratings_that_it_gave() -> None:
    judged = [Judgement(1, 7, frozenset(), 2), Judgement(2, 7, frozenset(), None)]
    assert extra_ratings(-1, judged) == [Rated(1, 7, "", -1, 2)]


# --- on the site ----------------------------------------------------------------------------


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project(reviews_per_item=2)


@pytest.fixture
def endpoint(cast: Cast, stub: StubServer) -> Endpoint:
    return add_endpoint(cast, stub)


def add_endpoint(cast: Cast, stub: StubServer, name: str = "judge", model: str = "stub-judge") -> Endpoint:
    return create_endpoint(
        actor=cast.manager,
        project=cast.project,
        name=name,
        model=model,
        base_url=stub.base_url,
        timeout_seconds=5,
        requests_per_minute=1000,
        price_in=Decimal(10),
        price_out=Decimal(10),
    )


def reviewed_item(cast: Cast, reviewers: int = 2) -> Item:
    """An item with "always" in an option that so many people have passed."""
    words = content()
    wrong = next(index for index, one in enumerate(words.options) if not one.is_key)
    options = [replace(one, text=ALWAYS) if n == wrong else one for n, one in enumerate(words.options)]
    item = submit_item(cast, words=replace(words, options=tuple(options)))
    for who in ("reviewer", "reviewer2")[:reviewers]:
        review(cast, who)
    item.refresh_from_db()
    return item


def ask(cast: Cast, endpoint: Endpoint, items: int = 10, budget: Decimal | None = None) -> Job:
    job, waiting = order_judging(
        actor=cast.manager, project=cast.project, endpoint=endpoint, items=items, budget=budget
    )
    for call in waiting:
        run_call(call_id=call)
    job.refresh_from_db()
    return job


def pages_of(cast: Cast) -> str:
    address = reverse("review:model_raters", args=[cast.project.slug])
    return " ".join(browser(cast.manager).get(address).content.decode().split())


def test_a_model_is_asked_about_what_people_have_rated_and_its_judgement_kept(
    cast: Cast, endpoint: Endpoint, stub: StubServer
) -> None:
    item, unrated = reviewed_item(cast), submit_item(cast)
    before = item.state
    assert not stub.log, "nothing is sent unless somebody starts it"
    job = ask(cast, endpoint)
    assert job.state == JobState.DONE
    assert job.title == "judge assesses 1 item"
    [call] = Call.objects.filter(job=job)
    assert ALWAYS in call.prompt
    assert "Key: " in call.prompt
    assert call.subject["item"] == item.pk != unrated.pk
    assert call.schema
    kept = ModelJudgement.objects.get()
    assert (kept.revision_id, kept.broken, kept.outcome) == (item.current_id, ["no_absolute_terms"], "")
    assert kept.rating in {0, 1, 2}
    item.refresh_from_db()
    assert item.state == before, "what a model says moves nothing"


def test_the_same_wording_is_not_put_to_the_same_model_twice(
    cast: Cast, endpoint: Endpoint, stub: StubServer
) -> None:
    reviewed_item(cast)
    ask(cast, endpoint)
    with pytest.raises(Unusable, match="not assessed yet"):
        ask(cast, endpoint)
    assert len(stub.log) == 1
    ask(cast, add_endpoint(cast, stub, "other"))
    assert len(stub.log) == 2


def test_what_an_earlier_order_waits_for_is_not_asked_again(cast: Cast, endpoint: Endpoint) -> None:
    reviewed_item(cast)
    order_judging(actor=cast.manager, project=cast.project, endpoint=endpoint, items=5)
    with pytest.raises(Unusable, match="not assessed yet"):
        order_judging(actor=cast.manager, project=cast.project, endpoint=endpoint, items=5)
    assert Job.objects.filter(kind=JUDGE).count() == 1


def test_items_rated_twice_come_first(cast: Cast, endpoint: Endpoint) -> None:
    once = [reviewed_item(cast, reviewers=1) for _ in range(3)]
    for _ in range(3):
        review(cast, "reviewer2")
    twice = reviewed_item(cast)
    del once
    ask(cast, endpoint, items=4)
    assert ModelJudgement.objects.filter(revision__item=twice).exists()


def test_an_answer_that_cannot_be_read_is_kept_as_lost(cast: Cast, stub: StubServer) -> None:
    reviewed_item(cast)
    ask(cast, add_endpoint(cast, stub, "chatty", "stub-ok"))
    [rows] = judge_rows(cast.project)
    assert (rows.name, rows.judged, rows.lost) == ("chatty (stub-ok)", (), 1)
    assert ModelJudgement.objects.get().outcome == "unreadable"


def test_a_budget_holds_for_its_calls_as_for_others(cast: Cast, endpoint: Endpoint, stub: StubServer) -> None:
    reviewed_item(cast)
    found = estimate(cast.project, endpoint, 10)
    assert (found.calls, found.cost > 0) == (1, True)
    job = ask(cast, endpoint, budget=Decimal("0.000001"))
    assert not stub.log
    assert Call.objects.get(job=job).state != CallState.DONE


def test_who_does_not_manage_may_not_order_it(cast: Cast, endpoint: Endpoint) -> None:
    reviewed_item(cast)
    for person in (cast.writer, cast.reviewer, cast.verifier):
        with pytest.raises(Forbidden):
            order_judging(actor=person, project=cast.project, endpoint=endpoint, items=1)


@pytest.mark.parametrize("change", [{"kind": EndpointKind.MANUAL}, {"project": None}])
def test_an_endpoint_must_be_of_the_project_and_not_by_hand(
    cast: Cast, endpoint: Endpoint, change: dict[str, object]
) -> None:
    reviewed_item(cast)
    change = {name: value or make_project().project for name, value in change.items()}
    Endpoint.objects.filter(pk=endpoint.pk).update(**change)
    endpoint.refresh_from_db()
    with pytest.raises(Unusable):
        order_judging(actor=cast.manager, project=cast.project, endpoint=endpoint, items=1)


def test_a_manager_estimates_starts_and_reads_the_figures(
    cast: Cast, endpoint: Endpoint, stub: StubServer
) -> None:
    reviewed_item(cast)
    address, client = reverse("review:model_raters", args=[cast.project.slug]), browser(cast.manager)
    assert "No figures yet." in pages_of(cast)
    chosen = {"endpoint": str(endpoint.pk), "items": "10", "budget": "1"}
    part = client.get(address, chosen, headers={"HX-Request": "true"}).content.decode()
    assert "1 call," in part
    assert not Job.objects.filter(kind=JUDGE).exists()
    answer = client.post(address, chosen)
    job = Job.objects.get(kind=JUDGE)
    assert answer["Location"] == reverse("jobs:job", args=[cast.project.slug, job.pk])
    for call in Call.objects.filter(job=job):
        run_call(call_id=call.pk)
    count_statistics(project_id=cast.project.pk)
    text = pages_of(cast)
    assert "judge (stub-judge)" in text
    assert "Too few ratings for the alternative-annotator test" in text
    assert "fewer than 50 items" in text
    assert "No absolute words in options" in text
    assert "Severity with these models" not in text
    refused = client.post(address, {"endpoint": endpoint.pk, "items": 0})
    assert refused.status_code == 400
    assert client.post(address, chosen).status_code == 400, "all of it has been assessed"


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_only_a_model_that_passed_is_counted_beside_people_and_never_instead(
    cast: Cast, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, noise: float
) -> None:
    item = reviewed_item(cast)
    ask(cast, endpoint)
    rows = [replace(one, judged=tuple(_judged(noise=noise))) for one in judge_rows(cast.project)]
    monkeypatch.setattr("review.services.model_rater.judge_rows", lambda _project: rows)
    for module in ("model_rater", "statistics"):
        monkeypatch.setattr(f"review.services.{module}.rated_rows", lambda _project: _rated())
    count_statistics(project_id=cast.project.pk)
    figures = ReviewStatistics.objects.get(project=cast.project).figures
    people = {one["rater"] for one in figures["severity"]["reviewers"]}
    assert people == {1, 2, 3, 4}
    beside, text = figures["severity_with_judges"], pages_of(cast)
    if noise == 1.0:
        assert beside is None
        assert "Did not pass the alternative-annotator test" in text
        return
    assert {one["rater"] for one in beside["reviewers"]} == {-1, 1, 2, 3, 4}
    assert beside["ratings"] == figures["severity"]["ratings"] + 60
    assert "Passed the alternative-annotator test" in text
    assert "ε = 0.15" in text
    assert text.count("judge (stub-judge)") == 2, "as a model, and as a rater"
    raters = reverse("review:raters", args=[cast.project.slug])
    assert "stub-judge" not in browser(cast.manager).get(raters).content.decode()
    assert item.pk


def test_the_items_page_shows_it_as_a_models_and_no_blind_reviewer_sees_it(
    cast: Cast, endpoint: Endpoint
) -> None:
    item = reviewed_item(cast)
    ask(cast, endpoint)
    address = reverse("dashboard:item", args=[cast.project.slug, item.pk])
    assert item.state == State.IN_VERIFICATION, "where somebody may still answer it blind"
    assert "Assessed by language models" not in browser(cast.writer).get(address).content.decode()
    look(cast, cast.verifier, Stage.VERIFICATION, disposition=Disposition.PASS)
    for person in (cast.manager, cast.writer):
        text = " ".join(browser(person).get(address).content.decode().split())
        assert "Assessed by language models" in text
        assert "No absolute words in options" in text


def test_a_model_that_judged_an_item_counts_as_having_seen_it(cast: Cast, endpoint: Endpoint) -> None:
    item = reviewed_item(cast)
    assert sent_to_models(cast.project, Item.objects.filter(pk=item.pk)) == ()
    ask(cast, endpoint)
    assert sent_to_models(cast.project, Item.objects.filter(pk=item.pk)) == (
        ("stub-judge", "127.0.0.1", 1, 0, 1),
    )


def test_a_reviewer_has_no_page_of_it(cast: Cast) -> None:
    address = reverse("review:model_raters", args=[cast.project.slug])
    for person in (cast.reviewer, cast.writer, cast.verifier):
        client: Client = browser(person)
        assert client.get(address).status_code == 403
        assert client.post(address, {}).status_code == 403
    assert asdict(judge_figures([], people={}, checks={}, rated=[]))["judged"] == 0
