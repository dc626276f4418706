"""`audit PATH...`: judges files of items by the gates. No project is needed, and no server."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from parable.commands.figures import figures
from parable.commands.item_files import Files, read_files
from parable.commands.wording import sentence, sentence_of
from parable.quality.gates import ERROR, GATES, GateResult, judge
from parable.sentences import LANGUAGES, translate

DONE: Final = 0
ANSWER_IS_NO: Final = 1
UNUSABLE: Final = 2


def main(arguments: Sequence[str]) -> int:
    """Judge the files; 0 where no gate finds an error, 1 where one does, 2 where a file cannot be used."""
    options = _parser().parse_args([str(one) for one in arguments])
    files = read_files(options.paths)
    if files.errors or not files.items.items:
        return _refuse(files, options)
    results = judge(files.items)
    for line in lines(results, options.language):
        print(line)
    code = ANSWER_IS_NO if any(result.verdict == ERROR for result in results) else DONE
    if options.report is not None:
        from parable.commands.report import write_report

        try:
            written = write_report(options.report, files.items, results, options.language)
        except OSError as error:
            told = {"folder": options.report, "reason": error.strerror or str(error)}
            print(sentence("unwritable", options.language) % told, file=sys.stderr)
            return UNUSABLE
        print(sentence("written", options.language) % {"files": ", ".join(map(str, written))})
    if options.as_json:
        said = {"items": len(files.items.items), "gates": [result.as_json() for result in results]}
        print(json.dumps(said, ensure_ascii=False))
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="audit",
        description="Judge files of multiple-choice items (JSONL, CRMUS, CSV, XLSX) as one set, by the gates"
        " that a release must pass. Leaves with 0 when no gate finds an error, 1 when one does, 2 when a file"
        " cannot be used.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file of items")
    parser.add_argument(
        "--json", dest="as_json", action="store_true", help="print one JSON object as the last line"
    )
    parser.add_argument("--report", type=Path, metavar="DIR", help="write audit.md and audit.html there")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return parser


def _refuse(files: Files, options: argparse.Namespace) -> int:
    for error in files.errors:
        place = sentence("place", options.language) % {
            "file": error.file, "row": error.row, "field": error.field,
        }  # fmt: skip
        print(place + sentence_of(error, options.language), file=sys.stderr)
    if not files.errors:
        print(sentence("no_items", options.language), file=sys.stderr)
    if options.as_json:
        problems = [
            {
                "file": one.file,
                "row": one.row,
                "field": one.field,
                "message": sentence_of(one, options.language),
            }
            for one in files.errors
        ]
        print(json.dumps({"items": 0, "gates": [], "errors": problems}, ensure_ascii=False))
    return UNUSABLE


def lines(results: Sequence[GateResult], language: str) -> Iterator[str]:
    """One line a gate and task, with figure, interval and threshold; what to mend under those that speak."""
    for result in results:
        gate = GATES[result.id]
        task = f", {sentence(result.task, language)}" if result.task else ""
        verdict = sentence(result.verdict, language)
        name = translate(gate.name, language)
        yield f"{verdict:>14}  {result.id}{task}: {name} ({figures(result, language)})"
        if result.items and result.verdict != "ok":
            told: dict[str, object] = {
                "items": ", ".join(result.items[:8]),
                "mend": translate(gate.mend, language),
            }
            yield " " * 16 + sentence("offenders", language) % told
