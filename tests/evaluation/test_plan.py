"""The plan beside a run that is about to be started: from earlier results, else from typical variances."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation import services
from evaluation.queries.plan import basis_of, designs_of, plan_of
from parable.psychometrics.plans.precision import TYPICAL, Design
from parable.psychometrics.plans.prospects import NOW
from release.queries.release import frozen_items
from tests.evaluation.measuring import Bench, brought, signed_in


def sent(bench: Bench, **changes: Any) -> dict[str, Any]:
    """The form of a run as a browser sends it."""
    form = {"release": bench.release.pk, "endpoints": bench.endpoint.pk, "split": "both", "repeats": 3}
    form |= {"order": "released", "seed": "7", "prompt": "{story} {question} {options}"}
    return form | changes


def page(bench: Bench, client: Client, **changes: Any) -> str:
    address = reverse("evaluation:start", args=[bench.cast.project.slug])
    answer = client.get(address, sent(bench, **changes), headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content.decode()


def measure(bench: Bench) -> None:
    """Results of three models, the first of which is the endpoint's."""
    lines = []
    for name, wrong in ((bench.endpoint.name, 5), ("fair", 3), ("poor", 2)):
        for number, one in enumerate(frozen_items(bench.release)):
            for repeat in (1, 2):
                key = one.record["answer"]
                choice = (key + 1) % 4 if (number + repeat * (number % 2)) % wrong == 0 else key
                data = {"model": name, "item_id": one.public_id, "repeat": repeat, "choice": choice}
                lines.append(json.dumps(data) + "\n")
    runs = brought(bench.release, bench.cast.manager, "".join(lines).encode())
    results = services.order_results(actor=bench.cast.manager, release=bench.release, runs=runs)
    services.count_results(results_id=results.pk)


def test_it_assumes_typical_variances_where_nothing_was_answered(bench: Bench) -> None:
    basis, tasks = plan_of(bench.asking(repeats=2), [bench.endpoint], 0.05)
    assert basis.results is None
    assert [(one.task, one.models) for one in tasks] == [("commonsense", 0), ("moral", 0)]
    assert tasks[0].designs[NOW].design == Design(stories=3, items=12, repeats=2)
    assert "typical variances are assumed" in page(bench, signed_in(bench.cast.manager))


def test_it_plans_from_the_variances_of_the_newest_results(bench: Bench) -> None:
    measure(bench)
    basis, tasks = plan_of(bench.asking(), [], 0.05)
    assert basis.results is not None
    assert [one.models for one in tasks] == [3, 3]
    assert [(pair.first, pair.second) for pair in tasks[0].pairs]
    assert tasks[0].designs[NOW].half_width != plan_of(bench.asking(), [], 0.05)[1][1].designs[NOW].half_width
    shown = page(bench, signed_in(bench.cast.manager), difference="20")
    assert "3 models" in shown
    assert "that differ by 20.0 points" in shown
    assert "fair and poor" in shown or "poor and fair" in shown or "points apart" in shown


def test_it_expects_of_a_sample_fewer_stories_and_items(bench: Bench) -> None:
    whole, part = designs_of(bench.asking()), designs_of(bench.asking(sample_size=7, repeats=4))
    assert (whole["commonsense"], whole["moral"]) == (Design(3, 12), Design(3, 9))
    assert (part["commonsense"].items, part["moral"].items) == (4, 3)
    assert part["commonsense"].repeats == 4
    assert 1 <= part["commonsense"].stories <= 3


def test_a_wider_difference_takes_fewer_stories(bench: Bench) -> None:
    needed = [plan_of(bench.asking(), [], points)[1][0].stories for points in (0.02, 0.1)]
    assert needed[0] is not None
    assert needed[1] is not None
    assert needed[0] > needed[1]
    assert basis_of(bench.release).results is None
    assert TYPICAL.total == pytest.approx(0.23)


def test_it_asks_so_many_statements_however_many_items(bench: Bench) -> None:
    measure(bench)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        plan_of(bench.asking(), [bench.endpoint], 0.05)
    assert len(asked) <= 6
    assert not any("record" in one["sql"] for one in asked), "no item is read whole"


@pytest.mark.parametrize("difference", ["0", "-3", "x"])
def test_a_difference_that_is_none_is_refused(bench: Bench, difference: str) -> None:
    shown = page(bench, signed_in(bench.cast.manager), difference=difference)
    assert "What this run would show" not in shown
