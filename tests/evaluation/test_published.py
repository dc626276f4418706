"""Published settings in the browser: the prompt to the letter, and answers read by the published filter."""

from __future__ import annotations

import json

from django.urls import reverse

from evaluation import services
from evaluation.models import ResultTables, Run
from parable.llm.conditions import CRMUS_PROMPT, CRMUS_SOURCE
from parable.psychometrics.results.tables import Table
from release.queries.release import frozen_items
from tests.evaluation.measuring import Bench, brought, signed_in


def test_a_manager_starts_from_published_settings_and_the_run_names_them(bench: Bench) -> None:
    client = signed_in(bench.cast.manager)
    slug = bench.cast.project.slug
    address = reverse("evaluation:start", args=[slug])
    answer = client.get(address, {"preset": "crmus-repeated"})
    first = answer.context["form"].initial
    assert (first["prompt"], first["repeats"], first["split"]) == (CRMUS_PROMPT, 2, "test")
    assert CRMUS_SOURCE in answer.content.decode()
    assert client.get(address, {"preset": "none"}).context["form"]["prompt"].value() != CRMUS_PROMPT
    sent = {name: answer.context["form"][name].value() for name in ("repeats", "order", "seed", "split")}
    sent |= {"release": bench.release.pk, "endpoints": bench.endpoint.pk}
    # a browser sends CR LF
    started = client.post(address, sent | {"prompt": CRMUS_PROMPT.replace("\n", "\r\n")})
    run = Run.objects.get()
    assert run.prompt == CRMUS_PROMPT, "what is sent to models is the published prompt to the letter"
    assert "CRMUS, answers repeated" in client.get(started.headers["Location"]).content.decode()
    other = bench.order(prompt=CRMUS_PROMPT + " ", repeats=2)
    assert "CRMUS" not in client.get(reverse("evaluation:run", args=[slug, other.pk])).content.decode()


def test_results_are_read_by_the_rule_that_was_chosen(bench: Bench) -> None:
    items = list(frozen_items(bench.release))
    keys = {one.public_id: "ABCD"[one.record["answer"]] for one in items}
    wrong = {name: "ABCD"["ABCD".index(key) - 1] for name, key in keys.items()}
    lines = [
        json.dumps({"model": "m", "item_id": name, "repeat": 1, "text": f"选{key}，不选{wrong[name]}"}) + "\n"
        for name, key in keys.items()
    ]
    lines += [json.dumps({"model": "n", "item_id": name, "repeat": 1, "choice": 0}) + "\n" for name in keys]
    runs = brought(bench.release, bench.cast.manager, "".join(lines).encode())
    slug = bench.cast.project.slug
    client = signed_in(bench.cast.manager)
    found: dict[str, dict[tuple[str, str], tuple[int, int, int]]] = {}
    for rule in ("parable", "crmus"):
        sent = {"release": "1.0.0", "split": "both", "rule": rule, "runs": [run.pk for run in runs]}
        client.post(reverse("evaluation:results", args=[slug]), sent)
        results = ResultTables.objects.get(rule=rule)
        services.count_results(results_id=results.pk)
        results.refresh_from_db()
        table = Table.from_json(next(one for one in results.tables if one["code"] == "outcomes"))
        counted = [table.column(code) for code in ("asked", "right", "ambiguous")]
        found[rule] = {row.cells[:2]: tuple(row.cells[at] for at in counted) for row in table.rows}  # type: ignore[misc]
        page = client.get(reverse("evaluation:result", args=[slug, results.pk])).content.decode()
        assert ("CRMUS filter" in page) == (rule == "crmus")
    for name, (asked, right, ambiguous) in found["parable"].items():
        again = found["crmus"][name]
        if name[0] == "m":
            assert (right, ambiguous) == (asked, 0), "the option that is ruled out is not chosen"
            assert again == (asked, 0, asked), "the filter counts it as named"
        else:
            assert again == (asked, right, ambiguous), "a choice without text stays as it is"
    refused = client.post(reverse("evaluation:results", args=[slug]), sent | {"rule": "none"})
    assert refused.status_code == 400
