"""CSV files of ratings and answers, one a line: which item, which rater, what they gave."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from parable.commands.matrices import UnusableMatrixError, csv_lines, text_of
from parable.psychometrics.raters.keys import Answer

MOST_RATING: Final = 20
MOST_OPTIONS: Final = 26
RATER_NAMES: Final = ("rater", "reviewer", "coder", "annotator")
"""What tables of ratings call the person, our own among them."""
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(slots=True)
class Rows:
    """What a file holds: ratings, blind answers, keys, and the story of each item."""

    ratings: list[tuple[str, str, int]] = field(default_factory=list)
    answers: list[tuple[str, str, int]] = field(default_factory=list)
    options: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    stories: dict[str, str] = field(default_factory=dict)

    @property
    def categories(self) -> int:
        """Ratings of the scale, from 0."""
        return max((value for _, _, value in self.ratings), default=0) + 1

    def as_answers(self) -> list[Answer]:
        """The answers with how many options their items have; unless the file says so, the most named."""
        most = max((choice for _, _, choice in self.answers), default=0) + 1
        most = max([most, 2, *(key + 1 for key in self.keys.values())])
        return [
            Answer(item, rater, choice, max(self.options.get(item, most), choice + 1))
            for item, rater, choice in self.answers
        ]


def read_rows(paths: Sequence[Path]) -> Rows:
    """Read files with the columns item, rater, and rating or answer; raises UnusableMatrixError."""
    found = Rows()
    for path in paths:
        lines = csv_lines(path, text_of(path))
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
            if row["item"] and row.get("revision"):  # in other words it is rated anew: another unit
                row["item"] = f"{row['item']}.{row['revision']}"
            _add(found, row, f"{path}, line {line}")
    if not found.ratings and not found.answers:
        raise UnusableMatrixError(f"{paths[0]}: this file holds no ratings and no answers.")
    return found


def _add(found: Rows, row: Mapping[str, str], place: str) -> None:
    item, rater = row["item"], row["rater"]
    for name in ("item", "rater"):
        if not row[name]:
            raise UnusableMatrixError(f"{place}, {name}: the {name} has no name.")
    if rating := row.get("rating"):
        found.ratings.append((item, rater, _whole(rating, 0, MOST_RATING, f"{place}, rating")))
    if options := row.get("options"):
        found.options[item] = _whole(options, 2, MOST_OPTIONS, f"{place}, options")
    if answer := row.get("answer"):
        found.answers.append((item, rater, _letter(answer, f"{place}, answer")))
    if key := row.get("key"):
        found.keys[item] = _letter(key, f"{place}, key")
    if story := row.get("story"):
        found.stories[item] = story


def _whole(text: str, least: int, most: int, place: str) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise UnusableMatrixError(f"{place}: {text[:40]!r} is not a whole number from {least} to {most}.")
    return int(text)


def _letter(text: str, place: str) -> int:
    if len(text) != 1 or text.upper() not in _LETTERS:
        raise UnusableMatrixError(f"{place}: {text[:40]!r} is not a letter of an option.")
    return _LETTERS.index(text.upper())


def letter(option: int) -> str:
    """The letter of an option."""
    return _LETTERS[option]


def add_rows(parser: argparse.ArgumentParser) -> None:
    """The argument that `read_rows` reads."""
    parser.add_argument(
        "ratings",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="CSV with the columns item, rater, and rating (from 0) or answer (a letter) or both; also read:"
        " key (a letter), options (how many), story",
    )
