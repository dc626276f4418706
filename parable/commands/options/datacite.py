"""Options of `datacite`."""

import argparse
from pathlib import Path

from parable.sentences import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """Return the parser of `datacite`."""
    made = argparse.ArgumentParser(
        prog="datacite",
        description="Write the metadata of a release as DataCite JSON (schema 4), for registers of DOIs."
        " Leaves with 0, or 2 when it cannot be written.",
    )
    add_creators(made)
    made.add_argument(
        "--publisher", default="Zenodo", metavar="NAME", help="who publishes it (default: Zenodo)"
    )
    made.add_argument("--out", type=Path, metavar="FILE", help="write it there (default: print it)")
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return made


def add_creators(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the release's folder and its creators."""
    parser.add_argument(
        "folder", type=Path, metavar="RELEASE_DIR", help="the folder of the release, or its archive (ZIP)"
    )
    parser.add_argument(
        "--creator",
        dest="creators",
        action="append",
        required=True,
        metavar="NAME[;ORCID]",
        help='who made it, in order: "Family, Given;0000-0002-1825-0097", or an institution without comma',
    )
