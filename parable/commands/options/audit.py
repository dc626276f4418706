"""Options of `audit`."""

import argparse
from pathlib import Path

from parable.commands.judge_options import add_judge
from parable.commands.options.of_several import add_json
from parable.sentences import LANGUAGES


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
    made.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file of items")
    add_json(made)
    made.add_argument(
        "--numbers",
        type=int,
        choices=(0, 1),
        help="number of the first option, in answers that are numbers",
    )
    made.add_argument(
        "--sheet",
        default="",
        metavar="NAME",
        help="sheet of a spreadsheet (default: the first with known columns)",
    )
    made.add_argument(
        "--map",
        dest="mapping",
        default="",
        metavar="FIELD=COLUMN,...",
        help="columns by field, such as stem=question,key=label@0,options=A..D,story:WORDS",
    )
    made.add_argument("--report", type=Path, metavar="DIR", help="write audit.md and audit.html there")
    add_judge(made)
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return made
