"""Counts irregular answers as reported by servers: cut off, only reasoning, or from another model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parable.commands.wording import sentence
from parable.reading.answers import is_cut_off

Served = Mapping[str, Any]
"""A server's report on an answer: `finish_reason`, `answered_by`, `reasoning_tokens`, `only_thought`."""


class Ended:
    """The number of a model's answers for each way of ending."""

    def __init__(self, model: str) -> None:
        self.cut_off = 0
        """The number of answers that ended at the token limit."""
        self._model = model
        self._only_thought = self._answers = 0
        self._others: set[str] = set()

    def add(self, served: Served) -> None:
        """Count an answer by the server's report on it."""
        self._answers += 1
        self.cut_off += is_cut_off(str(served.get("finish_reason", "")))
        self._only_thought += bool(served.get("only_thought"))
        self._others |= {str(served.get("answered_by", ""))} - {"", self._model}

    def lines(self, language: str) -> Iterator[str]:
        """Yield a line for each irregularity in the answers that readers of the score tables must know."""
        for code, n in (("cut_off", self.cut_off), ("only_thought", self._only_thought)):
            if n:
                yield sentence(code, language) % {"model": self._model, "n": n, "of": self._answers}
        if self._others:
            names = ", ".join(sorted(self._others))
            yield sentence("answered_by", language) % {"model": self._model, "names": names}
