"""How answers ended according to their server: cut off, reasoning only, another model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from parable.commands.wording import sentence
from parable.reading.answers import is_cut_off

Served = Mapping[str, Any]
"""A server's report on an answer: `finish_reason`, `answered_by`, `reasoning_tokens`, `only_thought`."""


def cut_off(served: Iterable[Served]) -> int:
    """Return how many answers ended at their token limit."""
    return sum(is_cut_off(str(one.get("finish_reason", ""))) for one in served)


def ended_lines(model: str, served: Iterable[Served], language: str) -> Iterator[str]:
    """Yield a line for each irregularity in a model's answers that readers of the tables must know."""
    rows = list(served)
    counts = {
        "cut_off": cut_off(rows),
        "only_thought": sum(bool(one.get("only_thought")) for one in rows),
    }
    for code, n in counts.items():
        if n:
            yield sentence(code, language) % {"model": model, "n": n, "of": len(rows)}
    others = sorted({name for one in rows if (name := str(one.get("answered_by", ""))) not in ("", model)})
    if others:
        names = ", ".join(others)
        yield sentence("answered_by", language) % {"model": model, "names": names}
