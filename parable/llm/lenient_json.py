"""Reads JSON as models write it: cut off, with single or typographic quotes, stray commas, unquoted keys.

Strings that never end are left out, since half a moral is useless. Everything that is complete is returned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Value = str | list["Value"] | dict[str, "Value"] | None

_DEEPEST = 12
_MOST_STARTS = 20
_LOOK_AHEAD = 200
_START = re.compile(r"""[\[{]\s*(?:["'“\[{]|[A-Za-z_]\w*\s*:\s*["'“\[{])""")
_CLOSERS = {'"': '"', "'": "'", "“": '”"'}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BARE_KEY = re.compile(r"[^\W\d]\w*")
_BARE_VALUE = re.compile(r"[^,，\]}\[{\"“]+")
_SPACE = re.compile(r"\s*")
_FILLING = re.compile(r"[\s,，]*")


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value in a text; `complete` is False if it was cut off."""

    value: Value
    complete: bool


def find_json(text: str) -> list[Found]:
    """Return the JSON values in a text, in order, ignoring everything around them."""
    found: list[Found] = []
    position = 0
    for _ in range(_MOST_STARTS):
        start = _START.search(text, position)
        if start is None:
            break
        reader = _Reader(text, start.start())
        value = reader.read(0)
        position = reader.position if value else start.start() + 1
        if value:
            found.append(Found(value, not reader.cut))
    return found


def starts_like_json(text: str) -> bool:
    """Return whether a text begins with JSON, in a code fence or not, even if the JSON is incomplete."""
    return re.match(r"""\s*(?:```\w*\s*)?[\[{]\s*(?:["'“\[{]|$)""", text) is not None


class _Reader:
    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.cut = False

    def read(self, depth: int) -> Value:
        self._skip(_SPACE)
        here = self._here()
        if here and here in "[{":
            if depth >= _DEEPEST:
                self._give_up()
                return None
            return self._read_list(depth) if here == "[" else self._read_object(depth)
        if here in _CLOSERS:
            return self._read_string()
        bare = _BARE_VALUE.match(self.text, self.position)
        self.position = bare.end() if bare else self.position + 1
        return None

    def _read_list(self, depth: int) -> Value:
        self.position += 1
        values: list[Value] = []
        while self._goes_on("]}"):
            value = self.read(depth + 1)
            if value is not None:
                values.append(value)
        return values

    def _read_object(self, depth: int) -> Value:
        self.position += 1
        values: dict[str, Value] = {}
        while self._goes_on("}]"):
            key = self._read_key()
            self._skip(_SPACE)
            if key is None or not self._here():
                self._give_up()
            elif self._here() in ":：":
                self.position += 1
                values[key] = self.read(depth + 1)
            else:
                # A set, as Python prints it, or a key without a value.
                values[str(len(values) + 1)] = key
        return values

    def _read_key(self) -> str | None:
        if self._here() in _CLOSERS:
            return self._read_string()
        bare = _BARE_KEY.match(self.text, self.position)
        self.position = bare.end() if bare else self.position + 1
        return bare[0] if bare else ""

    def _read_string(self) -> str | None:
        closers = _CLOSERS[self._here()]
        self.position += 1
        parts: list[str] = []
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "\\":
                parts.append(self._read_escape())
                continue
            self.position += 1
            if char in closers and self._ends_here():
                return "".join(parts)
            parts.append(char)
        self.cut = True
        return None

    def _read_escape(self) -> str:
        char = self.text[self.position + 1 : self.position + 2]
        digits = self.text[self.position + 2 : self.position + 6]
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self.position += 6
            return chr(int(digits, 16))
        self.position += 2
        return _ESCAPES.get(char, char)

    def _ends_here(self) -> bool:
        """Return whether a quote ends the string; it may also be one that the model forgot to escape."""
        ahead = self.text[self.position : self.position + _LOOK_AHEAD]
        rest = ahead.lstrip()
        if not rest or rest[0] in ":：]}":
            return True
        if rest[0] in ",，":
            after = rest[1:].lstrip()
            return (
                not after or after[0] in "\"'“[{]}-0123456789" or after.startswith(("true", "false", "null"))
            )
        return "\n" in ahead[: len(ahead) - len(rest)] and rest[0] in "\"'“`"

    def _goes_on(self, ends: str) -> bool:
        self._skip(_FILLING)
        here = self._here()
        if not here:
            self.cut = True
            return False
        if here not in ends:
            return True
        # A wrong bracket also ends this level, but is left for the level that it belongs to.
        if here == ends[0]:
            self.position += 1
        return False

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def _here(self) -> str:
        return self.text[self.position : self.position + 1]

    def _give_up(self) -> None:
        self.cut = True
        self.position = len(self.text)
