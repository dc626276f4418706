"""Reader of the folder `sample/`: stories, items with their reviews, and the texts of its people."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from annotation.content import ItemContent, OptionContent
from annotation.models import Item, State
from core.invariants import present
from parable.formats import read_items, read_stories
from parable.formats.records import ItemRecord, Reading, StoryRecord

FOLDER: Final = Path(__file__).resolve().parents[2] / "sample"

WHOLE_WAY: Final = frozenset({State.VERIFIED.value, State.RETIRED.value})
PART_WAY: Final = frozenset(
    {
        State.IN_VERIFICATION.value,
        State.IN_ADJUDICATION.value,
        State.RETURNED.value,
        State.REJECTED.value,
        State.WITHDRAWN.value,
    }
)
"""The end states of items that reviewers have judged, but that no release contains."""
JUDGED: Final = WHOLE_WAY | PART_WAY


@dataclass(frozen=True, slots=True)
class Sample:
    """The files of the sample in one language.

    `journeys` has each item's end state and reviews by item id.
    """

    language: str
    stories: Reading[StoryRecord]
    items: Reading[ItemRecord]
    journeys: Mapping[str, Mapping[str, Any]]
    words: Mapping[str, Any]
    candidates: Mapping[str, Any]
    lessons: Mapping[str, str]
    guideline: str

    def ending(self, states: Iterable[str]) -> tuple[ItemRecord, ...]:
        """Return the items whose journeys end in one of these states."""
        wanted = set(states)
        return tuple(one for one in self.items.records if self.journeys[one.id]["state"] in wanted)

    def only(self, records: Iterable[ItemRecord]) -> Reading[ItemRecord]:
        """Return a copy of the file `items` with the rows of these records only."""
        ids = {record.id for record in records}
        rows = tuple(row for row in self.items.rows if row.record.id in ids)
        return Reading(self.items.name, self.items.format, rows, self.items.errors)

    def pilot_items(self) -> list[ItemRecord]:
        """Return the commonsense items written in the pilot: the verified items about its stories."""
        stories = self.words["pilot"]["stories"]
        return [one for one in self.ending(WHOLE_WAY) if one.story_id in stories and one.types]

    def adopted_items(self) -> list[ItemRecord]:
        """Return the items whose distractors come from a model's candidates."""
        wanted = {one["item"] for one in self.candidates["adopted"].values()}
        return [one for one in self.items.records if one.id in wanted]

    def name_of(self, item: Item) -> str:
        """Return the id of an item in the sample's files.

        The item may have been typed in the form and not imported.
        """
        if item.ref:
            return item.ref
        current = present(item.current, "no typed item of the sample stays a draft")
        texts = {option.text for option in current.options.all()}
        return next(
            one.id
            for one in self.items.records
            if one.story_id == item.story.ref and one.task == item.task and set(one.choices) == texts
        )


def content_of(record: ItemRecord, candidates: Mapping[str, int] | None = None) -> ItemContent:
    """Return the content of an item as its writer would type it.

    `candidates` has candidate ids by text, for options that come from a candidate.
    """
    grown = candidates or {}
    options = tuple(
        OptionContent(text, index == record.answer, grown.get(text))
        for index, text in enumerate(record.choices)
    )
    return ItemContent(record.question, options, tuple(record.types), record.explanation or "")


def read_sample(language: str, folder: Path = FOLDER) -> Sample:
    """Return the sample in this language, read from its files."""
    parts = sorted(folder.glob("part*"))
    stories = b"".join((part / f"stories.{language}.jsonl").read_bytes() for part in parts)
    items = b"".join((part / f"items.{language}.jsonl").read_bytes() for part in parts)
    journeys: dict[str, Mapping[str, Any]] = {}
    for part in parts:
        lines = (part / "journeys.jsonl").read_text("utf-8").splitlines()
        for journey in map(json.loads, lines):
            reviews = [{**review, "comment": review["comment"][language]} for review in journey["reviews"]]
            journeys[journey["item"]] = {**journey, "reviews": reviews}
    return Sample(
        language,
        read_stories(stories, name=f"stories.{language}.jsonl", format="jsonl"),
        read_items(items, name=f"items.{language}.jsonl", format="parable"),
        journeys,
        _words(folder, "history", language),
        _words(folder, "candidates", language),
        _words(folder, "practice", language),
        (folder / f"guideline.{language}.md").read_text("utf-8"),
    )


def _words(folder: Path, name: str, language: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))[language]
    return found


def read_answers(folder: Path = FOLDER) -> dict[str, str]:
    """Return the choices of the simulated examinees by item id: one digit for each, or `-` for no option."""
    lines = (folder / "answers.jsonl").read_text("utf-8").splitlines()
    return {row["item"]: row["chosen"] for row in map(json.loads, lines)}
