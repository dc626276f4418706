"""The address `/metrics` for Prometheus, answered outside the request threads like the health checks."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.db import close_old_connections

from dashboard.queries.metrics import METRICS, Histogram, Sample, samples
from web.request_counts import BUCKETS

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

PATH: Final = "/metrics"
Header = tuple[bytes, bytes]
PLAIN: Final[Header] = (b"content-type", b"text/plain; charset=utf-8")
EXPOSITION: Final[Header] = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
CHALLENGE: Final[Header] = (b"www-authenticate", b"Bearer")
FRESH: Final = 5.0
"""Seconds for which figures are reused, so that many who ask cost no more than one."""
PATIENCE: Final = 8.0
"""Seconds after which a request is given up; Prometheus itself waits ten."""


class Metrics:
    """Responds to `/metrics` if there is a token, and the request has it."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="metrics")
        self._running: asyncio.Future[str] | None = None
        self._asked = float("-inf")

    async def answer(self, environ: dict[str, Any]) -> tuple[int, str, Header] | None:
        """Return (status, text, header) for `/metrics`; None for other paths, and if there is no token."""
        if environ["PATH_INFO"] != PATH or not self._token:
            return None
        if not self._is_authorised(environ.get("HTTP_AUTHORIZATION", "")):
            return HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.\n", CHALLENGE
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return HTTPStatus.METHOD_NOT_ALLOWED, "Use GET.\n", PLAIN
        try:
            text = await asyncio.wait_for(asyncio.shield(self._figures()), PATIENCE)
        except TimeoutError:
            return HTTPStatus.SERVICE_UNAVAILABLE, "The database or Redis does not respond.\n", PLAIN
        return HTTPStatus.OK, text, EXPOSITION

    def _is_authorised(self, header: str) -> bool:
        scheme, _space, token = header.partition(" ")
        return hmac.compare_digest(token.strip().encode(), self._token) and scheme.lower() == "bearer"

    def _figures(self) -> asyncio.Future[str]:
        """Return the figures that are fresh or on their way; ask for them in the thread if there are none."""
        loop = asyncio.get_running_loop()
        if self._running and (not self._running.done() or loop.time() - self._asked < FRESH):
            return self._running
        self._asked = loop.time()
        self._running = loop.run_in_executor(self._thread, current_figures)
        return self._running


def current_figures() -> str:
    """Return the site's figures as Prometheus reads them."""
    close_old_connections()
    try:
        return exposition(samples())
    finally:
        close_old_connections()


def exposition(found: Iterable[Sample]) -> str:
    """Return samples in the text format of Prometheus."""
    from prometheus_client.exposition import generate_latest
    from prometheus_client.registry import Collector, CollectorRegistry

    class Site(Collector):
        def collect(self) -> Iterator[Metric]:
            return _families(found)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Site())
    return generate_latest(registry).decode()


def _families(found: Iterable[Sample]) -> Iterator[Metric]:
    from prometheus_client import core

    classes = {"counter": core.CounterMetricFamily, "gauge": core.GaugeMetricFamily}
    families: dict[str, Any] = {
        metric.name: classes.get(metric.kind, core.HistogramMetricFamily)(
            metric.name, metric.said, labels=metric.labels
        )
        for metric in METRICS
    }
    for metric, labels, value in found:
        if isinstance(value, Histogram):
            families[metric.name].add_metric(labels, _cumulative(value), value.total)
        else:
            families[metric.name].add_metric(labels, value)
    yield from families.values()


def _cumulative(histogram: Histogram) -> list[tuple[str, float]]:
    bounds = [*map(str, BUCKETS), "+Inf"]
    return [(bound, sum(histogram.buckets[: at + 1])) for at, bound in enumerate(bounds)]
