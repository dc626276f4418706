"""Items as files tell them, made ready for the checks."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Final

from parable.formats.records import MORAL, ItemRecord
from parable.quality.item import CHECKS, Finding, ItemSpec, ItemView, OptionView, SiblingView, judge

_LEFT_OPEN: Final = tuple(
    CHECKS[check] for check in ("stem_missing", "number_of_options", "key_missing", "type_missing")
)
"""What readers let files leave open; the rest they refuse, and an explanation may be missing for good."""


def view_items(
    records: Iterable[ItemRecord], *, language: str = "", standard_stem: str = ""
) -> tuple[ItemView, ...]:
    """Each record as an item among the other items of its story; `language` where the file does not say.

    Items belong to one story where its words are the same (or its id, where there are no words).
    """
    together = list(records)
    by_story: dict[Hashable, list[tuple[ItemRecord, SiblingView]]] = {}
    for record in together:
        by_story.setdefault(_story(record), []).append((record, _sibling(record)))
    return tuple(
        _view(
            record,
            record.language or language,
            standard_stem,
            tuple(sibling for other, sibling in by_story[_story(record)] if other is not record),
        )
        for record in together
    )


def unfinished(record: ItemRecord) -> tuple[Finding, ...]:
    """What keeps a record from being an item; nothing where it can be submitted."""
    return judge(replace(_view(record, "", "", ()), spec=ItemSpec()), _LEFT_OPEN)


def _sibling(record: ItemRecord) -> SiblingView:
    known = record.task == MORAL and record.answer is not None and 0 <= record.answer < len(record.choices)
    key = record.choices[record.answer or 0] if known else ""
    return SiblingView(record.question, record.choices, key, record.id if key else "")


def _story(record: ItemRecord) -> Hashable:
    return " ".join(record.story.split()) or record.story_id


def _view(
    record: ItemRecord, language: str, standard_stem: str, siblings: tuple[SiblingView, ...]
) -> ItemView:
    return ItemView(
        task=record.task,
        language=language,
        stem=record.question,
        options=tuple(
            OptionView(text, is_key=place == record.answer) for place, text in enumerate(record.choices)
        ),
        types=record.types,
        explanation=record.explanation or "",
        story=record.story,
        standard_stem=standard_stem if record.task == MORAL else "",
        siblings=siblings,
        style=record.style,
    )
