"""Models answer a release: everything once, read without guessing, kept as it came."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from core.errors import Forbidden, Unusable
from evaluation import services
from evaluation.models import Examinee, OptionOrder, ReadingKind, Response, Run
from evaluation.queries.response import response_lines
from evaluation.queries.run import asked_items, estimates, other_models, tally
from jobs.errors import NOT_PREPARED
from jobs.models import Budget, Call, CallState, JobState
from jobs.queries import claimable_jobs
from jobs.services import cancel_job, resume_job, wake_calls
from parable.llm.stub import StubServer
from release.models import ReleaseItem
from tests.evaluation.measuring import ITEMS, Bench, add_model, work_off


def test_it_keeps_one_response_a_question_and_reads_it(bench: Bench) -> None:
    run = bench.ran(repeats=2, sample_size=5)
    assert run.job is not None
    assert (run.asked, run.job.state) == (10, JobState.DONE)
    seen = tally(run)
    assert (seen.asked, seen.readings[ReadingKind.CHOSEN], seen.waiting) == (10, 10, 0)
    one = Response.objects.filter(run=run).select_related("item", "call").first()
    assert one is not None
    assert one.call is not None
    assert one.text == one.call.raw_response
    assert one.order == [0, 1, 2, 3]
    assert one.choice == one.strict_choice == "ABCD".index(one.text)
    assert one.correct == (one.choice == one.item.record["answer"])
    assert f"D. {one.item.record['choices'][3]}" in one.call.prompt
    assert seen.correct == Response.objects.filter(run=run, correct=True).count()


def test_it_counts_many_answers_of_a_run_that_is_over_once_a_minute(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = 8
    run = bench.ran(sample_size=many)
    gone = Response.objects.filter(run=run).order_by("-pk")[:1]
    monkeypatch.setattr("evaluation.queries.run.COUNTED_ANEW", many)
    assert tally(run).readings[ReadingKind.CHOSEN] == many
    Response.objects.filter(pk__in=gone.values("pk")).delete()
    assert tally(run).readings[ReadingKind.CHOSEN] == many - 1, "not many"
    monkeypatch.setattr("evaluation.queries.run.COUNTED_ANEW", many - 4)
    for state, seen in ((JobState.RUNNING, [1, 2]), (JobState.DONE, [3, 3])):
        assert run.job is not None
        run.job.state = state
        for lost in seen:
            assert tally(run).readings[ReadingKind.CHOSEN] == many - lost, state
            Response.objects.filter(pk__in=gone.values("pk")).delete()


def test_it_asks_every_rotation_and_reads_letters_back_to_released_options(bench: Bench) -> None:
    run = bench.ran(order=OptionOrder.CIRCULAR, sample_size=2)
    turned = Response.objects.filter(run=run).order_by("item", "rotation")
    assert [one.rotation for one in turned] == [0, 1, 2, 3] * 2
    for one in turned:
        assert one.order == [(one.rotation + index) % 4 for index in range(4)]
        assert one.choice == one.order["ABCD".index(one.text)]


def test_it_shuffles_by_seed_anew_in_each_repeat(bench: Bench) -> None:
    run = bench.ran(order=OptionOrder.SHUFFLED, seed="5", repeats=2, sample_size=8)
    orders = {(one.item_id, one.repeat): tuple(one.order) for one in Response.objects.filter(run=run)}
    assert len(set(orders.values())) > 5
    assert any(orders[item, 1] != orders[item, 2] for item, _repeat in orders)
    for one in Response.objects.filter(run=run).select_related("item", "call"):
        assert one.call is not None
        for letter, place in zip("ABCD", one.order, strict=True):
            assert f"{letter}. {one.item.record['choices'][place]}" in one.call.prompt, "kept as it was asked"
    again = bench.ran(order=OptionOrder.SHUFFLED, seed="5", repeats=2, sample_size=8)
    same = {(one.item_id, one.repeat): tuple(one.order) for one in Response.objects.filter(run=again)}
    assert orders == same


def test_it_counts_apart_what_was_refused_unreadable_and_lost(bench: Bench) -> None:
    for model, kind in (
        ("stub-refusal", ReadingKind.REFUSED),
        ("stub-empty", ReadingKind.UNPARSED),
        ("stub-400", ReadingKind.FAILED),
    ):
        seen = tally(bench.ran(bench.model(model), sample_size=3))
        assert {name: n for name, n in seen.readings.items() if n} == {kind: 3}
        assert (seen.asked, seen.correct, seen.accuracy) == (3, 0, 0.0)


@pytest.mark.parametrize(
    ("model", "cut_off", "only_thought", "answered_by"),
    [
        ("stub-cutoff", 3, 0, []),
        ("stub-onlythoughtcut", 3, 3, []),
        ("stub-onlythought", 0, 3, []),
        ("stub-othermodel", 0, 0, ["models/seven.gguf"]),
    ],
)
def test_it_counts_and_shows_how_answers_ended(
    bench: Bench, client: Client, model: str, cut_off: int, only_thought: int, answered_by: list[str]
) -> None:
    run = bench.ran(bench.model(model), sample_size=3)
    seen = tally(run)
    assert (seen.cut_off, seen.only_thought, other_models(run)) == (cut_off, only_thought, answered_by)
    assert seen.readings[ReadingKind.CHOSEN] == (3 if answered_by else 0)
    line = next(response_lines(run))
    assert line["answered_by"] == (answered_by or [model])[0]
    assert line["finish_reason"] == ("length" if cut_off else "stop")
    client.force_login(bench.cast.manager)
    page = client.get(reverse("evaluation:run", args=[bench.cast.project.slug, run.pk])).content.decode()
    assert ("3 of 3 answers were cut off." in page) == bool(cut_off)
    assert ("3 of 3 answers are thinking without an answer." in page) == bool(only_thought)
    assert all(name in page for name in answered_by)


def test_it_pays_for_the_tokens_that_only_the_total_counts(bench: Bench) -> None:
    run = bench.ran(bench.model("stub-geminithinking"), sample_size=1)
    call = Call.objects.get(job=run.job)
    assert (call.tokens_in, call.tokens_out, call.subject["reasoning_tokens"]) == (21, 60, 60)


def test_one_forbidden_question_fails_no_other_and_an_empty_account_all(bench: Bench) -> None:
    with StubServer(programme=("letter", "403", "xaisafety", "letter")) as stub:
        seen = tally(bench.ran(add_model(bench.cast, stub, "any"), sample_size=4))
    found = {name: n for name, n in seen.readings.items() if n}
    assert found == {ReadingKind.CHOSEN: 2, ReadingKind.FAILED: 1, ReadingKind.REFUSED: 1}
    before = sum(bench.stub.counts.values())
    seen = tally(bench.ran(bench.model("stub-siliconbalance"), sample_size=4))
    assert (seen.readings[ReadingKind.FAILED], sum(bench.stub.counts.values()) - before) == (4, 1)


def test_it_draws_the_same_sample_for_the_same_seed(bench: Bench) -> None:
    first, second, other = (bench.order(sample_size=5, seed=seed) for seed in ("1", "1", "2"))
    drawn = [[item.public_id for item in asked_items(run)] for run in (first, second, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0]) == 5


def test_it_asks_one_split_alone(bench: Bench) -> None:
    run = bench.ran(split="dev")
    dev = ReleaseItem.objects.filter(release=bench.release, split="dev").count()
    assert 0 < run.asked == dev < ITEMS


def test_it_is_prepared_once_and_asks_nothing_twice(bench: Bench) -> None:
    run = bench.order(sample_size=6)
    first = services.prepare_run(run_id=run.pk)
    services.prepare_run(run_id=run.pk)
    assert Call.objects.filter(job=run.job).count() == 6
    work_off(first)
    work_off(Call.objects.filter(job=run.job).values_list("pk", flat=True))
    assert bench.stub.counts["letter"] == 6
    one = Response.objects.filter(run=run)[0]
    one.pk, one.call = None, None
    with pytest.raises(IntegrityError), transaction.atomic():
        one.save()


def test_it_finds_runs_that_nobody_has_prepared(bench: Bench) -> None:
    run = bench.order(sample_size=1)
    assert run.job in claimable_jobs()
    services.prepare_run(run_id=run.pk)
    assert run.job not in claimable_jobs()
    lost = bench.order(sample_size=1)
    services.fail_run(run_id=lost.pk, reason=NOT_PREPARED)
    assert lost.job not in claimable_jobs()


def test_it_marks_examinees_that_drafted_options_of_the_release(bench: Bench) -> None:
    ordered = [bench.order(bench.model("glm-4")), bench.order()]
    for run in ordered:
        services.prepare_run(run_id=run.pk)
    drafter, other = (Run.objects.get(pk=run.pk) for run in ordered)
    assert (drafter.settings["drafted"], other.settings["drafted"]) == (6, 0)
    assert drafter.settings["saw"] == 0


def test_it_pauses_without_money_and_goes_on_with_more(bench: Bench) -> None:
    endpoint = bench.endpoint
    type(endpoint).objects.filter(pk=endpoint.pk).update(price_in=Decimal(1000), price_out=Decimal(1000))
    endpoint.refresh_from_db()
    guessed = estimates(bench.asking(), [endpoint])[0]
    run = bench.ran(endpoint, budget=Decimal("0.3"))
    assert run.job is not None
    assert run.job.state == JobState.PAUSED
    answered = Response.objects.filter(run=run).count()
    assert 0 < answered < ITEMS
    resume_job(actor=bench.cast.manager, job=run.job, limit=guessed.cost * 2)
    work_off(wake_calls(job_id=run.job.pk))
    assert Response.objects.filter(run=run).count() == ITEMS
    budget = Budget.objects.get(job=run.job)
    assert budget.held == 0
    assert abs(float(guessed.cost) / float(budget.estimate) - 1) < 0.05


def test_it_keeps_what_came_before_a_cancellation(bench: Bench) -> None:
    run = bench.order()
    waiting = services.prepare_run(run_id=run.pk)
    services.run_call(call_id=waiting[0])
    assert run.job is not None
    cancel_job(actor=bench.cast.manager, job=run.job)
    run = Run.objects.select_related("job", "examinee").get(pk=run.pk)
    seen = tally(run)
    assert (seen.readings[ReadingKind.CHOSEN], seen.readings[ReadingKind.FAILED]) == (1, ITEMS - 1)
    assert Call.objects.filter(job=run.job, state=CallState.CANCELLED).count() == ITEMS - 1


def test_it_prepares_no_run_that_was_cancelled(bench: Bench) -> None:
    run = bench.order()
    assert run.job is not None
    cancel_job(actor=bench.cast.manager, job=run.job)
    assert services.prepare_run(run_id=run.pk) == []
    assert not Call.objects.filter(job=run.job).exists()


def test_it_refuses_what_cannot_be_asked_and_names_the_field(bench: Bench) -> None:
    for changes, field in (
        ({"prompt": "Tell me a story."}, "prompt"),
        ({"repeats": 0}, "repeats"),
        ({"split": "train"}, "split"),
        ({"order": "backwards"}, "order"),
        ({"seed": ""}, "seed"),
        ({"sample_size": 0}, "sample_size"),
    ):
        with pytest.raises(Unusable) as refused:
            bench.order(**changes)
        assert list(refused.value.fields) == [field]
    with pytest.raises(Unusable):
        services.start_runs(actor=bench.cast.manager, asking=bench.asking(), endpoints=[])
    with pytest.raises(Forbidden):
        services.start_runs(actor=bench.cast.writer, asking=bench.asking(), endpoints=[bench.endpoint])
    assert not Examinee.objects.exists()
