"""Options of `calibrate`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json, add_out
from parable.psychometrics.defaults import ENOUGH_EXAMINEES, LEAST_IN_GROUP
from parable.sentences import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """Return the parser of `calibrate`."""
    made = argparse.ArgumentParser(
        prog="calibrate",
        description="Estimate discrimination, difficulty and guessing of items, and the abilities of"
        " examinees, with standard errors, from a matrix of right (1) and wrong (0) answers: CSV with a row"
        " an examinee, or py-irt's JSON lines; empty cells are missing. Leaves with 0, or 2 when the file"
        " cannot be used.",
    )
    made.add_argument("matrix", type=Path, metavar="MATRIX", help="the response matrix")
    made.add_argument("--model", choices=("1pl", "2pl", "3pl"), required=True, help="what items differ in")
    made.add_argument(
        "--priors",
        choices=("auto", "none", "weak"),
        default="auto",
        help=f"auto (the default): none from {ENOUGH_EXAMINEES} examinees, else weak",
    )
    add_out(made)
    made.add_argument(
        "--plots", type=Path, metavar="FOLDER", help="draw Wright map, test information and item curves there"
    )
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of the pictures (default: en)")
    made.add_argument(
        "--groups",
        type=Path,
        metavar="FILE",
        help="a CSV file with the columns subject and group: name the items that treat two groups of at least"
        f" {LEAST_IN_GROUP} examinees differently",
    )
    made.add_argument(
        "--stories",
        type=Path,
        metavar="FILE",
        help="a CSV file with the columns item and story: abilities and their errors then have stories as"
        " units, since items of one story go together",
    )
    made.add_argument(
        "--fit",
        action="store_true",
        help="say which model the answers bear (AIC, BIC, M2), and which items (S-X²) and examinees (l_z*)"
        " do not fit",
    )
    add_json(made)
    return made
