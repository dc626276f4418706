"""`score RESPONSES --release DIR`: makes the tables of an evaluation from answers collected elsewhere."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from sys import intern
from time import time
from typing import Any, Final, TypedDict

from parable.commands.ended import Ended
from parable.commands.kind_score import lines, score_files
from parable.commands.options.of_several import FILTER, PARABLE
from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.results.every_eval_ever import Measured, record_files, write_records
from parable.commands.results.files import write_tables
from parable.commands.results.layouts import as_markdown
from parable.commands.wording import sentence, sentence_of, unwritable
from parable.formats.asked_items import Words
from parable.formats.errors import RowError
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord, released
from parable.formats.release_folder import ReleaseFolder, read_release_folder
from parable.formats.responses import ResponseRecord, Responses, read_responses
from parable.formats.spool import Mapped
from parable.kinds import kind_of
from parable.kinds.question import Answered
from parable.llm.published import read_put_by_filter
from parable.psychometrics.results.contents import Content
from parable.psychometrics.results.evaluation import make_tables, score_object
from parable.psychometrics.results.figures import has_figures
from parable.psychometrics.results.sheets import (
    Answer,
    AnswerColumns,
    Asked,
    ItemFact,
    Items,
    ResponseColumns,
    asked_of,
    code_of,
    item_fact,
)
from parable.reading.answers import CHOSEN
from parable.splits import SPLITS, is_measured

PRINTED: Final = ("accuracy", "measures", "outcomes", "types", "styles")
"""Codes of the tables that are printed; `--out` writes all tables."""
MOST_DIFFERENCES: Final = 20
"""Maximum number of answers that are listed as scored differently by a tool; the JSON has all."""


def run(options: argparse.Namespace) -> int:
    """Score the responses; return 0 when done, 2 if a file cannot be used."""
    if options.gold is not None:
        return _score_kind(options)
    release = read_release_folder(options.release, answers=options.answers)
    if release.errors:
        return refuse(release.errors, as_json=options.as_json, language=options.language)
    found = _Contents(release, options.split)
    if not found.facts:
        return _refuse_words("withheld" if found.withheld else "no_items", options, len(found.withheld))
    responses = read_responses(
        options.responses,
        options=found.options,
        tasks=found.tasks,
        words=Mapped(_words, release.items),
        sources=((item.source_id, item.id) for item in release.items),
    )
    if responses.errors:
        return refuse(responses.errors, as_json=options.as_json, language=options.language)
    for ids in (found.options, found.tasks):
        ids.clear()  # 10 MB each for 200,000 items
    scored = _Scored(found, release.item, options.rule)
    for one in responses.records:
        scored.add(one)
    if scored.withheld:
        withheld = sum(split in scored.withheld for split in found.withheld.values())
        return _refuse_words("withheld", options, withheld)
    if not scored.sheets:
        return _refuse_words("no_responses", options)
    return _report(release, found, scored, options) or _write_records(release, scored, responses, options)


def _write_records(
    release: ReleaseFolder, scored: "_Scored", responses: Responses, options: argparse.Namespace
) -> int:
    """Write the answers of each model as records of Every Eval Ever, if the option names a folder.

    Return the exit code.
    """
    if options.every_eval_ever is None:
        return DONE
    at = time()
    for model in scored.ended:
        files = record_files(
            Measured(model, release.name, release.version, release.canary, at),
            scored.items,
            release.item,
            responses.records,
            lambda sheet: _asked_of(sheet, scored.items, scored.contents.splits),
            partial(read_response, rule=options.rule),
        )
        try:
            written = write_records(options.every_eval_ever, files)
        except OSError as error:
            return unwritable(options.every_eval_ever, error, options.language)
        if not options.as_json:
            print(*written, sep="\n")
    return DONE


class _Contents:
    """Data about the items of a release, collected in one pass.

    `facts` has only items that can be scored: those of the wanted split, or of dev and test, with a known
    key. `splits` has the split of each. `withheld` has the split of the others by id.
    """

    def __init__(self, release: ReleaseFolder, split: str | None) -> None:
        self.options: dict[str, int] = {}
        self.tasks: dict[str, str] = {}
        self.contents: list[Content] = []
        self.facts: list[ItemFact] = []
        self.splits: list[str] = []
        self.withheld: dict[str, str] = {}
        same: dict[Content, Content] = {}
        for name, item in zip(release.place, release.items, strict=True):
            task = self.tasks[name] = intern(item.task)
            self.options[name] = len(item.choices)
            content = Content(task, intern(item.split or ""), item.types)
            self.contents.append(same.setdefault(content, content))
            if not is_measured(item.split, split):
                continue
            if item.is_keyed:
                self.facts.append(replace(item_fact(item), id=name, task=task, types=self.contents[-1].types))
                self.splits.append(content.split)
            else:
                self.withheld[name] = content.split


def _words(item: ItemRecord) -> Words:
    return Words(item.id, item.story, item.question, item.choices)


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
    """Return the answers of each model, in order of appearance.

    Every item of a split that a model answered counts as asked in every repeat. If a model answered an item
    of one repeat in several rotations, every item counts as asked in all rotations.
    """
    known = {item.id: item for item in records}
    sheets: dict[str, AnswerColumns] = {}
    for one in responses:
        if one.item_id in known:
            sheet = sheets.setdefault(one.model, AnswerColumns(one.model, items))
            sheet.add(read_response(one, known[one.item_id], rule))
    splits = [known[fact.id].split or "" for fact in items.facts]
    return [sheet.columns(_asked_of(sheet, items, splits)) for sheet in sheets.values()]


def _asked_of(sheet: AnswerColumns, items: Items, splits: Sequence[str]) -> Iterator[Asked]:
    """Yield what counts as asked: all items of the splits that were answered; `splits` has that of each."""
    turns = {fact.id: max(1, fact.options) for fact in items.facts} if sheet.is_rotated else None
    answered = _answered(sheet, splits)
    asked = asked_of(items, repeats=sheet.repeats, rotations=turns)
    return (one for one in asked if splits[items.row[one[0]]] in answered)


def _answered(sheet: AnswerColumns, splits: Sequence[str]) -> frozenset[str]:
    """Return the splits of which a model answered any item."""
    return frozenset(splits[row] for row in sheet.rows)


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


class _Scored:
    """The scored answers of all models, and the answers that a log's tool scored differently.

    Each difference has the `item`, whether it was right for the `tool`, and our reading (`read`): a letter or
    an outcome. `withheld` are the splits with answers to items whose keys are not known.
    """

    def __init__(self, contents: _Contents, item_of: Callable[[str], ItemRecord], rule: str) -> None:
        self.contents = contents
        self.items = Items(contents.facts)
        self.splits: dict[str, tuple[str, ...]] = {}
        self.withheld: set[str] = set()
        self.sheets: dict[str, AnswerColumns] = {}
        self.ended: dict[str, Ended] = {}
        self.differences: dict[str, Judged] = {}
        self._item_of = item_of
        self._rule = rule

    def add(self, one: ResponseRecord) -> None:
        """Score an answer; do nothing if its item is not scored."""
        row = self.items.row.get(one.item_id)
        if row is None:
            if split := self.contents.withheld.get(one.item_id):
                self.withheld.add(split)
            return
        answer = read_response(one, self._item_of(one.item_id), self._rule)
        self.sheets.setdefault(one.model, AnswerColumns(one.model, self.items)).add(answer)
        self.ended.setdefault(one.model, Ended(one.model)).add(one.served)
        if one.tool_says is None:
            return
        judged = self.differences.setdefault(one.model, {"judged": 0, "differences": []})
        judged["judged"] += 1
        if (answer.choice is not None and answer.choice == self.items.facts[row].key) != one.tool_says:
            read = answer.outcome if answer.choice is None else answer.choice
            judged["differences"].append({"item": one.item_id, "tool": one.tool_says, "read": _shown(read)})

    def columns(self) -> list[ResponseColumns]:
        """Return the columns of each model, in order of appearance; discard the answers to save memory.

        Note in `splits` which splits each model answered.
        """
        columns = []
        for model in [*self.sheets]:
            sheet, splits = self.sheets.pop(model), self.contents.splits
            answered = _answered(sheet, splits)
            self.splits[model] = tuple(split for split in SPLITS if split in answered)
            columns.append(sheet.columns(_asked_of(sheet, self.items, splits)))
        return columns


def _shown(read: object) -> object:
    """Return the letter of a position; return any other value unchanged."""
    return LETTERS[read] if isinstance(read, int) and 0 <= read < len(LETTERS) else read


def difference_lines(differences: Mapping[str, Judged], language: str) -> Iterator[str]:
    """Yield a line for each model that a tool scored, followed by lines for its first differences."""
    for model, found in differences.items():
        more = found["differences"]
        counts = {"model": model, "of": found["judged"], "n": found["judged"] - len(more), "more": len(more)}
        yield sentence("tool_alike", language) % counts
        for one in more[:MOST_DIFFERENCES]:
            code = "tool_right" if one["tool"] else "tool_wrong"
            yield "  " + sentence(code, language) % {"item": one["item"], "read": one["read"]}


def _remarks(scored: _Scored, options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines below the tables: what was scored, how answers ended, what a tool scored otherwise."""
    if options.split is None:
        for splits in dict.fromkeys(scored.splits.values()):
            models = (model for model, answered in scored.splits.items() if answered == splits)
            of = {"splits": ", ".join(splits), "models": ", ".join(models)}
            yield sentence("splits_scored", options.language) % of
    for ended in scored.ended.values():
        yield from ended.lines(options.language)
    yield from difference_lines(scored.differences, options.language)


def _report(release: ReleaseFolder, found: _Contents, scored: _Scored, options: argparse.Namespace) -> int:
    sheets = scored.columns()
    has_own = any(map(has_figures, {one.task for one in found.contents}))
    answers = (released(one) for one in release.items) if has_own else ()
    tables = make_tables(scored.items, sheets, released=found.contents, answers=answers)
    if release.changed:
        details = {"files": ", ".join(release.changed)}
        print(sentence("changed_files", options.language) % details, file=sys.stderr)
    for table in tables:
        if table.code in PRINTED:
            print(as_markdown(table, options.language))
    for line in _remarks(scored, options):
        print(line)
    if options.out is not None:
        try:
            written = write_tables(options.out, tables, options.language)
        except OSError as error:
            return unwritable(options.out, error, options.language)
        print(sentence("tables_written", options.language) % {"n": len(written), "folder": options.out})
    if options.as_json:
        cut_off = {model: one.cut_off for model, one in scored.ended.items() if one.cut_off}
        more = {"splits": scored.splits, "cut_off": cut_off, "tool_judged": scored.differences}
        print_json(score_object(scored.items, sheets) | {name: one for name, one in more.items() if one})
    return DONE


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
