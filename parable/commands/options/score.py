"""Options of `score`."""

import argparse
from pathlib import Path
from typing import Final

from parable.commands.options.of_several import add_json, add_rule
from parable.sentences import LANGUAGES
from parable.splits import SPLITS

KINDS: Final = ("anomaly", "step", "scene", "proverb")
"""The kinds that `kind_score` scores."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `score`."""
    made = argparse.ArgumentParser(
        prog="score",
        description="Accuracy tables from answers to the items of a release: JSON lines with model, item_id,"
        " repeat and text, or choice in place of text. An answer that is missing counts as failed. Leaves"
        " with 0, or 2 when a file cannot be used.",
    )
    made.add_argument("responses", nargs="+", type=Path, metavar="RESPONSES", help="a file of responses")
    right = made.add_mutually_exclusive_group(required=True)
    right.add_argument("--release", type=Path, metavar="DIR", help="the folder of the release")
    right.add_argument(
        "--gold", type=Path, metavar="FILE", help="score answers of another kind against this published file"
    )
    made.add_argument("--kind", choices=KINDS, help="with --gold, where its shape does not tell the kind")
    made.add_argument(
        "--grades", type=Path, metavar="FILE", help="with --gold, two grades of each reason: qid, grades"
    )
    made.add_argument("--answers", type=Path, metavar="FILE", help="the answers that the release withholds")
    made.add_argument(
        "--split",
        choices=SPLITS,
        help="score this split alone (default: of dev and test, those that a model answered)",
    )
    add_rule(made)
    made.add_argument(
        "--out", type=Path, metavar="DIR", help="write every table there as CSV, Markdown, LaTeX and SVG"
    )
    made.add_argument(
        "--every-eval-ever",
        type=Path,
        metavar="DIR",
        help="write the answers there as records of Every Eval Ever: they have stories and keys",
    )
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of the tables (default: en)")
    add_json(made)
    return made
