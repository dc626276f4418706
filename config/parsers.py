"""JSON that a request brings, bounded before it is parsed."""

import json
from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from parable.formats.json_reader import is_too_deep


class BoundedJSONParser(JSONParser):
    """The framework's, which refuses what nests deeper than anything of ours, since parsing recurses."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value; raises ParseError where it is no JSON or nests too deep."""
        try:
            text = stream.read().decode((parser_context or {}).get("encoding") or "utf-8")
            if is_too_deep(text):
                raise ParseError(_("The JSON is nested too deeply. Nothing was changed."))
            return json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, LookupError) as error:  # LookupError: an encoding that does not exist
            raise ParseError(_("The text is not JSON. Nothing was changed.")) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
