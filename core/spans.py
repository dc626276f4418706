"""Spans of OpenTelemetry, if the site sends traces. Otherwise, nothing is imported and nothing is done.

Spans have names and attributes of our own making only: no paths, parameters, prompts or texts of exceptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal, Protocol

Kind = Literal["internal", "server", "client", "producer", "consumer"]
Value = str | int | float | bool


class Tracer(Protocol):
    """What begins spans, as `config.traces` makes it."""

    def span(self, name: str, kind: Kind, attributes: Mapping[str, Value], parent: Mapping[str, str]) -> Any:
        """Return a context manager that yields the span."""

    def carrier(self) -> dict[str, str]:
        """Return the headers that make spans elsewhere part of the current trace."""

    def trace_id(self) -> str:
        """Return the id of the current trace, or "" outside of all."""


_active: Final[dict[str, Tracer]] = {}
_NONE: Final[Mapping[str, Any]] = {}


def begin_tracing(tracer: Tracer) -> None:
    """Send the spans of this process to this tracer from now on."""
    _active["tracer"] = tracer


def end_tracing() -> None:
    """Make no more spans in this process."""
    _active.clear()


def is_tracing() -> bool:
    """Return whether this process makes spans."""
    return bool(_active)


@contextmanager
def span(
    name: str, kind: Kind, attributes: Mapping[str, Value] = _NONE, *, parent: Mapping[str, str] = _NONE
) -> Iterator[Any]:
    """Yield a span, or None if there are no traces. An exception marks it as failed, by its type alone.

    `parent` are the headers of the trace to join, from `carrier`.
    """
    tracer = _active.get("tracer")
    if tracer is None:
        yield None
        return
    with tracer.span(name, kind, attributes, parent) as made:
        yield made


def carrier() -> dict[str, str]:
    """Return the headers that make spans elsewhere part of the current trace."""
    tracer = _active.get("tracer")
    return tracer.carrier() if tracer else {}


def trace_id() -> str:
    """Return the id of the current trace, or "" outside of all."""
    tracer = _active.get("tracer")
    return tracer.trace_id() if tracer else ""
