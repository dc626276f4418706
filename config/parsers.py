"""A parser for JSON requests that checks limits before parsing."""

import json
from collections.abc import Mapping
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from core.marks import has_stacked_marks
from parable.formats.json_reader import has_more_values, is_too_deep

MOST_VALUES: Final = 50_000
"""The most values in the JSON of a request: enough for the positions of all marks in a long story."""
STACKED: Final = gettext_lazy(
    "A letter of the text has too many marks above or below it. Nothing was changed."
)


class BoundedJSONParser(JSONParser):
    """The JSON parser of Django REST framework, with limits on the depth and the number of values.

    Parsing recurses at every level, and every value costs time and memory in all later steps. A name that an
    object has twice is refused: a proxy that checks requests may read the other value.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the parsed value. Raise ParseError if the text is not JSON or exceeds a limit."""
        try:
            text = stream.read().decode((parser_context or {}).get("encoding") or "utf-8")
            if has_more_values(text, MOST_VALUES):
                raise ParseError(_("The JSON has too many values. Nothing was changed."))
            if is_too_deep(text):
                raise ParseError(_("The JSON is nested too deeply. Nothing was changed."))
            value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeated)
            if has_stacked_marks(json.dumps(value, ensure_ascii=False) if "\\u" in text else text):
                raise ParseError(STACKED)
            return value
        except (ValueError, LookupError) as error:  # LookupError: an encoding that does not exist
            raise ParseError(_("The text is not JSON. Nothing was changed.")) from error


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ParseError(_("The JSON has a name twice in one object. Nothing was changed."))
    return made


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
