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


def add_item_files(parser: argparse.ArgumentParser) -> None:
    """Add the argument for files of items, and the options for reading them."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file of items")
    parser.add_argument(
        "--format",
        default="auto",
        metavar="FORMAT",
        help="format of all files (default: found by what each holds; docs/formats.md lists all)",
    )
    parser.add_argument(
        "--numbers",
        type=int,
        choices=(0, 1),
        help="number of the first option, in answers that are numbers",
    )
    parser.add_argument(
        "--sheet",
        default="",
        metavar="NAME",
        help="sheet of a spreadsheet (default: the first with known columns), or configuration of a data set",
    )
    parser.add_argument(
        "--map",
        dest="mapping",
        default="",
        metavar="FIELD=COLUMN,...",
        help="columns by field, such as stem=question,key=label@0,options=A..D,story:WORDS",
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
