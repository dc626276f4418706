"""What releases print belongs to the number of their layout: those of every layout are rebuilt byte for byte.

The folder `layouts` holds rows and hashes of releases as the code of their time froze them, and the digest of
each layout's words. `ADD_LAYOUT=1` adds
what is missing for a new layout, and changes nothing that is there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from parable.quality.gates import GATES
from parable.reading.question import ZERO_SHOT
from release.assembly.recipe import LAYOUT, Recipe
from release.assembly.records import FrozenItem
from release.card.card import Frozen
from release.card.changes import Changes
from release.card.facts import Facts
from release.card.layouts import LAYOUTS, Layout
from release.files import metadata
from release.files.folder import MANIFEST, manifest, manifest_file, render
from release.files.metadata import is_program
from release.models import Artifact, Release
from release.queries.file import stored_at
from release.queries.release import frozen
from review.models import Answer, ReviewRequest, Stage
from review.services import claim_next, solve
from tests.factories import Cast, make_project, make_story
from tests.release.made import bring, built, records
from tests.review.morals import STYLES, morals

FOLDER: Final = Path(__file__).parent / "layouts"
WORDS: Final = FOLDER / "words.json"
ALL_ALLOWED: Final = Recipe(split="story", dev_share="0.34", allow=tuple(GATES), reason="A sample to keep.")
Row = Mapping[str, Any]


def rows() -> list[tuple[str, Row]]:
    """Every release of the folder, with a name for the test's output."""
    return [
        (f"{place.stem}-{row['version']}", row)
        for place in sorted(FOLDER.glob("layout-*.json"))
        for row in json.loads(place.read_text(encoding="utf-8"))
    ]


def as_frozen(row: Row) -> Frozen:
    """The release of these rows, as `release.queries.release.frozen` reads it."""
    kept = row["manifest"]
    return Frozen(
        version=row["version"],
        seed=row["seed"],
        recipe=Recipe.from_json(row["recipe"]),
        facts=Facts.from_json(kept["facts"]),
        gates=tuple(kept["gates"]),
        items=tuple(FrozenItem(*item) for item in row["items"]),
        since=Changes.from_json(kept.get("since")),
        programs=row["programs"],
    )


def as_row(release: Release) -> dict[str, Any]:
    """The rows of a release that was built just now, in the shape of the folder."""
    whole = frozen(release)
    assert release.ready_at is not None
    hashes = dict(Artifact.objects.filter(release=release).order_by("name").values_list("name", "sha256"))
    return {
        "version": release.version,
        "seed": release.seed,
        "recipe": release.recipe,
        "ready_at": release.ready_at.isoformat(),
        "manifest": {
            name: release.manifest[name] for name in ("facts", "gates", "since") if name in release.manifest
        },
        "items": [[item.number, item.public_id, item.split, item.record] for item in whole.items],
        "programs": dict(whole.programs),
        "files": hashes,
        "card": stored_at(hashes["README.md"]).read_text(encoding="utf-8"),
    }


def digest(layout: Layout) -> str:
    """The digest of all that a layout prints of its own."""
    data = {
        "words": {language: dict(named) for language, named in layout.words.items()},
        "prompts": dict(layout.prompts),
        "making": layout.making,
    }
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


@pytest.mark.django_db
def test_it_writes_a_fixture_of_a_new_layout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = FOLDER / f"layout-{LAYOUT}.json"
    if not os.environ.get("ADD_LAYOUT") or place.exists():
        pytest.skip("No layout is to be added.")
    (tmp_path / "score.py").write_text('"""Scores answers."""\n', encoding="utf-8")
    monkeypatch.setattr(metadata, "_SCORE", tmp_path / "score.py")
    monkeypatch.setattr(metadata, "_readers", dict)
    place.write_text(json.dumps(sample(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in rows()])
def test_it_rebuilds_a_release_of_each_layout_byte_for_byte(row: Row) -> None:
    whole = as_frozen(row)
    made = render(whole)
    built_at = datetime.fromisoformat(row["ready_at"]).isoformat(timespec="seconds")
    made[MANIFEST] = manifest_file(manifest(whole, [file.entry for file in made.values()]), built_at)
    assert made["README.md"].content.decode().splitlines() == row["card"].splitlines()
    assert {name: file.sha256 for name, file in made.items()} == row["files"]


@pytest.mark.parametrize("number", LAYOUTS)
def test_it_changes_no_word_of_a_layout_that_exists(number: int) -> None:
    known, name = json.loads(WORDS.read_text(encoding="utf-8")), str(number)
    if name not in known and os.environ.get("ADD_LAYOUT"):
        known[name] = digest(LAYOUTS[number])
        WORDS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert known.get(name) == digest(LAYOUTS[number]), "A word of a layout was changed: add a layout."


def test_it_has_a_release_of_every_layout() -> None:
    assert set(LAYOUTS) == set(range(1, LAYOUT + 1)) == {row["recipe"]["layout"] for _name, row in rows()}


def test_it_gives_examples_the_prompt_that_models_are_asked_with() -> None:
    assert dict(LAYOUTS[LAYOUT].prompts) == dict(ZERO_SHOT), "The prompt was changed: add a layout."


def answer_morals(cast: Cast, *, stories: int) -> None:
    """Have moral items answered blind, the first of machine style wrongly."""
    cast.project.reviews_per_item = 1
    cast.project.save()
    for number in range(stories):
        items = morals(cast, make_story(cast), first=3 * number)
        for _item in items:
            request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
            assert request is not None
            key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
            is_wrong = number == 0 and request.item == items[1]
            solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=(key + is_wrong) % 4)
        ReviewRequest.objects.filter(item__in=items).update(state="closed", claimed_by=None)


def sample() -> list[dict[str, Any]]:
    """An open release, one that extends it, and an anonymous Chinese one with withheld answers.

    Items of both styles have been answered, without becoming part of the releases.
    """
    cast = make_project()
    bring(cast, records(2))
    answer_morals(cast, stories=3)
    made = [as_row(built(cast, recipe=ALL_ALLOWED))]
    extending = replace(ALL_ALLOWED, extends="1.0.0", contact="errors@fables.example")
    made.append(as_row(built(cast, version="1.1.0", recipe=extending)))
    cast.project.language, cast.project.licence = "zh", "CC BY 4.0"
    cast.project.save()
    withheld = replace(ALL_ALLOWED, withhold_test=True, anonymous=True)
    made.append(as_row(built(cast, version="2.0.0", seed=None, recipe=withheld)))
    assert all(is_program(name) for row in made for name in row["programs"])
    assert all(row["manifest"]["facts"]["styles"]["moral"].keys() > set(STYLES) for row in made)
    return made
