"""Reads files of ratings and answers, one per line: item, rater, value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from parable.commands.matrices import UnusableMatrixError, csv_lines, text_of
from parable.formats.answer_log import AnswerLog, log_of
from parable.formats.errors import SENTENCES, InputError
from parable.formats.sources import load
from parable.formats.tables import table_rows
from parable.psychometrics.raters.keys import Answer

MOST_RATING: Final = 20
MOST_OPTIONS: Final = 26
RATER_NAMES: Final = ("rater", "reviewer", "coder", "annotator")
"""Column names for the rater in tables of ratings, including our own."""
_HEAD_BYTES: Final = 4096
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Rows:
    """The contents of files: ratings, blind answers, keys, options and stories of items.

    `passed_over`: (item, rater) of each line that a later line replaces.
    """

    ratings: Sequence[tuple[str, str, int]]
    answers: Sequence[tuple[str, str, int]]
    options: Mapping[str, int]
    keys: Mapping[str, int]
    stories: Mapping[str, str]
    passed_over: Sequence[tuple[str, str]]

    @property
    def categories(self) -> int:
        """The number of ratings on the scale, from 0 to the highest rating given."""
        return max((value for _, _, value in self.ratings), default=0) + 1

    def as_answers(self) -> list[Answer]:
        """Return the answers, each with the number of its item's options.

        If a file does not give that number, it is taken from the last option that any answer or key names.
        """
        named = (*(choice for _, _, choice in self.answers), *self.keys.values())
        most = max([2, *(choice + 1 for choice in named)])
        return [
            Answer(item, rater, choice, self.options.get(item, most)) for item, rater, choice in self.answers
        ]


def read_rows(paths: Sequence[Path]) -> Rows:
    """Read files with columns item, rater, and rating or answer; raise UnusableMatrixError if invalid.

    Of several ratings, or answers, of one item by one rater, the last counts. Lines must agree about the
    options, key and story of an item, and letters must be within its options.
    """
    given: dict[str, dict[tuple[str, str], tuple[int, str]]] = {"rating": {}, "answer": {}}
    facts: dict[str, dict[str, tuple[Any, str]]] = {"options": {}, "key": {}, "story": {}}
    passed_over: dict[str, tuple[str, str]] = {}
    for place, row in _rows(paths):
        who = (row["item"], row["rater"])
        for column, earlier in given.items():
            if row.get(column):
                if who in earlier:
                    passed_over[earlier[who][1]] = who
                earlier[who] = (_read(column, row[column], place), place)
        for column, known in facts.items():
            if row.get(column):
                value = _read(column, row[column], place)
                before, there = known.setdefault(row["item"], (value, place))
                if before != value:
                    message = f"{place}, {column}: {row[column][:40]!r}"
                    raise UnusableMatrixError(f"{message}, where {there} says something else of this item.")
    if not any(given.values()):
        raise UnusableMatrixError(f"{paths[0]}: this file holds no ratings and no answers.")
    options = {item: count for item, (count, _) in facts["options"].items()}
    _check_letters([(item, *one, "answer") for (item, _), one in given["answer"].items()], options)
    _check_letters([(item, *one, "key") for item, one in facts["key"].items()], options)
    return Rows(
        ratings=[(*who, value) for who, (value, _) in given["rating"].items()],
        answers=[(*who, value) for who, (value, _) in given["answer"].items()],
        options=options,
        keys={item: key for item, (key, _) in facts["key"].items()},
        stories={item: story for item, (story, _) in facts["story"].items()},
        passed_over=list(passed_over.values()),
    )


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and cells of each line of a CSV file, a spreadsheet, or an exported JSON list."""
    try:
        with path.open("rb") as file:
            begins = file.read(4).lstrip(b"\xef\xbb\xbf \r\n")
    except OSError:
        begins = b""  # `text_of` raises the error
    if not begins.startswith((b"PK", b"[", b"{")):
        yield from csv_lines(path, text_of(path))
        return
    wide = 0
    try:
        for line, cells in table_rows(load(path)):
            wide = max(wide, len(cells))
            found = [cell if isinstance(cell, str) else "" for cell in cells]
            yield line, found + [""] * (wide - len(found))
    except InputError as refused:
        raise UnusableMatrixError(f"{path}: {SENTENCES[refused.code] % refused.params}") from refused


def _rows(paths: Sequence[Path]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield for each line its location, such as `FILE, line 3`, and its cells by column name."""
    for path in paths:
        if (log := _log_of(path)) is not None:
            yield from _of_log(path, log)
            continue
        lines = _lines(path)
        line, header = next(lines, (1, []))
        names = [cell.strip().lower() for cell in header]
        rater = next((name for name in RATER_NAMES if name in names), "rater")
        names = ["rater" if name == rater else name for name in names]
        if not {"item", "rater"} <= set(names) or not {"rating", "answer"} & set(names):
            raise UnusableMatrixError(
                f"{path}, line {line}: the first line names the columns item, rater, and rating or answer."
            )
        for line, cells in lines:
            if len(cells) != len(names):
                raise UnusableMatrixError(
                    f"{path}, line {line}: {len(cells)} cells, where the first line has {len(names)}."
                )
            row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
            for name in ("item", "rater"):
                if not row[name]:
                    raise UnusableMatrixError(f"{path}, line {line}, {name}: the {name} has no name.")
            if row.get("revision"):  # another wording is another unit
                row["item"] = f"{row['item']}.{row['revision']}"
            yield f"{path}, line {line}", row


def _log_of(path: Path) -> AnswerLog | None:
    """Return the format of a file of annotators' answers; None for a table."""
    if not path.is_file():
        return None  # a pipe can be read once only
    try:
        with path.open("rb") as file:
            return log_of(path, file.read(_HEAD_BYTES))
    except OSError:
        return None  # `text_of` raises the error


def _of_log(path: Path, log: AnswerLog) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the ratings and the one-letter answers in an annotation log, as `_rows` does."""
    try:
        for line, values in log.read(path):
            answer = str(values.get("text", "")).strip()
            row = {"item": str(values["item_id"]), "rater": str(values["model"])}
            row |= {"rating": str(values["rating"])} if "rating" in values else {}
            row |= {"answer": answer} if len(answer) == 1 and answer.upper() in _LETTERS else {}
            for name in ("item", "rater"):
                if not row[name]:
                    raise UnusableMatrixError(f"{path}, line {line}, {name}: the {name} has no name.")
            yield f"{path}, line {line}", row
    except InputError as refused:
        sentence = SENTENCES[refused.code] % refused.params
        raise UnusableMatrixError(f"{path}, line {refused.row}: {sentence}") from refused


def _check_letters(letters: Iterable[tuple[str, int, str, str]], options: Mapping[str, int]) -> None:
    """Raise UnusableMatrixError for a letter beyond its item's options.

    `letters` are (item, option number, file and line, column).
    """
    for item, option, place, column in letters:
        if option >= options.get(item, MOST_OPTIONS):
            raise UnusableMatrixError(
                f"{place}, {column}: {letter(option)!r} is beyond the {options[item]} options of this item."
            )


def _read(column: str, text: str, place: str) -> Any:
    """Return the parsed value of a non-empty cell; raise UnusableMatrixError if it is invalid."""
    if column == "rating":
        return _whole(text, 0, MOST_RATING, f"{place}, rating")
    if column == "options":
        return _whole(text, 2, MOST_OPTIONS, f"{place}, options")
    if column == "story":
        return text
    if len(text) != 1 or text.upper() not in _LETTERS:
        raise UnusableMatrixError(f"{place}, {column}: {text[:40]!r} is not a letter of an option.")
    return _LETTERS.index(text.upper())


def _whole(text: str, least: int, most: int, place: str) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise UnusableMatrixError(f"{place}: {text[:40]!r} is not a whole number from {least} to {most}.")
    return int(text)


def letter(option: int) -> str:
    """Return the letter of an option, given by its number from 0."""
    return _LETTERS[option]
