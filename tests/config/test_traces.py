"""Spans: of routes, statements and tasks, without values; and nothing at all where no traces are sent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from pytest_django import Settings

from config import settings as config_settings
from config import task_context as context
from config import traces
from config.traces import start_traces
from core import spans
from tests.config.programs import free_port
from tests.factories import make_user

SECRET = "what-nobody-may-read"


@pytest.fixture
def ended() -> Iterator[InMemorySpanExporter]:
    """The spans that end during the test."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans.begin_tracing(traces._Spans(provider))
    yield exporter
    spans.end_tracing()


def said(span: ReadableSpan) -> str:
    return str(span.to_json())


def test_nothing_is_made_where_no_traces_are_sent(settings: Settings) -> None:
    start_traces("web")
    assert not spans.is_tracing()
    with spans.span("a", "server") as span:
        assert span is None
    assert (spans.carrier(), spans.trace_id()) == ({}, "")


@pytest.mark.django_db
def test_a_request_is_named_by_its_route_and_has_no_path(client: Client, ended: InMemorySpanExporter) -> None:
    client.get(f"/join/{SECRET}?q={SECRET}", headers={"Cookie": f"a={SECRET}"})
    (span,) = ended.get_finished_spans()
    assert span.name == "GET projects:invite_accept"
    assert span.attributes is not None
    assert span.attributes["http.route"] == "projects:invite_accept"
    assert span.attributes["http.response.status_code"] == 404
    assert SECRET not in said(span)


@pytest.mark.django_db
def test_a_statement_has_placeholders_for_its_values(ended: InMemorySpanExporter) -> None:
    make_user("Ada")
    with connection.execute_wrapper(traces._trace_statement), connection.cursor() as cursor:
        cursor.execute("SELECT 1")  # of a health check
        with spans.span("GET home", "server"):
            cursor.execute("SELECT count(*) FROM accounts_user WHERE username = %s", [SECRET])
    span, _request = ended.get_finished_spans()
    assert span.name == "SELECT"
    assert span.attributes is not None
    assert span.attributes["db.query.text"] == "SELECT count(*) FROM accounts_user WHERE username = %s"
    assert SECRET not in said(span)


def test_an_error_is_known_by_its_type_alone(ended: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match=SECRET), spans.span("a", "internal"):
        raise ValueError(SECRET)
    (span,) = ended.get_finished_spans()
    assert span.status.status_code == StatusCode.ERROR
    assert span.attributes is not None
    assert span.attributes["error.type"] == "ValueError"
    assert SECRET not in said(span)


@pytest.mark.parametrize(("state", "status"), [("SUCCESS", StatusCode.UNSET), ("FAILURE", StatusCode.ERROR)])
def test_a_task_is_part_of_the_trace_of_the_request_that_sent_it(
    ended: InMemorySpanExporter, state: str, status: StatusCode
) -> None:
    headers: dict[str, object] = {}
    with spans.span("GET home", "server"):
        context._send_along(sender="a.task", headers=headers)
        trace = spans.trace_id()
    task = SimpleNamespace(name="a.task", request=headers)
    context._take_over(task_id="1", task=task)
    assert spans.trace_id() == trace
    context._end(task_id="1", state=state)
    assert spans.trace_id() == ""
    request, run = ended.get_finished_spans()
    assert (run.name, run.status.status_code) == ("run a.task", status)
    assert run.parent is not None
    assert request.context is not None
    assert run.parent.span_id == request.context.span_id


def test_a_collector_that_is_away_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_settings, "OTLP_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr(traces, "LEAVES_WITHIN", 0.2)
    start_traces("web")
    try:
        assert spans.is_tracing()
        with spans.span("a", "server"):
            assert spans.trace_id()
    finally:
        began = time.monotonic()
        traces.stop_traces()
    assert time.monotonic() - began < 3
    assert not spans.is_tracing()
