"""Options of `convert`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_item_files, add_json
from parable.sentences import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """Return the parser of `convert`."""
    made = argparse.ArgumentParser(
        prog="convert",
        description="Write items in a format of another tool, or in ours, and say what that format has no"
        " place for. Items without a key are left out. Leaves with 0, or 2 when a file cannot be used or no"
        " item can be written.",
    )
    add_item_files(made)
    made.add_argument(
        "--to", required=True, metavar="FORMAT", help="format to write (docs/formats.md lists all)"
    )
    made.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write")
    add_json(made)
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return made
