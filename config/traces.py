"""Sends spans to a collector of OpenTelemetry, by OTLP over HTTP, if `PARABLE_OTLP_URL` names one.

Each process starts its own exporter after it was forked (`start_traces`): threads do not survive a fork. What
else OpenTelemetry can be given, as headers for the collector or a share of traces, is in its own variables
`OTEL_*`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from django.db.backends.signals import connection_created

from core import spans
from core.spans import Kind, Value

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

LEAVES_WITHIN: Final = 3.0
"""Seconds that a process which ends gives to the spans that are left."""
LONGEST_STATEMENT: Final = 2000
_running: Final[dict[str, TracerProvider]] = {}


def start_traces(process: str) -> None:
    """Start to send the spans of this process, named `process`. Do nothing if the site sends no traces."""
    from config import settings

    if not settings.OTLP_URL or _running:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME") or "parable"
    resource = Resource.create({"service.name": name, "parable.process": process})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{settings.OTLP_URL}/v1/traces")))
    _running["provider"] = provider
    spans.begin_tracing(_Spans(provider))
    connection_created.connect(_trace_statements, dispatch_uid="traces")


def stop_traces() -> None:
    """Send the spans that are left, for at most a few seconds, and make no more."""
    spans.end_tracing()
    connection_created.disconnect(dispatch_uid="traces")
    if provider := _running.pop("provider", None):
        # OpenTelemetry's own limits do not hold while a collector is away
        rest = threading.Thread(target=provider.shutdown, daemon=True)
        rest.start()
        rest.join(LEAVES_WITHIN)


class _Spans:
    """Makes spans with the provider of this process."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._tracer = provider.get_tracer("parable")
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def span(
        self, name: str, kind: Kind, attributes: Mapping[str, Value], parent: Mapping[str, str]
    ) -> Iterator[Any]:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        context = self._propagator.extract(dict(parent)) if parent else None
        with self._tracer.start_as_current_span(
            name,
            context=context,
            kind=SpanKind[kind.upper()],
            attributes=attributes,
            record_exception=False,  # its text may quote rows
            set_status_on_exception=False,
        ) as made:
            try:
                yield made
            except BaseException as error:
                made.set_attribute("error.type", type(error).__qualname__)
                made.set_status(Status(StatusCode.ERROR))
                raise

    def carrier(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        self._propagator.inject(headers)
        return headers

    def trace_id(self) -> str:
        from opentelemetry.trace import format_trace_id, get_current_span

        context = get_current_span().get_span_context()
        return format_trace_id(context.trace_id) if context.is_valid else ""


def _trace_statements(connection: Any, **_named: object) -> None:
    if _trace_statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(_trace_statement)


def _trace_statement(
    execute: Callable[..., Any],
    sql: str,
    params: Any,
    many: bool,  # noqa: FBT001 - Django passes it by position
    context: Mapping[str, Any],
) -> Any:
    """Execute a statement in a span with its text, in which values are placeholders.

    Those outside of requests and tasks, as of health checks, are not traced.
    """
    if not spans.trace_id():
        return execute(sql, params, many, context)
    text = str(sql)
    verb = text.split(None, 1)[0].upper() if text.strip() else "SQL"
    about = {"db.system.name": "postgresql", "db.query.text": text[:LONGEST_STATEMENT]}
    with spans.span(verb, "client", about):
        return execute(sql, params, many, context)
