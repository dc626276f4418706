"""Formats errors in files of items, and remarks on values that were read differently than written."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from parable.commands.wording import sentence, sentence_of
from parable.formats.errors import RowError, grouped

MOST_LINES: Final = 9
"""Maximum number of kinds of errors that are printed; the JSON has all errors."""


def errors_as_json(errors: Iterable[RowError], language: str) -> list[dict[str, object]]:
    """Return errors or remarks as JSON objects.

    Those that list their rows also have `code` and `rows`.
    """
    return [
        {
            "file": one.file,
            "row": one.row,
            "field": one.field,
            "message": sentence_of(one, language),
            **({"code": one.code.value, "rows": one.rows} if one.rows else {}),
            **({"items": one.items} if any(one.items) else {}),
        }
        for one in errors
    ]


def is_known(given: str, known: Sequence[str], language: str) -> bool:
    """Return whether a format is known; if not, print the known ones to standard error."""
    if given not in known:
        print(
            sentence("no_format", language) % {"format": given, "formats": ", ".join(known)}, file=sys.stderr
        )
    return given in known


def print_errors(errors: Iterable[RowError], language: str) -> None:
    """Print each kind of error, with the first file and row that has it, to standard error."""
    shown = errors_as_json(grouped([*errors]), language)
    for one in shown[:MOST_LINES]:
        print(sentence("place", language) % one + str(one["message"]), file=sys.stderr)
    if len(shown) > MOST_LINES:
        print(sentence("more_errors", language) % {"n": len(shown) - MOST_LINES}, file=sys.stderr)


def remark_lines(remarks: Sequence[RowError], language: str) -> Iterator[str]:
    """Yield a heading, and a line for each remark on a value that was read differently than written."""
    if remarks:
        yield sentence("remarks", language)
    for one in errors_as_json(remarks, language):
        yield "  " + sentence("place", language) % one + str(one["message"])
