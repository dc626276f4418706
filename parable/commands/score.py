"""`score RESPONSES --release DIR`: makes the tables of an evaluation from answers collected elsewhere."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict

from parable.commands.ended import cut_off, ended_lines
from parable.commands.kind_score import lines, score_files
from parable.commands.options.of_several import FILTER, PARABLE
from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.results.files import write_tables
from parable.commands.results.layouts import as_markdown
from parable.commands.wording import sentence, sentence_of
from parable.formats.asked_items import Words
from parable.formats.errors import RowError
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord, released
from parable.formats.release_folder import ReleaseFolder, read_release_folder
from parable.formats.responses import ResponseRecord, read_responses
from parable.kinds import kind_of
from parable.kinds.question import Answered
from parable.llm.published import read_put_by_filter
from parable.psychometrics.results.contents import Content
from parable.psychometrics.results.evaluation import make_tables, score_object
from parable.psychometrics.results.sheets import (
    Answer,
    Items,
    ResponseColumns,
    asked_of,
    code_of,
    item_fact,
    make_sheet,
)
from parable.reading.answers import CHOSEN

PRINTED: Final = ("accuracy", "measures", "outcomes", "types", "styles")
"""Codes of the tables that are printed; `--out` writes all tables."""
MOST_DIFFERENCES: Final = 20
"""Most answers that are listed as scored differently by a tool; the JSON has all."""


def run(options: argparse.Namespace) -> int:
    """Score the responses; return 0 when done, 2 if a file cannot be used."""
    if options.gold is not None:
        return _score_kind(options)
    release = read_release_folder(options.release, answers=options.answers)
    if release.errors:
        return refuse(release.errors, as_json=options.as_json, language=options.language)
    records = release.of_split(options.split)
    withheld = [item.id for item in records if not item.is_keyed]
    if withheld or not records:
        return _refuse_words("withheld" if withheld else "no_items", options, len(withheld))
    responses = read_responses(
        options.responses,
        options={item.id: len(item.choices) for item in release.items},
        tasks={item.id: item.task for item in release.items},
        words=(Words(item.id, item.story, item.question, item.choices) for item in release.items),
    )
    if responses.errors:
        return refuse(responses.errors, as_json=options.as_json, language=options.language)
    items = Items(item_fact(item) for item in records)
    sheets = sheets_of(items, records, responses.records, rule=options.rule)
    if not sheets:
        return _refuse_words("no_responses", options)
    served: dict[str, list[Mapping[str, Any]]] = {}
    for one in responses.records:
        if one.item_id in items.row:
            served.setdefault(one.model, []).append(one.served)
    differences = tool_differences(responses.records, {item.id: item for item in records}, options.rule)
    return _report(release, items, sheets, served, differences, options)


def _score_kind(options: argparse.Namespace) -> int:
    """Score answers to texts of a kind without options, each file as a model; return the exit code."""
    if options.grades is not None and len(options.responses) > 1:
        return _refuse_words("one_graded", options)
    scores = score_files(options.responses, gold=options.gold, kind=options.kind, grades=options.grades)
    if not scores.kind:
        return _refuse_words("no_kind", options)
    if scores.errors:
        return refuse(scores.errors, as_json=options.as_json, language=options.language)
    for line in lines(scores, options.language):
        print(line)
    if options.as_json:
        print_json(scores.as_json())
    return DONE


def sheets_of(
    items: Items, records: Iterable[ItemRecord], responses: Iterable[ResponseRecord], *, rule: str = PARABLE
) -> list[ResponseColumns]:
    """Return a sheet for each model, in order of appearance; every item counts as asked in every repeat.

    If a model answered an item of one repeat in several rotations, every item counts as asked in all
    rotations.
    """
    known = {item.id: item for item in records}
    by_model: dict[str, list[ResponseRecord]] = {}
    for one in responses:
        if one.item_id in known:
            by_model.setdefault(one.model, []).append(one)
    return [_sheet(name, items, known, answers, rule) for name, answers in by_model.items()]


def _sheet(
    name: str,
    items: Items,
    known: Mapping[str, ItemRecord],
    responses: Sequence[ResponseRecord],
    rule: str,
) -> ResponseColumns:
    repeats = sorted({one.repeat for one in responses})
    turns = (
        {fact.id: max(1, fact.options) for fact in items.facts}
        if any(one.rotation for one in responses)
        else None
    )
    asked = asked_of(items, repeats=repeats, rotations=turns)
    answers = (read_response(one, known[one.item_id], rule) for one in responses)
    return make_sheet(name, items, answers, asked=asked)


def read_response(one: ResponseRecord, item: ItemRecord, rule: str = PARABLE) -> Answer:
    """Return a response as an answer for tables: read leniently and strictly, or by the published filter."""
    kind, known = kind_of(item.task), released(item)
    order = one.order or tuple(range(len(item.choices)))
    given = list(one.choice) if isinstance(one.choice, tuple) else one.choice
    read = Answered(one.outcome or CHOSEN, given, given)
    if one.text is not None and rule == FILTER and kind.question.is_one_option:
        outcome, choice = read_put_by_filter(one.text, choices=item.choices, order=order)
        read = Answered(outcome, choice, choice)
    elif one.text is not None:
        read = kind.question.read_as_ended(one.text, known, order, one.finish_reason)
    right = kind.question.right(known)
    score = kind.scorer(read.given, right)
    counted = (kind.counted(one, right) for one in (read.given, read.strict))
    choice, strict = (None if given is None else code_of(given) for given in counted)
    return Answer(one.item_id, read.outcome, choice, strict, one.repeat, one.rotation, one.order, score=score)


class Judged(TypedDict):
    """The number of a model's answers that a tool scored, and the differences from our scores."""

    judged: int
    differences: list[dict[str, object]]


def tool_differences(
    responses: Iterable[ResponseRecord], known: Mapping[str, ItemRecord], rule: str = PARABLE
) -> dict[str, Judged]:
    """Return, by model, how many answers a log's tool scored, and those that we score differently.

    Each difference has the `item`, whether it was right for the `tool`, and our reading (`read`): a letter or
    an outcome.
    """
    found: dict[str, Judged] = {}
    for one in responses:
        if one.tool_says is None or one.item_id not in known:
            continue
        item = known[one.item_id]
        answer = read_response(one, item, rule)
        counts = found.setdefault(one.model, {"judged": 0, "differences": []})
        counts["judged"] += 1
        is_right = answer.choice is not None and answer.choice == code_of(
            kind_of(item.task).question.right(released(item))
        )
        if is_right != one.tool_says:
            read = answer.outcome if answer.choice is None else answer.choice
            counts["differences"].append({"item": one.item_id, "tool": one.tool_says, "read": _shown(read)})
    return found


def _shown(read: object) -> object:
    """Return a position as a letter; anything else unchanged."""
    return LETTERS[read] if isinstance(read, int) and 0 <= read < len(LETTERS) else read


def difference_lines(differences: Mapping[str, Judged], language: str) -> Iterator[str]:
    """Yield a line for each model that a tool scored, and a line for each of the first differences."""
    for model, found in differences.items():
        more = found["differences"]
        counts = {"model": model, "of": found["judged"], "n": found["judged"] - len(more), "more": len(more)}
        yield sentence("tool_alike", language) % counts
        for one in more[:MOST_DIFFERENCES]:
            code = "tool_right" if one["tool"] else "tool_wrong"
            yield "  " + sentence(code, language) % {"item": one["item"], "read": one["read"]}


def _report(
    release: ReleaseFolder,
    items: Items,
    sheets: Sequence[ResponseColumns],
    served: Mapping[str, Sequence[Mapping[str, Any]]],
    differences: Mapping[str, Judged],
    options: argparse.Namespace,
) -> int:
    contents = [Content(one.task, one.split or "", one.types) for one in release.items]
    answers = [released(one) for one in release.items]
    tables = make_tables(items, sheets, released=contents, answers=answers)
    if release.changed:
        details = {"files": ", ".join(release.changed)}
        print(sentence("changed_files", options.language) % details, file=sys.stderr)
    for table in tables:
        if table.code in PRINTED:
            print(as_markdown(table, options.language))
    for model, rows in served.items():
        for line in ended_lines(model, rows, options.language):
            print(line)
    for line in difference_lines(differences, options.language):
        print(line)
    if options.out is not None:
        try:
            written = write_tables(options.out, tables, options.language)
        except OSError as error:
            details = {"folder": options.out, "reason": error.strerror or str(error)}
            print(sentence("unwritable", options.language) % details, file=sys.stderr)
            return UNUSABLE
        print(sentence("tables_written", options.language) % {"n": len(written), "folder": options.out})
    if options.as_json:
        tool = {"tool_judged": differences} if differences else {}
        print_json(_with_cut_off(score_object(items, sheets), served) | tool)
    return DONE


def _with_cut_off(
    data: Mapping[str, Any], served: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, object]:
    """Return the JSON object, with the numbers of cut-off answers by model if there are any."""
    counts = {model: n for model, rows in served.items() if (n := cut_off(rows))}
    return {**data, **({"cut_off": counts} if counts else {})}


def refuse(errors: Sequence[RowError], *, as_json: bool, language: str = "en") -> int:
    """Print errors as sentences and, if `as_json`, as one JSON object; return the exit code."""
    for error in errors:
        place = sentence("place", language) % {
            "file": error.file, "row": error.row, "field": error.field,
        }  # fmt: skip
        print(place + sentence_of(error, language), file=sys.stderr)
    if as_json:
        _print_errors(
            {
                "file": one.file,
                "row": one.row,
                "field": one.field,
                "message": sentence_of(one, language),
            }
            for one in errors
        )
    return UNUSABLE


def _refuse_words(code: str, options: argparse.Namespace, number: int = 0) -> int:
    message = sentence(code, options.language) % {"n": number}
    file = options.release or options.gold
    print(f"{file}: {message}", file=sys.stderr)
    if options.as_json:
        _print_errors([{"file": str(file), "row": 1, "field": "file", "message": message}])
    return UNUSABLE


def _print_errors(errors: Iterable[Mapping[str, Any]]) -> None:
    print_json({"models": {}, "errors": list(errors)})
