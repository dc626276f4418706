"""The lines that benchmarks print: JSON, one measurement each; and the table of figures with limits."""

import json
from collections.abc import Iterable
from typing import Any, Final

Line = dict[str, Any]

HEADINGS: Final = ("case", "metric", "figure", "beside", "times", "promise", "")


def line(
    bench: str,
    case: str,
    metric: str,
    value: float,
    unit: str,
    *,
    beside: float | None = None,
    most: float | None = None,
    least: float | None = None,
) -> Line:
    """Return one measurement; it is `missed` if `value` is above the limit `most` or below `least`.

    `beside`: a measurement of the same run to compare with; `times` is the ratio of the value to it.
    """
    found: Line = {"bench": bench, "case": case, "metric": metric, "value": value, "unit": unit}
    if beside is not None:
        found |= {"beside": beside, "times": round(value / beside, 4) if beside else None}
    found |= {name: limit for name, limit in (("most", most), ("least", least)) if limit is not None}
    is_missed = (most is not None and value > most) or (least is not None and value < least)
    return found | ({"missed": True} if is_missed else {})


def skipped(bench: str, case: str, reason: str) -> Line:
    """Return the line of a bench that could not be run here, with the reason."""
    return {"bench": bench, "case": case, "skipped": reason}


def show(found: Line) -> None:
    """Print a line at once, so that a long run can be followed."""
    print(json.dumps(found, ensure_ascii=False), flush=True)


def is_promise(found: Line) -> bool:
    """Return whether a measurement has a limit."""
    return "most" in found or "least" in found


def table(lines: Iterable[Line]) -> str:
    """Return a Markdown table with a row per measurement: figure, limit, and whether it was missed."""
    rows = [HEADINGS, ("---",) * len(HEADINGS), *map(_row, lines)]
    return "\n".join("| " + " | ".join(row).rstrip() + " |" for row in rows)


def _row(found: Line) -> tuple[str, ...]:
    if "skipped" in found:
        return (found["case"], "", "not run: " + found["skipped"], "", "", "", "")
    limits = {"at least": found.get("least"), "at most": found.get("most")}
    return (
        str(found["case"]).replace("|", "\\|"),
        str(found["metric"]),
        _said(found["value"], found["unit"]),
        _said(found["beside"], found["unit"]) if "beside" in found else "",
        f"{found['times']:.2f}" if found.get("times") else "",
        ", ".join(f"{words} {_number(limit)}" for words, limit in limits.items() if limit is not None),
        "**missed**" if found.get("missed") else "",
    )


def _said(value: float, unit: str) -> str:
    return f"{_number(value)} {unit}".rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:g}"
