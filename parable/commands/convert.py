"""`convert PATH... --to FORMAT --out FILE`: writes items in the format of another tool."""

import argparse
import sys
from contextlib import suppress

from parable.commands.file_errors import errors_as_json, is_known, print_errors, remark_lines
from parable.commands.item_files import read_each
from parable.commands.outcome import DONE, UNUSABLE, print_json, unusable
from parable.commands.wording import sentence
from parable.formats.conversion import Conversion, lost_words
from parable.formats.items import FORMATS, ITEM_FORMATS

SHOWN = 8
"""Maximum number of item ids that are printed."""


def run(options: argparse.Namespace) -> int:
    """Write the items of all files to one file; return the exit code.

    It is 2 if a file is unusable or no item is written.
    """
    language = options.language
    writers = {code: one.writer for code, one in FORMATS.items() if one.writer is not None}
    if not (is_known(options.format, ITEM_FORMATS, language) and is_known(options.to, [*writers], language)):
        return UNUSABLE
    readings = read_each(
        options.paths,
        code=options.format,
        numbers=options.numbers,
        sheet=options.sheet,
        mapping=options.mapping,
    )
    errors = [error for _path, reading in readings for error in reading.errors]
    if errors:
        print_errors(errors, language)
        if options.as_json:
            print_json({"written": 0, "errors": errors_as_json(errors, language)})
        return UNUSABLE
    remarks = [remark for _path, reading in readings for remark in reading.remarks]
    print(*remark_lines(remarks, language), sep="\n", end="\n" if remarks else "")
    made, label = Conversion(writers[options.to]), FORMATS[options.to].label_in(language)
    # The file gets its name only when it is complete, so that no partial file remains.
    begun = options.out.with_name(f"{options.out.name}.part")
    try:
        with begun.open("wb") as file:
            for part in made.parts(item for _path, reading in readings for item in reading.records):
                file.write(part)
        if not made.written:
            print(sentence("none_written", language) % {"format": label}, file=sys.stderr)
            return UNUSABLE
        begun.replace(options.out)
    except OSError as error:
        return unusable(error)
    finally:
        with suppress(OSError):
            begun.unlink(missing_ok=True)
    _say(made, options, label)
    if options.as_json:
        print_json(
            {
                "written": made.written,
                "left_out": made.left_out,
                "lost": made.lost,
                "remarks": errors_as_json(remarks, language),
            }
        )
    return DONE


def _say(made: Conversion, options: argparse.Namespace, label: str) -> None:
    language = options.language
    print(sentence("items_written", language) % {"n": made.written, "file": options.out, "format": label})
    if made.left_out:
        few = ", ".join(made.left_out[:SHOWN]) + ("…" if len(made.left_out) > SHOWN else "")
        print(sentence("items_left_out", language) % {"n": len(made.left_out), "items": few})
    if made.lost:
        found = ", ".join(f"{lost_words(name, language)} ({n})" for name, n in sorted(made.lost.items()))
        print(sentence("not_in_file", language) % {"found": found})
