"""An item analysis on the scale of an earlier release: by items in the same words, kept by the job, shown."""

from dataclasses import replace
from typing import Any

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client
from django.urls import reverse

from evaluation.models import Calibration, Examinee
from evaluation.queries import linked
from evaluation.queries.calibration import link_of
from evaluation.queries.linked import earlier_calibration, linked_with_earlier, same_items
from parable.commands.calibrate import as_json
from parable.psychometrics.irt import calibrate
from release.models import Release
from tests.evaluation.measuring import ITEMS, Bench
from tests.evaluation.test_items import answering, ordered
from tests.parable.response_matrices import two_versions
from tests.release.made import built


def _calibrations(bench: Bench) -> tuple[Calibration, Calibration]:
    """Two of one release, of which the first stands in for that of an earlier release."""
    details: dict[str, Any] = {"model": "2pl", "priors": "auto", "made_by": bench.cast.manager}
    before, after, _line = two_versions(3, examinees=300, drifted=2)
    found = []
    for matrix in (before, after):
        parameters = as_json(calibrate(matrix, "2pl"))
        found.append(Calibration.objects.create(release=bench.release, parameters=parameters, **details))
    return found[0], found[1]


def test_items_are_common_in_the_same_words_with_the_same_key(bench: Bench) -> None:
    same = same_items(bench.release, bench.release)
    assert set(same) == set(bench.release.items.values_list("public_id", flat=True))
    assert len(set(same.values())) == 3
    assert linked._words("Q?", ["a", "b"], 0) == linked._words("Q?", ["b", "a"], 1)
    assert linked._words("Q?", ["a", "b"], 0) != linked._words("Q?", ["a", "b"], 1)
    assert linked._words("Q?", ["a", "b"], 0) != linked._words("R?", ["a", "b"], 0)
    assert linked._words("Q?", ["a", "b"], -1) == linked._words("Q?", ["a", "b"], -1)


def test_the_job_links_a_later_release_and_the_page_shows_it(bench: Bench, client: Client) -> None:
    first = ordered(bench, answering(bench))
    assert link_of(first) is None
    client.force_login(bench.cast.manager)
    address = reverse("evaluation:calibration", args=[bench.cast.project.slug, first.pk])
    assert "No link to an earlier release." in client.get(address, {"view": "releases"}).text
    later = replace(bench, release=built(bench.cast, version="1.1.0"))
    Examinee.objects.update(name=Concat(Value("earlier "), "name"))
    second = ordered(later, answering(later, people=4))
    assert earlier_calibration(second) == first
    found = link_of(second)
    assert found is not None
    assert (found["release"], found["calibration"], found["common"]) == ("1.0.0", first.pk, ITEMS)
    assert [row["is_new"] for row in found["examinees"]].count(True) == 4
    address = reverse("evaluation:calibration", args=[bench.cast.project.slug, second.pk])
    text = " ".join(client.get(address, {"view": "releases"}).text.split())
    assert f"On the scale of 1.0.0, by {ITEMS} items in the same words in both, 3 stories." in text
    assert "Stocking–Lord: ability there =" in text
    assert f"of {found['tested']} tested" in text


def test_two_populations_come_onto_the_earlier_scale(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = _calibrations(bench)
    assert earlier_calibration(second) is None
    assert linked_with_earlier(second, second.parameters) is None
    names = {row["id"]: f"story {n // 3}" for n, row in enumerate(first.parameters["item_parameters"])}

    def same(_before: Release, _after: Release) -> dict[str, Any]:
        return names

    monkeypatch.setattr(linked, "earlier_calibration", lambda _one: first)
    monkeypatch.setattr(linked, "same_items", same)
    found = linked_with_earlier(second, second.parameters)
    assert found is not None
    assert (found["common"], found["calibration"], len(found["examinees"])) == (30, first.pk, 600)
    line = found["links"]["stocking_lord"]
    assert (line["stretch"], line["shift"]) == (pytest.approx(1.2, abs=0.25), pytest.approx(0.5, abs=0.25))
    assert line["stories"] == 10
    assert found["links"]["mean_sigma"] is not None
    assert {row["item"] for row in found["moved"]} <= {"common0", "common1"}
    abilities = [row["ability"] for row in found["examinees"]]
    assert abilities == sorted(abilities, reverse=True)
