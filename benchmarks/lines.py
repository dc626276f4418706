"""The lines that benches print: JSON, one measurement each."""

import json
from typing import Any

Line = dict[str, Any]


def line(bench: str, case: str, metric: str, value: float, unit: str, limit: float | None = None) -> Line:
    """One measurement; `limit` is what it is held against, `ratio` the value over it."""
    ratio = round(value / limit, 4) if limit else None
    return {
        "bench": bench,
        "case": case,
        "metric": metric,
        "value": value,
        "unit": unit,
        "limit": limit,
        "ratio": ratio,
    }


def promised(found: Line, *, kept: bool) -> Line:
    """A measurement whose limit is a promise; where it is missed, the run ends with 1."""
    return found if kept else found | {"missed": True}


def skipped(bench: str, case: str, reason: str) -> Line:
    """A bench that could not be run here, and why."""
    return {"bench": bench, "case": case, "skipped": reason}


def show(found: Line) -> None:
    """Print a line at once, so that a long run can be followed."""
    print(json.dumps(found, ensure_ascii=False), flush=True)
