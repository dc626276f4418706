"""Reads our own items, one JSON object per line, as in a release.

Made by a release (`dev/*.jsonl`, `test/*.jsonl`) or `convert --to parable`. Tried with releases of ours.
"""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from operator import gt
from pathlib import Path
from typing import Any, Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList
from parable.formats.fields import RowFields
from parable.formats.format import LOSABLE, Format, ItemFile, Writer, joined
from parable.formats.json_reader import (
    line_parts,
    read_flat_lines,
    read_lines_between,
    with_known_texts,
)
from parable.formats.keys import FROM_ZERO, Numbers, number_of, read_key_field
from parable.formats.labels import TypeCodes, codes_of
from parable.formats.limits import ANYBODYS, ItemRules
from parable.formats.option_marks import LETTERS
from parable.formats.options import letter, position_of_letter
from parable.formats.other_answers import (
    ANSWER_LETTERS,
    ANSWERS,
    OWN,
    has_one_answer,
    has_own_answer,
    letters_of,
    own_fields,
    read_answers_fields,
    read_own_field,
)
from parable.formats.records import (
    DOMAINS,
    HUMAN,
    STYLES,
    WITHHELD,
    Collector,
    ItemRecord,
    ReleaseRecord,
    Row,
    key_within,
)
from parable.formats.tables import read_json_items, renamed
from parable.kinds import KINDS, first_code
from parable.splits import DEV

PARABLE_FIELDS: Final = (
    "id",
    "source_id",
    "task",
    "split",
    "domain",
    "story_id",
    "title",
    "story",
    "question",
    "choices",
    "answer",
    "answer_letter",
    "types",
    "style",
    "generators",
    "explanation",
    "language",
    "canary",
)
"""The fields of a line in the order in which they are written."""
FOREIGN_FIELDS: Final = frozenset({"answer_index"})
"""Names that foreign files give to one of our fields; our own files never have them."""

SEVERAL_FIELDS: Final = (ANSWERS, ANSWER_LETTERS)
"""Fields that replace `answer` and `answer_letter` in items with several answers or a right order."""
OTHER_FIELDS: Final = (*SEVERAL_FIELDS, OWN)
"""Fields that replace `answer` and `answer_letter` in items whose answer is not one option."""


def read_parable_item(row: RowFields, *, codes: TypeCodes | None, numbers: Numbers = FROM_ZERO) -> ItemRecord:
    """Return the item that a line describes; callers must discard it if `row` has errors.

    If `codes` is None, any type is accepted unchanged. An `answer` counts from 0 unless `numbers` says
    otherwise.
    """
    return _read_plain_item(row, codes, numbers) or _read_any_item(row, codes, numbers)


def _read_any_item(row: RowFields, codes: TypeCodes | None, numbers: Numbers) -> ItemRecord:
    is_ours = not row.rules.is_judged_elsewhere
    name = row.identifier("id", required=is_ours) or row.place
    story_id = row.identifier("story_id") or None
    story = row.text("story", limits.MAX_STORY_CHARS, required=is_ours and not story_id)
    return ItemRecord(
        id=name,
        task=(task := _task(row)),
        story_id=story_id or (None if story or is_ours else name),
        title=row.text("title", limits.MAX_TITLE_CHARS),
        story=story,
        question=row.text("question", limits.MAX_STEM_CHARS, required=not (is_own := has_own_answer(task))),
        choices=(choices := () if is_own else _without_marks(row, row.options("choices"))),
        answer=read_answer_fields(row, choices, numbers) if (is_one := has_one_answer(task)) else None,
        answers=() if is_one or is_own else read_answers_fields(row, task, len(choices)),
        own=read_own_field(row) if is_own else None,
        types=(
            row.entries("types") if codes is None else codes_of(row, "types", row.entries("types"), codes)
        ),
        style=row.one_of("style", STYLES, otherwise=HUMAN) or HUMAN,
        generators=row.entries("generators"),
        explanation=row.text("explanation", limits.MAX_EXPLANATION_CHARS) or None,
        language=row.line("language", limits.MAX_LANGUAGE_CHARS),
        split=row.line("split", limits.MAX_NAME_CHARS) or None,
        domain=row.one_of("domain", DOMAINS, otherwise=None),
        source_id=row.identifier("source_id"),
    )


_PLAIN: Final = {
    "id": limits.MAX_ID_CHARS,
    "task": limits.MAX_NAME_CHARS,
    "story_id": limits.MAX_ID_CHARS,
    "title": limits.MAX_TITLE_CHARS,
    "story": limits.MAX_STORY_CHARS,
    "question": limits.MAX_STEM_CHARS,
    "answer_letter": limits.MAX_ANSWER_CHARS,
    "style": limits.MAX_NAME_CHARS,
    "explanation": limits.MAX_EXPLANATION_CHARS,
    "language": limits.MAX_LANGUAGE_CHARS,
    "split": limits.MAX_NAME_CHARS,
    "domain": limits.MAX_NAME_CHARS,
    "source_id": limits.MAX_ID_CHARS,
}
"""Maximum number of characters of each field that has one text."""
_LISTED: Final = ("choices", "types", "generators")
_STYLES: Final = frozenset({"", *STYLES})
_DOMAINS: Final = frozenset({"", *DOMAINS})
_BETWEEN: Final = "|"


def _read_plain_item(row: RowFields, codes: TypeCodes | None, numbers: Numbers) -> ItemRecord | None:
    """Return the item of a plain line.

    In a plain line, no text needs cleaning and the key is written as we write it. Return None for all other
    lines, without errors or remarks. Nearly all lines of a release are plain; checking all texts of a line
    together takes a third of the time of `_read_any_item`.
    """
    values = row.values
    texts: list[Any] = ["" if (value := values.get(field)) is None else value for field in _PLAIN]
    listed: list[Any] = [[] if (value := values.get(field)) is None else value for field in _LISTED]
    if any(type(value) is not list for value in listed):
        return None
    choices, types, generators = listed
    try:
        joined = _BETWEEN.join(["", *texts, *choices, *types, *generators, ""])
    except TypeError:
        return None
    if not joined.isprintable() or f"{_BETWEEN} " in joined or f" {_BETWEEN}" in joined:
        return None
    name, task, story_id, title, story, question, lettered, style, explanation, *rest = texts
    language, split, domain, source_id = rest
    number = values.get("answer")
    if (
        any(map(gt, map(len, texts), _PLAIN.values()))
        or not (name and story and question)
        or task not in KINDS
        or not has_one_answer(task)
        or style not in _STYLES
        or domain not in _DOMAINS
        or not limits.MIN_OPTIONS <= len(choices) <= row.rules.most_options
        or max(map(len, choices)) > limits.MAX_OPTION_CHARS
        or not _are_names(types)
        or not _are_names(generators)
        or numbers != FROM_ZERO
        or type(number) is not int
        or lettered not in LETTERS[number : number + 1]
        or not 0 <= number < len(choices)
    ):
        return None
    plain = _without_marks(row, tuple(choices))
    return ItemRecord(
        id=name,
        task=task,
        story_id=story_id or None,
        title=title,
        story=story,
        question=question,
        choices=plain,
        answer=number if plain else read_answer_fields(row, plain, numbers),
        types=tuple(types) if codes is None else codes_of(row, "types", tuple(types), codes),
        style=style or HUMAN,
        generators=tuple(generators),
        explanation=explanation or None,
        language=language,
        split=split or None,
        domain=domain or None,
        source_id=source_id,
    )


def _are_names(entries: Sequence[str]) -> bool:
    """Return whether `RowFields.entries` would return these unchanged.

    They must be few and short; none may be empty or repeated.
    """
    return not entries or (
        all(entries)
        and len(entries) <= limits.MAX_ENTRIES
        and len(entries) == len({*entries})
        and max(map(len, entries)) <= limits.MAX_NAME_CHARS
    )


def _without_marks(row: RowFields, typed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the choices of a line without letters before them.

    Lines with a canary, which a release wrote, keep the letters.
    """
    choices = typed if "canary" in row.values else row.unmarked("choices", typed)
    row.keep_typed(row.typed or typed, choices)
    row.check_options("choices", choices)
    return choices


def _task(row: RowFields) -> str:
    usual = first_code() if row.rules.is_judged_elsewhere else None
    task = row.one_of("task", KINDS, otherwise=usual)
    if task is None:
        row.error("task", ErrorCode.MISSING)
    return task or ""


def read_answer_fields(row: RowFields, choices: Sequence[str], numbers: Numbers = FROM_ZERO) -> int | None:
    """Return the 0-based key that `answer` and `answer_letter` name among the choices; None if withheld."""
    field = "answer"
    if row.values.get(field) is None and row.rules.is_judged_elsewhere:
        field = "answer_index"
    value = row.values.get(field)
    text, lettered = row.line("answer_letter", limits.MAX_ANSWER_CHARS), None
    if choices:  # else they are invalid and have their own errors
        lettered = row.attempt_key(
            "answer_letter", lambda: position_of_letter(text, len(choices)), otherwise=None
        )
    if value is None:
        return lettered
    if number_of(value) == WITHHELD:
        answer = None
    elif type(value) is int and numbers == FROM_ZERO and 0 <= value < len(choices):
        answer = value  # as the layout requires
    else:
        answer = read_key_field(row, choices, numbers, field=field)
        if answer is None:
            return None
    if lettered is not None and lettered != answer:
        row.refuse_key("answer_letter", ErrorCode.ANSWER_MISMATCH, found=letter(lettered))
        return None
    return answer


def write_items_jsonl(records: Iterable[ReleaseRecord]) -> bytes:
    """Return one JSON object per line: fixed order of fields, UTF-8 without escapes, each line ended by LF.

    A withheld record has the answer -1 and neither letter nor explanation. Raises ValueError if a key is not
    one of the options.
    """
    return joined(item_line(record).encode() for record in records)


_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def item_line(record: ReleaseRecord) -> str:
    """Return one record as a line, ending in a line feed."""
    item = record.item
    line = _encode(
        {
            "id": item.id,
            "source_id": item.source_id,
            "task": item.task,
            "split": record.split,
            **({"domain": item.domain} if item.domain else {}),
            "story_id": item.story_id,
            "title": item.title,
            "story": item.story,
            "question": item.question,
            "choices": list(item.choices),
            **answer_fields(item, withheld=record.withheld),
            "types": list(item.types),
            "style": item.style,
            "generators": list(item.generators),
            "explanation": None if record.withheld else item.explanation,
            "language": item.language,
            "canary": record.canary,
        }
    )
    return f"{line}\n"


def answer_fields(item: ItemRecord, *, withheld: bool = False) -> dict[str, object]:
    """Return the fields that hold the right answer, in the form of the item's task."""
    if has_own_answer(item.task):
        return own_fields(item, withheld=withheld)
    if not has_one_answer(item.task):
        answers = () if withheld else item.answers
        return {ANSWERS: list(answers), ANSWER_LETTERS: letters_of(answers) or None}
    key = None if withheld or item.answer is None else key_within(item)
    return {
        "answer": WITHHELD if key is None else key,
        "answer_letter": None if key is None else letter(key),
    }


_KNOWN: Final = frozenset({*PARABLE_FIELDS, *OTHER_FIELDS, *FOREIGN_FIELDS})
_PART: Final = 4 * 1024 * 1024
"""Size in bytes of the parts in which a long file is read."""

_Part = tuple[int, list[tuple[int, ItemRecord]]]
"""The number of lines of a part of a file, and its items with their line numbers, from 1."""


def _read_in_parts(source: ItemFile) -> bool:
    """Read a long file in parts, some of them in another process; return whether the file was read.

    If any line is not plain, nothing is added and the caller must read the file from its beginning.
    """
    path, begin, rules = source.long, source.begin, source.rules
    if path is None or begin is None or not rules.is_judged_elsewhere or source.types is not None:
        return False
    first, *others = line_parts(path, _PART)
    found = [_read_plain_part(None, path, *first, rules)]
    if found[0] is None:  # as in most files with lines that are not plain
        return False
    begun = [begin(_read_plain_part, path, *part, rules) for part in others]
    found += [part() for part in reversed(begun)][::-1]  # in reverse: the other process starts at the front
    parts = [part for part in found if part is not None]
    if len(parts) < len(found) or sum(len(items) for _lines, items in parts) > limits.MAX_LONG_ROWS:
        return False
    before = 0
    for lines, items in parts:
        for line, item in items:
            source.items.add(RowFields(before + line, {}, source.errors, rules=rules), item)
        before += lines
    return True


def _read_plain_part(_held: object, path: Path, start: int, end: int, rules: ItemRules) -> _Part | None:
    """Return the items of a part of a file; None if a line is not plain or gives an error or remark."""
    found: list[tuple[int, ItemRecord]] = []
    known: dict[str, str] = {}
    errors, line = ErrorList(path.name), 0
    for line, values in read_flat_lines(path, start, end):
        if values is None or not values.keys() <= _KNOWN:
            return None
        if not values:
            continue
        row = RowFields(line, with_known_texts(values, known), errors, rules=rules)
        item = _read_plain_item(row, None, FROM_ZERO)
        if item is None or not row.sound or row.remarks or row.typed:
            return None
        found.append((line, item))
    return line, found


def read_between(
    path: Path, start: int, end: int, before: int, errors: ErrorList
) -> tuple[int, Sequence[Row[ItemRecord]]]:
    """Return the number of lines between two bytes of a file, and their items, as anybody's are read.

    `before` is the number of lines before them. Whether ids repeat is not checked.
    """
    plain = _read_plain_part(None, path, start, end, ANYBODYS)
    if plain is not None:
        lines, items = plain
        return lines, [Row(before + line, item) for line, item in items]
    found = Collector[ItemRecord](errors, lambda _item: None)
    known = frozenset({*PARABLE_FIELDS, *OTHER_FIELDS, *FOREIGN_FIELDS})
    for row, values in read_lines_between(path, start, end, before, errors):
        chosen, ignored = renamed(values, None, known)
        found.ignore(name for name in ignored if values[name] is not None)
        fields = RowFields(row, chosen, errors, rules=ANYBODYS)
        found.add(fields, read_parable_item(fields, codes=None))
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read(end - start).removesuffix(b"\n").count(b"\n") + 1
    return lines, found.reading(FORMAT.code).rows


def _read(source: ItemFile) -> None:
    if source.numbers is None and source.columns is None and _read_in_parts(source):
        return
    counted = FROM_ZERO if source.numbers is None else Numbers(source.numbers)
    known = frozenset({*PARABLE_FIELDS, *OTHER_FIELDS})
    known |= FOREIGN_FIELDS if source.rules.is_judged_elsewhere else frozenset()
    read = partial(read_parable_item, codes=source.types, numbers=counted)
    read_json_items(source, known, read, layout="Parable JSONL", needed=("choices", "task"))


FORMAT: Final = Format(
    code="parable",
    label="Parable JSONL",
    label_zh="Parable JSONL",
    read=_read,
    writer=Writer(
        suffix=".jsonl",
        parts=lambda items: (
            item_line(ReleaseRecord(item, item.split or DEV, canary="")).encode() for item in items
        ),
        kinds=lambda _kind: True,
        holds=frozenset(LOSABLE),
    ),
)
