"""Reader of the folder `sample/kinds/`: texts, items of the kinds without exactly one key, and reviews.

Marks are written as in a form without script (see `parable.kinds.marks.locate`): `萝卜@61` is one
occurrence of a text, `从车厢里…到车厢里` a mark of two passages. The text after `|` is a label.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dashboard.services.sample_files import FOLDER, read_sample
from parable.formats import read_stories
from parable.formats.records import ItemRecord, Reading, Row, StoryRecord
from parable.kinds import kind_of
from parable.kinds.mark_json import write_groups
from parable.kinds.marks import ALIGNMENT, ANSWER, COREFERENCE, Group, locate, mark_of
from parable.kinds.scene import ReasonParts, compose

KINDS_FOLDER: Final = FOLDER / "kinds"
LANGUAGE: Final = "zh"
FABLES: Final = frozenset({"tortoise-and-hare", "crow-and-pitcher"})
"""Stories of the first sample. The items of small kinds with options are about them."""
PAIRED: Final = ("proverb", "narrative")
SHARED: Final = ("entities", "aspect", "described", "manner")

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KindsSample:
    """The files of the third sample project. `lines` has each item's wording, end state and reviews by id."""

    stories: Reading[StoryRecord]
    lines: Mapping[str, Line]
    words: Mapping[str, Any]
    guideline: str

    def text(self, line: Line) -> str:
        """Return the text of the story that the item of this line is about."""
        return next(story.text for story in self.stories.records if story.id == line["story_id"])

    def record(self, line: Line) -> ItemRecord:
        """Return the item of this line as an import record."""
        story = next(one for one in self.stories.records if one.id == line["story_id"])
        own = own_of(line, line, story.text)
        return ItemRecord(
            id=line["id"],
            task=line["task"],
            story_id=story.id,
            title=story.title,
            story=story.text,
            question=line.get("question", ""),
            choices=tuple(line.get("choices", ())),
            answer=line.get("answer"),
            answers=tuple(line.get("answers", ())),
            explanation=line.get("explanation") or _reason(own, line) or None,
            language=story.language,
            own=own or None,
        )

    def reading(self, lines: Iterable[Line]) -> Reading[ItemRecord]:
        """Return the items of these lines as a `Reading`, as if they were read from an import file."""
        rows = tuple(Row(number, self.record(line)) for number, line in enumerate(lines, start=1))
        return Reading("items.jsonl", "parable", rows, ())


def read_kinds(folder: Path = KINDS_FOLDER) -> KindsSample:
    """Return the third sample project from its files."""
    stories = read_stories((folder / "stories.jsonl").read_bytes(), name="stories.jsonl", format="jsonl")
    fables = [row for row in read_sample(LANGUAGE).stories.rows if row.record.id in FABLES]
    lines = map(json.loads, (folder / "items.jsonl").read_text("utf-8").splitlines())
    return KindsSample(
        Reading(stories.name, stories.format, (*stories.rows, *fables), stories.errors),
        {line["id"]: line for line in lines},
        json.loads((folder / "words.json").read_text("utf-8")),
        (folder / "guideline.md").read_text("utf-8"),
    )


def own_of(line: Line, answer: Line, text: str) -> dict[str, Any]:
    """Return the field `own` of an item, or of a reviewer's answer to it.

    `line` is the item's line, `text` its story. `answer` is the line with the answer: the item's or the
    review's.
    """
    if "pairs" in answer:
        texts = (text, line["narrative"])
        pairs = [
            tuple(
                mark_of(side, locate(typed, text), target=side)
                for side, typed, text in zip(PAIRED, pair, texts, strict=False)
            )
            for pair in answer["pairs"]
        ]
        return {"narrative": line["narrative"], ALIGNMENT: write_groups(pairs)}
    if "marks" in answer:
        mentions = [[mark_of("", locate(one, text)) for one in group] for group in answer.get("same", ())]
        found = {
            ANSWER: write_groups(_group(group, text) for group in answer["marks"]),
            COREFERENCE: write_groups(mentions),
        }
        return {layer: groups for layer, groups in found.items() if groups}
    if "change" not in answer:
        return {}
    first, second = answer["change"]
    shared = dict(zip(SHARED, answer["parts"], strict=True))
    own = {"second": text.replace(first, second, 1), "same": answer["same"], "element": answer["element"]}
    return own | {"first_form": first, "second_form": second} | shared


def _group(typed: Mapping[str, str], text: str) -> Group:
    marks = []
    for role, both in typed.items():
        words, _bar, label = both.partition("|")
        marks.append(mark_of(role, locate(words, text) if words else None, label))
    return tuple(marks)


def _reason(own: Mapping[str, Any], line: Line) -> str:
    if "change" not in line:
        return ""
    parts = ReasonParts(own["first_form"], own["second_form"], *line["parts"])
    return compose(parts, LANGUAGE, is_same=own["same"])


def near(record: Mapping[str, Any]) -> dict[str, object]:
    """Return the record of a released item with a nearly correct answer instead of the correct one."""
    answer = kind_of(record["task"]).answer
    if answer == "several":
        return {**record, "answers": record["answers"][:1]}
    if answer == "order":
        return {**record, "answers": record["answers"][::-1]}
    if answer == "own":
        return {**record, "own": _less(record["own"])}
    return {**record, "answer": (record["answer"] + 1) % len(record["choices"])}


def _less(own: Mapping[str, Any]) -> dict[str, object]:
    if "same" in own:
        return {**own, "same": not own["same"]}
    layer = ALIGNMENT if ALIGNMENT in own else ANSWER
    groups: Sequence[Sequence[Any]] = own[layer]
    fewer = groups[:-1] if len(groups) > 1 else [groups[0][:-1]]
    return {**own, layer: list(fewer)}
