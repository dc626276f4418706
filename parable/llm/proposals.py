"""Parses the proposals in a model's answer, whatever its form.

Parsing is lenient: everything that looks like a proposal is returned, in order and with repeats. The caller
stores the raw answer, so that it can be parsed again if it was misread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parable.llm import lists
from parable.llm.json_candidates import read_json
from parable.llm.wording import clean_candidate
from parable.reading import chatter

Shape = Literal[
    "empty",  # no text at all
    "thinking",  # reasoning only, cut off before the answer
    "refusal",  # the model declines to answer
    "json",
    "json_cut",  # JSON that is cut off; its complete strings are read
    "numbered",
    "bullets",
    "table",
    "lines",  # one proposal a line, no marks
    "single",  # one proposal and nothing else
]

LONGEST_TEXT = 100_000
# The end of a sentence, with closing marks after it; the reader of JSON itself drops an unclosed string.
_ENDS = tuple('.。!！?？…"”」』’*)]}`）】')


@dataclass(frozen=True, slots=True)
class Parsed:
    """The proposals of an answer, without list marks, quotes and bold, and the shape of the answer."""

    candidates: tuple[str, ...]
    shape: Shape


def parse_candidates(text: str, *, wanted: int | None, is_cut: bool = False) -> Parsed:
    """Return the proposals of an answer; never raises, whatever the text.

    `wanted` is the number that was requested. It decides which of several lists is read, but never shortens a
    list: surplus proposals were paid for, too. If `is_cut`, the answer was cut off at the length limit, and a
    last proposal that seems unfinished is dropped.
    """
    parsed = _parse(text, wanted)
    if not (is_cut and parsed.candidates and _stops_inside(text, parsed.candidates[-1])):
        return parsed
    return Parsed(parsed.candidates[:-1], parsed.shape)


def _stops_inside(text: str, last: str) -> bool:
    """Return whether an answer seems to end in the middle of its last proposal."""
    said = chatter.tidy(text[:LONGEST_TEXT])
    is_at_the_end = _letters(said).endswith(_letters(last))
    return is_at_the_end and not said.endswith("\n") and not said.rstrip().endswith(_ENDS)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _parse(text: str, wanted: int | None) -> Parsed:
    tidy = chatter.tidy(text[:LONGEST_TEXT])
    answer = chatter.drop_thinking(tidy)
    if not answer.strip():
        return Parsed((), "thinking" if tidy.strip() else "empty")
    in_json, json_shape = read_json(answer)
    numbered = lists.read_numbered(answer, wanted)
    if json_shape and (len(in_json) > 1 or len(in_json) >= len(numbered)):
        return _parsed(in_json, json_shape)
    bullets = lists.read_bullets(answer, wanted)
    if numbered and (len(numbered) > 1 or len(bullets) <= 1):
        return _parsed(numbered, "numbered")
    if bullets:
        return _parsed(bullets, "bullets")
    if table := lists.read_table(answer):
        return _parsed(table, "table")
    if chatter.is_refusal(answer):
        return Parsed((), "refusal")
    lines = lists.read_lines(answer)[: 1 if wanted == 1 else None]
    return _parsed(lines, "lines" if len(lines) > 1 else "single")


def candidates_schema(wanted: int | None = None) -> dict[str, object]:
    """Return the JSON schema for proposals as structured output: an array of `wanted` strings.

    If `wanted` is None, the array has no length limits, which some servers refuse.
    """
    strings: dict[str, object] = {"type": "array", "items": {"type": "string"}}
    if wanted is not None:
        strings |= {"minItems": wanted, "maxItems": wanted}
    return {
        "type": "object",
        "properties": {"candidates": strings},
        "required": ["candidates"],
        "additionalProperties": False,
    }


def _parsed(found: list[str], shape: Shape) -> Parsed:
    cleaned = tuple(text for text in map(clean_candidate, found) if text)
    return Parsed(cleaned, shape if cleaned or shape == "json_cut" else "empty")
