"""What is counted of requests: how many, by route, method and status, and how long they took."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from web import counters
from web.counters import Name

REQUESTS: Final = "requests"
SECONDS: Final = "request_seconds"
MICROSECONDS: Final = "request_microseconds"
BUCKETS: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the histogram of durations, in seconds."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"


def count_request(*, route: str, method: str, status: int, seconds: float) -> None:
    """Count one request."""
    method = method if method in METHODS else OTHER
    counters.add(
        {
            (REQUESTS, route, method, f"{status // 100}xx"): 1,
            (SECONDS, route, method, str(bisect_left(BUCKETS, seconds))): 1,
            (MICROSECONDS, route, method): round(seconds * 1_000_000),
        }
    )


class RouteFigures(NamedTuple):
    """The requests of a route: how many, how many with an error of the server, and the 95th percentile.

    `p95` is in seconds, interpolated within its bucket; None if it lies beyond the last bucket.
    """

    route: str
    requests: int
    errors: int
    p95: float | None


def figures_by_route(counts: Mapping[Name, int]) -> list[RouteFigures]:
    """Return the figures of each route, the most requested first."""
    requests: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
    for (kind, route, *labels), amount in counts.items():
        if kind == REQUESTS:
            requests[route] += amount
            errors[route] += amount if labels[1] == "5xx" else 0
        elif kind == SECONDS:
            buckets[route][int(labels[1])] += amount
    return [
        RouteFigures(route, amount, errors[route], percentile(buckets[route], 0.95))
        for route, amount in sorted(requests.items(), key=lambda each: (-each[1], each[0]))
    ]


def percentile(buckets: Sequence[int], share: float) -> float | None:
    """Return the value below which this share of a histogram lies, as `histogram_quantile` does.

    `buckets` has the number of values between each bound and the one before it. None if the value lies beyond
    the last bound, or there are none.
    """
    wanted, below, lower = share * sum(buckets), 0, 0.0
    for upper, amount in zip(BUCKETS, buckets, strict=False):
        if amount and below + amount >= wanted:
            return lower + (upper - lower) * (wanted - below) / amount
        below, lower = below + amount, upper
    return None
