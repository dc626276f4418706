"""Partial-input baselines: a run without a part of the items, compared with the whole."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from core.errors import Conflict, Unusable
from evaluation import services
from evaluation.models import PartialInput, Run
from evaluation.queries.calibration import finished_runs
from evaluation.queries.partial_input import partial_runs_of, whole_run
from evaluation.queries.run import COMPARE_PARTIAL, answered_runs
from evaluation.services import run as run_service
from jobs.models import Call
from release.models import ReleaseItem
from tests.evaluation.measuring import ITEMS, Bench
from tests.work import do_work, end_first


def _prompts(run: Run) -> list[str]:
    return list(Call.objects.filter(job=run.job).order_by("pk").values_list("prompt", flat=True))


def test_a_probe_asks_the_same_prompt_without_a_part(bench: Bench) -> None:
    whole, blind, bare, other = (
        _prompts(bench.ran(probe=probe, sample_size=3))
        for probe in (
            PartialInput.WHOLE,
            PartialInput.NO_STORY,
            PartialInput.NO_STEM,
            PartialInput.OTHER_STORY,
        )
    )
    records = [one.record for one in ReleaseItem.objects.all()]
    for prompts in zip(whole, blind, bare, other, strict=True):
        record = next(
            one
            for one in records
            if all(part in prompts[0] for part in (one["story"], one["question"], one["choices"][0]))
        )
        assert record["story"] not in prompts[1]
        assert record["question"] in prompts[1]
        assert prompts[2] == prompts[0].replace(record["question"], "(not given)")
        assert record["story"] not in prompts[3]
        assert any(one["story"] in prompts[3] for one in records)


def test_a_probe_stands_in_no_results(bench: Bench) -> None:
    whole, probe = bench.ran(), bench.ran(probe=PartialInput.NO_STORY)
    assert answered_runs(bench.release) == [whole]
    assert list(finished_runs(bench.cast.project)) == [whole]
    assert whole_run(probe) == whole
    assert list(partial_runs_of(whole)) == [probe]


def test_a_release_of_one_story_has_no_other(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = replace(bench.asking(), probe=PartialInput.OTHER_STORY)
    monkeypatch.setattr(run_service, "others_of", lambda *_given: {})
    with pytest.raises(Unusable, match="one story only"):
        services.start_runs(actor=bench.cast.manager, asking=asking, endpoints=[bench.endpoint])
    with pytest.raises(Unusable, match="Unknown probe"):
        services.start_runs(
            actor=bench.cast.manager, asking=replace(asking, probe="half"), endpoints=[bench.endpoint]
        )


def test_a_worker_compares_it_with_the_whole_items(bench: Bench, client: Client) -> None:
    probe = bench.ran(probe=PartialInput.NO_STORY, repeats=2)
    with pytest.raises(Conflict, match="whole items"):
        services.order_partial_comparison(actor=bench.cast.manager, run=probe)
    whole = bench.ran(repeats=2)
    with pytest.raises(Conflict, match="asks whole items"):
        services.order_partial_comparison(actor=bench.cast.manager, run=whole)
    client.force_login(bench.cast.manager)
    slug = bench.cast.project.slug
    address = reverse("evaluation:run", args=[slug, probe.pk])
    assert "Compare with whole items" in client.get(address).text
    assert client.post(reverse("evaluation:compare_probe", args=[slug, probe.pk])).status_code == 302
    assert "Calculating." in client.get(address).text
    do_work(COMPARE_PARTIAL, probe.pk)
    probe.refresh_from_db()
    found = probe.probe_figures
    assert (found["items"], found["against"]) == (ITEMS, whole.pk)
    assert found["whole"]["value"] == whole.responses.filter(correct=True).count() / (2 * ITEMS)
    assert found["probe"]["value"] == probe.responses.filter(correct=True).count() / (2 * ITEMS)
    assert found["n_named"] == len(found["named"])
    text = " ".join(client.get(address).text.split())
    assert f"{ITEMS} items of 3 stories asked both ways" in text
    assert "guessing alone would name" in text
    assert address in client.get(reverse("evaluation:run", args=[slug, whole.pk])).text


def test_its_page_shows_a_comparison_that_ends_meanwhile(
    bench: Bench, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = bench.ran(probe=PartialInput.NO_STORY)
    bench.ran()
    services.order_partial_comparison(actor=bench.cast.manager, run=probe)
    end_first(monkeypatch, "evaluation.views.run")
    client.force_login(bench.cast.manager)
    page = client.get(reverse("evaluation:run", args=[bench.cast.project.slug, probe.pk]))
    assert f"{ITEMS} items of 3 stories asked both ways" in " ".join(page.text.split())


def test_the_form_offers_probes(bench: Bench, client: Client) -> None:
    client.force_login(bench.cast.manager)
    address = reverse("evaluation:start", args=[bench.cast.project.slug])
    assert "without the stem" in client.get(address).text
    given = {
        "release": bench.release.pk, "endpoints": bench.endpoint.pk, "split": "both", "repeats": 1,
        "order": "released", "seed": "7", "prompt": bench.asking().prompt, "probe": PartialInput.NO_STEM,
    }  # fmt: skip
    assert client.post(address, given).status_code == 302
    assert Run.objects.get().probe == PartialInput.NO_STEM
