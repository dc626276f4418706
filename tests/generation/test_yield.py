"""The yield report: what each prompt and model brought, what was kept of it, and what that cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree as ET

import openpyxl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.content import ItemContent, OptionContent
from annotation.models import Item
from annotation.services import withdraw_item
from generation import services
from generation.models import Adoption, Candidate
from generation.queries.yields import Filter, Yield, mean, report, share
from generation.similarity import edit_distance
from jobs.models import Call, CallState, Job
from tests.factories import make_project, make_story
from tests.generation.bench import Bench, wording_template, work_off
from tests.generation.solver import signed_in

pytestmark = pytest.mark.django_db


def adopt(bench: Bench, candidates: Sequence[Candidate], texts: Sequence[str]) -> Item:
    """Hand in an item with the moral as the key and these candidates, reworded so, as distractors."""
    taken = [
        OptionContent(text, candidate=candidate.pk) for candidate, text in zip(candidates, texts, strict=True)
    ]
    written = [OptionContent(f"Written by hand, number {n}.") for n in range(3 - len(taken))]
    moral = candidates[0].story_revision.moral
    content = ItemContent(options=(OptionContent(moral, is_key=True), *taken, *written))
    return services.submit_machine_item(actor=bench.cast.writer, story=candidates[0].story, content=content)


def only(bench: Bench, **wanted: Any) -> Yield:
    (row,) = report(bench.cast.project, Filter(**wanted)).rows
    return row


@pytest.fixture
def proposed(bench: Bench) -> list[Candidate]:
    """The three candidates of a bench's story."""
    work_off(bench.start().waiting)
    return list(Candidate.objects.order_by("pk"))


def address(bench: Bench) -> str:
    return reverse("generation:yield", args=[bench.cast.project.slug])


def test_it_counts_what_was_proposed_kept_and_kept_unchanged(bench: Bench, proposed: list[Candidate]) -> None:
    first, second, _third = proposed
    adopt(bench, [first, second], [first.text, second.text + " And more."])
    row = only(bench)
    assert (row.calls, row.proposed, row.kept, row.unchanged, row.distractors) == (1, 3, 2, 1, 2)
    expected = edit_distance(second.text, second.text + " And more.")
    assert 0 < expected < 1
    assert row.distance.value == pytest.approx(expected / 2)
    assert row.distance.n == 2
    assert row.retention.value == pytest.approx(2 / 3)


def test_it_keeps_how_much_was_changed_with_the_adoption(bench: Bench, proposed: list[Candidate]) -> None:
    adopt(bench, proposed[:2], [proposed[0].text, "Something else altogether, from the first word on."])
    same, other = Adoption.objects.order_by("edit_distance").values_list("edit_distance", flat=True)
    assert same == 0
    assert 0.5 < other <= 1


def test_it_does_not_count_what_was_withdrawn(bench: Bench, proposed: list[Candidate]) -> None:
    item = adopt(bench, proposed[:1], [proposed[0].text])
    assert only(bench).kept == 1
    withdraw_item(actor=bench.cast.writer, item=item)
    row = only(bench)
    assert (row.proposed, row.kept, row.cost_per_distractor) == (3, 0, None)


@pytest.mark.parametrize(("most", "seen"), [(3, 0), (2, 1)])
def test_it_counts_many_proposals_once_a_minute(
    bench: Bench, proposed: list[Candidate], monkeypatch: pytest.MonkeyPatch, most: int, seen: int
) -> None:
    monkeypatch.setattr("generation.queries.yields.COUNTED_ANEW", most)
    item = adopt(bench, proposed[:1], [proposed[0].text])
    assert (only(bench).proposed, only(bench).kept) == (3, 1)
    withdraw_item(actor=bench.cast.writer, item=item)
    assert only(bench).kept == report(bench.cast.project, Filter()).total.kept == seen
    row = only(bench)
    assert row.template is not None
    assert row.endpoint is not None
    assert only(bench, template=row.template.name).kept == 0, "another report"


def test_it_shows_what_a_kept_distractor_cost(bench: Bench, proposed: list[Candidate]) -> None:
    Call.objects.update(cost=Decimal("0.06"))
    adopt(bench, proposed, [one.text for one in proposed])
    row = only(bench)
    assert (row.cost, row.cost_per_distractor) == (Decimal("0.06"), Decimal("0.02"))


def test_it_counts_keys_as_kept_but_not_as_distractors(bench: Bench) -> None:
    template = wording_template(bench)
    work_off(bench.start(templates=[template]).waiting)
    work_off(bench.start().waiting)
    key = Candidate.objects.filter(template=template).order_by("pk")[0]
    wrong = Candidate.objects.filter(template=bench.template).exclude(text=key.text).order_by("pk")[0]
    options = (
        OptionContent(key.text, is_key=True, candidate=key.pk),
        OptionContent(wrong.text, candidate=wrong.pk),
    )
    more = tuple(OptionContent(f"By hand {n}.") for n in range(2))
    services.submit_machine_item(
        actor=bench.cast.writer, story=bench.story, content=ItemContent(options=options + more)
    )
    row = only(bench, template=template.name)
    assert (row.kept, row.distractors) == (1, 0)


def test_it_counts_failures_and_refusals_apart_with_latency_of_answers(bench: Bench) -> None:
    for name, model in (("locked", "stub-401"), ("filtered", "stub-refusal")):
        work_off(bench.start(endpoints=[bench.add_endpoint(name, model)]).waiting)
    rows = {str(row.endpoint): row for row in report(bench.cast.project, Filter()).rows}
    assert (rows["locked"].calls, rows["locked"].failed, rows["locked"].refused) == (1, 1, 0)
    assert (rows["filtered"].failed, rows["filtered"].refused) == (0, 1)
    assert rows["locked"].median is None


def test_it_takes_median_and_95_per_cent_of_the_latency(bench: Bench) -> None:
    stories = [make_story(bench.cast) for _ in range(4)]
    work_off(bench.start(stories=[bench.story, *stories]).waiting)
    for number, call in enumerate(Call.objects.order_by("pk"), start=1):
        Call.objects.filter(pk=call.pk).update(latency_ms=number * 1000)
    row = only(bench)
    assert row.median == 3.0
    assert row.p95 == pytest.approx(4.8)


def test_it_keeps_versions_of_a_prompt_and_models_apart_and_adds_them_up(bench: Bench) -> None:
    work_off(bench.start().waiting)
    later = services.create_template(
        actor=bench.cast.writer,
        project=bench.cast.project,
        name=bench.template.name,
        text="{story} {n} morals",
    )
    other = bench.add_endpoint("another", "stub-json")
    work_off(bench.start(templates=[later], endpoints=[bench.endpoint, other]).waiting)
    found = report(bench.cast.project, Filter())
    seen = [(row.template.version, str(row.endpoint)) for row in found.rows if row.template]
    assert seen == [(2, "another"), (2, "stub"), (1, "stub")]
    assert found.total.calls == 3
    assert found.total.proposed == sum(row.proposed for row in found.rows) == Candidate.objects.count()


def test_it_is_narrowed_by_what_the_address_says(bench: Bench, proposed: list[Candidate]) -> None:
    batch = Job.objects.get()
    template = wording_template(bench)
    work_off(bench.start(templates=[template]).waiting)
    today = timezone.localdate()

    def templates(**wanted: Any) -> list[str]:
        return [str(row.template) for row in report(bench.cast.project, Filter(**wanted)).rows]

    assert templates() == ["Only the ending 1", "Say it again 1"]
    assert templates(purpose="moral_wordings") == ["Say it again 1"]
    assert templates(template="Only the ending") == ["Only the ending 1"]
    assert templates(batch=batch.pk) == ["Only the ending 1"]
    assert templates(endpoint=bench.endpoint.pk + 1) == []
    assert templates(since=today, until=today) == templates()
    assert templates(since=today + timedelta(days=2)) == []


def test_it_counts_nothing_of_another_project_nor_of_trials_nor_of_calls_under_way(
    bench: Bench, proposed: list[Candidate]
) -> None:
    assert report(make_project().project, Filter()).rows == ()
    bench.start(stories=[make_story(bench.cast)])
    assert Call.objects.filter(state=CallState.PENDING).exists()
    assert only(bench).calls == 1


def test_it_takes_the_same_number_of_queries_for_any_number_of_rows(bench: Bench) -> None:
    work_off(bench.start().waiting)
    client = signed_in(bench.cast.writer)
    client.get(address(bench))
    with CaptureQueriesContext(connection) as few:
        client.get(address(bench))
    others = [bench.add_endpoint(f"model {n}", "stub-ok") for n in range(5)]
    stories = [make_story(bench.cast) for _ in range(3)]
    work_off(
        bench.start(
            stories=stories, endpoints=others, templates=[bench.template, wording_template(bench)]
        ).waiting
    )
    with CaptureQueriesContext(connection) as many:
        page = client.get(address(bench)).content.decode()
    assert len(many) == len(few)
    assert page.count("data-move") == 11


@pytest.mark.parametrize(
    ("count", "n", "low", "high"), [(0, 10, 0.0, 0.278), (5, 10, 0.237, 0.763), (10, 10, 0.722, 1.0)]
)
def test_it_gives_shares_their_wilson_interval(count: int, n: int, low: float, high: float) -> None:
    seen = share(count, n)
    assert seen.low == pytest.approx(low, abs=1e-3)
    assert seen.high == pytest.approx(high, abs=1e-3)


def test_it_gives_no_interval_to_what_was_seen_less_than_twice() -> None:
    assert share(0, 0).value is None
    assert mean(0, None, None).value is None
    assert (mean(1, 0.4, None).value, mean(1, 0.4, None).low) == (0.4, None)
    assert mean(4, 0.5, 0.1).low == pytest.approx(0.402)


def test_it_leaves_as_csv_xlsx_and_svg_with_the_filter(bench: Bench, proposed: list[Candidate]) -> None:
    endpoint = bench.add_endpoint("=HYPERLINK(1)", "stub-ok")
    work_off(bench.start(endpoints=[endpoint]).waiting)
    client = signed_in(bench.cast.writer)
    kept = client.get(address(bench), {"as": "csv"})
    assert "yield.csv" in kept.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(kept.content.decode("utf-8-sig"))))
    assert [row["endpoint"] for row in rows] == ["'=HYPERLINK(1)", "stub"]
    assert [row["proposed"] for row in rows] == ["3", "3"]
    book = openpyxl.load_workbook(io.BytesIO(client.get(address(bench), {"as": "xlsx"}).content))
    assert book.worksheets[0]["D2"].value == "'=HYPERLINK(1)"
    narrowed = client.get(address(bench), {"as": "csv", "endpoint": str(bench.endpoint.pk)})
    assert len(narrowed.content.decode().splitlines()) == 2
    picture = client.get(address(bench), {"as": "svg"})
    assert picture.headers["Content-Type"] == "image/svg+xml"
    root = ET.fromstring(picture.content)  # noqa: S314 - our own
    assert len(root.findall(".//{http://www.w3.org/2000/svg}circle")) == 2


def test_it_says_what_an_empty_report_means(bench: Bench) -> None:
    client = signed_in(bench.cast.writer)
    assert "No model has been asked yet." in client.get(address(bench)).content.decode()
    assert "Remove a filter to see more." in client.get(address(bench), {"purpose": "free"}).content.decode()
    for odd in (
        {"endpoint": "x"},
        {"since": "2026-13-40"},
        {"batch": "9" * 30},
        {"template": "\x00"},
        {"as": "exe"},
    ):
        assert client.get(address(bench), odd).status_code == 200
    assert client.get(address(bench), {"as": "csv"}).content.decode("utf-8-sig").startswith("prompt,version")


def test_it_opens_to_writers_and_managers_only(bench: Bench) -> None:
    cast = bench.cast
    people = (cast.writer, cast.manager, cast.reviewer, cast.verifier, cast.outsider)
    assert [signed_in(user).get(address(bench)).status_code for user in people] == [200, 200, 403, 403, 404]


def test_it_is_found_from_the_tabs_and_from_a_batch(bench: Bench, proposed: list[Candidate]) -> None:
    client, slug = signed_in(bench.cast.writer), bench.cast.project.slug
    assert address(bench) in client.get(reverse("generation:candidates", args=[slug])).content.decode()
    job = Job.objects.get()
    page = client.get(reverse("jobs:job", args=[slug, job.pk])).content.decode()
    assert f"{address(bench)}?batch={job.pk}" in page
    assert "One batch only." in client.get(address(bench), {"batch": str(job.pk)}).content.decode()
