"""Runs the load with other sizes: `python -m benchmarks.load --people writers=100,reviewers=50`."""

import argparse
import signal
import sys

from benchmarks.lines import Line, show
from benchmarks.load import MOST_P95, Options, measure
from benchmarks.load.project import ROLES

UNITS = {"M": 1, "G": 1024}


def main(arguments: list[str]) -> int:
    """Print a line for each figure, then a table of the pages; return 1 if a promise was missed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that site and servers are stopped, too
    found = []
    for one in measure(_options(arguments)):
        show(one)
        found.append(one)
    print(f"\n{_pages(found)}\n", flush=True)
    return int(any(one.get("missed") for one in found))


def _options(arguments: list[str]) -> Options:
    default = Options()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    add = parser.add_argument
    add("--people", type=_people, default=default.people, help="writers=100,reviewers=50,managers=5")
    add("--minutes", type=float, default=default.minutes, help="after the last has come")
    add("--pace", type=_pace, default=default.pace, help="times that of people; max: no pauses")
    add("--items", type=int, default=default.items, help="a tenth as many stories")
    add("--arrivals", type=float, default=default.arrivals, help="people who come in a second")
    add("--signed-in", action="store_true", help="they come with a session, not a password")
    add("--settled", action="store_true", help="times of pages count once all people have come")
    add("--memory", type=_megabytes, help="4G: the most that site and servers may take together")
    add("--enough", type=int, default=0, help="end after so many items, verdicts and managers' pages")
    add("--keep", default="", metavar="FOLDER", help="keep the project there for the next run")
    add("--no-limit", action="store_true", help="measure the times of pages, and promise none")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the site")
    said = vars(parser.parse_args(arguments))
    said["settings"] = dict(one.split("=", 1) for one in said.pop("set"))
    has_limit = not said.pop("no_limit") and said["pace"] == 1  # promised at the pace of people alone
    return Options(**said, most_p95=MOST_P95 if has_limit else None)


def _people(text: str) -> dict[str, int]:
    found = {name: int(count) for name, _sign, count in (one.partition("=") for one in text.split(","))}
    if unknown := set(found) - set(ROLES):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: there are {', '.join(ROLES)}")
    return dict.fromkeys(ROLES, 0) | found


def _pace(text: str) -> float | None:
    return None if text == "max" else float(text)


def _megabytes(text: str) -> float:
    return float(text[:-1]) * UNITS[text[-1].upper()]


def _pages(lines: list[Line]) -> str:
    """Return a Markdown table with a row for each page."""
    pages: dict[str, dict[str, float]] = {}
    for one in lines:
        pages.setdefault(one["case"], {})[one["metric"]] = one.get("value", 0)
    heads = ("requests", "errors", "p50", "p95", "p99")
    rows = [("page", *heads), ("---",) * (len(heads) + 1)]
    rows += [
        (name, *(f"{found[head]:,.0f}" for head in heads)) for name, found in pages.items() if "p95" in found
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
