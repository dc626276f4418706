"""Options of `raters`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json, add_out
from parable.psychometrics.defaults import ALLOWANCE


def parser() -> argparse.ArgumentParser:
    """Return the parser of `raters`."""
    made = argparse.ArgumentParser(
        prog="raters",
        description="Severity of raters by the many-facet Rasch model with errors and fit, ratings adjusted"
        " for it beside the raw ones, and from answers the probability of each key (Dawid and Skene). A"
        " language model named by --model is counted only where it passes the alternative-annotator test."
        " Leaves with 0, or 2 when a file cannot be used.",
    )
    made.add_argument(
        "ratings",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="CSV, XLSX or JSON with the columns item, rater, and rating (from 0) or answer (a letter) or"
        " both; also read: key (a letter), options (how many), revision, story",
    )
    made.add_argument(
        "--model",
        dest="models",
        action="append",
        default=[],
        metavar="RATER",
        help="a rater of the files who is a language model; may be repeated",
    )
    made.add_argument(
        "--allowance",
        type=_share,
        default=ALLOWANCE,
        metavar="SHARE",
        help=f"by how much a person may be nearer to the others than a model, since it costs less: 0.2 for"
        f" experts, 0.1 for crowds (default {ALLOWANCE})",
    )
    add_out(made)
    add_json(made)
    return made


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to 1")
    return found
