"""Renders the JSON of the programming interface."""

from __future__ import annotations

import json
from typing import Any

import orjson
from rest_framework.renderers import JSONRenderer


class Renderer(JSONRenderer):
    """Renders JSON by orjson, which is ten times as fast; dates are in ISO 8601, UTC."""

    def render(self, data: Any, *_context: Any, **_named: Any) -> bytes:
        """Return the JSON of `data`; values that JSON does not have are rendered as text."""
        if data is None:
            return b""
        try:
            return orjson.dumps(data, default=_plain, option=orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS)
        except TypeError:  # a refusal that repeats what it refuses: half a character, or a number of 70 bits
            return json.dumps(data, default=_plain).encode()


class FileRenderer(Renderer):
    """Lets clients of a download accept any type of content; a refusal is JSON all the same."""

    media_type = "*/*"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, list | tuple):
        return list(value)
    return str(value)
