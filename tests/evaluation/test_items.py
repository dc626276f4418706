"""What answers say of items: ordered by a manager, worked out by a worker, and shown with its evidence."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.services import retire_item
from core.errors import Forbidden, Unusable
from evaluation import services
from evaluation.models import (
    Calibration,
    CalibrationStep,
    Examinee,
    ExamineeKind,
    ReadingKind,
    Response,
    ResultTables,
    Run,
)
from evaluation.queries.calibration import get_calibration, one_item, sheet
from evaluation.queries.run import CALIBRATE
from jobs.models import LOST_AFTER, Job, JobState
from jobs.queries import job_of
from jobs.services.job import _Reporter
from parable.commands.results.words import word
from parable.psychometrics.items.suspects import VOTE
from release.models import ReleaseItem, ReleaseState
from tests.evaluation.measuring import ITEMS, Bench, signed_in
from tests.release.made import built
from tests.work import do_work, lost


def answering(bench: Bench, people: int = 6, *, wrong: int = 0) -> list[Run]:
    """Runs of several models, the abler the later; on item number `wrong` the able agree on a distractor."""
    rng = np.random.default_rng(3)
    items = list(ReleaseItem.objects.filter(release=bench.release).order_by("number"))
    runs = []
    for number in range(people):
        examinee = Examinee.objects.create(
            project=bench.cast.project,
            name=f"model-{number}",
            kind=ExamineeKind.IMPORTED,
            created_by=bench.cast.manager,
        )
        run = Run.objects.create(
            release=bench.release, examinee=examinee, asked=ITEMS, created_by=bench.cast.manager
        )
        runs.append(run)
        Response.objects.bulk_create(
            _answer(run, item, right=rng.random() < 0.45 + 0.1 * number, is_wrong=index == wrong)
            for index, item in enumerate(items)
        )
    return runs


def _answer(run: Run, item: ReleaseItem, *, right: bool, is_wrong: bool) -> Response:
    key, size = item.record["answer"], len(item.record["choices"])
    choice = (key + 1) % size if is_wrong or not right else key
    return Response(
        run=run, item=item, repeat=1, order=list(range(size)), reading=ReadingKind.CHOSEN, choice=choice,
        strict_choice=choice, correct=choice == key,
    )  # fmt: skip


def ordered(bench: Bench, runs: list[Run], **changes: Any) -> Any:
    found = services.order_calibration(
        actor=changes.pop("actor", bench.cast.manager),
        release=bench.release,
        runs=runs,
        model=changes.pop("model", "2pl"),
        **changes,
    )
    do_work(CALIBRATE, found.pk)
    return get_calibration(user=bench.cast.manager, project=bench.cast.project, pk=found.pk)


def page(bench: Bench, name: str, *more: object) -> str:
    return reverse(f"evaluation:{name}", args=[bench.cast.project.slug, *more])


def test_a_new_analysis_begins_with_the_newest_release_that_was_answered(bench: Bench) -> None:
    later = built(bench.cast, version="1.1.0")
    assert later.state == ReleaseState.READY
    client = signed_in(bench.cast.manager)
    assert client.get(page(bench, "calibrations")).context["form"].initial == {"release": later}
    answering(bench, people=1)
    assert client.get(page(bench, "calibrations")).context["form"].initial == {"release": bench.release}


def test_it_asks_as_often_for_many_runs_to_choose_from_as_for_few(bench: Bench) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as statements:
            answer = signed_in(bench.cast.manager).get(page(bench, "calibrations"))
        assert str(Run.objects.all()[0]) in answer.content.decode()
        return len(statements)

    answering(bench, people=1)
    few = asked()
    for number in range(1, 4):
        examinee = Examinee.objects.create(
            project=bench.cast.project, name=f"more-{number}", kind=ExamineeKind.IMPORTED,
            created_by=bench.cast.manager,
        )  # fmt: skip
        run = Run.objects.create(
            release=bench.release, examinee=examinee, created_by=bench.cast.manager, asked=1
        )
        item = ReleaseItem.objects.filter(release=bench.release)[0]
        Response.objects.bulk_create([_answer(run, item, right=True, is_wrong=False)])
    assert asked() == few


def test_the_item_whose_key_the_able_vote_against_heads_the_suspects(bench: Bench) -> None:
    found = ordered(bench, answering(bench))
    first = sheet(found, "suspects", 1).rows[0]
    assert VOTE in first["reasons"]
    assert first["id"] == ReleaseItem.objects.order_by("number").first().public_id  # type: ignore[union-attr]  # it has items
    assert first["share"] == 0
    assert found.summary["examinees"] == 6
    assert found.summary["few"]
    assert one_item(found, first["id"])["reasons"] == first["reasons"]  # type: ignore[index]  # it is known
    assert one_item(found, "no-such-item") is None


def test_models_without_a_common_item_are_named_as_parts_and_not_ranked(bench: Bench) -> None:
    runs = answering(bench)
    items = list(ReleaseItem.objects.filter(release=bench.release).order_by("number"))
    for index, run in enumerate(runs):
        asked = items[:12] if index % 2 else items[12:]
        Response.objects.filter(run=run).exclude(item__in=asked).delete()
    found = ordered(bench, runs)
    assert [part["examinees"] for part in found.summary["parts"]] == [3, 3]
    client = signed_in(bench.cast.manager)
    text = client.get(page(bench, "calibration", found.pk), {"view": "examinees"}).text
    assert "2 parts without answers in common" in text
    assert text.count("part 2") == 3
    assert not any("place" in one for one in found.summary["people"])
    assert "Wright" not in client.get(page(bench, "calibration", found.pk), {"view": "set"}).text
    assert "part 2" in client.get(page(bench, "calibrated_items", found.pk)).text
    response = client.get(page(bench, "calibrated_item", found.pk, items[0].public_id))
    assert response.status_code == 200
    assert "model-1" in response.text
    assert "model-0" not in response.text


def test_the_same_order_is_worked_out_once_and_again_gives_the_same(bench: Bench) -> None:
    runs = answering(bench)
    one = services.order_calibration(actor=bench.cast.manager, release=bench.release, runs=runs, model="2pl")
    again = services.order_calibration(
        actor=bench.cast.manager, release=bench.release, runs=runs, model="2pl"
    )
    assert one == again
    do_work(CALIBRATE, one.pk)
    kept = Calibration.objects.get(pk=one.pk).parameters
    do_work(CALIBRATE, one.pk)
    second = ordered(bench, runs)
    assert second.pk != one.pk
    assert Calibration.objects.get(pk=second.pk).parameters == kept


def test_it_refuses_who_may_not_and_what_cannot_be_calibrated(bench: Bench) -> None:
    runs = answering(bench, 2)
    with pytest.raises(Forbidden):
        ordered(bench, runs, actor=bench.cast.writer)
    cases: list[dict[str, Any]] = [{"runs": []}, {"runs": runs[:1]}, {"runs": runs, "model": "4pl"}]
    for wrong in cases:
        given: dict[str, Any] = {"model": "2pl", **wrong}
        with pytest.raises(Unusable):
            services.order_calibration(actor=bench.cast.manager, release=bench.release, **given)


def test_runs_without_an_answer_end_with_a_reason(bench: Bench) -> None:
    runs = answering(bench, 2)
    Response.objects.all().delete()
    assert ordered(bench, runs).failed == "nothing_answered"


def test_repeats_are_pooled_and_what_was_not_read_is_wrong(bench: Bench) -> None:
    runs = answering(bench, 2)
    item = ReleaseItem.objects.order_by("number")[1]
    Response.objects.filter(run=runs[0], item=item).delete()
    for repeat, choice in ((1, None), (2, None), (3, item.record["answer"])):
        Response.objects.create(
            run=runs[0], item=item, repeat=repeat, order=[0, 1, 2, 3], choice=choice,
            reading=ReadingKind.CHOSEN if choice is not None else ReadingKind.UNPARSED,
            correct=choice is not None,
        )  # fmt: skip
    found = services.order_calibration(
        actor=bench.cast.manager, release=bench.release, runs=runs, model="1pl"
    )
    do_work(CALIBRATE, found.pk)
    row = one_item(found, item.public_id)
    assert row is not None
    assert row["none"] == 1
    assert row["answered"] == 2


def test_its_pages_are_for_managers_and_lead_to_the_report_of_an_error(bench: Bench) -> None:
    found = ordered(bench, answering(bench))
    name = sheet(found, "suspects", 1).rows[0]["id"]
    addresses = [
        page(bench, "calibrations"),
        page(bench, "calibration", found.pk),
        page(bench, "calibrated_items", found.pk),
        page(bench, "calibrated_item", found.pk, name),
    ]
    manager, writer, outsider = map(signed_in, (bench.cast.manager, bench.cast.writer, bench.cast.outsider))
    for address in addresses:
        assert manager.get(address).status_code == 200, address
        assert writer.get(address).status_code == 403, address
        assert outsider.get(address).status_code == 404, address
    text = manager.get(addresses[-1]).content.decode()
    assert f"item_id={name}" in text
    assert "<polyline" in text
    whole = manager.get(addresses[1]).content.decode()
    assert name in whole
    whole += "".join(manager.get(addresses[1], {"view": view}).text for view in ("set", "examinees"))
    assert "6 examinees answered every item" in whole
    assert f"of {found.summary['items']} items; expected by chance:" in whole
    assert '<span class="faint">n = 6</span>' in whole
    assert manager.get(page(bench, "calibrated_item", found.pk, "nothing")).status_code == 404


def test_a_suspect_can_be_acted_on_at_once_and_says_what_became_of_it(bench: Bench) -> None:
    found = ordered(bench, answering(bench))
    row = sheet(found, "suspects", 1).rows[0]
    wrong = ReleaseItem.objects.get(release=bench.release, public_id=row["id"]).item
    manager, here = signed_in(bench.cast.manager), f'name="row" value="{wrong.pk}"'
    pages = [page(bench, "calibration", found.pk), page(bench, "calibrated_item", found.pk, row["id"])]
    for address in pages:
        assert here in manager.get(address).text
    retire_item(actor=bench.cast.manager, item=wrong, reason="Its key is wrong.")
    for address in pages:
        shown = manager.get(address).text
        assert here not in shown
        assert "retired" in shown


def test_results_lead_to_the_newest_finished_analysis_of_their_release(bench: Bench) -> None:
    results = ResultTables.objects.create(release=bench.release, made_by=bench.cast.manager, tables=[])
    manager, address = signed_in(bench.cast.manager), page(bench, "result", results.pk)
    assert "suspect item" not in manager.get(address).text
    found = ordered(bench, runs := answering(bench))
    services.order_calibration(actor=bench.cast.manager, release=bench.release, runs=runs[:3], model="2pl")
    n = found.summary["suspects"]
    assert n
    there = page(bench, "calibration", found.pk)
    assert re.search(rf'<a href="{there}">{n} suspect items?</a>', manager.get(address).text)


@pytest.mark.parametrize(("current", "said"), [(7, False), (8, True)])
def test_a_mended_suspect_says_that_it_was_revised(current: int, said: bool) -> None:
    item = SimpleNamespace(state="verified", current_id=current)
    released = SimpleNamespace(item=item, revision_id=7)
    shown = render_to_string("evaluation/_item_now.html", {"released": released})
    assert ("revised since" in shown) == said


def test_an_item_s_page_shows_thirds_from_thirty_examinees_on_and_why_not_before(bench: Bench) -> None:
    runs = answering(bench, 30)
    client = signed_in(bench.cast.manager)
    enough, few = ordered(bench, runs, model="1pl"), ordered(bench, runs[:6])
    row = sheet(enough, "items", 1).rows[2]
    response = client.get(page(bench, "calibrated_item", enough.pk, row["id"]))
    assert [third["answered"] for third in row["thirds"]] == response.context["ability_groups"]["answered"]
    assert sum(response.context["ability_groups"]["answered"]) == 30
    assert "Upper third" in response.content.decode()
    assert not any("thirds" in one for one in sheet(few, "items", 1).rows)
    hidden = client.get(page(bench, "calibrated_item", few.pk, row["id"])).content.decode()
    assert "Upper third" not in hidden
    assert "answered by 6 examinees; thirds need at least 30" in hidden


def test_its_plots_are_files_in_the_reader_s_language_the_same_byte_for_byte(bench: Bench) -> None:
    runs = answering(bench)
    Examinee.objects.filter(pk=runs[0].examinee_id).update(name='a<b> & "c"\x0b')
    found = ordered(bench, runs)
    name = sheet(found, "items", 1).rows[1]["id"]
    manager, writer = signed_in(bench.cast.manager), signed_in(bench.cast.writer)
    addresses = [
        *(page(bench, "calibration_plot", found.pk, plot) for plot in ("wright", "information")),
        page(bench, "item_curve", found.pk, name),
    ]
    pages = [
        page(bench, "calibration", found.pk) + "?view=set",
        page(bench, "calibrated_item", found.pk, name),
    ]
    shown = "".join(manager.get(one).content.decode() for one in pages)
    for address in addresses:
        assert f'href="{address}"' in shown
        first = manager.get(address)
        assert first.headers["Content-Type"] == "image/svg+xml"
        assert first.headers["Content-Disposition"].startswith("attachment;")
        assert manager.get(address).content == first.content
        assert ET.fromstring(first.content).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - ours
        assert writer.get(address).status_code == 403
        chinese = manager.get(address, headers={"Accept-Language": "zh-hans"}).content.decode()
        assert "能力" in chinese
        assert "bility" in first.content.decode()
    assert name in manager.get(addresses[2]).content.decode()
    assert "a&lt;b&gt; &amp; &quot;c&quot;</title>" in manager.get(addresses[0]).content.decode()
    assert manager.get(page(bench, "calibration_plot", found.pk, "other")).status_code == 404
    assert manager.get(page(bench, "item_curve", found.pk, "nothing")).status_code == 404


def test_its_page_shows_progress_until_the_result_is_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = services.order_calibration(
        actor=bench.cast.manager, release=bench.release, runs=answering(bench), model="2pl"
    )
    client, address = signed_in(bench.cast.manager), page(bench, "calibration", found.pk)

    def seen() -> Any:
        return client.get(address, headers={"HX-Request": "true"})

    assert "waiting for a worker" in seen().content.decode()
    reported: list[tuple[int, str]] = []
    report = _Reporter.__call__

    def looked_at(reporter: _Reporter, *how_far: int) -> None:
        reporter._last = None  # each report is noted, however soon it comes
        report(reporter, *how_far)
        if how_far[0] not in [one for one, _text in reported]:
            reported.append((how_far[0], seen().content.decode()))

    monkeypatch.setattr(_Reporter, "__call__", looked_at)
    do_work(CALIBRATE, found.pk)
    assert [step for step, _text in reported] == [step for step in CalibrationStep if step > 0]
    assert "estimating items and examinees" in reported[1][1]
    assert "simulating sets without bad items: 0 of 20" in reported[-1][1]
    assert seen().headers["HX-Refresh"] == "true"


def test_a_calibration_that_a_killed_worker_left_is_begun_again_by_one_other(bench: Bench) -> None:
    found = services.order_calibration(
        actor=bench.cast.manager, release=bench.release, runs=answering(bench), model="1pl"
    )
    assert not lost(CALIBRATE), "it was ordered a moment ago"
    ago = timezone.now() - LOST_AFTER - timedelta(seconds=1)
    job = Job.objects.filter(kind=CALIBRATE)
    job.update(state=JobState.RUNNING, step=2, created_at=ago, heartbeat_at=timezone.now())
    do_work(CALIBRATE, found.pk)
    assert Calibration.objects.get().parameters == {}, "somebody is at it"
    job.update(heartbeat_at=ago)
    text = signed_in(bench.cast.manager).get(page(bench, "calibration", found.pk)).content.decode()
    assert "does not respond" in text
    assert lost(CALIBRATE) == [job_of(CALIBRATE, found.pk)]
    do_work(CALIBRATE, found.pk)
    assert "analysis" in Calibration.objects.get().parameters
    assert not lost(CALIBRATE)


def test_a_manager_orders_a_calibration_of_all_finished_runs(bench: Bench) -> None:
    answering(bench, 3)
    client = signed_in(bench.cast.manager)
    sent = {"release": bench.release.pk, "model": "2pl", "priors": "auto"}
    answer = client.post(page(bench, "calibrations"), sent)
    made = Calibration.objects.get()
    assert answer.headers["Location"] == page(bench, "calibration", made.pk)
    assert made.runs.count() == 3
    assert "Calibrating" in client.get(answer.headers["Location"]).content.decode()
    assert client.post(page(bench, "calibrations"), sent | {"model": "9pl"}).status_code == 400


def test_a_page_asks_the_same_of_the_database_however_many_items_there_are(bench: Bench) -> None:
    found = ordered(bench, answering(bench))
    client = signed_in(bench.cast.manager)
    address = page(bench, "calibrated_items", found.pk)
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as many:
        client.get(address)
    row = Calibration.objects.get(pk=found.pk)
    row.parameters["analysis"]["items"] = [row.parameters["analysis"]["items"][0][:3]]
    row.save()
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    assert len(many) == len(few)


def test_a_release_has_a_short_form_with_its_error_and_as_a_file(bench: Bench) -> None:
    """A tenth of the items and their error on models left out, on a page that the release links to."""
    manager = signed_in(bench.cast.manager)
    there, file = (page(bench, name, bench.release.version) for name in ("short_form", "short_form_file"))
    assert "No short form yet." in manager.get(there).content.decode()
    assert manager.get(file).status_code == 404
    ordered(bench, answering(bench, people=6))
    shown = manager.get(there)
    form = manager.get(file).json()
    assert (form["method"], form["examinees"], form["models"]) == ("stratified", 6, 6)
    assert [row["id"] for row in shown.context["rows"]] == [one["id"] for one in form["items"]]
    assert {"type", "style"} <= set(form["items"][0])
    types = [[word(code, "zh") for code in one["type"].split(", ")] for one in form["items"]]
    in_chinese = manager.get(there, headers={"accept-language": "zh-hans"}).context["rows"]
    assert [row["type"] for row in in_chinese] == ["、".join(names) for names in types]
    assert "6 examinees of 6 models who answered every item" in " ".join(shown.content.decode().split())
    release = reverse("release:detail", args=[bench.cast.project.slug, bench.release.version])
    assert there in manager.get(f"{release}?tab=files").content.decode()
    assert signed_in(bench.cast.writer).get(there).status_code in (403, 404)
    assert signed_in(bench.cast.writer).get(file).status_code in (403, 404)


def test_few_examinees_are_told_what_does_not_apply(bench: Bench) -> None:
    found = ordered(bench, answering(bench, people=6))
    shown = signed_in(bench.cast.manager).get(page(bench, "calibration", found.pk) + "?view=set")
    data = {one["name"]: (one["value"], one["note"]) for one in shown.context["figures"]}
    assert data["Fit of item pairs (M2)"][0] == "–"
    assert "needs 200 examinees" in data["Model borne by the answers"][1]
    assert data["Examinees that do not fit (l_z*)"] == ("–", "not applicable: needs 30 examinees")
    row = sheet(found, "items", 1).rows[0]
    assert row["upper_lower_low"] <= row["upper_lower"] <= row["upper_lower_high"]
    alone = signed_in(bench.cast.manager).get(page(bench, "calibrated_items", found.pk)).content.decode()
    assert "1.6 each (Kelley)" in " ".join(alone.split())


def test_many_examinees_show_which_model_holds_and_who_does_not_fit(bench: Bench) -> None:
    found = ordered(bench, answering(bench, people=5))
    fit = {
        "models": [
            {"model": name, "parameters": n, "log_likelihood": -9.0, "aic": 10.0 - n, "bic": 10.0 + n,
             "examinees": 250}
            for n, name in enumerate(("1pl", "2pl", "3pl"), start=1)
        ],
        "borne": "1pl",
        "pairs": {"m2": 12.3, "df": 5, "p_value": 0.03, "rmsea": 0.04, "low": 0.01, "high": 0.07,
                  "examinees": 240},
        "items": {"examinees": 240, "tested": 4, "misfits": 1},
        "people": {"examinees": 250, "tested": 250, "misfits": 2},
    }  # fmt: skip
    kept = Calibration.objects.get(pk=found.pk)
    summary = kept.parameters["analysis"]["summary"]
    summary["fit"] = fit
    summary["people"][0] |= {"lz_star": -3.25, "lz_p_adjusted": 0.01}
    kept.parameters["analysis"]["items"][0][0] |= {
        "s_x2": 20.0, "s_x2_df": 3.0, "s_x2_p": 0.0001, "s_x2_p_adjusted": 0.0004,
    }  # fmt: skip
    kept.save()
    manager, there = signed_in(bench.cast.manager), page(bench, "calibration", found.pk)
    whole = manager.get(f"{there}?view=set")
    assert "Lowest AIC: 3PL" in whole.context["borne"]
    data = {one["name"]: (one["value"], one["note"]) for one in whole.context["figures"]}
    assert data["Fit of item pairs (M2)"][0] == "12.3"
    assert "RMSEA2 0.040 (90 %: 0.010 to 0.070), of 240 examinees" in data["Fit of item pairs (M2)"][1]
    assert "-3.25" in manager.get(f"{there}?view=examinees").content.decode()
    misfits = manager.get(page(bench, "calibrated_items", found.pk) + "?which=misfit")
    assert len(misfits.context["items"]["rows"]) == 1
    assert "20.0 (3), p = 0.000" in misfits.content.decode()
