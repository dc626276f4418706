"""Options that several commands share."""

import argparse
from pathlib import Path
from typing import Final

PARABLE: Final = "parable"
FILTER: Final = "crmus"


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option that prints the result as JSON."""
    parser.add_argument(
        "--json", dest="as_json", action="store_true", help="print one JSON object as the last line"
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add the option that writes the result to a file."""
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the JSON object there")


def add_rule(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects the rule for reading answers."""
    parser.add_argument(
        "--rule",
        choices=(PARABLE, FILTER),
        default=PARABLE,
        help="how texts are read: by Parable's rules (the default), or by the filter of the CRMUS paper",
    )
