"""Conversion of items from files to `ItemView`, the input of checks."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from parable.formats.records import ItemRecord, one_line
from parable.kinds import kind_of
from parable.quality.item import CHECKS, Finding, ItemSpec, ItemView, OptionView, SiblingView, judge, words

OWN: Final = "own"
_LEFT_OPEN: Final = tuple(
    CHECKS[check]
    for check in ("stem_missing", "number_of_options", "key_missing", "ranks_missing", "type_missing")
)
"""Checks of fields that files may leave empty; file readers refuse other omissions."""


def view_items(
    records: Iterable[ItemRecord], *, language: str = "", standard_stem: str = ""
) -> tuple[ItemView, ...]:
    """Convert records to items with their siblings; `language` applies to records without a language.

    Items belong to one story if its text is the same (or its id, if there is no text).
    """
    together = list(records)
    by_story: dict[Hashable, list[ItemRecord]] = {}
    for record in together:
        by_story.setdefault(story_key(record), []).append(record)
    return tuple(
        _view(
            record,
            record.language or language,
            standard_stem,
            tuple(_sibling(one, record.task) for one in by_story[story_key(record)] if one is not record),
        )
        for record in together
    )


MOST_SIBLINGS: Final = 60
"""The most items of a story that are compared with each other; the gate `duplicates` compares whole sets."""


def view_set(records: Sequence[ItemRecord], *, standard_stems: Collection[str] = ()) -> tuple[ItemView, ...]:
    """Convert the items of a file or release to the input of checks, in their stated or detected languages.

    Items without a story have no siblings.
    """
    return tuple(views_of(records, standard_stems=standard_stems))


def views_of(records: Sequence[ItemRecord], *, standard_stems: Collection[str] = ()) -> Iterator[ItemView]:
    """Yield the items of `view_set` one by one, to save memory."""
    standard = {words.asked_form(stem) for stem in standard_stems}
    by_story: dict[Hashable, list[_Member]] = {}
    stories: list[list[_Member]] = []
    for record in records:
        of_task = _sibling(record, record.task)
        member = _Member(record, of_task, _sibling(record, "") if of_task.key else of_task)
        story = story_key(record)
        stories.append(by_story.setdefault(story, []) if story else [])
        stories[-1].append(member)
    for record, members in zip(records, stories, strict=True):
        yield _view(
            record,
            record.language or language_of(record),
            record.question if standard and words.asked_form(record.question) in standard else "",
            tuple([one.beside(record) for one in members if one.record is not record])
            if len(members) <= MOST_SIBLINGS
            else (),
        )


class _Member(NamedTuple):
    """An item of a story in two forms: as a sibling of items of the same task, and of other tasks."""

    record: ItemRecord
    of_task: SiblingView
    of_others: SiblingView

    def beside(self, record: ItemRecord) -> SiblingView:
        """Return this item as a sibling of another item, given by its record."""
        return self.of_task if self.record.task == record.task else self.of_others


def language_of(record: ItemRecord) -> str:
    """Detect the language of a record: Chinese if any text has a Chinese character.

    Otherwise English if at least half of the letters are Latin, else `UNDETERMINED`.
    """
    texts = (record.question, *record.choices)
    if all(map(str.isascii, texts)):
        return words.ENGLISH
    if any(map(words.is_chinese, texts)):
        return words.CHINESE
    letters = [char for text in texts for char in text if char.isalpha()]
    latin = sum(char < "\u0250" for char in letters)
    return words.UNDETERMINED if 2 * latin < len(letters) else words.ENGLISH


def unfinished(record: ItemRecord) -> tuple[Finding, ...]:
    """Return findings about fields of a record that must be completed before submission; () if none."""
    return judge(replace(_view(record, "", "", ()), spec=ItemSpec()), _LEFT_OPEN)


def lacks(record: ItemRecord) -> bool:
    """Return whether a record is incomplete.

    If its task has a form of answer of its own, only a missing answer counts.
    """
    if kind_of(record.task).answer == OWN:
        return not record.is_keyed
    return bool(unfinished(record))


def _sibling(record: ItemRecord, task: str) -> SiblingView:
    """Convert a record to a sibling of items of `task`, with its key if items of a story share keys."""
    known = record.answer is not None and 0 <= record.answer < len(record.choices)
    is_compared = known and record.task == task and kind_of(task).exposed_by_story
    key = record.choices[record.answer or 0] if is_compared else ""
    return SiblingView(record.question, record.choices, key, record.id if key else "")


def keys_and_ranks(record: ItemRecord) -> tuple[frozenset[int], dict[int, int]]:
    """Return the positions of the keys, and the ranks from 1 by position.

    If the options have a right order, there are no keys; else there are no ranks.
    """
    if kind_of(record.task).has_right_order:
        return frozenset(), {position: rank for rank, position in enumerate(record.answers, start=1)}
    keys = record.answers or (() if record.answer is None else (record.answer,))
    return frozenset(keys), {}


def story_key(record: ItemRecord) -> Hashable:
    """Return a value that is equal for items of one story: the story's text or, without a text, its id."""
    return one_line(record.story) or record.story_id


def _view(
    record: ItemRecord, language: str, standard_stem: str, siblings: tuple[SiblingView, ...]
) -> ItemView:
    keys, ranks = keys_and_ranks(record)
    return ItemView(
        task=record.task,
        language=language,
        stem=record.question,
        options=tuple(
            [OptionView(text, index in keys, ranks.get(index)) for index, text in enumerate(record.choices)]
        ),
        types=record.types,
        explanation=record.explanation or "",
        story=record.story,
        standard_stem=standard_stem if kind_of(record.task).shares_stem else "",
        siblings=siblings,
        style=record.style,
    )
