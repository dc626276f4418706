"""Reads values inside a JSON row strictly; an invalid value raises InputError with its path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NoReturn

from parable.formats import limits
from parable.formats.errors import ROW, ErrorCode, InputError
from parable.formats.fields import json_excerpt, refuse_unstorable


class Node:
    """A JSON value and its path: a member or entry of another node, or the row itself.

    Texts keep their outer white space: positions count from their first character.
    """

    __slots__ = ("_above", "_name", "value")

    def __init__(self, value: object, above: Node | None = None, name: str | int = "") -> None:
        self.value = value
        self._above = above
        self._name = name

    @property
    def place(self) -> str:
        """The path of the value, such as `results[1][2].idxes`; list entries count from 1."""
        if self._above is None:
            return ""
        before = self._above.place
        if isinstance(self._name, int):
            return f"{before}[{self._name}]"
        return f"{before}.{self._name}" if before else self._name

    def member(self, name: str) -> Node:
        """Return the member of an object with this name; raise InputError if it is absent or null."""
        if (found := self.optional(name)) is None:
            raise InputError(ErrorCode.MISSING, field=Node(None, self, name).place)
        return found

    def optional(self, name: str) -> Node | None:
        """Return the member of an object with this name; None if it is absent or null."""
        if not isinstance(self.value, dict):
            self._refuse(ErrorCode.NOT_AN_OBJECT)
        value = self.value.get(name)
        return None if value is None else Node(value, self, name)

    def entries(self) -> list[Node]:
        """Return the entries of a list; raise InputError if the value is no list."""
        if not isinstance(self.value, list):
            self._refuse(ErrorCode.NOT_A_LIST)
        return [Node(value, self, number) for number, value in enumerate(self.value, start=1)]

    def text(self, limit: int = limits.MAX_STORY_CHARS) -> str:
        """Return the text, including outer white space; raise InputError if it is invalid or too long."""
        value = self.value
        if not isinstance(value, str):
            self._refuse(ErrorCode.NOT_TEXT)
        if len(value) > limit:
            raise InputError(ErrorCode.TOO_LONG, field=self.place or ROW, length=len(value), limit=limit)
        refuse_unstorable(value, self.place or ROW)
        return value

    def line(self) -> str:
        """Return a short text without line breaks, such as an id or a label.

        Raise InputError for any other value.
        """
        return self.text(limits.MAX_NAME_CHARS)

    def whole_number(self) -> int:
        """Return the value, which must be a whole number; raise InputError for any other."""
        if type(self.value) is not int:
            self._refuse(ErrorCode.NOT_WHOLE_NUMBER)
        return self.value

    def whole_numbers(self) -> tuple[int, ...]:
        """Return a list of whole numbers as a tuple; raise InputError for any other value."""
        if not isinstance(self.value, list):
            self._refuse(ErrorCode.NOT_A_LIST)
        if all(type(one) is int for one in self.value):
            return tuple(self.value)
        return tuple(one.whole_number() for one in self.entries())

    def one_of(self, allowed: Mapping[object, bool]) -> bool:
        """Return the entry of `allowed` for the value; raise InputError if there is none.

        `True` and `1` are different values.
        """
        for value, meaning in allowed.items():
            if type(value) is type(self.value) and value == self.value:
                return meaning
        wanted = ", ".join(json_excerpt(value) for value in allowed)
        found = json_excerpt(self.value)
        raise InputError(ErrorCode.UNKNOWN_VALUE, field=self.place or ROW, found=found, allowed=wanted)

    def text_or_number(self) -> str | float:
        """Return a text or a finite number unchanged; raise InputError for any other value."""
        value = self.value
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        return self.text()

    def _refuse(self, code: ErrorCode) -> NoReturn:
        raise InputError(code, field=self.place or ROW, found=json_excerpt(self.value))
