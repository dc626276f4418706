"""Options of `audit`."""

import argparse
from pathlib import Path

from parable.commands.judge_options import add_judge
from parable.commands.options.of_several import add_item_files, add_json
from parable.sentences import LANGUAGES


def add_slices(parser: argparse.ArgumentParser) -> None:
    """Add the options for sets that are too large for one process."""
    group = parser.add_argument_group(
        "sets in slices",
        "The findings are those of an audit of the whole set. Each slice is read by a process of its own,"
        " here or on another machine, and leaves a state in the folder of --states; states that are there"
        " are kept.",
    )
    group.add_argument("--slices", type=int, metavar="N", help="read the files in so many slices")
    group.add_argument(
        "--slice", type=int, metavar="K", help="only make the state of this slice, from 1 to N"
    )
    group.add_argument(
        "--states", type=Path, metavar="DIR", help="folder of the states (default: a temporary one)"
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of `audit`."""
    made = argparse.ArgumentParser(
        prog="audit",
        description="Judge files of multiple-choice items of 2 to 26 options (JSONL, CRMUS, CSV, XLSX) as one"
        " set, by the gates that a release must pass and by the checks of single items; or published files of"
        " SpaCE and ePiC by the checks of their kind, which"
        " name the records that contradict themselves. Leaves with 0 when there is no error, 1 when there is"
        " one, 2 when a file cannot be used.",
    )
    add_item_files(made)
    add_json(made)
    made.add_argument("--report", type=Path, metavar="DIR", help="write audit.md and audit.html there")
    add_slices(made)
    add_judge(made)
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return made
