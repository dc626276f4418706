"""Items of SpaCE2024, which have several answers: a statement about a text with four options."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from parable.kinds.published import Published
from parable.kinds.question import LETTERS, Released


@dataclass(frozen=True, slots=True)
class SpatialQuestion:
    """A statement about a text with four options, one or more of which are right.

    Options that were published as numbers are numbers, not texts.
    """

    id: str
    text: str
    question: str
    options: tuple[str | float, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """Statistics of spatial questions: only their number."""

    questions: int


def value(item: Released) -> SpatialQuestion:
    """Convert an item to a published record; options that look like numbers become numbers."""
    return SpatialQuestion(
        item["id"],
        item["story"],
        item["question"],
        tuple(map(_number_or_text, item["choices"])),
        tuple(LETTERS[place] for place in item["answers"]),
    )


def _number_or_text(option: str) -> str | float:
    for read in (int, float):
        try:
            found: float = read(option)
        except ValueError:
            continue
        if repr(found) == option:
            return found
    return option


def fields(record: SpatialQuestion) -> Mapping[str, Any]:
    """Convert a published record to the fields of an item; each record is a story of its own.

    Raise ValueError if an answer is not the letter of an option.
    """
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.text,
        "question": record.question,
        "choices": tuple(map(str, record.options)),
        "answers": tuple(map([*LETTERS[: len(record.options)]].index, record.answers)),
        "language": "zh",
    }


def count(records: Iterable[SpatialQuestion]) -> QuestionCounts:
    """Return the number of these questions."""
    return QuestionCounts(sum(1 for _one in records))


QUESTION_FILES: Final = Published(
    layouts=("space2024",), value=value, fields=fields, count=count, figures={}, is_released=False
)
