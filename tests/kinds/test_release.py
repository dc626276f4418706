"""Every kind goes on into a release: files, card and gates; its answers are withheld, or scored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from parable.__main__ import main
from parable.formats import read_items
from parable.formats.kind_files import layout_of
from parable.formats.layouts import read_layout
from parable.formats.release_folder import read_release_folder
from parable.kinds import kind_of
from parable.kinds.published import figures_of
from parable.quality.gates import GATES
from parable.sentences import translate
from release.models import Release
from release.queries.release import withheld_answers
from release.services import rebuild_release
from tests.factories import Cast
from tests.flows.test_third_kind import stored
from tests.kinds.released import OWN, released_project
from tests.kinds.samples import Sample
from tests.release.made import RECIPE, built
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Made:
    """A project's release with open answers and one that withholds them, each in a folder."""

    cast: Cast
    release: Release
    folder: Path
    withheld: Release
    withheld_folder: Path


def lines(folder: Path, split: str, task: str) -> list[dict[str, Any]]:
    """The items of a split as their file has them."""
    text = (folder / split / f"{task}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def made(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("kinds")

    def make() -> Made:
        cast = released_project()
        recipe = replace(RECIPE, dev_share="0.5")
        release = built(cast, recipe=recipe)
        withheld = built(cast, recipe=replace(recipe, withhold_test=True), seed=None, version="1.1.0")
        assert {release.state, withheld.state} == {"ready"}, release.failure_details
        return Made(
            cast, release, stored(release, folder / "open"), withheld, stored(withheld, folder / "withheld")
        )

    with shared_rows(django_db_blocker, make) as found:
        yield found


@pytest.fixture(params=OWN)
def sample(request: pytest.FixtureRequest) -> Sample:
    return OWN[request.param]


def test_a_release_is_rebuilt_byte_for_byte(made: Made, db: None) -> None:
    assert rebuild_release(release=made.release).differing == ()
    assert rebuild_release(release=made.withheld).differing == ()


def test_a_release_holds_the_answers_of_the_kind(sample: Sample, made: Made) -> None:
    for split in ("dev", "test"):
        (line,) = lines(made.folder, split, sample.task)
        assert line["own"] == sample.words.own
        assert not {"answer", "answers"} & line.keys()
        reading = read_items(made.folder / split / f"{sample.task}.jsonl", name="items")
        assert (reading.errors, reading.ignored, reading.records[0].own) == ((), (), sample.words.own)


def test_its_card_counts_them_as_the_statistics_of_the_kind_do(sample: Sample, made: Made) -> None:
    card = (made.folder / "README.md").read_text(encoding="utf-8")
    published = kind_of(sample.task).published
    assert published is not None
    records = [line for split in ("dev", "test") for line in lines(made.folder, split, sample.task)]
    for one in figures_of(published, records):
        value = f"{one.value:.2f}" if isinstance(one.value, float) else one.value
        assert f"| {translate(one.name, 'zh')} | {one.of} | {value} |" in card


def test_no_gate_of_options_speaks_and_the_others_do(made: Made) -> None:
    told = {gate["id"]: gate for gate in made.release.manifest["gates"]}
    assert set(told) == set(GATES)
    speaking = {name for name, gate in told.items() if gate["verdict"] != "not_applicable"}
    assert not speaking & {
        "key_position", "length_artefact", "options_only", "no_story", "sibling_leak", "option_format",
        "type_coverage",
    }  # fmt: skip
    assert speaking >= {"split_leak", "duplicates", "story_drift", "faulty_items", "rights"}
    assert {told[name]["verdict"] for name in speaking} == {"ok"}
    assert not (made.folder / "crmus").exists()


def test_it_holds_the_items_in_the_published_layout_too(sample: Sample, made: Made) -> None:
    published = kind_of(sample.task).published
    assert published is not None
    (path,) = (made.folder / "published" / "dev").glob(f"{sample.task}.*")
    layout = layout_of(path)
    assert layout is not None
    assert layout.code == published.layouts[0]
    reading = read_layout(path, name="published", layout=layout)
    (item,) = lines(made.folder, "dev", sample.task)
    assert item["source_id"] != item["id"]
    assert (reading.errors, reading.records) == ((), (published.value(item | {"id": item["source_id"]}),))


def test_withheld_answers_are_in_no_file_and_complete_it_again(
    sample: Sample, made: Made, tmp_path: Path
) -> None:
    (line,) = lines(made.withheld_folder, "test", sample.task)
    question = kind_of(sample.task).question
    assert question.right(line) is None
    assert line["own"] == question.asked_of({"own": sample.words.own})
    answers = withheld_answers(made.withheld)
    kept = tmp_path / "answers.jsonl"
    kept.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    assert len(read_release_folder(made.withheld_folder).withheld) == len(OWN)
    folder = read_release_folder(made.withheld_folder, answers=kept)
    assert (folder.errors, folder.withheld) == ((), ())
    assert [item.own for item in folder.items if item.task == sample.task] == [sample.words.own] * 2
    (path,) = (made.withheld_folder / "published" / "test").glob(f"{sample.task}.*")
    assert not any(secret in path.read_text(encoding="utf-8") for secret in sample.secrets[:1])


def test_answers_to_it_are_scored_by_its_scorer(
    sample: Sample, made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*lines(made.folder, "dev", sample.task), *lines(made.folder, "test", sample.task)]
    answers = tmp_path / "answers.jsonl"
    rows = zip(asked, (sample.answer, sample.other), strict=True)
    answers.write_text(
        "".join(
            json.dumps({"model": "m", "item_id": line["id"], "repeat": 1, "choice": dict(given)}) + "\n"
            for line, given in rows
        ),
        encoding="utf-8",
    )
    assert main(["score", str(answers), "--release", str(made.folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["models"]["m"][sample.task]
    assert (told["n"], told["correct"]) == (2, 1)
    if kind_of(sample.task).measure:
        assert 0.5 <= told["f1"] < 1
